"""What a benchmark adds to general capability: against regression residuals and planted truth."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from ratings.crossref.measures import Measure
from ratings.crossref.redundancy import partial, redundancy
from ratings.stats.arguments import Undefined

MODELS = tuple(f"m{n:02}" for n in range(40))


def planted(rng: np.random.Generator, own: float) -> tuple[Measure, Measure, dict[str, dict[str, float]]]:
    """Ratings of capability and, by `own`, of what only this benchmark measures."""
    capability, special = rng.normal(size=(2, 40))
    score = capability + special
    ratings = 1000 + 80 * (capability + own * special + 0.3 * rng.normal(size=40))
    others = {
        name: dict(zip(MODELS, (capability + 0.2 * rng.normal(size=40)).tolist(), strict=True))
        for name in "abcd"
    }
    return Measure(MODELS, ratings, None), Measure(MODELS, score, None), others


def test_the_partial_correlation_is_that_of_regression_residuals(rng: np.random.Generator) -> None:
    x, y, z = rng.normal(size=(3, 30)) + rng.normal(size=30)
    rest = [sm.OLS(v, sm.add_constant(z)).fit().resid for v in (x, y)]

    assert partial(x, y, z) == pytest.approx(np.corrcoef(rest)[0, 1], abs=1e-12)


def test_a_benchmark_that_people_do_not_heed_adds_nothing(rng: np.random.Generator) -> None:
    found = redundancy(*planted(rng, own=0.0))

    assert found.arena_benchmark is not None
    assert found.partial is not None
    assert found.arena_benchmark.low > 0.3
    assert found.partial.low < 0.1
    assert found.partial.r < found.arena_benchmark.r - 0.2


def test_a_benchmark_that_people_heed_adds_much(rng: np.random.Generator) -> None:
    found = redundancy(*planted(rng, own=1.0))

    assert found.partial is not None
    assert found.partial.low > 0.7
    assert found.partial.p < 1e-6


def test_limits_and_p_of_a_correlation_are_scipys(rng: np.random.Generator) -> None:
    ratings, scores, others = planted(rng, own=0.0)

    found = redundancy(ratings, scores, others).arena_benchmark

    peer = stats.pearsonr(ratings.values, scores.values)
    interval = peer.confidence_interval(0.95)
    assert found is not None
    assert (found.r, found.low, found.high) == pytest.approx((peer.statistic, interval.low, interval.high))


def test_the_component_is_made_by_all_models_the_correlations_by_the_shared(rng: np.random.Generator) -> None:
    ratings, scores, others = planted(rng, own=0.0)
    del others["a"]["m03"]
    shared = MODELS[:10]

    found = redundancy(ratings.of(shared), scores.of(shared), others)

    assert (found.n, found.capability_models, found.left_out) == (9, 39, ("m03",))


def test_too_few_models_with_all_benchmarks_are_refused(rng: np.random.Generator) -> None:
    ratings, scores, others = planted(rng, own=0.0)
    others["lone"] = {name: float(n) for n, name in enumerate(MODELS[:4])}

    with pytest.raises(Undefined, match="4 shared models"):
        redundancy(ratings, scores, others)


def test_a_constant_benchmark_is_named_and_one_alone_may_stand(rng: np.random.Generator) -> None:
    ratings, scores, others = planted(rng, own=0.0)

    found = redundancy(ratings, scores, {"a": others["a"], "flat": dict.fromkeys(MODELS, 1.0)})

    assert found.others == ("a",)
    assert any("flat" in note for note in found.notes)
    assert any("alone" in note for note in found.notes)
