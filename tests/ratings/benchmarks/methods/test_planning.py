"""Sample sizes and error budgets, against statsmodels' power and hand arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.power import NormalIndPower

from ratings.benchmarks.methods.budget import (
    crossover_n,
    decomposition,
    error_budget,
    error_budget_of_variance,
)
from ratings.benchmarks.methods.planning import (
    detectable_gap,
    price_of_halving,
    required_n,
    required_n_for_width,
    required_n_from_spread,
    required_n_paired,
    required_n_resolve,
)
from ratings.stats.arguments import BadNumber, Undefined


@pytest.mark.slow
@given(st.floats(0.05, 0.95), st.floats(0.01, 0.3), st.floats(0.001, 0.05), st.floats(0.5, 0.99))
def test_required_n_is_that_of_the_normal_test(p, delta, alpha, power):
    effect = delta / math.sqrt(p * (1 - p))

    found = required_n(p, delta, alpha, power)

    # The peer also counts rejections on the wrong side, which is next to nothing here.
    assert NormalIndPower().power(effect, found.raw, alpha) == pytest.approx(power, abs=1e-3)
    assert found.n - 1 < found.raw <= found.n + 1e-6


def test_whole_answers_are_not_rounded_up():
    assert required_n(0.5, 0.1, const=7.84).n == 392  # 392.00000000000006 in doubles
    assert required_n(0.5, 0.1, const=7.8401).n == 393


def test_pairing_saves_what_the_correlation_says():
    alone, paired = required_n(0.8, 0.03), required_n_paired(0.8, 0.03, corr=0.75)

    assert paired.raw == pytest.approx(alone.raw / 4)
    assert required_n_paired(0.8, 0.03, corr=1).raw == 0
    assert required_n_from_spread(math.sqrt(2 * 0.16 * 0.25), 0.03).raw == pytest.approx(paired.raw)


@given(st.floats(0.1, 0.9), st.integers(10, 10**6), st.floats(0, 0.9))
def test_the_detectable_gap_is_the_inverse(p, n, corr):
    gap = detectable_gap(p, n, corr=corr)

    if gap <= 1:
        assert required_n_paired(p, gap, corr=corr).raw == pytest.approx(n)


def test_resolving_and_widths():
    assert required_n_resolve(0.96, 0.01).n == 2951
    assert required_n_resolve(0.96, 0.01, level=0.9).raw == pytest.approx(
        2 * 0.96 * 0.04 * (norm.ppf(0.95) / 0.01) ** 2
    )
    assert required_n_resolve(0.96, 0.01, alpha=0.05).raw == pytest.approx(
        2 * 0.96 * 0.04 * (norm.ppf(0.975) / 0.01) ** 2
    )
    assert required_n_for_width(0.5, 0.1).n == 97  # 96.04
    assert price_of_halving(164) == 656


@pytest.mark.parametrize(
    "arguments",
    [(0.8, 0), (0.8, -0.03), (0.8, 1.5), (1.2, 0.1), (math.nan, 0.1), ("0.8", 0.1), (0.8, 0.1, 0), (0.8, 0.1, 1),
     (0.8, 0.1, 0.05, 1), (0.8, 0.1, 0.05, 0.01), (0.8, None), (True, 0.1), ([0.8], 0.1)],
)  # fmt: skip
def test_impossible_plans_are_refused(arguments):
    with pytest.raises(BadNumber):
        required_n(*arguments)


def test_more_impossible_plans():
    for call in (
        lambda: required_n(0.8, 0.1, const=-1),
        lambda: required_n_paired(0.8, 0.1, corr=1.1),
        lambda: detectable_gap(0.5, 0),
        lambda: price_of_halving(2.5),
        lambda: required_n_resolve(0.5, 0.1, 0),
    ):
        with pytest.raises(BadNumber):
            call()


def test_the_parts_sum_to_the_whole():
    found = decomposition(0.8, 0.6, 0.7, 0.75)

    assert found.b_val + found.b_meas + found.noise == pytest.approx(found.total)


def test_the_budget_is_the_squared_error_of_a_simulation():
    # Grader lenient by 5 points, 40 items, 3 attempts, rates Beta(1.4, .6).
    rng = np.random.default_rng(7)
    rates = rng.beta(1.4, 0.6, (20_000, 40))
    scores = rng.binomial(3, rates).mean(axis=1) / 3 + 0.05

    found = error_budget_of_variance(0.07, 0.14, 3, 40, 0.05)

    assert found.rmse == pytest.approx(math.sqrt(((scores - 0.7) ** 2).mean()), rel=0.02)
    assert error_budget(0.7, 525, 0.02).bias_share == pytest.approx(0.5)
    assert error_budget(1.0, 10, 0.0).bias_share is None
    assert error_budget(1.0, 10, -0.1).bias_share == 1


def test_without_bias_there_is_no_crossover():
    assert crossover_n(0.21, 0, 1, 0.02) == pytest.approx(525)
    assert crossover_n(0.21, 0, 1, -0.02) == pytest.approx(525)
    with pytest.raises(Undefined):
        crossover_n(0.21, 0, 1, 0)
    for arguments in ((-0.1, 0, 1, 0.1), (0.1, 0, 0, 0.1), (0.1, 0, 1, math.inf), (math.nan, 0, 1, 0.1)):
        with pytest.raises(BadNumber):
            crossover_n(*arguments)
