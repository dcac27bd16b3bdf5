"""The capabilities score against scikit-learn's PCA, planted factors and tables with holes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.decomposition import PCA

from ratings.benchmarks.methods.capability import (
    capability_correlation,
    capability_report,
    component_score,
    null_sd,
)
from ratings.stats.arguments import BadNumber, Undefined


def factor_table(models: int = 40, benchmarks: int = 6, loading: float = 0.8, seed: int = 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    ability = rng.standard_normal(models)
    noise = rng.standard_normal((models, benchmarks))
    return loading * ability[:, None] + math.sqrt(1 - loading**2) * noise


def test_scores_and_share_are_those_of_scikit_learn():
    x = factor_table()
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    peer = PCA(2).fit(z)

    found = capability_correlation(x)

    side = np.sign(peer.components_[0].sum())
    np.testing.assert_allclose(found.scores, side * peer.transform(z)[:, 0], atol=1e-9)
    assert found.share == pytest.approx(peer.explained_variance_ratio_[0])


def test_more_benchmarks_than_models():
    x = factor_table(5, 30)
    z = (x - x.mean(axis=0)) / x.std(axis=0)

    assert capability_correlation(x).share == pytest.approx(PCA(1).fit(z).explained_variance_ratio_[0])


def test_leaving_one_out_is_leaving_one_out():
    x = factor_table()

    found = capability_correlation(x)

    rest = capability_correlation(np.delete(x, 2, axis=1)).scores
    assert found.r[2] == pytest.approx(np.corrcoef(x[:, 2], rest)[0, 1])


def test_order_scale_and_names_do_not_matter_but_sides_do():
    x = factor_table()
    base = capability_correlation(x)

    moved = capability_correlation(x[::-1, ::-1] * 7 + 3)
    turned = capability_correlation(np.column_stack([x, -x[:, 0]]))

    np.testing.assert_allclose(moved.scores[::-1], base.scores, atol=1e-9)
    np.testing.assert_allclose(moved.r[::-1], base.r, atol=1e-9)
    assert turned.r[-1] < -0.5


def test_two_benchmarks():
    x = factor_table(benchmarks=2)

    found = capability_correlation(x)

    r = np.corrcoef(x.T)[0, 1]
    assert found.share == pytest.approx((1 + r) / 2)
    assert found.r == pytest.approx((r, r))


def test_without_a_direction_there_is_no_score():
    up = [1.0, 2.0, 3.0, 5.0]
    with pytest.raises(Undefined):
        capability_correlation(np.column_stack([up, [-x for x in up]]))  # points nowhere
    with pytest.raises(Undefined):
        capability_correlation([[1, 1], [1, -1], [-1, 1], [-1, -1]])  # two equal directions


def test_a_rest_without_direction_is_none_not_nan():
    up = np.array([1.0, 2.0, 3.0, 5.0])

    found = capability_correlation(np.column_stack([up, -up, up + np.array([0, 0.5, 0, 0])]))

    assert found.r[2] is None


@pytest.mark.parametrize(
    "scores",
    [[], [[1]], [[1], [2]], [[1, 2]], [[1, 5], [2, 5]], [[1, 0.1], [2, 0.1], [3, 0.1]], [[1, None], [2, 3]], [[1, math.nan], [2, 3]],
     [["1", 2], [2, 3]], [1, 2], [[1, 2], [3]], [[math.inf, 1], [1, 2]]],
)  # fmt: skip
def test_what_is_no_table_is_refused(scores):
    with pytest.raises(BadNumber):
        capability_correlation(scores)


def test_component_scores_by_hand():
    found = component_score([[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]], [1, 1, 1])

    assert found.eigenvalues == pytest.approx((2, 0.5, 0.5))
    assert found.score == pytest.approx(math.sqrt(3))
    for correlations, z in (([[1, -0.8], [-0.8, 1]], [1, 1]), ([[1, 0], [0, 1]], [1, 1])):
        with pytest.raises(Undefined):
            component_score(correlations, z)
    for correlations, z in (
        ([[1, 0.8], [0.7, 1]], [1, 1]), ([[2, 0.8], [0.8, 1]], [1, 1]), ([[1, 0.8], [0.8, 1]], [1]), ([[1, 2], [2, 1]], [1, 1]),
        ([[1, math.nan], [math.nan, 1]], [1, 1]),
    ):  # fmt: skip
        with pytest.raises(BadNumber):
            component_score(correlations, z)
    assert component_score([[1]], [2]).score == 2


def test_chance_alone():
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((2, 3000, 20))
    r = [np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)]

    assert np.std(r) == pytest.approx(null_sd(20), rel=0.05)
    for n in (1, 0, 2.5, "9"):
        with pytest.raises(BadNumber):
            null_sd(n)


def test_the_report_names_what_it_leaves_out():
    x = factor_table(10, 4)
    x[:, 3] = 0.5
    x[2, 0] = np.nan
    models = [f"m{i}" for i in range(10)]

    found = capability_report(x, models, ["a", "b", "c", "flat"])

    assert found.constant == ("flat",)
    assert found.incomplete == ("m2",)
    assert "m2" not in found.models
    assert [row.benchmark for row in found.benchmarks] == ["a", "b", "c"]
    assert all(row.low < row.r < row.high for row in found.benchmarks)
    whole = capability_correlation(np.delete(x, 2, axis=0)[:, :3])
    np.testing.assert_allclose(found.scores, whole.scores)


def test_filled_gaps_lie_near_the_truth():
    x = factor_table(60, 8, loading=0.97)
    holes = x.copy()
    holes[np.random.default_rng(1).random(x.shape) < 0.08] = np.nan

    found = capability_report(holes, [f"m{i}" for i in range(60)], list("abcdefgh"), missing="fill")

    assert found.filled == np.isnan(holes).sum()
    assert np.corrcoef(found.scores, capability_correlation(x).scores)[0, 1] > 0.995


def test_tables_that_cannot_be_used_are_refused():
    x = factor_table(4, 3)
    for scores, models, names in (
        (x, ["a"], ["x", "y", "z"]),
        (np.where(np.eye(4, 3) > 0, np.nan, x)[:3], ["a", "b", "c"], ["x", "y", "z"]),
    ):
        with pytest.raises(BadNumber):
            capability_report(scores, models, names)
