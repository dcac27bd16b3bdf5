"""LMSYS and LMArena tables: traits, languages, categories, sessions, and rows that do not count."""

from __future__ import annotations

from typing import Any

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write
from tests.arena.importers.samples import PAIR, SAMPLES, in_parts, said

ROW: dict[str, Any] = {
    "question_id": "q1",
    **PAIR,
    "winner": "tie",
    "judge": "u1",
    "turn": 1,
    "anony": True,
    "tstamp": 1700000000.5,
}


def test_metadata_is_used_where_it_is(write_lines: Write) -> None:
    metadata = {
        "sum_assistant_a_tokens": 100, "sum_assistant_b_tokens": 7,
        "header_count_a": {"h1": 1, "h2": 2}, "header_count_b": {"h1": 0, "h3": None},
        "list_count_a": {"ordered": 4, "unordered": 1}, "list_count_b": {"ordered": 0, "unordered": 0},
        "bold_count_a": {"**": 2, "__": 1}, "bold_count_b": {"**": 0, "__": 0},
    }  # fmt: skip

    table = read(
        [
            write_lines(
                [{**ROW, "conv_metadata": metadata, "conversation_a": said("x"), "conversation_b": said("y")}]
            )
        ]
    ).table

    assert {name: column[0].tolist() for name, column in table.traits.items()} == {
        "length": [100, 7], "headers": [3, 0], "lists": [5, 0], "bold": [3, 0]
    }  # fmt: skip


@pytest.mark.parametrize("count", [-1, float("nan"), "many"])
def test_a_wrong_count_in_the_metadata_is_rejected(write_lines: Write, count: Any) -> None:
    row = {**ROW, "conv_metadata": {"sum_assistant_a_tokens": count, "sum_assistant_b_tokens": 3}}

    (problem,) = read([write_lines([row])], skip_bad=True).tally.rejected
    assert problem.column == "conv_metadata"


def test_traits_are_measured_from_the_texts_otherwise(write_lines: Write) -> None:
    row = {**ROW, "conversation_a": said("# Birds\n- **wren**"), "conversation_b": said("an owl")}

    traits = read([write_lines([row])]).table.traits

    assert traits["headers"][0].tolist() == [1, 0]
    assert traits["bold"][0].tolist() == [1, 0]
    assert traits["length"][0, 1] == 2


def test_turns_are_summed_and_prompts_are_no_answers(write_lines: Write) -> None:
    talk = [*said("one two"), *said("three", "# a header of the user")]

    traits = read([write_lines([{**ROW, "conversation_a": talk, "conversation_b": talk}])]).table.traits

    assert traits["length"][0].tolist() == [3, 3]
    assert traits["headers"][0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (said("fine"), said(""), "empty_response"),
        (said("fine"), said("  \n\u200b"), "empty_response"),
        (said("fine"), said("x")[:1], "empty_response"),
        (said("fine"), [], "empty_response"),
        (said("$MODERATION$ YOUR INPUT VIOLATES OUR CONTENT MODERATION GUIDELINES."), said("x"), "error_response"),
        (said("**NETWORK ERROR DUE TO HIGH TRAFFIC. PLEASE REGENERATE OR REFRESH THIS PAGE.**"), said("x"), "error_response"),
        (said('{"error": {"message": "Rate limit reached", "code": 429}}'), said("x"), "error_response"),
        (said("I am teal-9b, nice to meet you"), said("x"), "identity_leak"),
        (said("fine"), said("TEAL 9B is the better model"), "identity_leak"),
        (said("a rook is a bird"), said("a teal is another"), None),
        (said("Network errors are handled by retrying the request."), said("x"), None),
    ],
)  # fmt: skip
def test_answers_on_which_no_preference_stands(
    write_lines: Write, a: Any, b: Any, reason: str | None
) -> None:
    tally = read([write_lines([{**ROW, "conversation_a": a, "conversation_b": b}])]).tally

    assert tally.excluded == ({} if reason is None else {reason: 1})


@pytest.mark.parametrize(("anony", "reason"), [(False, "not_blind"), (None, "not_blind"), (True, None)])
def test_a_vote_with_names_in_sight_does_not_count(
    write_lines: Write, anony: Any, reason: str | None
) -> None:
    tally = read([write_lines([{**ROW, "anony": anony}])]).tally

    assert tally.excluded == ({} if reason is None else {reason: 1})


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ({"high_freq": True, "sampled": False}, "dedup"),
        ({"high_freq": True, "sampled": True}, None),
        (None, None),
    ],
)
def test_a_prompt_sent_again_and_again_is_left_out_as_its_publisher_says(
    write_lines: Write, tag: Any, reason: str | None
) -> None:
    tally = read([write_lines([{**ROW, "dedup_tag": tag}])]).tally

    assert tally.excluded == ({} if reason is None else {reason: 1})


def test_categories_are_the_true_flags_however_deep(write_lines: Write) -> None:
    tags = {
        "if_v0.1": {"if": True, "score": 4},
        "math_v0.1": {"math": False},
        "criteria_v0.1": {"complexity": True, "creativity": False},
    }

    table = read([write_lines([{**ROW, "category_tag": tags, "is_code": True}])]).table

    assert sorted(table.labels) == ["code", "complexity", "if"]


def test_a_list_of_judges_is_one_voter(write_lines: Write) -> None:
    assert read([write_lines([{**ROW, "judge": ["gpt-4", "pair-v2"]}])]).table.voters == ("gpt-4/pair-v2",)


def test_sessions_of_the_140k_table_are_voters(write: Write) -> None:
    table = read([write(SAMPLES["lmsys_140k"].content, "votes.parquet")]).table

    assert table.voters == ("e1",)
    assert list(table.labels) == ["code"]
    assert table.languages == ("pl",)


def test_content_in_parts_is_text_and_a_picture_is_an_answer(write_lines: Write) -> None:
    picture = [
        {"role": "user", "content": "draw"},
        {"role": "assistant", "content": [{"type": "image", "image": "https://x.test/1.png"}]},
    ]
    row = {
        "id": "u1",
        **PAIR,
        "winner": "both_bad",
        "evaluation_session_id": "e1",
        "conversation_a": in_parts("a wren"),
        "conversation_b": picture,
    }

    reading = read([write_lines([row])])

    assert reading.tally.excluded == {}
    assert reading.table.traits["length"][0, 0] == 2


ONE_HOT = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"


@pytest.mark.parametrize("hot", ["0,0,0", "1,1,0", "1,0,1", ",,", "2,0,0"])
def test_exactly_one_column_is_hot(write: Write, hot: str) -> None:
    tally = read([write(ONE_HOT + f'1,rook,teal,"[""q""]","[""a""]","[""b""]",{hot}\n')], skip_bad=True).tally

    assert tally.rejected_count == 1


def test_turns_stand_in_lists_written_as_text(write: Write) -> None:
    row = '7,rook,teal,"[""q1"", ""q2""]","[""one two"", null]","[""\\ud83d three"", ""four""]",True,False,False\n'

    reading = read([write(ONE_HOT + row)])

    assert reading.tally.excluded == {"empty_response": 1}
    assert reading.table.traits["length"][0].tolist() == [2, 3]  # half an emoji is a sign


def test_a_search_without_vote_is_counted(write: Write) -> None:
    reading = read([write(SAMPLES["search_arena"].content, "votes.jsonl")])

    assert reading.tally.not_votes == {"no_outcome": 1}
    assert reading.table.languages == ("de",)
    assert list(reading.table.labels) == ["Factual Lookup"]
    assert "times without a zone are taken as UTC" in reading.tally.warnings


def test_models_of_a_record_without_vote_are_models_of_the_input(write_lines: Write) -> None:
    row = {
        "model_a": "wren",
        "model_b": "owl",
        "winner": None,
        "messages_a": said("x"),
        "messages_b": said("y"),
    }

    reading = read([write_lines([row])])

    assert reading.table.models == ("owl", "wren")
    assert len(reading.table) == 0
