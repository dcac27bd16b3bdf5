"""`question_id` is the id of a vote, unless it stands for several pairs or voters; `prompt_id` is a prompt."""

from __future__ import annotations

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write

HEADER = "question_id,model_a,model_b,winner,judge\n"
PROMPTS = "q1,rook,teal,model_a,v1\nq2,rook,teal,model_b,v1\nq1,rook,wren,model_a,v1\nq2,teal,wren,tie,v1\n"


@pytest.mark.parametrize("more", ["", ",response_a"])
def test_a_question_that_repeats_over_pairs_is_a_prompt(write: Write, more: str) -> None:
    lines = (HEADER + PROMPTS).splitlines()
    text = "\n".join([lines[0] + more, *(line + ("," + "x" if more else "") for line in lines[1:])]) + "\n"

    reading = read([write(text)])

    assert (reading.tally.read, reading.tally.accepted, reading.tally.duplicates) == (4, 4, 0)
    assert [reading.table.prompts[code] for code in reading.table.prompt] == ["q1", "q2", "q1", "q2"]
    assert any("read as the prompt" in warning for warning in reading.tally.warnings)


def test_a_question_that_repeats_over_voters_is_a_prompt(write: Write) -> None:
    tally = read([write(HEADER + "q1,rook,teal,model_a,v1\nq1,rook,teal,model_a,v2\n")]).tally

    assert (tally.accepted, tally.duplicates) == (2, 0)


def test_it_is_decided_over_all_files_together(write: Write) -> None:
    one = write(HEADER + "q1,rook,teal,model_a,v1\n", "one.csv")
    other = write(HEADER + "q1,wren,teal,model_a,v1\n", "other.csv")

    assert read([one, other]).tally.accepted == 2


def test_rows_of_lmsys_with_questions_over_pairs_are_all_votes(write_lines: Write) -> None:
    rows = [
        {"question_id": "q1", "model_a": "rook", "model_b": name, "winner": "tie", "anony": True}
        for name in ("teal", "wren")
    ]

    reading = read([write_lines(rows)])

    assert (reading.tally.format, reading.tally.accepted) == ("lmsys", 2)


def test_equal_rows_of_one_question_count_once(write: Write) -> None:
    tally = read([write(HEADER + "q1,rook,teal,model_a,v1\n" * 2 + "q1,rook,teal,model_b,v1\n")]).tally

    assert (tally.accepted, tally.duplicates, tally.conflict_count) == (1, 2, 1)


def test_a_prompt_of_its_own_column_stays(write: Write) -> None:
    rows = "q1,rook,teal,tie,p\nq1,rook,wren,tie,p\n"

    reading = read([write("question_id,model_a,model_b,winner,prompt\n" + rows)])

    assert (reading.tally.accepted, reading.table.prompts) == (2, ("p",))


def test_the_question_can_be_said_to_be_the_id(write: Write) -> None:
    tally = read([write(HEADER + PROMPTS)], columns="question_id=vote_id").tally

    assert (tally.accepted, tally.duplicates, tally.conflict_count) == (2, 2, 2)


@pytest.mark.parametrize("column", ["battle_id", "vote_id"])
def test_beside_an_id_of_votes_the_question_is_the_prompt(write: Write, column: str) -> None:
    rows = "q1,1,rook,teal,tie\nq1,2,rook,teal,tie\nq1,2,rook,teal,tie\n"

    reading = read([write(f"question_id,{column},model_a,model_b,winner\n" + rows)])

    assert (reading.tally.accepted, reading.tally.duplicates) == (2, 1)
    assert reading.table.prompts == ("q1",)


@pytest.mark.parametrize(
    "text",
    [
        "prompt_id,model_a,model_b,winner\np1,rook,teal,model_a\n",
        "prompt_id,left,right,winner\np1,rook,teal,left\n",
        "prompt_id,winner,loser\np1,rook,teal\n",
        "prompt_id,player1,player2,result\np1,rook,teal,1-0\n",
        "prompt_id,model_a,model_b,winner,prompt\np1,rook,teal,model_a,Name a bird.\n",
    ],
)
def test_prompt_id_is_the_prompt(write: Write, text: str) -> None:
    reading = read([write(text)])

    assert reading.table.prompts == ("p1",)
    assert "prompt_id" not in reading.tally.ignored_columns


def test_a_prompt_said_by_columns_stands_before_prompt_id(write: Write) -> None:
    path = write("prompt_id,model_a,model_b,winner,task\np1,rook,teal,model_a,t1\n")

    assert read([path], columns="task=prompt").table.prompts == ("t1",)
