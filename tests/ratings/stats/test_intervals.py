"""Intervals of one score against closed forms, 40-digit arithmetic, statsmodels and the plain bootstrap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm
from statsmodels.stats.proportion import proportion_confint

from arena.errors import ArenaError
from ratings.stats.arguments import BadNumber
from ratings.stats.intervals import (
    binomial_se,
    bootstrap_mean,
    bootstrap_pass_rate,
    exact_bootstrap,
    half_width,
    mean_interval,
    no_pass_probability,
    pass_interval,
    score_bounds,
    t_interval,
    wald,
    wilson,
)

# (k, n, z) -> Wilson's ends, by mpmath with 40 digits from the textbook form.
WILSON = {
    (1, 10**12, 1.96): (1.7652001428427855e-13, 5.6650799856932804e-12),
    (3, 10**15, 1.96): (1.0202522641044379e-15, 8.8213477358955243e-15),
    (10**12 - 1, 10**12, 1.96): (0.99999999999433492, 0.99999999999982348),
    (7, 11, 2.5758293035489004): (0.28556695313431113, 0.88455029041257045),
    (5, 5, 3.0): (0.35714285714285714, 1.0),
    (2, 3, 10.0): (0.012987567845609591, 0.99672117001846808),
    (1, 2, 0.5): (1 / 3, 2 / 3),
}


@pytest.mark.parametrize("case", WILSON, ids=str)
def test_wilson_loses_no_digit(case):
    low, high = wilson(*case)

    assert low == pytest.approx(WILSON[case][0], rel=1e-14)
    assert high == pytest.approx(WILSON[case][1], rel=1e-14)


@pytest.mark.slow
@given(
    st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999)
)
def test_wilson_is_statsmodels_within_the_axis_and_mirrored(kn, level):
    (k, n), z = kn, norm.ppf((1 + level) / 2)

    low, high = wilson(k, n, z)
    mirrored = wilson(n - k, n, z)

    assert (low, high) == pytest.approx(proportion_confint(k, n, 1 - level, "wilson"), abs=1e-9)
    assert 0 <= low <= k / n <= high <= 1
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)
    assert (low == 0) == (k == 0)
    assert (high == 1) == (k == n) or high > 1 - 1e-12


def test_no_and_all_passes_have_the_closed_form():
    assert wilson(0, 20) == (0.0, pytest.approx(1.96**2 / (20 + 1.96**2), rel=1e-15))
    assert wilson(20, 20) == (pytest.approx(20 / (20 + 1.96**2), rel=1e-15), 1.0)
    assert wilson(3, 7, 0.0) == (pytest.approx(3 / 7), pytest.approx(3 / 7))


def test_a_level_is_its_exact_quantile():
    assert wilson(18, 20, level=0.9) == pytest.approx(wilson(18, 20, norm.ppf(0.95)), rel=1e-14)
    assert wald(10, 20, level=0.9) == pytest.approx(proportion_confint(10, 20, 0.1, "normal"), rel=1e-9)


@pytest.mark.parametrize(
    "arguments",
    [(0, 0), (-1, 10), (11, 10), (1.5, 10), (1, 2.5), (True, 10), ("1", 10), (None, 10), (math.nan, 10),
     (1, math.inf), ([1], 10), (1, 10, -1.0), (1, 10, math.nan), (1, 10, "2")],
)  # fmt: skip
def test_wilson_refuses_what_is_no_count(arguments):
    for function in (wilson, wald):
        with pytest.raises(ValueError) as caught:
            function(*arguments)
        assert isinstance(caught.value, ArenaError)


def test_scalars_of_numpy_are_numbers():
    assert wilson(np.int32(3), np.array(7)) == wilson(3, 7.0)


def test_bounds_take_arrays_and_say_nan_without_trials():
    low, high = score_bounds([0, 5, 0], [10, 10, 0], 1.96)

    assert low[:2].tolist() == [wilson(0, 10)[0], wilson(5, 10)[0]]
    assert high[:2].tolist() == [wilson(0, 10)[1], wilson(5, 10)[1]]
    assert np.isnan([low[2], high[2]]).all()


def exact_coverage(ends, n: int, p: float) -> float:
    """Chance that the interval holds p, over all outcomes."""
    held = [k for k in range(n + 1) if ends(k, n)[0] <= p <= ends(k, n)[1]]
    return float(binom.pmf(held, n, p).sum())


# Table of the source: n, p -> coverage of Wald and Wilson at nominal 95 %.
@pytest.mark.parametrize(
    ("n", "p", "of_wald", "of_wilson"),
    [(20, 0.98, 0.332, 0.940), (20, 0.9, 0.876, 0.957), (198, 0.964, 0.923, 0.966)],
)
def test_wilson_covers_where_wald_does_not(n, p, of_wald, of_wilson):
    assert exact_coverage(wald, n, p) == pytest.approx(of_wald, abs=5e-4)
    assert exact_coverage(wilson, n, p) == pytest.approx(of_wilson, abs=5e-4)


def test_wilson_covers_in_a_simulation():
    k = np.random.default_rng(7).binomial(20, 0.98, 20_000)

    low, high = score_bounds(k, 20, 1.96)
    half = 1.96 * np.sqrt(k / 20 * (1 - k / 20) / 20)

    assert ((low <= 0.98) & (high >= 0.98)).mean() >= 0.93
    assert ((k / 20 - half <= 0.98) & (k / 20 + half >= 0.98)).mean() == pytest.approx(0.33, abs=0.02)


def test_the_mean_of_equal_scores_has_no_width():
    assert mean_interval([0.1] * 10) == (0.1, 0.1, 0.1)
    assert mean_interval([True, False, True]) == mean_interval([1, 0, 1])


def test_the_mean_interval_is_that_of_the_clt():
    x = np.random.default_rng(7).random(50)

    mean, low, high = mean_interval(x, level=0.99)

    assert mean == pytest.approx(x.mean())
    assert (high - low) / 2 == pytest.approx(norm.ppf(0.995) * x.std(ddof=1) / math.sqrt(50))


@pytest.mark.parametrize(
    "scores",
    [
        [],
        [1],
        5,
        [[1, 0]],
        [1, math.nan],
        [1, None],
        ["1", "0"],
        [1, "a"],
        [1, math.inf],
        [[1], [1, 2]],
        None,
    ],
)
def test_scores_that_are_none_are_refused(scores):
    with pytest.raises(BadNumber):
        mean_interval(scores)


def test_the_bootstrap_draws_what_the_plain_recipe_draws():
    x = np.random.default_rng(7).random(300)
    rows = np.random.default_rng(3).integers(0, 300, size=(9_000, 300))

    found = bootstrap_mean(x, 9_000, 0.9, seed=3)

    assert found == pytest.approx(np.quantile(x[rows].mean(axis=1), [0.05, 0.95]), rel=1e-14)


@pytest.mark.parametrize(
    "options", [{"rounds": 0}, {"level": 1}, {"level": 0}, {"level": "0.9"}, {"seed": -1}]
)
def test_the_bootstrap_refuses_impossible_options(options):
    with pytest.raises(BadNumber):
        bootstrap_mean([0, 1], **options)


def test_the_endless_bootstrap_of_a_pass_rate_is_binomial():
    scores = [1] * 156 + [0] * 44

    assert bootstrap_pass_rate(scores) == (0.72, 0.835)
    assert bootstrap_mean(scores) == pytest.approx((0.72, 0.835), abs=0.0051)
    with pytest.raises(BadNumber):
        bootstrap_pass_rate([0.5])


def test_the_exact_bootstrap_counts_decimal_sums_once():
    found = exact_bootstrap([0.1, 0.2, 0.3])

    assert found.distinct_means == 7  # .3 to .9 in tenths
    assert found.sd == pytest.approx(np.std([0.1, 0.2, 0.3]) / math.sqrt(3))
    assert exact_bootstrap([0.4]).sd == 0
    with pytest.raises(BadNumber):
        exact_bootstrap(np.random.default_rng(7).random(15))


def test_small_formulas():
    assert binomial_se(0.5, 25) == 0.1
    assert half_width(0.7, 14_042) == pytest.approx(0.0076, abs=5e-5)
    assert half_width(0.5, 100, level=0.95) == pytest.approx(norm.ppf(0.975) * 0.05)
    assert [no_pass_probability(*case) for case in ((0, 9), (1, 0), (1, 3), (0.5, 2))] == [1, 1, 0, 0.25]
    assert no_pass_probability(1e-15, 10**6) == pytest.approx(1 - 1e-9, rel=1e-15)
    assert t_interval(0, 1, 1) == pytest.approx((-12.7062047, 12.7062047))
    assert pass_interval(0, 0).value is None
