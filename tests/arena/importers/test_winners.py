"""Winners told by name, and rows without an outcome: only as `--outcomes` says."""

from __future__ import annotations

import pytest

from arena.errors import BadInput, WrongUsage
from arena.importers import read
from tests.arena.importers.conftest import Write

HEADER = "model_a,model_b,winner\n"


def test_a_winner_may_be_told_by_name(write: Write) -> None:
    rows = (
        "rook,teal,rook\nrook,teal,teal\nteal,rook,rook\nrook,teal,tie\nrook,teal,model_a\nrook,teal,even\n"
    )

    reading = read([write(HEADER + rows)], outcomes="by=name,even=tie")

    assert list(reading.table.outcome) == [0, 1, 1, 2, 0, 2]


@pytest.mark.parametrize(
    "text",
    [
        "player1,player2,result\n1,0,0\n2,1,1\n",
        "left,right,winner\nright,left,left\nright,left,left\n",
        "model_a,model_b,vote\nright,left,left\nright,left,left\n",
    ],
)
def test_a_name_goes_before_a_word_of_the_format_of_another_meaning(write: Write, text: str) -> None:
    assert list(read([write(text)], outcomes="by=name").table.outcome) == [1, 1]


def test_a_name_is_compared_as_names_are_kept(write: Write) -> None:
    path = write(HEADER + "caf\u00e9,teal,cafe\u0301\n")

    assert list(read([path], outcomes={"by": "name"}).table.outcome) == [0]


def test_a_winner_outside_the_pair_is_rejected_with_the_pair(write: Write) -> None:
    with pytest.raises(BadInput) as error:
        read([write(HEADER + "rook,teal,wren\n")], outcomes="by=name")

    (problem,) = error.value.problems
    assert (problem.row, problem.line, problem.column, problem.value) == (1, 2, "winner", "wren")
    assert "neither of 'rook' and 'teal'" in problem.reason


def test_a_name_that_is_an_outcome_word_of_another_meaning_is_rejected(write: Write) -> None:
    reading = read(
        [write(HEADER + "tie,teal,tie\nrook,model_a,model_a\n")], outcomes="by=name", skip_bad=True
    )

    assert reading.tally.rejected_count == 2


def test_a_name_without_the_option_is_rejected_with_the_option(write: Write) -> None:
    with pytest.raises(BadInput) as error:
        read([write(HEADER + "rook,teal,rook\n")])

    assert "--outcomes by=name" in error.value.problems[0].reason


@pytest.mark.parametrize(
    "text",
    [
        HEADER + "rook,teal,\nrook,teal,  \nrook,teal,tie\n",
        "model_a,model_b,winner,response_a\nrook,teal,,x\nrook,teal,,x\nrook,teal,tie,x\n",
        "left,right,winner\nrook,teal,\nrook,teal,\nrook,teal,tie\n",
        "model_a,model_b,vote\nrook,teal,\nrook,teal,\nrook,teal,tie\n",
        "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
        "1,rook,teal,0,0,0\n2,rook,teal,,,\n3,rook,teal,0,0,1\n",
    ],
)
def test_a_blank_outcome_is_no_vote_when_said(write: Write, text: str) -> None:
    path = write(text)

    tally = read([path], outcomes="blank=none").tally

    assert (tally.read, tally.accepted, dict(tally.not_votes)) == (3, 1, {"no_outcome": 2})
    assert read([path], skip_bad=True).tally.rejected_count == 2


def test_models_of_blank_rows_alone_are_models_of_the_input(write: Write) -> None:
    path = write(HEADER + "rook,owl,\nrook,teal,tie\n")

    assert read([path], outcomes="blank=none").table.models == ("owl", "rook", "teal")


@pytest.mark.parametrize("text", ["by=side", "blank=zero", "name=by"])
def test_other_words_about_all_cells_are_refused(write: Write, text: str) -> None:
    with pytest.raises(WrongUsage, match=r"by=name, or blank=none"):
        read([write(HEADER + "rook,teal,tie\n")], outcomes=text)
