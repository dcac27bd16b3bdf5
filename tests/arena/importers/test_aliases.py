"""Alias files merge names reversibly, and are refused whole with every problem at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import BadInput
from arena.importers import read
from arena.importers.rules import aliases
from tests.arena.importers.conftest import Write

VOTES = "model_a,model_b,winner\nrook-old,teal,model_a\nrook,teal,model_b\nrook-old,rook,tie\nwren,teal,tie\n"


def problems(write: Write, text: str) -> list[str]:
    with pytest.raises(BadInput, match="nothing is merged") as caught:
        aliases.load(write(text, "aliases.csv"), {"rook", "rook-old", "teal", "wren"})
    return [f"{problem.row} {problem.value}: {problem.reason}" for problem in caught.value.problems]


@pytest.mark.parametrize("header", ["alias,canonical\n", "old,new\n", ""])
def test_names_merge_and_their_battles_become_self_battles(write: Write, header: str) -> None:
    reading = read([write(VOTES)], aliases=write(header + "rook-old,rook\n", "aliases.csv"))

    assert reading.table.models == ("rook", "teal", "wren")
    assert reading.tally.excluded == {"self_battle": 1}
    assert reading.tally.aliases == {"rook-old": "rook"}
    assert reading.tally.accepted == 4


def test_without_the_file_the_old_names_are_back(write: Write) -> None:
    path = write(VOTES)
    read([path], aliases=write("rook-old,rook\n", "aliases.csv"))

    assert read([path]).table.models == ("rook", "rook-old", "teal", "wren")


def test_chains_are_followed(write: Write) -> None:
    path = write("old,new\na,b\nb,c\nc,rook\n", "aliases.csv")

    assert aliases.load(path, {"rook"}) == {"a": "rook", "b": "rook", "c": "rook"}


def test_the_same_line_twice_is_one_alias(write: Write) -> None:
    assert aliases.load(write("old,new\na,rook\na,rook\n", "aliases.csv"), {"rook"}) == {"a": "rook"}


def test_every_problem_is_told_at_once(write: Write) -> None:
    found = problems(write, "old,new\nx,y\ny,z\nz,x\nrook,rook\nwren,nobody\nteal,rook\nteal,wren\nq,\n")

    assert found == [
        "8 None: a model name is missing",
        "1 x: ends in a cycle: x -> y -> z -> x",
        "4 rook: is an alias of itself",
        "5 wren: points to 'nobody', which is no model of the votes",
        "6 teal: has two targets",
    ]


def test_a_problem_names_the_column_as_the_file_does(write: Write) -> None:
    with pytest.raises(BadInput) as caught:
        aliases.load(write("alias,canonical\nrook,rook\n", "aliases.csv"), {"rook"})

    assert [problem.column for problem in caught.value.problems] == ["alias"]


def test_a_way_into_a_cycle_is_told_too(write: Write) -> None:
    found = problems(write, "old,new\nwren,x\nx,y\ny,x\n")

    assert len(found) == 1
    assert "cycle: x -> y -> x" in found[0]


def test_names_of_the_file_are_cleaned_like_all_names(write: Write) -> None:
    assert aliases.load(write("old,new\n rook-old ,rook\n", "aliases.csv"), {"rook"}) == {"rook-old": "rook"}


@pytest.mark.parametrize(("text", "told"), [("a,b,c\n", "has two columns"), ("a\n", "has two columns")])
def test_another_table_is_no_alias_file(write: Write, text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        aliases.load(write(text, "aliases.csv"), {"a"})


def test_no_alias_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such alias file"):
        aliases.load(tmp_path / "none.csv", {"a"})
