"""FastChat's raw log and MT-bench's judgments."""

from __future__ import annotations

from typing import Any

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write
from tests.arena.importers.samples import LOG, PAIR, SAMPLES, said, states


def event(**more: Any) -> dict[str, Any]:
    return {**LOG, "type": "leftvote", "states": states(), **more}


def test_lines_that_are_no_votes_are_counted_by_event(write_lines: Write) -> None:
    tally = read([write_lines([event(), event(type="chat"), event(type="share"), event(type="chat")])]).tally

    assert tally.not_votes == {"event_chat": 2, "event_share": 1}
    assert tally.read == 4


def test_an_unknown_event_is_rejected(write_lines: Write) -> None:
    (problem,) = read([write_lines([event(), event(type="middlevote")])], skip_bad=True).tally.rejected

    assert (problem.column, problem.value) == ("type", "middlevote")


@pytest.mark.parametrize(
    ("models", "blind"),
    [(["", ""], True), (["Model A", "Model B"], True), (["rook-2b", "teal-9b"], False), (["<h3>Model A: rook-2b</h3>", "<h3>Model B: teal-9b</h3>"], False)],
)  # fmt: skip
def test_a_battle_is_blind_where_the_names_were_hidden(
    write_lines: Write, models: list[str], blind: bool
) -> None:
    reading = read([write_lines([event(models=models)])])

    assert reading.table.models == ("rook-2b", "teal-9b")
    assert reading.tally.excluded == ({} if blind else {"not_blind": 1})


@pytest.mark.parametrize("models", [["", "teal-9b"], ["rook-2b", "wren"], ["rook-2b"], None])
def test_names_that_do_not_fit_are_rejected(write_lines: Write, models: Any) -> None:
    assert read([write_lines([event(models=models)])], skip_bad=True).tally.rejected_count == 1


def test_an_address_becomes_a_pseudonym_within_its_log(write_lines: Write) -> None:
    records = [
        event(ip="192.0.2.7"),
        event(ip="192.0.2.7", states=states("b")),
        event(ip="192.0.2.8", states=states("c")),
    ]
    one = read([write_lines(records, "one.jsonl")]).table
    other = read([write_lines(records[::-1], "other.jsonl")]).table

    assert list(one.voter) in ([0, 0, 1], [1, 1, 0])
    assert not any("192" in voter for voter in one.voters)
    assert not set(one.voters) & set(other.voters)


def test_messages_count_from_their_offset(write_lines: Write) -> None:
    late = states()
    for state in late:
        state["messages"] = [["USER", "old"], ["ASSISTANT", "of an old talk"], *state["messages"]]
        state["offset"] = 2

    assert read([write_lines([event(states=late)])]).table.traits["length"][0].tolist() == [3, 3]


def test_a_question_of_mt_bench_is_a_prompt_and_no_id(write: Write) -> None:
    reading = read([write(SAMPLES["mt_bench_human"].content, "votes.jsonl")])

    assert reading.tally.accepted == 2
    assert reading.table.prompts == ("81",)
    assert reading.table.voters == ("expert_3",)


def test_a_tie_by_disagreement_is_a_tie_and_told(write_lines: Write) -> None:
    row = {
        "question_id": 81,
        **PAIR,
        "winner": "tie (inconsistent)",
        "judge": ["gpt-4", "pair-v2"],
        "conversation_a": said("x"),
        "conversation_b": said("y"),
        "turn": 1,
    }

    reading = read([write_lines([row])])

    assert list(reading.table.outcome) == [2]
    assert "ties because the two orders disagreed: 1" in reading.tally.warnings
