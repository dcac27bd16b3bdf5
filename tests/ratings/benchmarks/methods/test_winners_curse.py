"""The luck of the best of many, against 40-digit integrals, simulation and exhaustive splitting."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.benchmarks.methods.winners_curse import (
    best_of_m_inflation,
    best_of_noise,
    debiased_best,
    expected_max_normal,
    max_normal_bound,
    measured_rho,
    rho_of_beta,
    split_half_bias,
)
from ratings.stats.arguments import BadNumber, Undefined
from ratings.stats.intervals import wilson

# m -> E[max of m normals], by mpmath with 40 digits.
EXPECTED = {
    2: 0.56418958354775629, 3: 0.84628437532163443, 4: 1.0293753730039641, 7: 1.3521783756069044, 50: 2.2490736293898503,
    199: 2.7443805094242176, 500: 3.0366993459289314, 12_345: 3.9031154481791701, 10**7: 5.3009540101733246,
    10**8: 5.7072184756730877, 10**9: 6.0876845844459587, 10**10: 6.4466768266067464, 10**12: 7.112463684767471,
    10**15: 8.0111407227787422,
}  # fmt: skip


@pytest.mark.parametrize("m", EXPECTED)
def test_the_expected_maximum_at_any_size(m):
    assert expected_max_normal(m) == pytest.approx(EXPECTED[m], abs=1e-13)


def test_few_tries_have_closed_forms():
    assert expected_max_normal(1) == 0
    assert expected_max_normal(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-15)
    assert expected_max_normal(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-15)


@pytest.mark.slow
@given(st.integers(1, 10**18))
def test_it_rises_and_stays_below_the_bound(m):
    assert expected_max_normal(m) <= max_normal_bound(m)
    assert expected_max_normal(m) <= expected_max_normal(m + m)


@pytest.mark.parametrize("m", [0, -1, 2.5, "2", None, math.nan, math.inf, True, [2]])
def test_what_is_no_number_of_tries_is_refused(m):
    for function in (expected_max_normal, max_normal_bound):
        with pytest.raises(BadNumber):
            function(m)


def test_a_large_whole_float_is_a_count():
    assert expected_max_normal(1e12) == expected_max_normal(10**12)
    assert expected_max_normal(1e300) > 36


def test_the_inflation_of_a_simulated_board():
    # 50 equally good submissions on 1,000 items, item rates Beta(1.4, .6): rho 1/3.
    rng = np.random.default_rng(7)
    gaps = []
    for _ in range(300):
        rates = rng.beta(1.4, 0.6, 1000)
        gaps.append((rng.random((50, 1000)) < rates).mean(axis=1).max() - 0.7)

    assert rho_of_beta(1.4, 0.6) == pytest.approx(1 / 3)
    assert np.mean(gaps) == pytest.approx(best_of_m_inflation(50, 1000, 0.7, 1 / 3), abs=0.0025)


def test_no_luck_without_spread_or_choice():
    assert best_of_m_inflation(1, 10, 0.5) == 0
    assert best_of_m_inflation(9, 10, 0.5, 1.0) == 0
    assert best_of_m_inflation(9, 10, 0.0) == best_of_m_inflation(9, 10, 1.0) == 0


@pytest.mark.slow
@given(st.floats(0, 1), st.integers(1, 10**6), st.integers(1, 10**5), st.floats(0, 1))
def test_debiasing_undoes_the_inflation(p, m, n, rho):
    best = p + best_of_m_inflation(m, n, p, rho)

    # Above 1 no such best can be seen; at p = 1 the other root is the answer.
    if best < 1:
        assert debiased_best(best, m, n, rho) == pytest.approx(p, abs=1e-9)


def test_debiasing_is_a_wilson_limit():
    assert debiased_best(0.9, 100, 50) == pytest.approx(
        wilson(45, 50, expected_max_normal(100))[0], rel=1e-14
    )
    assert debiased_best(1.0, 100, 100) == pytest.approx(1 / (1 + expected_max_normal(100) ** 2 / 100))
    assert [debiased_best(0.0, 9, 9), debiased_best(0.5, 1, 9), debiased_best(1.0, 9, 9, 1.0)] == [0, 0.5, 1]


@pytest.mark.parametrize(
    "arguments",
    [
        (1.1, 5, 10),
        (0.5, 0, 10),
        (0.5, 5, 0),
        (0.5, 5, 10, 1.1),
        (0.5, 5, 10, -0.1),
        ("1", 5, 10),
        (None, 5, 10),
    ],
)
def test_impossible_bests_are_refused(arguments):
    with pytest.raises(BadNumber):
        debiased_best(*arguments)
    with pytest.raises(BadNumber):
        best_of_m_inflation(arguments[1], arguments[2], arguments[0], *arguments[3:])


def test_rho_is_measured_on_the_items():
    rng = np.random.default_rng(7)
    x = (rng.random((40, 20_000)) < rng.beta(1.4, 0.6, 20_000)).astype(float)

    assert measured_rho(x) == pytest.approx(1 / 3, abs=0.01)
    assert measured_rho([[1, 0, 1], [1, 0, 1]]) == 1
    assert measured_rho([[1, 0], [0, 1]]) == 0
    with pytest.raises(Undefined):
        measured_rho([[1, 1], [0, 0]])
    with pytest.raises(BadNumber):
        measured_rho([[1, 0]])


def every_split(x) -> float:
    """The gap over all halves, spelled out."""
    n = x.shape[1]
    gaps = []
    for half in combinations(range(n), n // 2):
        rest = [i for i in range(n) if i not in half]
        best = int(np.argmax(x[:, list(half)].sum(axis=1)))
        gaps.append(x[best, list(half)].mean() - x[best, rest].mean())
    return float(np.mean(gaps))


@pytest.mark.slow
@given(st.integers(1, 4), st.integers(2, 8), st.integers(0, 10**6))
def test_splitting_is_exhaustive_for_few_items(m, n, seed):
    x = np.random.default_rng(seed).integers(0, 2, (m, n)).astype(float)

    found = split_half_bias(x)

    assert found.every_split
    assert found.splits == math.comb(n, n // 2)
    assert found.gap_half == pytest.approx(every_split(x), abs=1e-12)
    assert found.bias_n == pytest.approx(found.gap_half / math.sqrt(2))


@pytest.mark.slow
def test_splitting_measures_the_inflation():
    rng = np.random.default_rng(7)
    found = []
    for _ in range(20):
        x = (rng.random((50, 1000)) < rng.beta(1.4, 0.6, 1000)).astype(float)
        found.append(split_half_bias(x, rng, 200).bias_n)

    assert np.mean(found) == pytest.approx(0.0266, abs=0.002)


@pytest.mark.parametrize("x", [[[1]], [], [1, 0], [[1, None]], [[1, "0"]], [[math.nan, 1]], 3])
def test_what_cannot_be_split_is_refused(x):
    with pytest.raises(BadNumber):
        split_half_bias(x)


def test_many_items_need_an_rng():
    with pytest.raises(BadNumber):
        split_half_bias(np.zeros((2, 100)))


def test_noise_of_random_guesses():
    assert best_of_noise(1, 7) == 0.5
    assert best_of_noise(1000, 2000) == pytest.approx(0.5362, abs=1e-4)
