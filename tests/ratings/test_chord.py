"""Accepted rounds with covariates against exact Newton: few voters, many voters, records close to separation."""

from __future__ import annotations

import numpy as np
import pytest

from ratings import bootstrap, chord, draws, simulate, style
from ratings.comparisons import gather
from ratings.design import prepare
from ratings.engine import NUMPY, Engine, compiled
from ratings.leaderboard import Plan
from ratings.scale import ELO
from ratings.selection import select
from ratings.simulate import Crowd

STYLE = simulate.TRAITS
LANES = 16


@pytest.mark.parametrize("engine", [NUMPY, compiled()], ids=["numpy", "numba"])
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
    lanes = draws.weights(styled.data.size, draws.key(seed, ["a"]), 0, LANES, draws.exponentials)

    params, done = chord.refit(chord.chart(styled.data, styled.fit, engine), lanes)

    left = np.flatnonzero(done)
    exact = bootstrap.exactly(styled.data, styled.fit, lanes[:, left], ties=False, prior=False)
    assert len(left) > 0
    assert params[left] * ELO == pytest.approx(exact * ELO, abs=6e-4)
