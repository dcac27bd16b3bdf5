"""The fit of many votes with covariates: rough passes on the way, the exact answer at the end."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.bradley_terry import fit, fit_covariates, simulate, style
from ratings.design.comparisons import LARGE, Comparisons, gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine.choice import NUMPY, Engine, compiled
from ratings.leaderboard import Plan
from ratings.scale import ELO

STYLE = simulate.TRAITS
K, F = 12, 4


@pytest.fixture(scope="module")
def data() -> Comparisons:
    rng = np.random.default_rng(5)
    table = simulate.votes(simulate.models(K, rng), simulate.Crowd(LARGE + 20_000, 900), rng)
    return gather(select(prepare(table, STYLE), Plan(style=STYLE))[1], np.arange(K), K)


@pytest.fixture(params=["reference", pytest.param("compiled", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Engine:
    found = NUMPY if request.param == "reference" else compiled()
    assert found is not None
    return found


def exact(data: Comparisons, *, prior: bool) -> tuple[np.ndarray, np.ndarray]:
    """Plain Newton steps on the scaled rows in float64, and the information where they end."""
    evaluate = fit.on_rows(data, None, ties=False, prior=prior)
    params, _, _ = fit.newton(evaluate, np.zeros((1, K + len(data.max_abs))), K, data.max_abs, 1e-9)
    _, information = fit.on_rows(data, None, ties=False, prior=False)(params, fit.ONE_LANE)
    return params[0], information[0]


@pytest.mark.slow
@pytest.mark.parametrize("prior", [False, True])
def test_many_votes_are_fitted_exactly(data: Comparisons, engine: Engine, prior: bool) -> None:
    found = style.fit(data, STYLE, prior=prior, engine=engine)

    params, information = exact(found.data, prior=prior)
    assert found.fit.params == pytest.approx(params, abs=1e-7 / ELO)
    assert found.fit.information == pytest.approx(information, rel=1e-5, abs=1e-5 * information.max())
    assert found.fit.last_step_elo < fit.TOLERANCE_ELO


@pytest.mark.slow
@pytest.mark.parametrize("prior", [False, True])
def test_traits_that_nearly_are_each_other_are_fitted_exactly(
    data: Comparisons, engine: Engine, prior: bool
) -> None:
    x = data.x[:, [0, 0]] + np.random.default_rng(1).normal(scale=[[0, 4e-3]], size=(len(data.x), 2))
    found = style.fit(data.with_covariates(x.astype(np.float32)), STYLE[:2], prior=prior, engine=engine)

    params, information = exact(found.data, prior=prior)
    assert found.names == STYLE[:2]
    assert found.fit.params == pytest.approx(params, abs=1e-6)
    inverses = (np.linalg.inv(fit.centred(some, K)) for some in (found.fit.information, information))
    assert np.divide(*map(np.diag, inverses)) == pytest.approx(np.ones(K + 2), rel=1e-5)


@pytest.mark.slow
def test_the_start_is_near_and_passes_are_few(data: Comparisons) -> None:
    engine = compiled()
    assert engine is not None
    columns = style.identifiable(data, STYLE, engine)

    best = fit_covariates.fit(columns.data, columns.zero, columns.rms, ties=False, prior=False, engine=engine)

    assert best.iterations <= 5


def test_at_zero_are_the_sums_of_the_pairs(data: Comparisons, engine: Engine) -> None:
    zero = fit_covariates.at_zero(data, engine)

    sums = fit.pair_sums(data)
    assert zero.weight == pytest.approx(sums.weight[0], rel=1e-12)
    assert zero.share == pytest.approx(sums.score[0], rel=1e-12)
    assert list(zero.max_abs_shift) == list(np.abs(data.x).max(axis=0))
