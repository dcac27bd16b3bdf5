"""Ceilings, implied accuracy and saturation, against simulation and hand cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.benchmarks.methods.ceiling import (
    ceiling,
    gap_factor,
    guessing_floor,
    implied_accuracy,
    observed_accuracy,
    saturation,
    typed_ceiling,
)
from ratings.stats.arguments import BadNumber


def test_wrong_keys_do_what_the_formula_says():
    rng = np.random.default_rng(7)
    n, options, eps, true = 200_000, 4, 0.1, 0.7
    answer = np.where(rng.random(n) < true, 0, rng.integers(1, options, n))
    key = np.where(rng.random(n) < eps, rng.integers(1, options, n), 0)

    assert observed_accuracy(true, eps, options) == pytest.approx((answer == key).mean(), abs=0.003)


@given(st.floats(0, 1), st.floats(0, 0.4), st.sampled_from([2, 3, 4, 10, math.inf]))
def test_implied_is_the_inverse_of_observed(true, eps, options):
    seen = observed_accuracy(true, eps, options)

    assert implied_accuracy(seen, eps, options, 10_000) == pytest.approx(true, abs=1e-9)


def test_gaps_shrink():
    shrunk = observed_accuracy(0.9, 0.06, 4) - observed_accuracy(0.8, 0.06, 4)

    assert shrunk == pytest.approx(0.1 * gap_factor(0.06, 4)) == pytest.approx(0.092)
    assert gap_factor(0.29, math.inf) == pytest.approx(0.71)
    assert [guessing_floor(4), guessing_floor(math.inf)] == [0.25, 0]


def test_a_perfect_score_on_few_items_is_possible():
    # The standard error at the observed score is 0, and a perfect model gets 20 of 20 with chance .94^20 = .29.
    assert implied_accuracy(1.0, 0.06, 4, 20) == 1
    with pytest.raises(BadNumber):
        implied_accuracy(1.0, 0.06, 4, 20_000)


def test_scores_below_the_floor_are_cut():
    assert implied_accuracy(0.0, 0.06, 4, 100) == 0
    assert implied_accuracy(1.0, 0.0, 4, 1) == 1


@pytest.mark.parametrize(
    "arguments",
    [(1.1, 0.1, 4, 10), (-0.1, 0.1, 4, 10), (0.5, -0.1, 4, 10), (0.5, 1.1, 4, 10), (0.5, 0.1, 1, 10), (0.5, 0.1, 2.5, 10),
     (0.5, 0.1, 4, 0), (math.nan, 0.1, 4, 10), ("0.5", 0.1, 4, 10), (0.5, 0.5, 2, 10), (0.5, 0.8, 4, 10),
     (0.5, 1.0, math.inf, 10), (0.5, 0.1, -math.inf, 10), (0.5, 0.1, None, 10), (True, 0.1, 4, 10)],
)  # fmt: skip
def test_what_cannot_be_inverted_is_refused(arguments):
    with pytest.raises(BadNumber):
        implied_accuracy(*arguments)


def test_typed_ceilings():
    assert typed_ceiling({}) == 1
    assert typed_ceiling({"wrong": (0.29, 0)}) == pytest.approx(ceiling(0.29))
    for kinds in ({"a": (0.6, 0), "b": (0.6, 0)}, {"a": (0.1, 2)}, {"a": (0.1,)}, {"a": 0.1}, {"a": "ab"}):
        with pytest.raises(BadNumber):
            typed_ceiling(kinds)


def test_people_can_be_the_ceiling():
    found = saturation([0.9, 0.85], 1000, 0.02, human=0.89)

    assert (found.ceiling, found.saturated) == (0.89, True)
    assert saturation([0.9], 1000, 0.02, human=1.0).ceiling == 0.98


def test_a_stricter_level_ties_more():
    accuracies = [0.9, 0.88, 0.86, 0.84]

    assert saturation(accuracies, 500, 0, alpha=0.05).n_tied == 3
    assert saturation(accuracies, 500, 0, alpha=0.001).n_tied == 4
    assert saturation(accuracies, 500, 0, alpha=0.5).n_tied == 1


def test_all_models_at_nothing_are_tied():
    found = saturation([0.0, 0.0, 0.0], 10, 0.1)

    assert (found.n_tied, found.saturated) == (3, False)
    assert saturation([1.0], 1, 0.0).saturated


@pytest.mark.parametrize(
    "arguments",
    [([], 10, 0), ([1.2], 10, 0), ([math.nan], 10, 0), (["0.5"], 10, 0), (0.5, 10, 0), ([0.5], 0, 0), ([0.5], 10, 2),
     ([0.5], 10, 0, 1.5), ([0.5], 10, 0, None, 0), ([0.5], 10.5, 0), ([None], 10, 0)],
)  # fmt: skip
def test_impossible_reports_are_refused(arguments):
    with pytest.raises(BadNumber):
        saturation(*arguments)
