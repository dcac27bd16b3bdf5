"""Correlations and reliabilities against scipy, simulation and invariance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from ratings.stats.arguments import BadNumber, Undefined
from ratings.stats.correlation import (
    correlations,
    disattenuated,
    disattenuated_interval,
    fisher_interval,
    noise_ceiling,
    reliability,
    reliability_of_errors,
)
from ratings.stats.elo_scale import two_model_gap, win_probability

coarse = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30)


@pytest.mark.slow
@given(coarse)
def test_correlations_are_those_of_scipy(pairs):
    x, y = np.array(pairs, dtype=float).T

    found = correlations(x, y)

    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert (found.pearson, found.spearman, found.kendall_tau_b) == (None, None, None)
    else:
        assert found.pearson == pytest.approx(pearsonr(x, y).statistic, abs=1e-12)
        assert found.spearman == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
        assert found.kendall_tau_b == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_missing_values_leave_their_pair_out():
    found = correlations([1, 2, None, 4, 9], [2, 4, 6, math.nan, 18])

    assert found.n == 3
    assert found.pearson == pytest.approx(1)
    assert correlations([1, None], [None, 2]).pearson is None
    assert correlations([0.1] * 5, [1, 2, 3, 4, 5]).pearson is None
    assert correlations([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]).pearson is None


@pytest.mark.parametrize(
    ("x", "y"),
    [([], []), ([1, 2], [1]), (["1", 2], [1, 2]), (1, 2), ([[1], [2]], [1, 2]), ([math.inf, 1], [1, 2])],
)
def test_what_does_not_pair_is_refused(x, y):
    with pytest.raises(BadNumber):
        correlations(x, y)


@pytest.mark.slow
def test_fisher_covers():
    rng = np.random.default_rng(7)
    cover = 0
    for _ in range(2000):
        x, e = rng.standard_normal((2, 12))
        low, high = fisher_interval(np.corrcoef(x, 0.6 * x + 0.8 * e)[0, 1], 12)
        cover += low <= 0.6 <= high

    assert cover / 2000 == pytest.approx(0.95, abs=0.015)


def test_few_models_say_nothing_and_perfection_has_no_interval():
    assert [fisher_interval(0.9, n) for n in (1, 2, 3)] == [(-1, 1)] * 3
    assert fisher_interval(0.0, 103) == pytest.approx((math.tanh(-0.1959964), math.tanh(0.1959964)), abs=1e-7)
    assert fisher_interval(0.5, 20, 0.9)[0] > fisher_interval(0.5, 20)[0]
    assert fisher_interval(0.5, 4, z=1.96)[0] == pytest.approx(math.tanh(math.atanh(0.5) - 1.96))
    for r in (-1, 1):
        with pytest.raises(Undefined):
            fisher_interval(r, 10)
    for arguments in (
        (1.1, 10),
        (math.nan, 10),
        (0.5, 0),
        (0.5, 10.5),
        ("0.5", 10),
        (None, 10),
        (0.5, 10, 1.0),
    ):
        with pytest.raises(BadNumber):
            fisher_interval(*arguments)


def test_noise_is_taken_off_and_cut_at_one():
    assert disattenuated(0.5, 0.25, 1) == 1
    assert disattenuated(-0.9, 0.25, 1) == -1
    assert noise_ceiling(0.64, 1) == pytest.approx(0.8)
    found = disattenuated_interval(0.4, 30, 0.64, 1)
    assert found.ci == pytest.approx(tuple(end / 0.8 for end in fisher_interval(0.4, 30)))
    assert not found.capped
    assert disattenuated_interval(-0.95, 12, 0.9, 0.9).r_dis == -1
    for rel in (0, -0.1):
        with pytest.raises(Undefined):
            disattenuated(0.5, rel, 0.9)
    for arguments in ((0.5, 1.1, 0.9), (1.5, 0.9, 0.9), (0.5, math.nan, 0.9), (0.5, "0.9", 0.9)):
        with pytest.raises(BadNumber):
            disattenuated(*arguments)


@pytest.mark.slow
def test_the_noise_free_correlation_is_recovered_and_covered():
    rng = np.random.default_rng(7)
    found, cover = [], 0
    for _ in range(400):
        true = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 24)
        seen = true + rng.standard_normal((24, 2)) * [0.5, 0.3]
        rel = [reliability_of_errors(seen[:, i], [se] * 24) for i, se in ((0, 0.5), (1, 0.3))]
        result = disattenuated_interval(correlations(seen[:, 0], seen[:, 1]).pearson, 24, *rel)
        found.append(result.r_dis)
        cover += result.ci[0] <= 0.9 <= result.ci[1]

    assert np.mean(found) == pytest.approx(0.9, abs=0.02)
    assert cover / 400 >= 0.94


@pytest.mark.slow
@given(st.integers(2, 8), st.integers(0, 10**6), st.data())
def test_the_anchor_does_not_matter(m, seed, data):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(m)
    half = rng.standard_normal((m, m))
    v = half @ half.T
    anchor = data.draw(st.integers(0, m - 1))
    move = np.eye(m)
    move[:, anchor] -= 1

    tied = move @ v @ move.T

    assert reliability(x - x[anchor], tied) == pytest.approx(reliability(x, v), rel=1e-9, abs=1e-9)


def test_independent_errors_are_the_diagonal_case():
    x, se = [3.0, 1.0, 0.0, -2.0], [0.5, 0.2, 0.1, 0.9]

    assert reliability(x, np.diag(np.square(se))) == pytest.approx(reliability_of_errors(x, se))
    assert reliability_of_errors([1, 2], [9, 9]) < 0
    with pytest.raises(Undefined):
        reliability_of_errors([0.1, 0.1], [0.1, 0.1])
    for v in ([[1, 0]], [[1, 0.5], [0, 1]], [[-1, 0], [0, 1]], [[1, math.nan], [math.nan, 1]]):
        with pytest.raises(BadNumber):
            reliability([1, 2], v)
    for se in ([1], [-1, 1], ["1", 1]):
        with pytest.raises(BadNumber):
            reliability_of_errors([1, 2], se)


def test_elo_gaps():
    assert win_probability(400) == pytest.approx(10 / 11)
    assert [win_probability(gap) for gap in (1e6, -1e6, math.inf)] == [1, 0, 1]
    assert two_model_gap(3, 1, 2).delta == pytest.approx(400 * math.log10(2))
    assert two_model_gap(5, 5).delta == 0
    assert two_model_gap(0, 0, 4).se == pytest.approx(400 / math.log(10))
    for counts in ((5, 0), (0, 0), (0, 5)):
        with pytest.raises(Undefined):
            two_model_gap(*counts)
    for counts in ((-1, 5), (1.5, 1), ("1", 1)):
        with pytest.raises(BadNumber):
            two_model_gap(*counts)
    with pytest.raises(BadNumber):
        win_probability(math.nan)
