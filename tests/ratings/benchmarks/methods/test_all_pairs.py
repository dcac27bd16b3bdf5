"""All pairs at once against the same pairs one by one; the joint bootstrap against plain drawing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.benchmarks.methods.all_pairs import all_pairs, all_pairs_clustered
from ratings.benchmarks.methods.joint_bootstrap import joint_bootstrap, pair_rows
from ratings.benchmarks.methods.paired import difference, mcnemar
from ratings.stats.arguments import BadNumber
from ratings.stats.clusters import clustered
from ratings.stats.multiplicity import adjusted


def table(kind: str, models: int = 6, items: int = 120, seed: int = 7) -> np.ndarray:
    """Correlated scores of several kinds, with a pair of equal rows."""
    rng = np.random.default_rng(seed)
    x = (rng.random((models, items)) < rng.beta(1.4, 0.6, items)).astype(float)
    if "partial" in kind:
        x = np.clip(0.8 * x + 0.2 * rng.random(x.shape), 0, 1)
    if "gaps" in kind:
        x[rng.random(x.shape) < 0.15] = np.nan
    x[-1] = x[0]
    return x


KINDS = ("whole", "gaps", "partial", "partial gaps")


@pytest.mark.parametrize("kind", KINDS)
def test_all_pairs_are_each_pair(kind):
    x = table(kind)

    pairs = all_pairs(x)

    for row, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        both = ~np.isnan(x[a] + x[b])
        alone = difference(x[a, both], x[b, both])
        assert pairs.n[row] == both.sum()
        assert pairs.diff[row] == pytest.approx(alone.diff, abs=1e-14)
        assert pairs.se[row] == pytest.approx(alone.se, abs=1e-14)
        assert (pairs.p[row], pairs.p_exact[row]) == pytest.approx((alone.p, alone.p_exact), abs=1e-12)
        assert (pairs.ups[row], pairs.downs[row]) == (alone.ups, alone.downs)
        assert pairs.pooled_se[row] ** 2 == pytest.approx(
            (x[a, both].var(ddof=1) + x[b, both].var(ddof=1)) / both.sum()
        )


@pytest.mark.parametrize("kind", KINDS)
def test_clustered_pairs_are_each_pair(kind):
    x = table(kind)
    cluster = np.random.default_rng(1).integers(0, 9, x.shape[1])

    pairs = all_pairs_clustered(x, cluster)

    for row, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True)):
        both = ~np.isnan(x[a] + x[b])
        alone = clustered((x[a] - x[b])[both], cluster[both])
        assert pairs.se[row] == pytest.approx(alone.cr1, abs=1e-13)
        assert pairs.freedom[row] == alone.clusters - 1


def test_a_few_wrong_bits_of_partial_credit_are_seen():
    rng = np.random.default_rng(7)
    x = rng.random(10_000)
    y = x + 1e-9 * rng.standard_normal(10_000)

    pairs = all_pairs(np.clip([x, y], 0, 1))

    assert pairs.se[0] == pytest.approx(1e-9 / 100, rel=0.05)


def test_pairs_without_enough_items_have_no_number():
    x = [[1, 0, np.nan, np.nan], [np.nan, np.nan, 1, 0], [1, np.nan, np.nan, 0], [1, 1, 0, 0]]

    pairs = all_pairs(x)
    rows = pair_rows(pairs, 4)

    assert pairs.n[rows[0, 1]] == 0
    assert np.isnan(
        [pairs.diff[rows[0, 1]], pairs.se[rows[0, 1]], pairs.p[rows[0, 1]], pairs.p_exact[rows[0, 1]]]
    ).all()
    assert np.isnan(pairs.se[rows[0, 2]])
    assert pairs.diff[rows[0, 2]] == 0
    corrected = pairs.adjusted("holm", exact=True)
    known = ~np.isnan(pairs.p_exact)
    np.testing.assert_allclose(corrected[known], adjusted(pairs.p_exact[known]))
    assert np.isnan(corrected[~known]).all()


def test_common_items_in_one_cluster_have_no_standard_error():
    pairs = all_pairs_clustered([[1, 0, np.nan], [0, 1, 1]], np.array([5, 5, 6]))

    assert np.isnan([pairs.se[0], pairs.p[0]]).all()


def test_equal_models_differ_nowhere():
    x = np.array([[0.1, 0.7, 0.3]] * 3)

    plain, grouped = all_pairs(x), all_pairs_clustered(x, np.array([0, 0, 1]))

    for pairs in (plain, grouped):
        assert pairs.se.tolist() == [0, 0, 0]
        assert pairs.p.tolist() == [1, 1, 1]


@pytest.mark.slow
@settings(max_examples=30)
@given(st.permutations(range(6)), st.permutations(range(120)))
def test_the_order_of_models_and_items_does_not_matter(models, items):
    x = table("gaps")
    base, moved = all_pairs(x), all_pairs(x[models][:, items])
    rows = pair_rows(moved, 6)
    place = np.argsort(models)

    for row, (a, b) in enumerate(zip(base.a, base.b, strict=True)):
        other = rows[place[a], place[b]]
        assert moved.se[other] == pytest.approx(base.se[row], abs=1e-13)
        assert abs(moved.diff[other]) == pytest.approx(abs(base.diff[row]), abs=1e-13)


@pytest.mark.parametrize(
    "scores", [[[1, 0]], [], [1, 0], [[1, "x"], [0, 1]], [[np.nan], [np.nan]], [[1], [1, 0]], None]
)
def test_what_is_no_table_is_refused(scores):
    with pytest.raises(BadNumber):
        all_pairs(scores)


def test_mcnemar_of_all_pairs_is_exact():
    x = table("whole", models=20)

    pairs = all_pairs(x)

    assert pairs.p_exact.tolist() == pytest.approx(
        [mcnemar(int(up), int(down)).p_exact for up, down in zip(pairs.ups, pairs.downs, strict=True)],
        rel=1e-12,
    )


@pytest.mark.slow
def test_the_joint_bootstrap_draws_items_for_all_models_at_once():
    x = table("partial", models=5, items=90)[:-1]
    plain = np.random.default_rng(3).integers(0, 90, size=(20_000, 90))
    means = x[:, plain].mean(axis=2)

    found = joint_bootstrap(x, np.random.default_rng(7), rounds=20_000)

    for row, (a, b) in enumerate(zip(found.pairs.a, found.pairs.b, strict=True)):
        ends = np.quantile(means[a] - means[b], [0.025, 0.975])
        assert (found.low[row], found.high[row]) == pytest.approx(ends, abs=0.004)
    np.testing.assert_allclose(found.mean_low, np.quantile(means, 0.025, axis=1), atol=0.004)
    assert found.first.sum() == pytest.approx(1)


def test_simultaneous_intervals_are_wider_and_their_p_values_larger():
    x = table("whole", models=8)

    found = joint_bootstrap(x, np.random.default_rng(7), rounds=4_000)

    moving = found.pairs.se > 0
    assert (found.high_together - found.low_together)[moving].min() > 0
    assert ((found.high_together - found.low_together) > 1.96 * 2 * found.pairs.se)[moving].all()
    assert (found.p_together >= found.pairs.p - 0.03)[moving].all()
    assert found.p_together[~moving].tolist() == [1.0]


def test_whole_clusters_are_redrawn():
    # Doubling every item inside its cluster tells nothing new.
    x = table("whole", models=3, items=60)
    cluster = np.arange(60) // 5

    once = joint_bootstrap(x, np.random.default_rng(7), cluster=cluster)
    twice = joint_bootstrap(
        np.hstack([x, x]), np.random.default_rng(7), cluster=np.hstack([cluster, cluster])
    )

    np.testing.assert_allclose(once.low, twice.low, atol=1e-6)
    np.testing.assert_allclose(once.high_together, twice.high_together, atol=1e-6)


def test_the_same_seed_gives_the_same_and_gaps_are_left_out():
    x = table("gaps", models=3)

    one, other = (joint_bootstrap(x, np.random.default_rng(7), rounds=200) for _ in range(2))

    assert one.items == (~np.isnan(x).any(axis=0)).sum()
    np.testing.assert_array_equal(one.low_together, other.low_together)
    with pytest.raises(BadNumber):
        joint_bootstrap([[1, np.nan], [np.nan, 0]], np.random.default_rng(7))
    with pytest.raises(BadNumber):
        joint_bootstrap(x, np.random.default_rng(7), cluster=np.arange(3))


@pytest.mark.slow
def test_simultaneous_intervals_hold_together():
    # Ten equally good models on 200 items: any interval that misses 0 is a false alarm.
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(200):
        rates = rng.beta(1.4, 0.6, 200)
        x = (rng.random((10, 200)) < rates).astype(float)
        found = joint_bootstrap(x, rng, rounds=500)
        alarms += bool(((found.low_together > 0) | (found.high_together < 0)).any())

    assert alarms / 200 <= 0.09


def test_what_has_no_spread_has_no_simultaneous_interval():
    x = table("whole", models=4, items=60)

    found = joint_bootstrap(x, np.random.default_rng(7), rounds=200)

    equal = pair_rows(found.pairs, 4)[0, 3]
    shown = np.stack([found.low, found.high, found.low_together, found.high_together])
    assert np.isnan(shown[:, equal]).all()
    assert found.p_together[equal] == 1
    assert not np.isnan(np.delete(shown, equal, axis=1)).any()


def test_clusters_that_do_not_differ_are_judged_by_their_signs():
    always_better = np.stack([np.ones(40), np.zeros(40)])
    even = np.stack([np.tile([1.0, 0, 1, 0], 10), np.tile([0.0, 1, 0, 1], 10)])
    cluster = np.repeat(np.arange(5), 8)

    ahead, level = all_pairs_clustered(always_better, cluster), all_pairs_clustered(even, cluster)

    assert (ahead.se[0], ahead.p[0]) == (0, 2 * 0.5**5)  # five clusters say so, not forty items
    assert (level.se[0], level.p[0]) == (0, 1)
