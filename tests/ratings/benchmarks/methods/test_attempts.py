"""pass@k and pass^k against exact fractions, 40-digit arithmetic and simulation."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from ratings.benchmarks.methods.attempts import mean_pass_at_k, mean_pass_hat_k, pass_at_k, pass_hat_k
from ratings.stats.arguments import BadNumber

# (n, c, k) -> value, by mpmath with 40 digits.
PASS_AT = {
    (5000, 3, 17): 0.010167386130287282,
    (100_000, 250, 300): 0.52860805585451256,
    (10**9, 1, 1): 1e-9,
    (10**9, 5, 1000): 4.99999001000996e-6,
    (10**7, 2000, 2000): 0.32973357652724264,
    (3000, 1500, 4): 0.93762502081941895,
}
PASS_HAT = {
    (5000, 4990, 17): 0.96648579794390075,
    (10**9, 10**9 - 3, 5 * 10**8): 0.124999999625,
    (3000, 1500, 4): 0.062374979180581048,
    (100_000, 99_000, 300): 0.048818781622923103,
}


@pytest.mark.parametrize("case", PASS_AT, ids=str)
def test_large_pass_at_k(case):
    assert pass_at_k(*case) == pytest.approx(PASS_AT[case], rel=1e-13)


@pytest.mark.parametrize("case", PASS_HAT, ids=str)
def test_large_pass_hat_k(case):
    assert pass_hat_k(*case) == pytest.approx(PASS_HAT[case], rel=1e-13)


counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


@given(counts)
def test_small_ones_are_exact(case):
    n, c, k = case

    assert pass_at_k(n, c, k) == float(1 - Fraction(comb(n - c, k), comb(n, k)))
    assert pass_hat_k(n, c, k) == float(Fraction(comb(c, k), comb(n, k)))
    assert pass_hat_k(n, c, k) == pytest.approx(1 - pass_at_k(n, n - c, k), abs=1e-12)


@pytest.mark.slow
@given(st.integers(2001, 5000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_both_ways_of_computing_meet(case):
    n, c, k = case

    assert pass_at_k(n, c, k) == pytest.approx(float(1 - Fraction(comb(n - c, k), comb(n, k))), rel=1e-11)
    assert pass_hat_k(n, c, k) == pytest.approx(float(Fraction(comb(c, k), comb(n, k))), rel=1e-9, abs=1e-300)


def test_edges():
    assert [pass_at_k(*case) for case in ((1, 0, 1), (1, 1, 1), (5, 5, 5), (5, 0, 5), (5, 1, 5))] == [
        0,
        1,
        1,
        0,
        1,
    ]
    assert [pass_hat_k(*case) for case in ((1, 0, 1), (1, 1, 1), (5, 5, 5), (5, 4, 5), (10**6, 3, 4))] == [
        0,
        1,
        1,
        0,
        0,
    ]


@pytest.mark.parametrize(
    "case",
    [(5, 0, 6), (5, 5, 6), (5, 6, 2), (5, -1, 2), (0, 0, 1), (5, 2, 0), (5, 2, 1.5), (5, True, 1), ("5", 1, 1),
     (5, float("nan"), 1), (None, 1, 1), (5, 1, [1])],
)  # fmt: skip
def test_more_than_was_tried_is_undefined(case):
    for function in (pass_at_k, pass_hat_k):
        with pytest.raises(BadNumber):
            function(*case)


@pytest.mark.slow
def test_both_estimators_are_unbiased():
    passes = np.random.default_rng(7).binomial(6, 0.4, 40_000)

    at = np.mean([pass_at_k(6, int(c), 3) for c in passes])
    hat = np.mean([pass_hat_k(6, int(c), 3) for c in passes])

    assert at == pytest.approx(1 - 0.6**3, abs=0.005)
    assert hat == pytest.approx(0.4**3, abs=0.005)


def test_means_over_tasks_have_an_interval():
    found = mean_pass_at_k([(4, 1), (4, 3), (8, 0), (4, 4)], 2)

    assert found.value == pytest.approx((0.5 + 1 + 0 + 1) / 4)
    assert found.low == 0.0
    assert found.high == 1.0
    assert mean_pass_hat_k([(4, 4)], 2).low is None
    assert mean_pass_hat_k([(4, 4)] * 3, 4).se == 0


def test_the_airline_of_tau_bench():
    # Passes of 4 trials in 50 tasks, as counts of tasks by number of passes; published pass^1..4 .420 .273 .220 .200.
    tasks = [(4, c) for c, times in zip(range(5), (14, 12, 10, 4, 10), strict=True) for _ in range(times)]

    published = [0.42, 0.273, 0.22, 0.2]
    assert [mean_pass_hat_k(tasks, k).value for k in range(1, 5)] == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("tasks", [[], [(4,)], [(4, 1, 1)], 3, [[2, 1], [1, 1]], ["ab"], [None]])
def test_what_are_no_tasks_is_refused(tasks):
    with pytest.raises(BadNumber):
        mean_pass_at_k(tasks, 2)


def test_tasks_of_one_value_have_an_interval_with_width_or_none():
    always, never, between = (mean_pass_hat_k([(4, c)] * 9, 2) for c in (4, 0, 2))

    assert (always.value, always.high) == (1, 1)
    assert always.low == pytest.approx(9 / (9 + norm.ppf(0.975) ** 2))
    assert (never.low, never.high) == pytest.approx((0, 1 - always.low))
    assert (between.value, between.low, between.high) == (pytest.approx(1 / 6), None, None)
