"""Equal ids: equal content counts once, in a conflict the first wins, and both are told."""

from __future__ import annotations

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write

HEADER = "battle_id,model_a,model_b,winner,tstamp,session_id\n"
FIRST = "x1,rook,teal,model_a,1700000000,v1\n"


def test_an_equal_row_counts_once(write: Write) -> None:
    tally = read([write(HEADER + FIRST * 4)]).tally

    assert (tally.read, tally.accepted, tally.duplicates, tally.conflict_count) == (4, 1, 3, 0)


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        ("x1,rook,teal,model_b,1700000000,v1\n", "outcome"),
        ("x1,rook,teal,model_a,1700000001,v1\n", "at"),
        ("x1,rook,teal,model_a,1700000000,v2\n", "voter"),
        ("x1,teal,rook,model_b,1700000000,v1\n", "a, b, outcome"),
    ],
)
def test_a_different_row_of_one_id_is_a_conflict_and_the_first_wins(
    write: Write, other: str, differs: str
) -> None:
    reading = read([write(HEADER + FIRST + "x2,rook,teal,tie,,\n" + other)])

    assert reading.tally.conflict_count == reading.tally.duplicates == 1
    (conflict,) = reading.tally.conflicts
    assert (conflict.row, conflict.line, conflict.value) == (3, 4, "x1")
    assert f"came before in row 1 with another {differs};" in conflict.reason
    assert list(reading.table.outcome) == [0, 2]


def test_the_same_time_written_otherwise_is_no_conflict(write: Write) -> None:
    tally = read([write(HEADER + FIRST + "x1,rook,teal,model_a,2023-11-14T22:13:20Z,v1\n")]).tally

    assert (tally.duplicates, tally.conflict_count) == (1, 0)


def test_rows_without_an_id_are_never_duplicates(write: Write) -> None:
    assert read([write(HEADER + ",rook,teal,model_a,1700000000,v1\n" * 3)]).tally.accepted == 3


def test_ids_are_compared_over_all_files(write: Write) -> None:
    one, two = write(HEADER + FIRST, "one.csv"), write(HEADER + FIRST.replace("model_a", "tie"), "two.csv")

    tally = read([one, two]).tally

    assert tally.accepted == 1
    assert "one.csv" in tally.conflicts[0].reason
    assert tally.conflicts[0].file.endswith("two.csv")


def test_a_number_as_id_is_its_digits(write_lines: Write) -> None:
    record = {"model_a": "rook", "model_b": "teal", "winner": "tie"}

    assert (
        read([write_lines([{**record, "battle_id": 7}, {**record, "battle_id": "7"}])]).tally.duplicates == 1
    )
    assert (
        read([write_lines([{**record, "battle_id": "07"}, {**record, "battle_id": "7"}])]).tally.duplicates
        == 0
    )


def test_a_column_that_is_no_id_is_suspected(write: Write) -> None:
    rows = "".join(f"q1,rook,teal,{word},,v{i}\n" for i, word in enumerate(("model_a", "model_b", "tie")))

    tally = read([write(HEADER + rows)]).tally

    assert any("names prompts" in warning for warning in tally.warnings)


def test_models_of_a_dropped_conflict_are_gone(write: Write) -> None:
    assert read([write(HEADER + FIRST + "x1,wren,owl,tie,,\n")]).table.models == ("rook", "teal")
