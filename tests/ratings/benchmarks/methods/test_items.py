"""One item against the ratings: scipy, scikit-learn, exhaustive permutation, and items that say nothing."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pointbiserialr
from sklearn.metrics import roc_auc_score

from ratings.benchmarks.methods.items import (
    item_fit,
    item_rest,
    permutation_p,
    point_biserial,
    rank_biserials,
)
from ratings.stats.arguments import BadNumber, Undefined

answers = st.lists(st.tuples(st.integers(0, 1), st.integers(900, 1100)), min_size=2, max_size=25)


@pytest.mark.slow
@given(answers)
def test_the_fit_of_an_item_is_that_of_the_peers(rows):
    item, rating = np.array(rows, dtype=float).T

    found = item_fit(item, rating)

    if 0 < item.sum() < len(item):
        assert found.auc == pytest.approx(roc_auc_score(item, rating), abs=1e-12)
        if np.ptp(rating) > 0:
            assert found.r_pb == pytest.approx(pointbiserialr(item, rating).statistic, abs=1e-12)
        else:
            assert (found.r_pb, found.auc, found.bt_agree) == (None, 0.5, 0.5)
        assert rank_biserials(item[:, None], rating)[0] == pytest.approx(2 * found.auc - 1, abs=1e-12)
    else:
        assert (found.r_pb, found.auc, found.bt_agree) == (None, None, None)


def test_missing_answers_are_left_out():
    assert item_fit([None, 1, 0], [1, 3, 2]) == item_fit([1, 0], [3, 2])
    assert item_fit([None], [1]).p is None
    assert item_fit([1, 0], [None, 2]).n == 1
    assert np.isnan(rank_biserials([[math.nan, 1], [1, 1], [1, 1]], [1, 2, 3])).all()


def test_a_constant_item_has_no_correlation():
    for item, rating in (([1, 1], [1, 2]), ([0, 0], [1, 2]), ([1, 0], [5, 5])):
        with pytest.raises(Undefined):
            point_biserial(item, rating)
        with pytest.raises(Undefined):
            permutation_p(item, rating)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=3, max_size=6))
def test_the_permutation_test_is_exhaustive(rows):
    item, rating = np.array(rows, dtype=float).T
    if item.sum() in (0, len(item)) or np.ptp(rating) == 0:
        return
    centred = rating - rating.mean()
    every = [abs(np.dot(order, centred)) for order in permutations(item)]

    found = permutation_p(item, rating)

    assert found == pytest.approx(np.mean([x >= abs(item @ centred) - 1e-9 for x in every]))


def test_many_placements_are_drawn():
    rng = np.random.default_rng(7)
    rating = np.arange(60.0)
    item = (np.arange(60) > 29).astype(float)

    assert permutation_p(item, rating, rng, 999) == 1 / 1000
    with pytest.raises(BadNumber):
        permutation_p(item, rating)


def test_an_item_is_compared_with_the_rest_not_the_total():
    noise = np.random.default_rng(7).integers(0, 2, (4000, 12)).astype(float)

    found = item_rest(noise)
    with_total = [np.corrcoef(noise[:, i], noise.sum(axis=1))[0, 1] for i in range(12)]

    assert abs(np.mean(found)) < 0.02
    assert np.mean(with_total) == pytest.approx(1 / math.sqrt(12), abs=0.01)
    assert np.isnan(item_rest([[1, 0], [1, 1]])[0])


@pytest.mark.parametrize(
    ("item", "rating"),
    [([], []), ([1, 0], [1]), ([2, 0], [1, 2]), (["1", 0], [1, 2]), (1, 2), ([0.5, 1], [1, 2])],
)
def test_what_is_no_item_is_refused(item, rating):
    with pytest.raises(BadNumber):
        item_fit(item, rating)
