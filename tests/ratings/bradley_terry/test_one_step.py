"""Accepted rounds with covariates against exact Newton: few voters, many voters, records close to separation."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.bradley_terry import bootstrap, one_step, simulate, style
from ratings.bradley_terry.simulate import Crowd
from ratings.design.comparisons import Comparisons, gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine.choice import NUMPY, Engine, compiled
from ratings.engine.reference import weights
from ratings.leaderboard import Plan
from ratings.scale import ELO

STYLE = simulate.TRAITS
REPLICATES = 16


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine", [NUMPY, pytest.param(compiled(), marks=pytest.mark.slow)], ids=["reference", "compiled"]
)
@pytest.mark.parametrize(
    ("seed", "models", "votes", "voters", "spread"),
    [
        (1, 8, 400, 30, 300.0),
        (6, 8, 400, 30, 300.0),
        (0, 8, 2500, 9, 150.0),
        (0, 12, 900, 200, 500.0),
        (4, 20, 1500, 600, 400.0),
        (4, 30, 6000, 3000, 600.0),
        (3, 60, 20000, 40, 700.0),
    ],
)
def test_accepted_rounds_are_exact(
    seed: int, models: int, votes: int, voters: int, spread: float, engine: Engine
) -> None:
    rng = np.random.default_rng(seed)
    table = simulate.votes(simulate.models(models, rng, spread_elo=spread), Crowd(votes, voters), rng)
    _, rows = select(prepare(table, STYLE), Plan(style=STYLE))
    styled = style.fit(gather(rows, np.arange(models), models), STYLE, engine=engine)
    replicates = weights.bootstrap_weights(
        styled.data.size, weights.key(seed, ["a"]), 0, REPLICATES, weights.exponentials
    )

    params, done = one_step.refit(one_step.linearize(styled.data, styled.fit, engine), replicates)

    left = np.flatnonzero(done)
    exact = bootstrap.exactly(styled.data, styled.fit, replicates[:, left], ties=False, prior=False)
    assert len(left) > 0
    assert params[left] * ELO == pytest.approx(exact * ELO, abs=6e-4)


@pytest.mark.parametrize(
    "engine", [NUMPY, pytest.param(compiled(), marks=pytest.mark.slow)], ids=["reference", "compiled"]
)
@pytest.mark.parametrize(
    ("votes", "effect"),
    [(3000, 0.2), (30_000, 12.0)],
    ids=["information changes with covariates more than with models", "a covariate all but decides votes"],
)
def test_rounds_of_two_models_and_five_voters_are_exact(engine: Engine, votes: int, effect: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(votes, 1)).astype(np.float32)
    won = (rng.random(votes) < 1 / (1 + np.exp(-effect * x[:, 0]))).astype(np.float64)
    voter = np.minimum(rng.zipf(1.5, votes) - 1, 4).astype(np.int32)
    data = Comparisons(
        models=2, pair_a=np.zeros(1, np.int32), pair_b=np.ones(1, np.int32), starts=np.array([0, votes]),
        voter=np.sort(voter), count=np.ones(votes, np.int64), weight=np.ones(votes), score=won, ties=np.zeros(votes),
        x=x, size=np.ones(5, np.int64),
    )  # fmt: skip
    styled = style.fit(data, ("a",), engine=engine)
    replicates = weights.bootstrap_weights(
        data.size, weights.key(0, ["a"]), 0, REPLICATES, weights.exponentials
    )

    params, done = one_step.refit(one_step.linearize(styled.data, styled.fit, engine), replicates)

    left = np.flatnonzero(done)
    exact = bootstrap.exactly(styled.data, styled.fit, replicates[:, left], ties=False, prior=False)
    assert len(left) > 0
    assert params[left] * ELO == pytest.approx(exact * ELO, abs=1e-4)
