"""Ranks by overlap as in the acceptance case, and ranges of ranks against textbook tests."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.stats.multitest import multipletests

from ratings.bradley_terry import ranks


def test_a_rank_counts_lower_bounds_above_my_upper_bound() -> None:
    # Ratings 1100, 1095, 1050, a wide 1045, and 1000.
    low = np.array([1080.0, 1060.0, 1030.0, 900.0, 995.0])
    high = np.array([1120.0, 1130.0, 1070.0, 1190.0, 1005.0])

    assert ranks.by_overlap(low, high).tolist() == [1, 1, 2, 1, 4]


def test_touching_intervals_overlap() -> None:
    assert ranks.by_overlap(np.array([10.0, 5.0]), np.array([12.0, 10.0])).tolist() == [1, 1]


@pytest.mark.shared
def test_case_ranks(shared: Path) -> None:
    rows = [
        row
        for row in json.loads((shared / "cases/r13_rank_ub.json").read_text())
        if row["ci_low"] is not None
    ]

    found = ranks.by_overlap(
        *(np.array([row[bound] for row in rows], dtype=float) for bound in ("ci_low", "ci_high"))
    )

    assert dict(zip((row["model"] for row in rows), found.tolist(), strict=True)) == {"m1": 1, "m2": 1, "m3": 2, "m4": 1, "m5": 4}  # fmt: skip


@pytest.mark.slow
def test_holm_ranges_are_those_of_statsmodels(rng: np.random.Generator) -> None:
    estimate = np.array([0.0, 0.4, 0.45, 1.5, 1.52])
    spread = np.array([0.1, 0.1, 0.2, 0.1, 0.3])
    nu = np.array([8.0, 20.0, 50.0, 9.0, 100.0])

    low, high = ranks.simultaneous(estimate, np.diag(spread**2), nu, None)

    a, b = np.triu_indices(5, 1)
    statistic = np.abs(estimate[a] - estimate[b]) / np.hypot(spread[a], spread[b])
    apart = multipletests(2 * t.sf(statistic, np.minimum(nu[a], nu[b])), 0.05, "holm")[0]
    above = np.zeros((5, 5), dtype=bool)
    for one, other, told in zip(a, b, apart, strict=True):
        above[one, other] = told and estimate[one] > estimate[other]
        above[other, one] = told and estimate[other] > estimate[one]
    assert apart.any()
    assert not apart.all()
    assert low.tolist() == (1 + above.sum(axis=0)).tolist()
    assert high.tolist() == (5 - above.sum(axis=1)).tolist()


def test_ranges_from_rounds_hold_all_true_ranks_at_once(rng: np.random.Generator) -> None:
    # Five exact ties and normal estimates with known errors: 95 % of trials must hold every rank.
    identified_by_one_voter = 0
    for _ in range(300):
        estimate = rng.normal(0.0, 1.0, 5)
        rounds = estimate + rng.normal(0.0, 1.0, (400, 5))
        low, high = ranks.simultaneous(estimate, np.eye(5), np.full(5, 1e6), rounds)
        identified_by_one_voter += bool((low == 1).all() and (high == 5).all())

    assert identified_by_one_voter / 300 >= 0.95 - 2 * 0.0126


def test_far_apart_models_have_one_rank_each(rng: np.random.Generator) -> None:
    estimate = np.array([0.0, 10.0, 20.0])
    rounds = estimate + rng.normal(0.0, 1.0, (400, 3))

    low, high = ranks.simultaneous(estimate, np.eye(3), np.full(3, 1e6), rounds)

    assert low.tolist() == high.tolist() == [3, 2, 1]


def test_gaps_without_any_error_separate_nobody() -> None:
    low, high = ranks.simultaneous(np.zeros(3), np.zeros((3, 3)), np.ones(3), np.zeros((50, 3)))

    assert (low.tolist(), high.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_one_model_alone_is_first() -> None:
    low, high = ranks.simultaneous(np.zeros(1), np.eye(1), np.ones(1), np.zeros((50, 1)))

    assert (low.tolist(), high.tolist()) == ([1], [1])


def test_p_best_is_the_share_of_rounds_at_the_top() -> None:
    rounds = np.array([[2.0, 1.0], [1.0, 2.0], [3.0, 1.0], [1.0, 1.0]])

    assert ranks.p_best(rounds).tolist() == [2.5 / 4, 1.5 / 4]
