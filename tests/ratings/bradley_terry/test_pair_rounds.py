"""Rounds without covariates against exact Newton, on boards where a round lies near the full fit and where not."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.bradley_terry import bootstrap, pair_rounds, simulate
from ratings.bradley_terry import fit as bradley_terry_fit
from ratings.bradley_terry.fit import Sums
from ratings.bradley_terry.simulate import Crowd
from ratings.design.comparisons import Comparisons, gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine.choice import NUMPY
from ratings.engine.reference import weights
from ratings.leaderboard import Plan
from ratings.scale import ELO


@pytest.mark.slow
@pytest.mark.parametrize("prior", [False, True])
@pytest.mark.parametrize(
    ("models", "votes", "voters", "spread"),
    [(8, 2000, 9, 150.0), (12, 900, 60, 400.0), (30, 4000, 800, 300.0), (40, 20000, 200, 500.0)],
)
def test_accepted_rounds_are_exact(models: int, votes: int, voters: int, spread: float, prior: bool) -> None:
    rng = np.random.default_rng(7)
    crowd = Crowd(votes, voters)
    table = simulate.votes(simulate.models(models, rng, spread_elo=spread), crowd, rng)
    data = gather(select(prepare(table), Plan())[1], np.arange(models), models)
    fit = bradley_terry_fit.fit(data, prior=prior)
    replicates = weights.bootstrap_weights(data.size, weights.key(0, ["a"]), 0, 64, weights.exponentials)
    columns = np.column_stack([data.weight, data.score])
    weight, score = NUMPY.weighted_sums(data.starts, data.voter, columns, replicates)
    if prior:
        weight, score = weight + 1.0, score + 0.5
    evaluate = bradley_terry_fit.on_pairs(data, Sums(weight.T, score.T, score.T), ties=False, prior=False)

    params, done = pair_rounds.refit(data, fit, weight, score, NUMPY)

    left = np.flatnonzero(done)
    assert len(left) > 0
    exact = bootstrap._newton(lambda some, which: evaluate(some, left[which]), data, fit, len(left), False)
    assert params[left] * ELO == pytest.approx(exact * ELO, abs=1e-4)


def test_rounds_of_an_even_board_are_exact() -> None:
    """There information does not change to first order: its correction tells nothing of what is left of a step."""
    one, pairs = np.ones(6), np.array([[0, 0, 1], [1, 2, 2]], dtype=np.int32)
    data = Comparisons(
        models=3, pair_a=pairs[0], pair_b=pairs[1], starts=np.array([0, 2, 4, 6]), voter=np.arange(6, dtype=np.int32),
        count=np.ones(6, dtype=np.int64), weight=one, score=np.tile([1.0, 0.0], 3), ties=0.0 * one,
        x=np.empty((6, 0), dtype=np.float32), size=np.ones(6, dtype=np.int64),
    )  # fmt: skip
    fit = bradley_terry_fit.fit(data)
    # a beats b, and b beats c, by odds of 1 to w, and a beats c by 1 to their square: the answer is known.
    odds = np.array([0.2, 0.4, 0.6, 0.9])
    replicates = np.stack([one[:4], odds, one[:4], odds**2, one[:4], odds])
    weight, score = NUMPY.weighted_sums(
        data.starts, data.voter, np.column_stack([data.weight, data.score]), replicates
    )

    params, done = pair_rounds.refit(data, fit, weight, score, NUMPY)

    assert done.any()
    exact = np.outer(-np.log(odds), [1.0, 0.0, -1.0])
    assert params[done] * ELO == pytest.approx(exact[done] * ELO, abs=1e-4)
