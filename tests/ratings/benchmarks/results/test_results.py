"""Item results: records in, arrays out, and nothing guessed on the way."""

from __future__ import annotations

import numpy as np
import pytest

from arena.errors import BadInput
from ratings.benchmarks.results.results import ItemResults, by_benchmark


def record(model, item, score, **more):
    return {"benchmark": "quiz", "model": model, "item": item, "score": score, **more}


def test_records_become_cells_in_natural_order():
    results = ItemResults.of([record("b", "q10", 1), record("a", "q2", 0.5), record("a", "q10", 0.0)])

    assert results.models == ("a", "b")
    assert results.items == ("q2", "q10")
    np.testing.assert_array_equal(results.means(), [[0.5, 0.0], [np.nan, 1.0]])


def test_order_of_records_does_not_matter():
    rows = [record(m, f"q{i}", i % 2, repeat=r) for m in "ab" for i in range(4) for r in (1, 2)]

    one, other = ItemResults.of(rows), ItemResults.of(rows[::-1])

    assert one.repeats == (1, 2)
    np.testing.assert_array_equal(one.score, other.score)


def test_equal_records_count_once_and_one_that_differs_is_a_further_attempt():
    rows = [record("a", "q", 1), record("a", "q", 1.0), record("a", "q", 0)]

    results = ItemResults.of([*rows, rows[2]])

    assert results.duplicates == 2
    assert (results.attempts()[0, 0], results.means()[0, 0]) == (2, 0.5)
    assert [problem.row for problem in results.problems] == [3, 4]


@pytest.mark.parametrize("score", ["1", "", float("nan"), float("inf"), -1, 1.5, [1], 1j])
def test_a_score_that_is_no_score_is_refused_with_its_row(score):
    with pytest.raises(BadInput) as caught:
        ItemResults.of([record("a", "q1", 1), record("a", "q2", score)])

    assert [problem.row for problem in caught.value.problems] == [2]


@pytest.mark.parametrize(
    "bad",
    [
        {"status": "fine"},
        {"model": ""},
        {"item": None},
        {"repeat": -1},
        {"repeat": True},
        {"repeat": "0"},
        {"score": None},
        {"group": [1]},
        {"scroe": 1},
        {"benchmark": " "},
    ],
)
def test_a_faulty_field_is_refused(bad):
    with pytest.raises(BadInput):
        ItemResults.of([record("a", "q", 1) | bad])


def test_true_and_false_are_right_and_wrong():
    results = ItemResults.of([record("a", "q1", True), record("a", "q2", np.False_)])

    assert results.means().tolist() == [[1.0, 0.0]]


def test_the_scale_can_be_another_or_none():
    assert ItemResults.of([record("a", "q", 9)], scale=(1, 10)).means()[0, 0] == 9
    assert ItemResults.of([record("a", "q", -3)], scale=None).means()[0, 0] == -3


def test_two_benchmarks_are_kept_apart():
    rows = [record("a", "q", 1), record("a", "q", 0) | {"benchmark": "exam"}]

    with pytest.raises(BadInput):
        ItemResults.of(rows)

    assert {name: r.means()[0, 0] for name, r in by_benchmark(rows).items()} == {"exam": 0, "quiz": 1}


def test_failures_count_as_zero_or_not_at_all_and_missing_never_counts():
    rows = [
        record("a", "q", 1, repeat=0),
        record("a", "q", 0, repeat=1, status="infra"),
        record("a", "q", None, repeat=2, status="error"),
        record("a", "q", None, repeat=3, status="unscored"),
        record("a", "r", None, status="not_run"),
    ]

    results = ItemResults.of(rows)

    np.testing.assert_array_equal(results.means("exclude"), [[1.0, np.nan]])
    np.testing.assert_allclose(results.means("zero"), [[1 / 3, np.nan]])
    assert results.attempts("zero").tolist() == [[3, 0]]
    assert results.tally("a") == {"ok": 1, "error": 1, "infra": 1, "unscored": 1, "not_run": 4}


def test_an_item_with_two_content_hashes_is_marked():
    rows = [record("a", "q", 1, hash="x"), record("b", "q", 1, hash="y"), record("a", "r", 1, hash="z")]

    results = ItemResults.of(rows)

    assert results.clashing.tolist() == [True, False]
    assert len(results.problems) == 1


def test_clusters_follow_the_groups_and_the_ungrouped_stand_alone():
    rows = [
        record("a", f"q{i}", 1, group=group) for i, group in enumerate([["s", "p"], ["s", "r"], [], "s", []])
    ]

    results = ItemResults.of(rows)

    assert results.clusters().tolist() == [0, 0, 1, 0, 2]
    assert results.clusters(1).tolist() == [0, 1, 2, 3, 4]
    assert results.grouped


def test_records_make_the_round_trip():
    rows = [
        record("a", "q", 1, repeat=1, group=["s"], source="f.jsonl", hash="h"),
        record("b", "q", None, repeat=2, status="infra"),
        record("b", "r", None, status="not_run"),
    ]

    results = ItemResults.of(rows)
    again = ItemResults.of(results.records())

    assert (again.models, again.items, again.groups, again.sources) == (
        results.models, results.items, results.groups, results.sources,
    )  # fmt: skip
    np.testing.assert_array_equal(again.score, results.score)
    np.testing.assert_array_equal(again.status, results.status)


def test_an_alias_merges_two_names_of_one_model():
    results = ItemResults.of([record("A-1", "q", 1), record("a1", "r", 0), record("b", "q", 0)])

    merged = results.renamed({"A-1": "a1"})

    assert merged.models == ("a1", "b")
    np.testing.assert_array_equal(merged.means(), [[1, 0], [0, np.nan]])


def test_a_matrix_is_the_same_as_its_records():
    results = ItemResults.from_matrix("quiz", ["b", "a"], ["q10", "q2"], [[1, np.nan], [0, 0.5]])

    np.testing.assert_array_equal(results.means(), [[0.5, 0], [np.nan, 1]])
    with pytest.raises(BadInput):
        ItemResults.from_matrix("quiz", ["a", "a"], ["q"], [[1], [1]])
    with pytest.raises(BadInput):
        ItemResults.from_matrix("quiz", ["a"], ["q"], [[2]])


def test_taking_models_and_items_keeps_their_cells():
    results = ItemResults.from_matrix("quiz", ["a", "b", "c"], ["q1", "q2"], [[1, 0], [0, 1], [1, 1]])

    part = results.take(models=["c", "a"], items=np.array([False, True]))

    assert (part.models, part.items) == (("a", "c"), ("q2",))
    assert part.means().tolist() == [[0], [1]]
    with pytest.raises(BadInput):
        results.take(models=["d"])


def test_a_result_takes_the_place_of_not_run():
    rows = [record("a", "q", None, status="not_run"), record("a", "q", 1)]

    for order in (rows, rows[::-1]):
        results = ItemResults.of(order)
        assert (results.means()[0, 0], results.duplicates, results.problems) == (1, 0, ())


def test_no_records_are_empty_results():
    results = ItemResults.of([])

    assert results.score.shape == (0, 0, 1)
    assert results.means().shape == (0, 0)
