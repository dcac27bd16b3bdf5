"""A column `weight` weighs votes in every table that may have one; it is never a sample size."""

from __future__ import annotations

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write

TABLES = {
    "by columns": "model_a,model_b,winner,weight\nrook,teal,model_a,2.5\n",
    "by rows": "model_a,model_b,winner,response_a,response_b,weight\nrook,teal,model_a,x,y,2.5\n",
    "one-hot": "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie,weight\n1,rook,teal,1,0,0,2.5\n",
    "lmsys": "question_id,model_a,model_b,winner,anony,weight\n1,rook,teal,model_a,True,2.5\n",
    "two sides": "left,right,winner,weight\nrook,teal,left,2.5\n",
    "games": "player1,player2,result,weight\nrook,teal,1-0,2.5\n",
    "winner first": "winner,loser,weight\nrook,teal,2.5\n",
    "counts": "team1,team2,win1,win2,weight\nrook,teal,1,0,2.5\n",
}


@pytest.mark.parametrize("kind", TABLES)
def test_the_column_weight_is_read_and_said(write: Write, kind: str) -> None:
    reading = read([write(TABLES[kind])])

    assert list(reading.table.weight) == [2.5]
    assert list(reading.table.count) == [1]
    assert "votes count by the column weight" in reading.tally.warnings
    assert "weight" not in reading.tally.ignored_columns


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("value", ["0", "-1", "", "NaN", "inf", "heavy"])
def test_a_weight_that_is_no_number_above_0_is_rejected(write: Write, kind: str, value: str) -> None:
    tally = read([write(TABLES[kind].replace("2.5", value))], skip_bad=True).tally

    assert (tally.accepted, tally.rejected[0].column) == (0, "weight")


def test_a_weight_under_another_name_is_read_when_said(write: Write) -> None:
    path = write("model_a,model_b,winner,importance\nrook,teal,model_a,0.5\n")

    assert list(read([path]).table.weight) == [1.0]
    assert list(read([path], columns="importance=weight").table.weight) == [0.5]


def test_the_same_vote_with_another_weight_is_a_conflict(write: Write) -> None:
    rows = "1,rook,teal,model_a,2\n1,rook,teal,model_a,3\n"

    tally = read([write("battle_id,model_a,model_b,winner,weight\n" + rows)]).tally

    assert (tally.accepted, tally.duplicates, tally.conflict_count) == (1, 1, 1)
