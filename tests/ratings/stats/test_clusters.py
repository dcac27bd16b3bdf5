"""Clustered standard errors and variance components, against statsmodels and simulated truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from ratings.stats.arguments import BadNumber
from ratings.stats.clusters import clustered, clustered_lists, components


def test_cr1_is_that_of_statsmodels():
    rng = np.random.default_rng(7)
    groups = rng.integers(0, 17, 200)
    x = rng.random(200) + 0.3 * groups

    fit = sm.OLS(x, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": groups})

    assert clustered(x, groups).cr1 == pytest.approx(fit.bse[0], rel=1e-12)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.25, 1.0])), min_size=2, max_size=40))
def test_order_names_and_doubling_change_nothing(rows):
    groups, x = [f"passage {g}" for g, _ in rows], [s for _, s in rows]
    if len(set(groups)) < 2:
        return

    found = clustered(x, groups)
    shuffled = clustered(x[::-1], groups[::-1])
    doubled = clustered([*x, *x], [*groups, *groups])

    assert shuffled.cr1 == pytest.approx(found.cr1, abs=1e-12)
    assert doubled.cr1 == pytest.approx(found.cr1, abs=1e-12)


def test_each_item_alone_is_the_plain_standard_error():
    found = clustered([1, 0, 1, 1], [0, 1, 2, 3])

    assert found.cr1 == pytest.approx(found.naive)
    assert found.miller2024 == pytest.approx(found.naive)
    assert found.design_effect == pytest.approx(1)
    assert found.effective_n == pytest.approx(4)


def test_whole_clusters_that_agree_count_as_one_item_each():
    found = clustered_lists([[1] * 5, [0] * 5, [1] * 5, [0] * 5])

    assert found.effective_n == pytest.approx(4, abs=1)
    assert found.interval()[0] == pytest.approx(0.5 - student.ppf(0.975, 3) * found.cr1)


def test_equal_scores_have_no_spread():
    found = clustered([0.1] * 6, [0, 0, 1, 1, 2, 2])

    assert (found.cr0, found.cr1, found.miller2024, found.design_effect) == (0, 0, 0, None)


@pytest.mark.parametrize("clusters", [[], [[1, 0]], [[1], []], [[1], ["x"]], [[1], [math.nan]], 3, [1, 2]])
def test_clusters_that_say_nothing_are_refused(clusters):
    with pytest.raises(BadNumber):
        clustered_lists(clusters)


def test_lengths_must_agree():
    with pytest.raises(BadNumber):
        clustered([1, 0], [1])


@pytest.mark.slow
def test_clustered_errors_keep_their_promise_where_naive_ones_do_not():
    # Intraclass correlation .3, 60 clusters of 5, true mean 0.
    rng = np.random.default_rng(7)
    groups = np.repeat(np.arange(60), 5)
    alarms = {"naive": 0, "cr1": 0}
    rounds = 2_000

    for _ in range(rounds):
        x = math.sqrt(0.3) * rng.standard_normal(60)[groups] + math.sqrt(0.7) * rng.standard_normal(300)
        found = clustered(x, groups)
        alarms["naive"] += abs(found.mean) > 1.96 * found.naive
        alarms["cr1"] += not found.interval()[0] <= 0 <= found.interval()[1]

    assert alarms["cr1"] / rounds <= 0.06
    assert 0.17 <= alarms["naive"] / rounds <= 0.23


@pytest.mark.slow
def test_components_recover_the_truth():
    # Item rates Beta(1.4, .6): sigma_b^2 = .07, sigma_w^2 = .14.
    rng = np.random.default_rng(7)
    rates = rng.beta(1.4, 0.6, 20_000)

    found = components((rng.random((20_000, 4)) < rates[:, None]).astype(float))

    assert found.within == pytest.approx(0.14, abs=0.003)
    assert found.between == pytest.approx(0.07, abs=0.003)
    assert found.se_items == pytest.approx(math.sqrt((0.07 + 0.14 / 4) / 20_000), rel=0.02)


def test_rows_of_attempts_may_differ_in_length():
    found = components([[1, 0], [1], [0, 0, 1]])

    assert found.mean == pytest.approx((0.5 + 1 + 1 / 3) / 3)
    assert found.within == pytest.approx((0.5 + 1 / 3) / 2)
    assert found.attempts == 6


def test_the_between_part_is_unbiased_and_so_may_be_negative():
    assert components([[1, 0], [0, 1]]).between == pytest.approx(-0.25)


def test_parts_that_need_two_are_missing_with_one():
    once, alone = components([[1], [0]]), components([[1, 0]])

    assert (once.within, once.between) == (None, None)
    assert (alone.se_items, alone.between) == (None, None)
    assert components([[1]]).naive_pooled_se is None
    with pytest.raises(BadNumber):
        components([])
    with pytest.raises(BadNumber):
        components([[1], []])


def test_clusters_that_balance_have_no_design_effect():
    found = clustered_lists([[1, 0, 1, 0], [0, 1, 0, 1]])

    assert (found.mean, found.balanced) == (0.5, True)
    assert found.cr1 == pytest.approx(0, abs=1e-12)
    assert (found.design_effect, found.effective_n) == (None, None)
    assert not clustered_lists([[1, 1, 1, 0], [0, 1, 0, 1]]).balanced
