"""lm-evaluation-harness: filters, metrics, the model's name and shifted documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.ratings.benchmarks.readers.writing import cells, put, put_lines, reading, refusal, results

TIME = "2026-02-03T04-05-06.000007"


def sample(doc_id: int, filter: str = "none", **metrics: Any) -> dict[str, Any]:
    return {
        "doc_id": doc_id, "doc": {}, "target": "t", "arguments": {}, "resps": [], "filtered_resps": [], "filter": filter,
        "metrics": list(metrics), "doc_hash": f"h{doc_id}", **metrics,
    }  # fmt: skip


def run(
    folder: Path, rows: list[dict[str, Any]], model: str | None = "lab/m", task: str = "sums", **more: Any
) -> Path:
    if model is not None:
        summary = {"results": {task: {}}, "configs": {}, "versions": {}, "model_name": model, **more}
        put(folder / f"results_{TIME}.json", summary)
    return put_lines(folder / f"samples_{task}_{TIME}.jsonl", rows)


def test_each_filter_is_a_benchmark_of_its_own(tmp_path: Path) -> None:
    rows = [sample(0, "strict", exact_match=0.0), sample(0, "lax", exact_match=1.0)]

    found = results(run(tmp_path, rows))

    assert {name: float(result.score[0, 0, 0]) for name, result in found.items()} == {
        "sums:lax": 1.0,
        "sums:strict": 0.0,
    }


def test_one_filter_can_be_chosen(tmp_path: Path) -> None:
    rows = [sample(0, "strict", exact_match=0.0), sample(0, "lax", exact_match=1.0)]

    assert cells(run(tmp_path, rows), variant="lax") == {("lab/m", "sums/0", 0): (1.0, "ok")}


def test_the_first_metric_counts_and_another_can_be_asked_for(tmp_path: Path) -> None:
    file = run(tmp_path, [sample(3, acc=0.0, acc_norm=1.0)])

    assert cells(file) == {("lab/m", "sums/3", 0): (0.0, "ok")}
    assert cells(file, metric="acc_norm") == {("lab/m", "sums/3", 0): (1.0, "ok")}


def test_a_boolean_metric_is_0_or_1_and_a_list_is_no_metric(tmp_path: Path) -> None:
    file = run(tmp_path, [sample(0, likelihood=[-3.0, 4], right=True)])

    assert cells(file) == {("lab/m", "sums/0", 0): (1.0, "ok")}


def test_a_metric_that_is_better_when_lower_is_not_taken(tmp_path: Path) -> None:
    file = run(
        tmp_path, [sample(0, loss=0.1, acc=1.0)], higher_is_better={"sums": {"loss": False, "acc": True}}
    )

    assert cells(file) == {("lab/m", "sums/0", 0): (1.0, "ok")}


def test_text_as_a_score_is_refused_with_its_row(tmp_path: Path) -> None:
    error = refusal(run(tmp_path, [sample(0, acc=1.0), sample(1, acc="1.0")]))

    assert [(problem.row, problem.column, problem.value) for problem in error.problems] == [(2, "acc", "1.0")]


def test_nan_is_unscored_and_an_appended_run_counts_once(tmp_path: Path) -> None:
    file = run(tmp_path, [sample(0, acc=1.0), sample(1, acc=float("nan")), sample(0, acc=1.0)])

    result = results(file)["sums"]

    assert (result.duplicates, result.problems) == (1, ())
    assert result.tally("lab/m")["unscored"] == 1


def test_an_appended_run_that_differs_is_told(tmp_path: Path) -> None:
    file = run(tmp_path, [sample(0, acc=1.0), sample(0, acc=0.0)])

    assert results(file)["sums"].means().tolist() == [[0.5]]
    assert "further attempts" in reading(file).account.notes[-1]


def test_without_results_the_folder_names_the_model(tmp_path: Path) -> None:
    file = run(tmp_path / "lab__m-2", [sample(0, acc=1.0)], model=None)

    assert list(cells(file)) == [("lab/m-2", "sums/0", 0)]


def test_without_any_name_it_says_where_the_name_would_be(tmp_path: Path) -> None:
    error = refusal(run(tmp_path / "run", [sample(0, acc=1.0)], model=None))

    assert "results_*.json" in str(error)


def test_a_limit_is_told(tmp_path: Path) -> None:
    file = run(tmp_path, [sample(0, acc=1.0)], **{"n-samples": {"sums": {"original": 90, "effective": 1}}})

    assert reading(file).account.notes == ("sums: only 1 of 90 items were run (limit)",)


def test_subtasks_are_groups_of_their_benchmark(tmp_path: Path) -> None:
    more = {"group_subtasks": {"quiz": ["quiz_art", "quiz_law"]}}
    run(tmp_path, [sample(0, acc=1.0)], task="quiz_art", **more)
    run(tmp_path, [sample(0, acc=0.0)], task="quiz_law", **more)

    result = results(tmp_path)["quiz"]

    assert (result.items, result.groups) == (("quiz_art/0", "quiz_law/0"), (("quiz_art",), ("quiz_law",)))


def test_items_numbered_differently_are_not_compared(tmp_path: Path) -> None:
    other = {**sample(0, acc=1.0), "doc_hash": "another question"}

    files = run(tmp_path / "a", [sample(0, acc=1.0)], "m1"), run(tmp_path / "b", [other], "m2")

    assert results(*files)["sums"].clashing.tolist() == [True]


def test_the_score_that_the_harness_states_is_kept(tmp_path: Path) -> None:
    file = run(tmp_path, [sample(0, acc=1.0)], results={"sums": {"acc,none": 0.25}})

    claim = reading(file).account.claims[0]

    assert (claim.model, claim.value, claim.what) == ("lab/m", 0.25, "acc,none")
