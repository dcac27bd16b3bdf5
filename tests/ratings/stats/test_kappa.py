"""Kappa against scikit-learn and statsmodels, and where it has no value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from ratings.stats.arguments import BadNumber
from ratings.stats.kappa import confusion, jackknife_kappa, kappa, kappa_from_margins, kappa_of_labels

tables = st.integers(2, 4).flatmap(lambda q: arrays(np.int64, (q, q), elements=st.integers(0, 30)))


def with_two_labels(table) -> bool:
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    return table.sum() > 0 and rows @ columns < table.sum() ** 2


@pytest.mark.slow
@given(tables)
def test_kappa_and_its_error_are_those_of_statsmodels(table):
    found = kappa(table)

    if not with_two_labels(table):
        assert found.value is None
        return
    with np.errstate(all="ignore"):  # the peer divides 0 by 0 for its test at a constant grader
        peer = cohens_kappa(table)
    assert found.value == pytest.approx(peer.kappa, abs=1e-10)
    assert found.se == pytest.approx(math.sqrt(max(0.0, peer.var_kappa)), abs=1e-7)
    assert kappa(table.T).value == pytest.approx(found.value, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40))
def test_weighted_kappa_is_that_of_scikit_learn(weights, pairs):
    a, b = zip(*pairs, strict=True)

    found = kappa_of_labels(a, b, labels=range(5), weights=weights)

    if found.value is not None:
        kind = None if weights == "none" else weights
        assert found.value == pytest.approx(cohen_kappa_score(a, b, weights=kind, labels=range(5)), abs=1e-9)


def test_one_label_only_is_undefined_and_says_so():
    for table in ([[9, 0], [0, 0]], [[0, 0], [0, 3]], [[5]]):
        found = kappa(table)
        assert (found.value, found.se, found.observed) == (None, None, 1)
        assert found.why is not None
    assert kappa([[0, 0], [0, 0]]).value is None
    assert kappa_of_labels(["x"], ["x"]).value is None
    assert kappa_of_labels([], []).value is None


def test_one_constant_grader_agrees_by_chance_only():
    assert kappa([[30, 0], [70, 0]]).value == 0
    assert kappa([[0, 100], [0, 0]]).value == 0


def test_raw_agreement_of_90_percent_can_be_worse_than_chance():
    found = kappa([[90, 5], [5, 0]])

    assert found.observed == 0.9
    assert found.value < 0


def test_perfect_agreement_and_contradiction():
    assert kappa([[30, 0], [0, 70]]).value == 1
    assert kappa([[0, 50], [50, 0]]).value == -1
    assert kappa([[3, 0, 0], [0, 4, 0], [0, 0, 5]], weights="quadratic").value == 1


@pytest.mark.parametrize(
    "table",
    [
        [],
        [[1, 2]],
        [1, 2],
        [[-1, 0], [0, 1]],
        [[math.nan, 0], [0, 1]],
        [["1", 0], [0, 1]],
        [[1], [1, 2]],
        None,
        3,
    ],
)
def test_what_is_no_table_is_refused(table):
    with pytest.raises(BadNumber):
        kappa(table)


def test_unknown_labels_weights_and_levels_are_refused():
    for call in (
        lambda: confusion(["a"], ["b"], ["a"]),
        lambda: confusion(["a"], []),
        lambda: kappa([[1, 2], [3, 4]], weights="cubic"),
        lambda: kappa([[1, 2], [3, 4]], level=1.0),
    ):
        with pytest.raises(BadNumber):
            call()


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_margins_give_the_kappa_of_their_table(both, human, judge, neither):
    n = both + human + judge + neither
    if n == 0:
        return

    found = kappa_from_margins((both + human) / n, (both + judge) / n, (both + neither) / n)
    whole = kappa([[both, human], [judge, neither]])

    if whole.value is None:
        assert found.kappa is None
    else:
        assert found.kappa == pytest.approx(whole.value, abs=1e-9)
        assert found.p_e == pytest.approx(whole.expected, abs=1e-12)


def test_margins_that_no_table_has_are_refused():
    for margins in ((0.6, 0.65, 0.97), (0.9, 0.9, 0.7), (1.1, 0.5, 0.5), (0.5, math.nan, 0.5)):
        with pytest.raises(BadNumber):
            kappa_from_margins(*margins)


def test_the_jackknife_is_the_asymptotic_error_when_things_are_independent():
    rng = np.random.default_rng(7)
    a = rng.integers(0, 2, 1500)
    b = np.where(rng.random(1500) < 0.8, a, rng.integers(0, 2, 1500))
    single = np.zeros((1500, 2, 2))
    single[np.arange(1500), a, b] = 1

    found = jackknife_kappa(single)

    assert found.se == pytest.approx(kappa(single.sum(axis=0)).se, rel=0.02)
    assert found.value == kappa(single.sum(axis=0)).value


def test_the_jackknife_sees_clusters():
    rng = np.random.default_rng(7)
    groups = [np.eye(2)[rng.integers(0, 2)][:, None] * np.eye(2)[rng.integers(0, 2)] * 20 for _ in range(60)]

    found = jackknife_kappa(groups)

    assert found.se > 3 * kappa(np.sum(groups, axis=0)).se
    assert jackknife_kappa(groups[:1]).se is None
    with pytest.raises(BadNumber):
        jackknife_kappa([[1, 0], [0, 1]])


def test_full_agreement_has_no_interval():
    found = kappa([[30, 0], [0, 70]])

    assert (found.value, found.se, found.low, found.high) == (1, 0, None, None)
    assert "no width" in found.why
    assert jackknife_kappa(np.tile(np.eye(2), (6, 1, 1))).low is None
