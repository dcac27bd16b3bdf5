"""Score sheets and comparisons: the case with holes and doubles, each kind of data, and strict JSON."""

from __future__ import annotations

import csv
import json
import math
import re
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t as student

from ratings.benchmarks.methods.paired import mcnemar
from ratings.benchmarks.methods.winners_curse import debiased_best, measured_rho
from ratings.benchmarks.reports.comparison import compare, rank_sets
from ratings.benchmarks.reports.report import report
from ratings.benchmarks.reports.score_table import score_sheet
from ratings.benchmarks.reports.writing import markdown
from ratings.benchmarks.results.card import Card
from ratings.benchmarks.results.results import ItemResults
from ratings.stats.arguments import BadNumber
from ratings.stats.clusters import clustered
from ratings.stats.intervals import bootstrap_mean
from ratings.tables import json_text, to_plain


def with_holes() -> ItemResults:
    """Ten items: osprey lacks one and has one twice, wren-mini has only blanks."""
    heron = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    osprey = [1, 0, 0, 1, 0, 0, 1, 0, 0]
    rows = [("heron-7b", i, s) for i, s in enumerate(heron)] + [
        ("osprey", i, s) for i, s in enumerate(osprey)
    ]
    rows += [("osprey", 0, 1), ("wren-mini", 3, None), ("wren-mini", 4, None)]
    return ItemResults.of(
        {
            "benchmark": "b",
            "model": m,
            "item": f"it{i}",
            "score": s,
            "status": "unscored" if s is None else "ok",
        }
        for m, i, s in rows
    )


def test_missing_is_not_zero_and_a_double_counts_once():
    heron, osprey, wren = score_sheet(with_holes()).lines

    assert (heron.right, heron.items, heron.score) == (7, 10, 0.7)
    assert (heron.low, heron.high) == pytest.approx((0.3968, 0.8922), abs=5e-5)
    assert (osprey.right, osprey.items, osprey.coverage) == (3, 9, 0.9)
    assert (osprey.low, osprey.high) == pytest.approx((0.1206, 0.6458), abs=5e-5)
    assert (wren.items, wren.score, wren.low, wren.rank_low) == (0, None, None, None)


def test_pairs_are_compared_on_common_items():
    found = compare(with_holes())

    line = next(line for line in found.lines if {line.a, line.b} == {"heron-7b", "osprey"})
    assert (line.n, line.ups, line.downs, line.p) == (9, 3, 0, 0.25)
    assert found.test == "McNemar, exact"
    assert found.family == 1
    assert all(line.p is None for line in found.lines if "wren-mini" in (line.a, line.b))


@pytest.mark.shared
def test_the_case_file_gives_the_same(shared):
    with (shared / "cases" / "r14_items.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            {
                "benchmark": "b", "model": row["model"], "item": row["item_id"],
                "score": float(row["score"]) if row["score"] not in ("", "nan") else None,
                "status": "ok" if row["score"] not in ("", "nan") else "unscored",
            }
            for row in csv.DictReader(file)
        ]  # fmt: skip

    assert score_sheet(ItemResults.of(rows)) == score_sheet(with_holes())


def test_json_is_strict_even_when_little_is_known():
    for results in (with_holes(), ItemResults.of([]), ItemResults.from_matrix("b", ["m"], ["q"], [[0.5]])):
        text = json_text(to_plain(score_sheet(results)))
        assert "NaN" not in text
        assert json.loads(text)["benchmark"] == results.benchmark


def sheet_line(scores, **more):
    return score_sheet(
        ItemResults.from_matrix("b", ["m"], [f"q{i}" for i in range(len(scores))], [scores], **more)
    ).lines[0]


def test_partial_credit_gets_the_bootstrap():
    scores = np.random.default_rng(7).random(40)

    line = sheet_line(scores)

    assert line.method == "bootstrap"
    assert (line.low, line.high) == bootstrap_mean(scores)
    assert (line.right, line.wilson_low) == (None, None)


def test_repeats_are_averaged_per_item_never_pooled():
    scores = [[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]]

    line = sheet_line(scores)

    assert line.method == "t over items"
    assert line.score == 0.5625
    assert line.high == pytest.approx(min(1, 0.5625 + student.ppf(0.975, 3) * 0.21347814095749162))
    assert (line.items, line.attempts, line.right) == (4, 16, None)
    assert line.repeats.naive_pooled_se == pytest.approx(0.128086884574495)
    assert line.pass_hat == pytest.approx(
        (9 / 16, (1 / 2 + 0 + 1 + 1 / 6) / 4, (1 / 4 + 0 + 1 + 0) / 4, 1 / 4)
    )
    assert line.pass_at[0] == line.pass_hat[0]


def test_groups_get_clustered_errors_and_a_design_effect():
    rng = np.random.default_rng(7)
    groups = [f"g{i // 5}" for i in range(60)]
    scores = np.repeat(rng.integers(0, 2, 12), 5).astype(float)

    line = sheet_line(scores, groups=groups)

    assert line.method == "t over clusters"
    assert line.clustered == clustered(scores, np.arange(60) // 5)
    assert line.design_effect == pytest.approx(5, abs=0.6)
    assert line.high - line.low > 1.8 * (line.wilson_high - line.wilson_low)


def test_items_of_one_group_are_flagged():
    line = sheet_line([1, 0, 1], groups=["g"] * 3)

    assert line.clustered is None
    assert "one group" in line.why


def test_no_spread_is_no_certainty():
    assert sheet_line([1.0] * 20).low == pytest.approx(20 / (20 + 1.959964**2), abs=1e-6)
    alike = sheet_line([[1, 1]] * 20)
    assert (alike.method, alike.high) == ("wilson", 1.0)
    assert alike.low == pytest.approx(20 / (20 + 1.959964**2), abs=1e-6)
    assert sheet_line([0.5] * 9).low is None
    assert sheet_line([0.5]).why is not None


def failing() -> ItemResults:
    rows = [("a", i, 1.0, "ok") for i in range(6)] + [("a", 6, None, "error"), ("a", 7, 0.0, "infra")]
    rows += [("b", i, float(i % 2), "ok") for i in range(8)]
    return ItemResults.of(
        {"benchmark": "b", "model": m, "item": f"q{i}", "score": s, "status": status}
        for m, i, s, status in rows
    )


def test_both_policies_are_shown_where_they_differ():
    a, b = score_sheet(failing()).lines

    assert (a.score, a.score_errors_zero, a.score_errors_excluded, a.errors_matter) == (0.75, 0.75, 1.0, True)
    assert not b.errors_matter
    assert (a.statuses["error"], a.statuses["infra"]) == (1, 1)
    excluded = score_sheet(failing(), errors="exclude").lines[0]
    assert (excluded.score, excluded.items, excluded.coverage) == (1.0, 6, 0.75)


def test_the_best_of_declared_tries_is_debiased():
    rng = np.random.default_rng(7)
    x = (rng.random((5, 400)) < rng.beta(2, 1, 400)).astype(float)
    results = ItemResults.from_matrix("b", list("abcde"), [f"q{i}" for i in range(400)], x)
    best = x.mean(axis=1).max()

    declared = score_sheet(results, tries=20).selection
    silent = score_sheet(results).selection

    assert declared.debiased == pytest.approx(debiased_best(best, 20, 400, measured_rho(x)))
    assert declared.debiased + declared.inflation == pytest.approx(best)
    assert (silent.debiased, silent.inflation) == (None, None)
    assert silent.split_half.bias_n > 0
    assert score_sheet(results, card=Card("b", tries=20)).selection == declared
    with pytest.raises(BadNumber):
        score_sheet(results, tries=0)


def test_the_card_sets_the_ceiling():
    x = np.array([[1.0] * 90 + [0.0] * 10, [1.0] * 50 + [0.0] * 50])
    results = ItemResults.from_matrix("b", ["a", "b"], [f"q{i}" for i in range(100)], x)

    with_card = score_sheet(results, card=Card("b", label_error_rate=0.0649, options=4.0))

    assert (with_card.saturation.ceiling, with_card.saturation.saturated) == (pytest.approx(0.9351), True)
    assert with_card.ceiling_known
    assert not score_sheet(results).saturation.saturated
    assert score_sheet(results).tied_with_best == 1


def test_other_scales_have_neither_ceiling_nor_luck():
    results = ItemResults.from_matrix("b", ["a"], ["x", "y"], [[3, 9]], scale=(1, 10))

    sheet = score_sheet(results, tries=5)

    assert (sheet.saturation, sheet.selection.debiased) == (None, None)
    assert sheet.lines[0].high <= 10


def test_ranks_are_those_the_tests_do_not_exclude():
    x = np.zeros((3, 100))
    x[0, :90], x[1, :88], x[2, :20] = 1, 1, 1
    results = ItemResults.from_matrix("b", ["a", "b", "c"], [f"q{i}" for i in range(100)], x)

    sheet = score_sheet(results)

    assert [(line.rank_low, line.rank_high) for line in sheet.lines] == [(1, 2), (1, 2), (3, 3)]
    assert sheet.tied_with_best == 2
    found = compare(results)
    assert [line.leader for line in found.lines] == [None, "a", "a"]
    assert found.lines[1].p == mcnemar(70, 0).p_exact
    assert found.lines[1].p_holm == pytest.approx(3 * found.lines[1].p)
    assert rank_sets(found, ("a", "b", "c"))["c"] == (3, 3)


def test_models_that_never_differ_have_a_bound_instead_of_an_interval():
    results = ItemResults.from_matrix("b", ["a", "b"], [f"q{i}" for i in range(100)], [[1.0] * 100] * 2)

    line = compare(results).lines[0]

    assert (line.diff, line.low, line.p) == (0, None, 1)
    assert line.differ_at_most == pytest.approx(1 - 0.05**0.01)


def test_the_test_fits_the_data():
    items = [f"q{i}" for i in range(12)]
    x = np.random.default_rng(7).integers(0, 2, (2, 12)).astype(float)

    assert compare(ItemResults.from_matrix("b", ["a", "b"], items, x)).test == "McNemar, exact"
    assert compare(ItemResults.from_matrix("b", ["a", "b"], items, x / 2)).test == "paired t"
    grouped = compare(
        ItemResults.from_matrix("b", ["a", "b"], items, x, groups=[f"g{i // 2}" for i in range(12)])
    )
    assert grouped.test == "paired t, clustered"
    assert grouped.lines[0].se == pytest.approx(clustered(x[0] - x[1], np.arange(12) // 2).cr1)


def test_items_that_are_not_the_same_question_are_not_compared():
    rows = [
        {"benchmark": "b", "model": m, "item": f"q{i}", "score": 1, "hash": f"{i}{m if i == 0 else ''}"}
        for m in "xy"
        for i in range(3)
    ]

    found = compare(ItemResults.of(rows))

    assert found.left_out == ("q0",)
    assert found.lines[0].n == 2
    assert any("not the same question" in warning for warning in score_sheet(ItemResults.of(rows)).warnings)


def test_one_model_or_none_has_nothing_to_compare():
    assert compare(ItemResults.of([])).lines == ()
    assert compare(ItemResults.from_matrix("b", ["a"], ["q"], [[1]])).lines == ()
    assert score_sheet(ItemResults.of([])).lines == ()
    with pytest.raises(BadNumber):
        score_sheet(with_holes(), level=1.0)


def test_all_lines_are_finite():
    rng = np.random.default_rng(7)
    x = np.where(rng.random((4, 30, 2)) < 0.2, np.nan, rng.integers(0, 2, (4, 30, 2)))
    sheet = score_sheet(ItemResults.from_matrix("b", list("abcd"), [f"q{i}" for i in range(30)], x))

    assert all(math.isfinite(line.low) and line.low <= line.score <= line.high for line in sheet.lines)


def test_pairs_of_the_leader_come_first_then_those_of_the_second() -> None:
    right = {"crow": 2, "finch": 9, "heron": 4, "wren": 7}
    results = ItemResults.of(
        {"benchmark": "b", "model": model, "item": f"i{item}", "score": float(item < n), "status": "ok"}
        for model, n in right.items()
        for item in range(10)
    )

    found = report(results)
    order = [line.model for line in found.sheet.lines]
    pairs = [tuple(sorted((line.a, line.b), key=order.index)) for line in found.comparison.lines]

    assert order == ["finch", "wren", "heron", "crow"]
    assert pairs == list(combinations(order, 2))
    table = markdown(found).split("## Pairs")[1]
    assert [
        {*row.split(" | ")[:2]} for row in re.findall(r"^\| (\w+ \| \w+) \|", table, re.MULTILINE)[1:]
    ] == [set(pair) for pair in pairs]
