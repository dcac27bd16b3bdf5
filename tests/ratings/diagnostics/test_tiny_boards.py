"""Boards of a few votes: every question gets an answer or one of our own errors, and no number that is none."""

from __future__ import annotations

import pytest

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.diagnostics.diagnosis import diagnose
from ratings.diagnostics.held_out import held_out
from ratings.leaderboard import Plan
from tests.bench import tiny_boards


def lopsided() -> VoteTable:
    """Two voters; only the votes of one are on models that the other links."""
    ring = [("a", "b"), ("b", "a")]
    ann = [Vote(f"x{n}", *ring[n % 2], Outcome.A, voter="ann") for n in range(6)]
    bob = [Vote("y0", "a", "b", Outcome.A, voter="bob")]
    return VoteTable.of(ann + bob)


def test_votes_of_one_voter_alone_are_too_few_to_say_how_well_they_are_foretold() -> None:
    with pytest.raises(NoData, match="too few voters"):
        held_out(lopsided(), Plan(rounds=0))


def test_a_diagnosis_says_that_voters_were_too_few() -> None:
    found = diagnose(lopsided(), Plan(rounds=0))

    assert found.held_out is None
    assert any("too few voters" in note for note in found.notes)


@pytest.mark.slow
def test_every_question_of_fifty_tiny_boards_ends_in_an_answer_or_our_own_error() -> None:
    assert [fault for seed in range(50) for fault in tiny_boards.faults(seed)] == []


def test_votes_that_do_not_determine_a_side_term_are_said_so() -> None:
    assert tiny_boards.faults(417) == []
