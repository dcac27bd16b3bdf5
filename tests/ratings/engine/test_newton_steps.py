"""What the steps of rounds are made of: numpy and kernels against the definitions."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from ratings.bradley_terry import simulate
from ratings.bradley_terry.simulate import Crowd
from ratings.design.comparisons import Comparisons, gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine.compiled import newton_steps as kernels
from ratings.engine.compiled.kernels import REPLICATES
from ratings.engine.reference import newton_steps, rounds
from ratings.leaderboard import Plan

STYLE = simulate.TRAITS
BOTH = pytest.mark.parametrize(
    "code", [newton_steps, pytest.param(kernels, marks=pytest.mark.slow)], ids=["reference", "compiled"]
)
K, F = 9, 4


@pytest.fixture
def data(rng: np.random.Generator) -> Comparisons:
    table = simulate.votes(simulate.models(K, rng), Crowd(4000, 70), rng)
    return gather(select(prepare(table, STYLE), Plan(style=STYLE))[1], np.arange(K), K)


@pytest.fixture
def incidence(data: Comparisons) -> np.ndarray:
    sides = np.zeros((len(data.pair_a), K))
    sides[np.arange(len(sides)), data.pair_a], sides[np.arange(len(sides)), data.pair_b] = 1.0, -1.0
    return sides


@BOTH
def test_sums_at_the_full_fit(
    code: ModuleType, data: Comparisons, incidence: np.ndarray, rng: np.random.Generator
) -> None:
    voter_pair_sums = rounds.voter_pair_sums(
        rounds.rows_at_fit(data, rng.normal(0, 0.5, K), rng.normal(0, 0.2, F))
    )
    replicates = rng.exponential(size=(len(data.size), REPLICATES)).astype(np.float32)

    sums, information_cross = code.start(voter_pair_sums, data.pair_a, data.pair_b, K, replicates)

    rows = voter_pair_sums.columns[:, :, None] * replicates[voter_pair_sums.voter][:, None]
    pairs = np.add.reduceat(rows.astype(np.float64), voter_pair_sums.starts[:-1])
    assert sums == pytest.approx(np.moveaxis(pairs, 1, 0)[:3], rel=1e-4, abs=1e-4)
    assert information_cross == pytest.approx(
        np.einsum("pcl,pk->lkc", pairs[:, 3:], incidence), rel=1e-4, abs=1e-3
    )


@BOTH
@pytest.mark.parametrize("covariates", [0, F])
def test_steps_solve_the_information(
    code: ModuleType, data: Comparisons, incidence: np.ndarray, rng: np.random.Generator, covariates: int
) -> None:
    q = rng.gamma(2.0, 1.0, (len(data.pair_a), REPLICATES))
    information_cross = rng.normal(0, 0.3, (REPLICATES, K, covariates))
    information_cross -= information_cross.mean(axis=1, keepdims=True)
    information_coef = np.tile(10.0 * np.eye(covariates), (REPLICATES, 1, 1))
    gradient = rng.normal(size=(REPLICATES, K + covariates))
    gradient[:, :K] -= gradient[:, :K].mean(axis=1, keepdims=True)

    step = code.solve(code.factor(data.pair_a, data.pair_b, q, information_cross, information_coef), gradient)

    models = np.einsum("pl,pi,pj->lij", q, incidence, incidence)
    information = np.block(
        [[models, information_cross], [information_cross.transpose(0, 2, 1), information_coef]]
    )
    assert np.einsum("lij,lj->li", information, step) == pytest.approx(gradient, abs=1e-4)
    assert step[:, :K].mean(axis=1) == pytest.approx(0.0, abs=1e-5)


@BOTH
def test_a_chain_with_one_weak_link_is_solved_and_a_broken_one_refused(code: ModuleType) -> None:
    pair_a, pair_b = np.arange(3, dtype=np.int32), np.arange(1, 4, dtype=np.int32)
    q = np.repeat([[1.0], [1e-9], [1.0]], REPLICATES, axis=1)
    none = (np.empty((REPLICATES, 4, 0)), np.empty((REPLICATES, 0, 0)))
    gradient = np.tile([0.0, 1.0, -1.0, 0.0], (REPLICATES, 1))

    step = code.solve(code.factor(pair_a, pair_b, q, *none), gradient)

    assert step[:, 1] - step[:, 2] == pytest.approx(1e9, rel=1e-3)
    with pytest.raises(np.linalg.LinAlgError):
        code.factor(pair_a, pair_b, q * [[1.0], [-1e9], [1.0]], *none)


@BOTH
def test_bends(code: ModuleType, data: Comparisons, incidence: np.ndarray, rng: np.random.Generator) -> None:
    t, step = rng.normal(size=(len(incidence), REPLICATES)), rng.normal(size=(REPLICATES, K))

    found = code.third_derivative(data.pair_a, data.pair_b, t, step)

    assert found == pytest.approx(-0.5 * ((step @ incidence.T) ** 2 * t.T) @ incidence, rel=1e-12, abs=1e-9)
