"""What tells a careless or automatic session from an honest one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from arena.voters.behaviour import behaviours, fair_coin_p
from arena.votes import Outcome, Vote, VoteTable


@pytest.mark.parametrize(("heads", "tosses"), [(41, 60), (19, 60), (0, 20), (10, 20), (1, 1), (520, 1000)])
def test_the_coin_test_is_the_exact_binomial(heads: int, tosses: int) -> None:
    assert fair_coin_p(heads, tosses) == pytest.approx(binomtest(heads, tosses, 0.5).pvalue)


def session(voter: str, outcomes: list[Outcome], pauses: float | None = None) -> list[Vote]:
    at = np.cumsum(np.random.default_rng(len(voter)).exponential(60, len(outcomes)))
    if pauses is not None:
        at = np.arange(len(outcomes)) * pauses
    return [
        Vote(f"{voter}{i}", "x", "y", outcome, at=float(t), voter=voter)
        for i, (outcome, t) in enumerate(zip(outcomes, at, strict=True))
    ]


def test_sides_speed_and_rhythm_are_told() -> None:
    mixed = [Outcome.A, Outcome.B, Outcome.TIE] * 10
    votes = [
        *session("honest", mixed),
        *session("lefty", [Outcome.A] * 30),
        *session("quick", mixed),
        *session("clock", mixed, pauses=30.0),
        *session("short", [Outcome.A] * 10),
    ]
    table = VoteTable.of(votes)
    dwell = np.array([1.0 if vote.voter == "quick" else 20.0 for vote in votes])

    found = {row.voter: row for row in behaviours(table, dwell)}

    assert {name: row.flags for name, row in found.items()} == {
        "lefty": ("one side",),
        "quick": ("too fast",),
        "clock": ("too regular",),
        "honest": (),
    }
    assert (found["honest"].decisive, found["honest"].left_share) == (20, 0.5)


def test_unknown_sides_times_and_voters_are_nothing_to_measure() -> None:
    votes = [replace(vote, at=None) for vote in session("v", [Outcome.A] * 30)]
    table = VoteTable.of([*votes, *(replace(vote, voter=None) for vote in votes)])
    blind = replace(table, side_known=np.zeros(len(table), dtype=np.bool_))

    (found,) = behaviours(blind)

    assert (found.left_share, found.left_p, found.fast_share, found.spread) == (None, None, None, None)
    assert found.flags == ()
