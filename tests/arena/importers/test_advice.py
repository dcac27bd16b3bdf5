"""A table that is no vote table is refused with what to do; public tables of games are read."""

from __future__ import annotations

import pytest

from arena.errors import BadInput
from arena.importers import read
from tests.arena.importers.conftest import Write


@pytest.mark.parametrize(
    ("head", "option"),
    [
        ("Model A,Model B,Winner", "Model A=model_a,Model B=model_b,Winner=winner"),
        ("Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR", "HomeTeam=model_a,AwayTeam=model_b,FTR=winner"),
        ("model_1,model_2,preference", "model_1=model_a,model_2=model_b,preference=winner"),
        ("model_a,model_b,verdict", "verdict=winner"),
    ],
)
def test_columns_under_other_names_are_told_with_the_option_that_reads_them(
    write: Write, head: str, option: str
) -> None:
    columns = head.split(",")
    path = write(head + "\n" + ",".join(f"v{at}" for at in range(len(columns))) + "\n")

    with pytest.raises(BadInput) as refused:
        read([path])

    assert f'--columns "{option}"' in str(refused.value)
    with pytest.raises(BadInput, match="of 1 votes are rejected"):
        read([path], columns=option)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("chosen,rejected", "without the models"),
        ("prompt,ranking", "a row .* for each pair"),
        ("id,conversations", "hold no votes"),
        ("id,prompt,response_a,response_b", "hold no votes"),
        ("My votes of May", "first line must name the columns"),
        ("price,colour", "a vote table has the columns model_a, model_b and winner"),
    ],
)
def test_what_holds_no_votes_says_why(write: Write, head: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read([write(head + "\n" + "x" + ",x" * head.count(",") + "\n")])


def test_a_chess_table_is_read_with_its_signs(write: Write) -> None:
    rows = "rook,teal,1-0\nrook,teal,1\u20130\nrook,teal,\u00bd-\u00bd\nrook,teal,1/2-1/2\nrook,teal,0-1\nrook,teal,*\n"

    reading = read([write("White,Black,Result\n" + rows)])

    assert list(reading.table.outcome) == [0, 0, 2, 2, 1]
    assert reading.tally.not_votes == {"no_result": 1}


def test_a_score_is_a_match_only_when_said(write: Write) -> None:
    path = write("player1,player2,result\nrook,teal,4-1\nrook,teal,2:3\nrook,teal,0-0\nrook,teal,10 - 9\n")

    assert list(read([path], outcomes="score=match").table.outcome) == [0, 1, 2, 0]
    with pytest.raises(BadInput) as refused:
        read([path])
    assert "--outcomes score=match" in refused.value.problems[0].reason


def test_scores_are_read_in_every_table_of_words(write: Write) -> None:
    path = write("model_a,model_b,winner\nrook,teal,4-1\nrook,teal,tie\n")

    assert list(read([path], outcomes="score=match").table.outcome) == [0, 2]


def test_chosen_and_rejected_models_are_winner_and_loser_without_a_side(write: Write) -> None:
    table = read([write("prompt,chosen,chosen_model,rejected,rejected_model\np,x,rook,y,teal\n")]).table

    assert (table.models, list(table.outcome), list(table.side_known)) == (("rook", "teal"), [0], [False])


@pytest.mark.parametrize(
    ("column", "ours"), [("sample_weight", "weight"), ("Weights", "weight"), ("n", "count")]
)
def test_a_column_that_seems_to_say_what_a_row_counts_is_not_ignored_in_silence(
    write: Write, column: str, ours: str
) -> None:
    path = write(f"model_a,model_b,winner,{column}\nrook,teal,tie,3\n")

    assert any(f"--columns {column}={ours}" in warning for warning in read([path]).tally.warnings)
    assert list(getattr(read([path], columns=f"{column}={ours}").table, ours)) == [3]


def test_a_delimiter_declared_in_quotes_is_taken(write: Write) -> None:
    assert read([write('"sep=;"\nmodel_a;model_b;winner\nrook;teal;tie\n')]).tally.accepted == 1
