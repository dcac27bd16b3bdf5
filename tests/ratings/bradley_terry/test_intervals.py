"""Intervals: their width, their shape, and what stands in where voters show no spread."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, t

from ratings.bradley_terry.intervals import calibrated_interval

ONE = np.ones(1)


def draws(low: float, high: float) -> np.ndarray:
    """(1001, 1) rounds whose 2.5 and 97.5 % quantiles are exactly `low` and `high`."""
    return np.interp(np.linspace(0, 1, 1001), [0.0, 0.025, 0.975, 1.0], [low - 1, low, high, high + 1])[
        :, None
    ]


def test_the_width_is_twice_t_times_the_jackknife_error() -> None:
    found = calibrated_interval(np.zeros(1), 2 * ONE, ONE, np.array([7.5]), draws(-1.0, 3.0))

    assert found.high - found.low == pytest.approx(2 * t.ppf(0.975, 7.5) * 2)


def test_the_asymmetry_is_that_of_the_rounds() -> None:
    found = calibrated_interval(np.zeros(1), ONE, ONE, np.array([50.0]), draws(-1.0, 3.0))

    assert found.high / -found.low == pytest.approx(3.0)


def test_many_effective_voters_give_the_normal_quantile() -> None:
    found = calibrated_interval(np.zeros(1), ONE, ONE, np.array([1e9]), None)

    assert found.high == pytest.approx([norm.ppf(0.975)], rel=1e-6)


def test_without_rounds_it_is_symmetric() -> None:
    found = calibrated_interval(np.array([5.0]), ONE, ONE, np.array([4.0]), None)

    assert (found.low, found.high) == pytest.approx((5 - t.ppf(0.975, 4.0), 5 + t.ppf(0.975, 4.0)))


def test_fewer_than_one_effective_voter_counts_as_one() -> None:
    found = calibrated_interval(np.zeros(1), ONE, ONE, np.array([0.5]), None)

    assert found.high == pytest.approx([t.ppf(0.975, 1.0)])


def test_an_estimate_outside_its_rounds_stays_inside_its_interval() -> None:
    found = calibrated_interval(np.array([9.0]), ONE, ONE, np.array([50.0]), draws(-1.0, 3.0))

    assert found.low < 9.0 <= found.high
    assert found.high - found.low == pytest.approx(2 * t.ppf(0.975, 50.0))


@pytest.mark.parametrize(("se", "rounds"), [(1e-12, draws(-1.0, 1.0)), (1.0, np.zeros((100, 1)))])
def test_no_spread_among_voters_gives_the_fisher_interval(se: float, rounds: np.ndarray) -> None:
    found = calibrated_interval(np.zeros(1), se * ONE, ONE, np.array([12.0]), rounds)

    assert found.fisher.all()
    assert found.se == pytest.approx([1.0])
    assert (-found.low, found.high) == pytest.approx((t.ppf(0.975, 12.0), t.ppf(0.975, 12.0)))
