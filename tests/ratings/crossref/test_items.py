"""Items, groups and power against scipy, scikit-learn, statsmodels and simulated truth."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.metrics import roc_auc_score

from ratings.benchmarks.methods.items import item_rest, permutation_p
from ratings.crossref.groups import GroupFit, group_fits
from ratings.crossref.items import (
    ItemFits,
    concordance,
    correlations,
    item_fits,
    permutation_ps,
    rest,
    shuffle,
)
from ratings.crossref.measures import Measure
from ratings.crossref.power import power


def fits(x: np.ndarray, ratings: np.ndarray, draws: int = 2000) -> ItemFits:
    rng = np.random.default_rng(7)
    found = item_fits(x, [f"q{n}" for n in range(x.shape[1])], ratings, shuffle(ratings, rng, draws))
    assert found is not None
    return found


def answers(rng: np.random.Generator, models: int, items: int) -> np.ndarray:
    x = rng.integers(0, 2, (models, items)).astype(float)
    x[0], x[1] = 1.0, 0.0  # every item varies
    return x


def test_each_items_numbers_are_those_of_the_peers(rng: np.random.Generator) -> None:
    x, ratings = answers(rng, 14, 6), rng.normal(1000, 80, 14)

    found = {line.item: line for line in fits(x, ratings).lines}

    assert [found[f"q{n}"].r for n in range(6)] == pytest.approx(
        [stats.pointbiserialr(q, ratings)[0] for q in x.T]
    )
    assert [found[f"q{n}"].auc for n in range(6)] == pytest.approx([roc_auc_score(q, ratings) for q in x.T])
    adjusted = stats.false_discovery_control([found[f"q{n}"].p_value for n in range(6)])
    assert [found[f"q{n}"].p_adjusted for n in range(6)] == pytest.approx(adjusted)


def test_item_rest_leaves_the_item_out_of_the_rest(rng: np.random.Generator) -> None:
    x = answers(rng, 20, 12)

    np.testing.assert_allclose(rest(x), item_rest(x), atol=1e-12)
    assert rest(x)[3] == pytest.approx(np.corrcoef(x[:, 3], np.delete(x, 3, axis=1).sum(axis=1))[0, 1])


def test_the_better_models_win_probability_is_bradley_terrys() -> None:
    auc, agree = concordance(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1200.0, 1000.0]))

    assert auc.tolist() == [1.0, 0.0]
    assert agree == pytest.approx([1 / (1 + 10 ** (-200 / 400)), 1 / (1 + 10 ** (200 / 400))])


def test_partial_credit_counts_the_pairs_it_tells_apart(rng: np.random.Generator) -> None:
    x, ratings = np.array([[0.2], [0.5], [0.5], [1.0]]), np.array([1.0, 3.0, 2.0, 4.0])

    auc, _ = concordance(x, ratings)

    assert auc.tolist() == [1.0]  # five pairs differ, all in the ratings' order


def test_p_is_exact_where_placements_are_few(rng: np.random.Generator) -> None:
    x, ratings = answers(rng, 9, 5), rng.normal(size=9)

    found = permutation_ps(x, ratings, shuffle(ratings, rng, 10))

    assert found == pytest.approx([permutation_p(q, ratings) for q in x.T], abs=1e-12)
    peer = stats.permutation_test(
        (x[:, 2], ratings), lambda a, b: abs(np.corrcoef(a, b)[0, 1]), permutation_type="pairings",
        n_resamples=2000, alternative="greater", rng=np.random.default_rng(1),
    )  # fmt: skip
    assert found[2] == pytest.approx(peer.pvalue, abs=0.04)


def test_p_by_shuffles_agrees_with_the_exact_one(rng: np.random.Generator) -> None:
    x, ratings = answers(rng, 12, 4), rng.normal(size=12)
    graded = x + 1e-9 * rng.normal(size=x.shape)  # not 0 or 1: no exact placements

    found = permutation_ps(graded, ratings, shuffle(ratings, rng, 20_000))

    assert found == pytest.approx(permutation_ps(x, ratings, shuffle(ratings, rng, 10)), abs=0.015)


def test_missing_answers_leave_models_out_of_that_item_alone(rng: np.random.Generator) -> None:
    x, ratings = answers(rng, 12, 3), rng.normal(size=12)
    x[4:6, 1] = np.nan
    seen = ~np.isnan(x[:, 1])

    found = {line.item: line for line in fits(x, ratings).lines}

    assert (found["q1"].n, found["q0"].n) == (10, 12)
    assert found["q1"].r == pytest.approx(np.corrcoef(x[seen, 1], ratings[seen])[0, 1])
    assert found["q1"].auc == pytest.approx(roc_auc_score(x[seen, 1], ratings[seen]))
    assert found["q1"].p_value == pytest.approx(permutation_p(x[seen, 1], ratings[seen]))


def test_constant_and_rare_items_are_counted_not_scored(rng: np.random.Generator) -> None:
    x = answers(rng, 8, 4)
    x[:, 0], x[4:, 1] = 1.0, np.nan

    found = fits(x, rng.normal(size=8))

    assert (found.scored, found.constant, found.short) == (2, 1, 1)


@pytest.mark.slow
def test_without_a_relation_half_the_items_run_against(rng: np.random.Generator) -> None:
    shares = [fits(answers(rng, 24, 60), rng.normal(size=24), 200).p_fewer for _ in range(40)]

    assert fits(answers(rng, 24, 60), rng.normal(size=24)).expected_against == pytest.approx(30, abs=1.5)
    assert 0.3 < np.mean(shares) < 0.7
    assert min(shares) > 0.001


@pytest.mark.slow
def test_single_items_cannot_show_what_their_group_shows() -> None:
    # 24 models, 400 items, 40 of them truly reversed, pass rates of standard deviation .09 over models: at most a tenth of the 40
    # stand out singly under Benjamini-Hochberg (none in half of such draws), their group always does.
    rng = np.random.default_rng(7)
    skill = rng.normal(size=24)
    direction = np.repeat([0.27, -0.27], [360, 40])
    x = (rng.normal(size=(24, 400)) < skill[:, None] * direction + rng.normal(0, 0.5, 400)).astype(float)
    ratings = 1000 + 80 * skill
    board = Measure(tuple(f"m{n}" for n in range(24)), ratings, np.eye(24) * 64)

    groups = group_fits(
        x, ["good"] * 360 + ["reversed"] * 40, np.arange(400), board, shuffle(ratings, rng)
    ).lines

    assert fits(x, ratings, 5000).flagged_against <= 4
    assert [group.group for group in groups if group.flagged] == ["reversed"]
    assert groups[0].r == pytest.approx(stats.pearsonr(x[:, 360:].mean(axis=1), ratings)[0])


def group(x: np.ndarray, inner: np.ndarray, ratings: np.ndarray, noise: float = 0.0) -> GroupFit:
    board = Measure(tuple(map(str, range(len(ratings)))), ratings, np.eye(len(ratings)) * noise)
    shuffles = shuffle(ratings, np.random.default_rng(3), 5000)
    return group_fits(x, ["g"] * x.shape[1], inner, board, shuffles).lines[0]


def test_a_groups_errors_are_clustered_by_what_lies_within(rng: np.random.Generator) -> None:
    x, ratings, inner = answers(rng, 16, 30), rng.normal(size=16), np.repeat(np.arange(10), 3)
    auc, _ = concordance(x, ratings)
    peer = sm.OLS(auc, np.ones(30)).fit(
        cov_type="cluster", cov_kwds={"groups": inner, "use_correction": True}, use_t=True
    )
    half = stats.t.ppf(0.975, 9) * float(peer.bse[0])

    found = group(x, inner, ratings)

    assert (found.auc, found.clusters) == (pytest.approx(auc.mean()), 10)
    assert (found.auc_low, found.auc_high) == (
        pytest.approx(auc.mean() - half),
        pytest.approx(auc.mean() + half),
    )


def test_a_groups_p_is_that_of_a_permutation_test(rng: np.random.Generator) -> None:
    x, ratings = answers(rng, 16, 20), rng.normal(size=16)

    found = group(x, np.arange(20), ratings)

    assert found.p == pytest.approx(stats.pearsonr(x.mean(axis=1), ratings).pvalue, abs=0.03)


def test_twice_the_same_items_give_a_group_no_more_reliability(rng: np.random.Generator) -> None:
    skill = np.linspace(-1, 1, 16)
    x = (rng.normal(size=(16, 30)) < skill[:, None]).astype(float)

    once, twice = (group(np.tile(x, (1, k)), np.tile(np.arange(30), k), skill, 0.1) for k in (1, 2))

    assert twice.reliability == pytest.approx(once.reliability, abs=1e-12)
    assert twice.disattenuated == pytest.approx(once.disattenuated, abs=1e-12)


def test_power_is_the_textbooks() -> None:
    # Cohen 1988, table 3.3.1: r = .5 at alpha .05 two-sided has power .80 with 28 to 29 cases.
    assert power(29, 1, 0.05).at_half == pytest.approx(0.80, abs=0.015)
    assert power(29, 1, 0.05).detectable == pytest.approx(0.5, abs=0.005)
    assert power(24, 400, 0.05).detectable > power(24, 1, 0.05).detectable


def test_correlations_with_many_orders_are_each_ones_own(rng: np.random.Generator) -> None:
    x, orders = answers(rng, 10, 4), rng.normal(size=(3, 10))
    x[2, 1] = np.nan
    seen = ~np.isnan(x[:, 1])

    found = correlations(x, orders)

    assert found[2, 0] == pytest.approx(np.corrcoef(x[:, 0], orders[2])[0, 1])
    assert found[1, 1] == pytest.approx(np.corrcoef(x[seen, 1], orders[1][seen])[0, 1])
