"""Arenas of code: BigCodeArena and Copilot Arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import Layout, battle, vote_of
from arena.importers.formats.registry import reader
from arena.importers.rules.checks import Checks
from arena.importers.rules.conversations import structure, text_id
from arena.importers.values.values import Reject, text, whole
from arena.votes import Outcome, Vote

WORDS = {"left": Outcome.A, "right": Outcome.B, "tie": Outcome.TIE, "both_bad": Outcome.BOTH_BAD}
BIGCODE = Layout(
    vote_id=("id", "battle_id"), prompt=("initial_prompt",), voter=("session_id", "user_id"), outcome="vote"
)
COPILOT = Layout(
    vote_id=("pairId", "id"),
    voter=("userId", "user_id", "username"),
    prompt=(),
    language=(),  # theirs is the language of the code
    category=("language", "category"),
    responses=("completion_a", "completion_b"),
)
ITEMS = replace(COPILOT, responses=("none_a", "none_b"))


@reader("bigcodearena", "BigCodeArena: vote left, right, tie or both_bad", ("model_a", "model_b", "vote"))
def bigcodearena(row: Row, checks: Checks) -> Iterator[Vote]:
    word = row.get("vote")
    is_name = checks.by_name and word in (row.get("model_a"), row.get("model_b"))
    known = isinstance(word, str) and not is_name
    yield battle(row, checks, BIGCODE, WORDS.get(word) if known else None)


@reader("copilot_arena", "Copilot Arena rows: acceptedIndex 0 or 1", ("model_a", "model_b", "acceptedIndex"))
def copilot_arena(row: Row, checks: Checks) -> Iterator[Vote]:
    """The first completion stands above the second. The prompt is the code around the cursor."""
    checks.pair(row.get("model_a"), row.get("model_b"))
    vote = battle(row, checks, COPILOT, _accepted(row))
    around = [text(row.get(column), column) or "" for column in ("prefix", "suffix")]
    yield replace(vote, prompt=text_id("\0".join(around)) if any(around) else None)


@reader("copilot_arena_items", "Copilot Arena records: completionItems", ("acceptedIndex", "completionItems"))
def copilot_arena_items(row: Row, checks: Checks) -> Iterator[Vote]:
    items = structure(row.get("completionItems"))
    if not (isinstance(items, list) and len(items) == 2 and all(isinstance(item, Mapping) for item in items)):
        raise Reject("completionItems", items, "must be a list of two completions")
    names = checks.pair(items[0].get("model"), items[1].get("model"), ("completionItems", "completionItems"))
    yield vote_of(row, checks, ITEMS, names, _accepted(row))


def _accepted(row: Row) -> Outcome:
    index: Any = whole(row.get("acceptedIndex"), "acceptedIndex")
    if index not in (0, 1):
        raise Reject("acceptedIndex", row.get("acceptedIndex"), "must be 0 or 1")
    return Outcome(index)
