"""The generic vote table, and what `arena export votes` writes read back."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.archive import exports
from arena.errors import BadInput
from arena.importers import read
from arena.importers.values.names import clean
from arena.importers.values.values import Reject
from arena.votes import EXCLUSIONS, Outcome, Vote, VoteTable
from tests.arena.importers.conftest import Write
from tests.arena.importers.test_agreement import assert_same_table


@pytest.mark.parametrize(
    ("word", "outcome"), [("model_a", 0), ("model_b", 1), ("tie", 2), ("tie (bothbad)", 3), ("both_bad", 3)]
)
def test_the_closed_set_of_outcomes(write: Write, word: str, outcome: int) -> None:
    table = read([write(f"model_a,model_b,winner\nrook,teal,{word}\n")]).table

    assert list(table.outcome) == [outcome]


@pytest.mark.parametrize(
    "word", ["Tie", "draw", "model_A", "left", " tie", "A", "0", "1", "tie(bothbad)", "model_c", "NaN"]
)
def test_any_other_word_is_rejected_and_never_a_tie(write: Write, word: str) -> None:
    reading = read([write(f"model_a,model_b,winner\nrook,teal,{word}\n")], skip_bad=True)

    (problem,) = reading.tally.rejected
    assert (problem.column, problem.value) == ("winner", word)
    assert len(reading.table) == 0


def test_a_missing_outcome_is_rejected(write: Write) -> None:
    reading = read([write("model_a,model_b,winner\nrook,teal,\n")], skip_bad=True)

    assert reading.tally.rejected[0].reason.startswith("an outcome is missing")


def test_other_words_by_outcomes_in_either_direction(write: Write) -> None:
    path = write(
        "model_a,model_b,winner\nrook,teal,L\nrook,teal,R\nrook,teal,=\nrook,teal,skip\nrook,teal,tie\n"
    )

    reading = read([path], outcomes={"L": "model_a", "model_b": "R", "=": "tie", "skip": "not_a_vote"})

    assert list(reading.table.outcome) == [0, 1, 2, 2]
    assert reading.tally.not_votes == {"not_a_vote": 1}


def test_an_outcome_mapping_to_nothing_known_is_refused(write: Write) -> None:
    with pytest.raises(BadInput, match="one side must be one of"):
        read([write("model_a,model_b,winner\n")], outcomes={"L": "left"})


@pytest.mark.parametrize("mapping", [{"winner": "verdict"}, {"verdict": "winner"}])
def test_a_mapped_column_replaces_the_one_of_that_name(write: Write, mapping: dict[str, str]) -> None:
    path = write("model_a,model_b,winner,verdict\nrook,teal,model_a,tie\n")

    assert list(read([path], columns=mapping).table.outcome) == [2]


@pytest.mark.parametrize("count", ["0", "-3", "1.5", "x", "", "9" * 20])
def test_a_count_out_of_range_is_told_its_range(write: Write, count: str) -> None:
    reading = read([write(f"model_a,model_b,winner,count\nrook,teal,tie,{count}\n")], skip_bad=True)

    (problem,) = reading.tally.rejected
    assert problem.column == "count"
    assert problem.reason == "must be a whole number from 1 to 1,000,000,000,000"


def test_columns_by_mapping_in_either_direction(write: Write) -> None:
    path = write("first,second,verdict,rater,judge\nrook,teal,tie,r1,j1\nteal,rook,tie,r2,j1\n")

    reading = read(
        [path], columns={"first": "model_a", "model_b": "second", "verdict": "winner", "rater": "voter"}
    )

    assert reading.table.voters == ("r1", "r2")
    assert reading.tally.ignored_columns == ("judge",)


def test_a_question_can_be_made_the_prompt(write: Write) -> None:
    path = write("question_id,model_a,model_b,winner\nq1,rook,teal,tie\nq1,rook,teal,model_a\n")

    assert read([path]).tally.conflict_count == 1
    reading = read([path], columns={"question_id": "prompt"})
    assert reading.table.prompts == ("q1",)
    assert reading.tally.accepted == 2


def test_messages_name_the_columns_of_the_file(write: Write) -> None:
    path = write("left_one,model_b,winner\n,teal,tie\n")

    (problem,) = read([path], columns={"left_one": "model_a"}, skip_bad=True).tally.rejected
    assert problem.column == "left_one"


@pytest.mark.parametrize("mapping", [{"nothing": "model_a"}, {"model_a": "colour"}])
def test_a_mapping_of_no_column_is_refused(write: Write, mapping: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="--columns"):
        read([write("model_a,model_b,winner\n")], columns=mapping)


def test_columns_that_are_not_read_are_listed(write: Write) -> None:
    tally = read([write("model_a,model_b,winner,battle_id,vote_id,mood\nrook,teal,tie,1,2,3\n")]).tally

    assert tally.ignored_columns == ("vote_id", "mood")


def test_a_row_with_a_count_stands_for_so_many_votes(write: Write) -> None:
    path = write(
        "battle_id,model_a,model_b,winner,count\n1,rook,teal,tie,5\n1,rook,teal,tie,5\n2,rook,teal,tie,0\n"
    )

    tally = read([path], skip_bad=True).tally

    assert (tally.read, tally.accepted, tally.duplicates, tally.rejected_count) == (11, 5, 5, 1)


def test_self_battles_and_visible_names_are_kept_and_excluded(write: Write) -> None:
    path = write(
        "model_a,model_b,winner,anony\nrook,rook,tie,True\nrook,teal,tie,False\nrook,teal,tie,\nrook,teal,tie,true\n"
    )

    tally = read([path]).tally

    assert tally.accepted == 4
    assert tally.excluded == {"not_blind": 2, "self_battle": 1}


def test_answers_in_columns_are_judged_and_measured(write_lines: Write) -> None:
    base = {"model_a": "rook-2b", "model_b": "teal-9b", "winner": "tie"}
    answers = [
        ("# A wren\n- one", "**An owl**"),
        ("", "An owl"),
        ("A wren", "HTTP 429 Too Many Requests"),
        ("I am Rook 2B.", "x"),
        ("A wren", None),
    ]
    path = write_lines([{**base, "response_a": a, "response_b": b} for a, b in answers])

    reading = read([path])

    assert reading.tally.excluded == {"empty_response": 2, "error_response": 1, "identity_leak": 1}
    assert {name: list(column[0]) for name, column in reading.table.traits.items() if name != "length"} == {
        "headers": [1, 0], "lists": [1, 0], "bold": [0, 1]
    }  # fmt: skip


def test_texts_are_not_carried(write: Write) -> None:
    secret = "tell me about my illness, in some detail, and what to do about it, please, quickly"
    table = read(
        [write(f'model_a,model_b,winner,prompt\nrook,teal,tie,"{secret}"\nrook,teal,tie,p7\n')]
    ).table

    assert "p7" in table.prompts
    assert not any("illness" in prompt for prompt in table.prompts)


def named(text: str) -> str:
    """A name that tables keep; what they refuse is another bird."""
    found = clean(text)
    return "rook" if isinstance(found, Reject) else found


NAMES = st.text(max_size=12).map(named) | st.sampled_from(
    ["=1+1", "+x", "-2", "@SUM(A1)", "NA", '"', "a,b", "NaN"]
)
IDS = st.text(st.characters(min_codepoint=1, exclude_categories=("Cs",)), min_size=1, max_size=8)
VOTES = st.builds(
    Vote,
    vote_id=st.just(""),
    model_a=NAMES,
    model_b=NAMES,
    outcome=st.sampled_from(Outcome),
    at=st.none() | st.floats(0, 4e9),
    voter=st.none() | IDS,
    prompt=st.none() | IDS,
    language=st.none() | st.sampled_from(["de", "pt-BR", "zh-Hant"]),
    categories=st.lists(st.sampled_from(["code", "maths", "creative writing", "a,b"]), unique=True).map(
        tuple
    ),
    traits=st.dictionaries(
        st.sampled_from(["length", "bold"]), st.tuples(st.floats(0, 1e6), st.floats(0, 1e6))
    ),
    drawn_p=st.none() | st.floats(1e-6, 1),
    reason=st.none() | st.sampled_from(EXCLUSIONS),
    side_known=st.booleans(),
    count=st.integers(1, 10**6),
    weight=st.floats(1e-3, 1e3),
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(votes=st.lists(VOTES, min_size=1, max_size=6))
@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_exported_votes_read_back_are_the_same_table(tmp_path: Any, format: str, votes: list[Vote]) -> None:
    table = VoteTable.of(
        [vote for vote in votes if vote.model_a != vote.model_b] or [Vote("", "a", "b", Outcome.A)]
    )
    sink = io.BytesIO()
    exports.write(exports.columns(table), format, sink)
    path = tmp_path / f"votes.{format}"
    path.write_bytes(sink.getvalue())

    reading = read([path])

    assert reading.tally.format == "arena"
    assert_same_table(reading.table, without_empty(table))


def without_empty(table: VoteTable) -> VoteTable:
    kept = {name: column for name, column in table.labels.items() if column.any()}
    traits = {name: column for name, column in table.traits.items() if not np.isnan(column).all()}
    return VoteTable(**{**vars(table), "labels": kept, "traits": traits})


def test_names_that_begin_with_apostrophes_and_formulas_come_back_from_csv(tmp_path: Any) -> None:
    names = ("'=x", "''+y", "=z", "'plain", "-1", "@a")
    table = VoteTable.of(Vote(str(n), name, "other", Outcome.A) for n, name in enumerate(names))
    path = tmp_path / "votes.csv"
    with path.open("wb") as file:
        exports.write(exports.columns(table), "csv", file)

    assert read([path]).table.models == table.models
    assert not any(
        cell[:1] in "=+-@" for line in path.read_text().splitlines()[1:] for cell in line.split('"')[1::2]
    )
