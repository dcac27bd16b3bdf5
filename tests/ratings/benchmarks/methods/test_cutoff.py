"""Dated items: a planted leak is named, a hard season is not taken for one."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind

from ratings.benchmarks.methods.cutoff import cutoff_gap, cutoff_report
from ratings.stats.arguments import BadNumber


def test_partial_credit_is_welchs_test():
    rng = np.random.default_rng(7)
    early, late = rng.random(30), rng.random(40) * 0.8

    found = cutoff_gap([*early, *late], [0] * 30 + [1] * 40, 1)

    peer = ttest_ind(early, late, equal_var=False)
    assert found.p == pytest.approx(peer.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(peer.confidence_interval()))
    assert found.drop == pytest.approx(early.mean() - late.mean())


def test_right_and_wrong_is_fishers_test():
    found = cutoff_gap([1] * 9 + [0] + [1] * 3 + [0] * 7, [0] * 10 + [1] * 10, 0.5)

    assert found.p == pytest.approx(fisher_exact([[9, 1], [3, 7]]).pvalue)
    assert (found.before, found.after, found.n_before, found.n_after) == (0.9, 0.3, 10, 10)


def test_all_right_before_and_all_wrong_after_is_the_strongest_evidence():
    found = cutoff_gap([1] * 20 + [0] * 20, [0] * 20 + [1] * 20, 1)

    assert found.p < 1e-9
    assert (found.se, found.low) == (0.0, None)


def test_items_without_date_or_score_and_small_sides():
    found = cutoff_gap([1, 0, None, 1, 0], [1, 2, 3, math.nan, 4], 4)

    assert (found.n_before, found.n_after, found.p, found.drop) == (2, 1, None, None)
    assert found.why is not None
    assert cutoff_gap([1, 1], [5, 6], 1).before is None
    for arguments in (
        ([1], [1, 2], 1),
        ([1], [1], math.nan),
        (["1"], [1], 1),
        ([], [], 1),
        ([1, 1], [1, 2], 1, 1.5),
    ):
        with pytest.raises(BadNumber):
            cutoff_gap(*arguments)


def planted(leak: float, harder: float, seed: int) -> np.ndarray:
    """Ten models on 300 items; from the 150th on all are `harder`; model 3 remembers a share of the early ones."""
    rng = np.random.default_rng(seed)
    rates = np.clip(rng.beta(2, 2, 300) - harder * (np.arange(300) >= 150), 0.01, 0.99)
    x = (rng.random((10, 300)) < rates).astype(float)
    x[3, :150] = np.maximum(x[3, :150], rng.random(150) < leak)
    return x


def test_the_leak_is_named_and_the_hard_season_is_not():
    models = [f"m{i}" for i in range(10)]
    cutoffs = dict.fromkeys(models, 150.0)

    leaky = cutoff_report(planted(0.6, 0.2, 7), np.arange(300), models, cutoffs)
    clean = cutoff_report(planted(0.0, 0.2, 7), np.arange(300), models, cutoffs)

    assert [row.model for row in leaky if row.flagged] == ["m3"]
    assert leaky[0].model == "m3"
    assert not any(row.flagged for row in clean)
    assert sum(row.plain.p < 0.05 for row in clean) > 5  # what the plain drop would have accused


@pytest.mark.slow
def test_false_alarms_stay_at_their_level():
    models = [f"m{i}" for i in range(10)]
    alarms = sum(
        any(
            row.flagged
            for row in cutoff_report(
                planted(0, 0.2, seed), np.arange(300), models, dict.fromkeys(models, 150.0)
            )
        )
        for seed in range(100)
    )

    assert alarms <= 10


def test_a_cutoff_of_nobody_is_refused_and_a_lone_model_has_no_peers():
    with pytest.raises(BadNumber):
        cutoff_report(np.ones((1, 2)), [0, 1], ["a"], {"b": 1})
    with pytest.raises(BadNumber):
        cutoff_report(np.ones((1, 2)), [0, 1], ["a", "b"], {"b": 1})
    alone = cutoff_report(np.array([[1.0, 1, 0, 0]]), [0, 0, 1, 1], ["a"], {"a": 1})
    assert (alone[0].beyond_peers.p, alone[0].p_holm, alone[0].flagged) == (None, None, False)


@pytest.mark.shared
def test_the_model_known_for_it_is_named(shared):
    path = shared / "data" / "livecodebench_generation" / "pass_at_1_matrix.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    models = [name for name in rows[0] if name not in ("question_id", "platform", "difficulty", "date")]
    scores = np.array([[float(row[model] or "nan") / 100 for row in rows] for model in models])
    dates = [float(row["date"]) for row in rows]
    september_2023 = 1_693_526_400_000.0

    found = cutoff_report(
        scores, dates, models, {name: september_2023 for name in models if "n=1" not in name}
    )

    flagged = [row.model for row in found if row.flagged]
    assert "DSCoder-33b-Ins" in flagged
    assert "GPT-4-0613" not in flagged
    leader = next(row for row in found if row.model == "DSCoder-33b-Ins")
    assert (leader.plain.before, leader.plain.after) == pytest.approx((0.404, 0.234), abs=5e-4)
