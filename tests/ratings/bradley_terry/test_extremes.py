"""Votes at the edge of floating point, of model numbers and of time: finite answers or plain words, never nonsense."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.votes import Outcome, Vote, VoteTable
from ratings.engine.choice import NUMPY, choose
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse, rank
from tests.ratings.votes_for_tests import line


def ladder(steps: int, odds: int) -> list[Vote]:
    """Each model beats the next `odds` times to one, by nine voters in turn."""
    votes = []
    for step in range(steps):
        a, b = f"m{step:03}", f"m{step + 1:03}"
        votes += [Vote("", a, b, Outcome.A, voter=f"s{n}", count=odds // 9) for n in range(9)]
        votes += [Vote("", a, b, Outcome.B, voter=f"s{n}") for n in (step % 9, (step + 4) % 9)]
    return votes


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("plan", [Plan(rounds=32), Plan(rounds=32, side=True)])
def test_certain_outcomes_do_not_spoil_the_errors(plan: Plan, engine: str) -> None:
    # Eight steps of 450,000 to one are 104 log-odds: the top's win over the bottom is certain to the last bit.
    top_meets_bottom = [Vote("", "m000", "m008", Outcome.A, voter=f"s{n}") for n in range(9)]

    votes = VoteTable.of(ladder(8, 900_000) + top_meets_bottom)
    # Sides were drawn: this is no table that lists winners first.
    votes = replace(votes, drawn_p=np.full(len(votes), 0.5))

    board = rank(votes, plan, engine=engine)

    gap = 400 * np.log10(900_000 / 2)
    assert line(board, "m000").rating - line(board, "m001").rating == pytest.approx(gap, rel=0.02)
    assert all(np.isfinite([row.low, row.high, row.se]).all() for row in board.models)
    assert [row.model for row in board.models] == sorted(row.model for row in board.models)


def test_a_long_ladder_converges() -> None:
    board = rank(VoteTable.of(ladder(60, 90)), Plan(rounds=0, min_votes=0))

    assert line(board, "m000").rating - line(board, "m060").rating == pytest.approx(
        60 * 400 * np.log10(45), rel=1e-6
    )


def test_two_million_votes_in_one_row() -> None:
    votes = [Vote("", "a", "b", Outcome.A, count=2_000_000), Vote("", "a", "b", Outcome.B, count=1_000_000)]

    board = rank(VoteTable.of(votes), Plan(rounds=64))

    a = line(board, "a")
    assert a.rating == pytest.approx(1060.206, abs=1e-3)
    assert a.high - a.low == pytest.approx(2 * 1.96 * 400 / np.log(10) * np.sqrt(1.5e-6) / 2, rel=0.02)


def test_one_vote_alone_is_separated() -> None:
    board = rank(VoteTable.of([Vote("", "a", "b", Outcome.A)]), Plan())

    assert [(row.status, row.rating, row.rank) for row in board.models] == [("separated", None, None)] * 2


def test_many_models_are_refitted_a_few_rounds_at_a_time() -> None:
    assert choose("reference", 10, 100, 1000) is NUMPY
    assert choose("reference", 10, 1000, 1000).replicates < NUMPY.replicates


def test_many_models_give_the_same_rounds_in_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    table = VoteTable.of(ladder(12, 36))
    plan = Plan(rounds=40)
    at_once = analyse(table, plan).parts[0].rounds

    monkeypatch.setattr("ratings.bradley_terry.bootstrap.MATRIX_ENTRIES", 3 * 13**2)

    assert analyse(table, plan).parts[0].rounds == pytest.approx(at_once, abs=1e-9)


def test_a_long_list_of_models_is_cut_in_a_warning() -> None:
    board = rank(VoteTable.of(ladder(30, 90)), Plan(rounds=0))

    (warning,) = [said for said in board.warnings if "effective voters" in said]
    assert warning.endswith("and 21 more")


def test_a_vote_of_tiny_weight_is_still_a_vote() -> None:
    votes = [Vote(f"{n}", "a", "b", Outcome(n % 3 == 0), voter=f"s{n % 9}", weight=1e-9) for n in range(60)]

    board = rank(VoteTable.of(votes), Plan(rounds=32))

    assert line(board, "a").rating - line(board, "b").rating == pytest.approx(400 * np.log10(2))
    assert line(board, "a").votes == 60
