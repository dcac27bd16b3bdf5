"""compar:IA: the winner by name, equality, and neither."""

from __future__ import annotations

from typing import Any

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write

BASE = {
    "conversation_pair_id": "p1",
    "timestamp": "2025-01-02T03:04:05",
    "model_a_name": "rook",
    "model_b_name": "caf\u00e9",
    "visitor_id": "v1",
}


def row(chosen: Any, equal: Any, **more: Any) -> dict[str, Any]:
    return {**BASE, "chosen_model_name": chosen, "both_equal": equal, **more}


@pytest.mark.parametrize(
    ("chosen", "equal", "outcome"),
    [
        ("rook", False, 0),
        ("caf\u00e9", False, 1),
        ("cafe\u0301", None, 1),
        (None, True, 2),
        (float("nan"), "true", 2),
        ("", 1, 2),
        ("rook", "0", 0),
    ],
)
def test_outcome(write_lines: Write, chosen: Any, equal: Any, outcome: int) -> None:
    assert list(read([write_lines([row(chosen, equal)])]).table.outcome) == [outcome]


@pytest.mark.parametrize(
    ("chosen", "equal"), [("wren", False), ("rook", True), ("Rook", False), (7, False), ("rook", "perhaps")]
)
def test_a_contradiction_is_rejected(write_lines: Write, chosen: Any, equal: Any) -> None:
    assert read([write_lines([row(chosen, equal)])], skip_bad=True).tally.rejected_count == 1


@pytest.mark.parametrize("equal", [False, None])
def test_neither_is_no_vote(write_lines: Write, equal: Any) -> None:
    tally = read([write_lines([row(None, equal)])]).tally

    assert tally.not_votes == {"no_outcome": 1}
    assert (tally.examples[0].row, tally.examples[0].line) == (1, 1)


def test_an_exact_repeat_counts_once_and_visitors_are_voters(write_lines: Write) -> None:
    reading = read(
        [write_lines([row("rook", False), row("rook", False), row("rook", False, conversation_pair_id="p2")])]
    )

    assert (reading.tally.accepted, reading.tally.duplicates) == (2, 1)
    assert reading.table.voters == ("v1",)
