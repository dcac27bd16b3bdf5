"""Paired comparisons of two models, against statsmodels, scipy, 40-digit arithmetic and plain drawing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, ttest_rel
from statsmodels.stats.contingency_tables import mcnemar as peer

from ratings.benchmarks.methods.paired import (
    PairedCounts,
    difference,
    difference_of_table,
    drawn_bootstrap,
    gap_probability,
    gap_sd_points,
    mcnemar,
    most_discordant,
    paired_bootstrap,
    unpaired_se,
)
from ratings.stats.arguments import BadNumber

# (n10, n01) -> exact and mid p, by mpmath with 40 digits.
LARGE = {
    (1000, 1100): (0.030720707864242295, 0.029110633685909037),
    (50_000, 50_600): (0.058951995868547714, 0.058531680327902163),
    (10**6, 1_003_000): (0.034088365079439383, 0.034028743892292996),
    (5 * 10**8, 500_030_000): (0.34280503914982504, 0.34278895097069496),
    (700, 0): (3.8021831325903196e-211, 1.9010915662951598e-211),
}


@pytest.mark.parametrize("case", LARGE, ids=str)
def test_mcnemar_is_exact_at_any_size(case):
    found = mcnemar(*case)

    assert found.p_exact == pytest.approx(LARGE[case][0], rel=1e-12)
    assert found.p_mid == pytest.approx(LARGE[case][1], rel=1e-12)


@pytest.mark.slow
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_that_of_statsmodels_and_symmetric(n10, n01):
    found = mcnemar(n10, n01)

    assert found == mcnemar(n01, n10)
    if n10 + n01:
        assert found.p_exact == pytest.approx(peer([[5, n10], [n01, 5]], exact=True).pvalue, abs=1e-12)
        assert found.p_exact == pytest.approx(binomtest(n10, n10 + n01).pvalue, abs=1e-12)
    assert 0 <= found.p_mid <= found.p_exact <= 1


def test_a_tie_is_no_evidence():
    assert mcnemar(0, 0).p_exact == mcnemar(0, 0).p_mid == 1
    assert mcnemar(7, 7).p_mid == 1
    assert (mcnemar(1, 0).p_exact, mcnemar(1, 0).p_mid) == (1.0, pytest.approx(0.5))


@pytest.mark.parametrize(
    "counts", [(-1, 2), (1.5, 2), ("1", 2), (True, 2), (math.nan, 1), (None, 1), ([1], 1)]
)
def test_what_is_no_count_is_refused(counts):
    with pytest.raises(BadNumber):
        mcnemar(*counts)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from([0, 0.5, 1]), st.sampled_from([0, 0.5, 1])), min_size=2, max_size=40)
)
def test_the_difference_is_the_paired_t_test(pairs):
    a, b = np.array(pairs, dtype=float).T

    found, mirrored = difference(a, b), difference(b, a)

    assert mirrored.diff == -found.diff
    assert (mirrored.p, mirrored.se) == pytest.approx((found.p, found.se))
    if found.se > 0:
        assert found.p == pytest.approx(ttest_rel(a, b).pvalue, abs=1e-12)
    else:
        assert found.p == found.p_exact


def test_counts_and_scores_give_the_same():
    table = PairedCounts(66, 6, 4, 24)

    assert PairedCounts.of(*table.scores()) == table
    one, other = difference(*table.scores()), difference_of_table(table)
    assert (one.diff, one.se, one.p, one.p_exact) == pytest.approx(
        (other.diff, other.se, other.p, other.p_exact)
    )
    assert difference_of_table(PairedCounts(5, 0, 0, 5)).p == 1
    assert difference_of_table(PairedCounts(0, 6, 0, 0)) == difference([1] * 6, [0] * 6)


def test_equal_shifts_of_decimals_have_no_spread():
    found = difference([0.3, 0.2, 0.1], [0.2, 0.1, 0.0])

    assert found.se == 0
    assert found.diff == pytest.approx(0.1)
    assert found.p == 0.25  # three of three


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1], [0]),
        ([], []),
        ([1, 0], [1]),
        ([1, math.nan], [0, 0]),
        (["1", "0"], [0, 0]),
        ([None, 1], [0, 0]),
        (1, 0),
    ],
)
def test_scores_that_do_not_pair_are_refused(a, b):
    with pytest.raises(BadNumber):
        difference(a, b)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (-1, 1, 1, 1), (1.5, 1, 1, 1), (True, 1, 1, 1)])
def test_a_table_of_something_else_is_refused(counts):
    with pytest.raises(BadNumber):
        PairedCounts(*counts)
    with pytest.raises(BadNumber):
        PairedCounts.of([0.5, 1], [0, 1])


def test_the_endless_bootstrap_agrees_with_drawing():
    table = PairedCounts(40, 23, 11, 26)

    exact = paired_bootstrap(table, 0.9)
    drawn = drawn_bootstrap(*table.scores(), np.random.default_rng(7), 40_000, 0.9)

    assert drawn.ci_points == pytest.approx(exact.ci_points, abs=1)
    assert drawn.share_not_ahead == pytest.approx(exact.share_not_ahead, abs=0.005)


def test_the_endless_bootstrap_of_one_way_gaps_is_binomial():
    found = paired_bootstrap(PairedCounts(10, 5, 0, 5))

    assert found.share_not_ahead == pytest.approx(0.75**20, rel=1e-9)
    assert found.ci_points == (5 * binom.ppf(0.025, 20, 0.25), 5 * binom.ppf(0.975, 20, 0.25))
    assert paired_bootstrap(PairedCounts(3, 0, 0, 3)).ci_points == (0, 0)
    assert paired_bootstrap(PairedCounts(3, 0, 0, 3)).share_not_ahead == 1


def test_the_chance_gap_of_equal_models():
    rng = np.random.default_rng(7)
    gaps = np.abs(rng.binomial(164, 0.6, 200_000) - rng.binomial(164, 0.6, 200_000))

    assert gap_probability(164, 0.6, 1.0) == pytest.approx(
        (gaps >= 2).mean(), abs=0.005
    )  # 1 % of 164 is 1.64 items
    assert gap_probability(100, 0.7, 0) == 1
    assert gap_probability(50, 1.0, 2) == 0
    assert gap_probability(100, 0.5, 0.07) == gap_probability(100, 0.5, 1)
    assert gap_sd_points(100, 0.7) == 100 * unpaired_se(0.7, 100)


def test_no_difference_seen_bounds_the_difference_there_is():
    assert most_discordant(100) == pytest.approx(0.02951, abs=1e-5)  # about 3/n
    assert (1 - most_discordant(7, 0.9)) ** 7 == pytest.approx(0.1)
