"""promptfoo, simple-evals, eval-arena and lighteval: what each of them leaves unsaid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.ratings.benchmarks.readers.writing import (
    cells,
    put,
    put_lines,
    put_text,
    reading,
    refusal,
    results,
)


def row(question: str, score: Any = 1, reason: int = 0, **more: Any) -> dict[str, Any]:
    found = {
        "testIdx": 0,
        "promptIdx": 0,
        "promptId": "p",
        "provider": {"id": "m"},
        "prompt": {"label": "ask"},
        "vars": {"q": question},
    }
    return {
        **found,
        "score": score,
        "success": score == 1,
        "failureReason": reason,
        "testCase": {"metadata": {"topic": "t"}},
        **more,
    }


def promptfoo(path: Path, *rows: dict[str, Any]) -> Path:
    return put(path / "output.json", {"evalId": "e", "results": {"version": 3, "results": list(rows)}})


def test_an_error_of_the_call_is_no_wrong_answer(tmp_path: Path) -> None:
    file = promptfoo(tmp_path, row("q0", 0, 1), row("q1", 0, 2, error="rate limit"), row("q2", 0.5, 1))

    assert list(cells(file).values()) == [(0.0, "ok"), (None, "error"), (0.5, "ok")]


def test_rows_with_the_same_variables_are_repeats(tmp_path: Path) -> None:
    file = promptfoo(tmp_path, row("q0", 1), row("q0", 0, testIdx=1))

    assert cells(file) == {("m", "q0", 0): (1.0, "ok"), ("m", "q0", 1): (0.0, "ok")}
    assert results(file)["promptfoo"].groups == (("t",),)


def test_tests_with_equal_variables_are_items_where_anything_else_differs(tmp_path: Path) -> None:
    first, second = ({"description": name, "metadata": {}} for name in ("short", "long"))
    file = promptfoo(tmp_path, row("q0", 1, testCase=first), row("q0", 0, testIdx=1, testCase=second))

    assert cells(file) == {("m", "q0 | short", 0): (1.0, "ok"), ("m", "q0 | long", 0): (0.0, "ok")}


def test_tests_that_differ_in_their_assertions_alone_are_numbered(tmp_path: Path) -> None:
    asserts = [{"assert": [{"type": kind}]} for kind in ("equals", "contains")]
    file = promptfoo(tmp_path, *(row("q0", 1, testIdx=at, testCase=test) for at, test in enumerate(asserts)))

    assert [item for _, item, _ in cells(file)] == ["q0 | test #0", "q0 | test #1"]


def test_prompts_with_one_label_are_kept_apart_by_their_place(tmp_path: Path) -> None:
    file = promptfoo(tmp_path, row("q0"), row("q0", 0, promptIdx=1))

    assert sorted(results(file)) == ["promptfoo:ask #0", "promptfoo:ask #1"]


def test_a_provider_set_up_in_two_ways_is_two_models(tmp_path: Path) -> None:
    warm = {"id": "m", "label": "m at 1.0"}
    file = promptfoo(tmp_path, row("q0"), row("q0", 0, provider=warm))

    assert results(file)["promptfoo"].models == ("m", "m at 1.0")


def test_several_prompts_of_a_provider_are_kept_apart(tmp_path: Path) -> None:
    file = promptfoo(tmp_path, row("q0"), row("q0", 0, prompt={"label": "beg"}))

    assert sorted(results(file)) == ["promptfoo:ask", "promptfoo:beg"]


@pytest.mark.parametrize("change", [{"score": "1"}, {"score": 2}, {"failureReason": 3}, {"provider": {}}])
def test_rows_of_promptfoo_that_cannot_be_read(tmp_path: Path, change: dict[str, Any]) -> None:
    assert refusal(promptfoo(tmp_path, row("q0"), {**row("q1"), **change})).problems[0].row == 2


def page(*scores: str) -> str:
    return (
        "<html>"
        + "".join(f"<p>Extracted Answer: A</p><p>Score: {score}</p><hr>" for score in scores)
        + "</html>"
    )


def test_positions_are_items(tmp_path: Path) -> None:
    file = put_text(tmp_path / "mgsm_en_m-1.html", page("1.0", "0.0", "None"))

    assert cells(file) == {
        ("m-1", "#0", 0): (1.0, "ok"),
        ("m-1", "#1", 0): (0.0, "ok"),
        ("m-1", "#2", 0): (None, "unscored"),
    }


def test_flattened_rounds_are_told_and_can_be_taken_apart(tmp_path: Path) -> None:
    file = put_text(tmp_path / "gpqa_m.html", page(*["1.0", "0.0"] * 10))

    assert "--repeats 10" in reading(file).account.notes[0]
    assert results(file, repeats=10)["gpqa"].score.shape == (1, 2, 10)
    assert "rounds" in str(refusal(file, repeats=3))


def test_the_summary_alone_has_no_items(tmp_path: Path) -> None:
    file = put(tmp_path / "gpqa_m.json", {"score": 0.5, "score:std": 0.5})

    assert "holds no results per item" in str(refusal(file))


def example(correct: Any, count: Any, pass1: Any = None, example_id: str = "e") -> dict[str, Any]:
    return {
        "benchmark_id": "b",
        "model": "m",
        "example_id": example_id,
        "pass1": pass1,
        "correct": correct,
        "count": count,
    }


def test_counts_become_attempts(tmp_path: Path) -> None:
    file = put_lines(tmp_path / "data.jsonl", [example(2, 3), example(0, 1, example_id="f")])

    assert results(file)["b"].means()[0].tolist() == pytest.approx([2 / 3, 0.0])


@pytest.mark.parametrize(
    "bad", [example(3, 2), example(1, 2, 0.9), example(-1, 2), example(1, 2.5), example(1, 1)]
)
def test_counts_that_cannot_be(tmp_path: Path, bad: dict[str, Any]) -> None:
    assert refusal(put_lines(tmp_path / "data.jsonl", [example(1, 1), bad])).problems[0].row == 2


def details(folder: Path, columns: dict[str, list[Any]]) -> Path:
    path = (
        folder / "lab__m" / "2026-01-01T00-00-00.0" / "details_suite|quiz:law|5_2026-01-01T00-00-00.0.parquet"
    )
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table(columns), path)
    return path


def test_rows_of_details_are_items_of_a_subject(tmp_path: Path) -> None:
    metrics = [{"acc": 1.0, "acc_norm": 0.0}, {"acc": 0.0, "acc_norm": 1.0}]
    file = details(
        tmp_path, {"example": ["x", "y"], "gold": ["A", "B"], "metrics": metrics, "predictions": [[1], [2]]}
    )

    assert cells(file) == {
        ("lab/m", "suite|quiz:law|5/0", 0): (1.0, "ok"),
        ("lab/m", "suite|quiz:law|5/1", 0): (0.0, "ok"),
    }
    assert results(file)["quiz"].groups == (("law",), ("law",))
    assert [score for score, _ in cells(file, metric="acc_norm").values()] == [0.0, 1.0]


def test_details_written_as_text_are_read(tmp_path: Path) -> None:
    file = details(tmp_path, {"example": ["x"], "metrics": ["{'em': 1.0}"], "predictions": ["[1]"]})

    assert list(cells(file).values()) == [(1.0, "ok")]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("{'em': np.float64(0.25), 'f1': np.int64(1)}", (0.25, "ok")), ("{'em': nan, 'f1': 1.0}", (None, "unscored")),
     ("{'em': numpy.bool_(True)}", (1.0, "ok")), ("{'em': None, 'f1': None}", (None, "unscored"))],
)  # fmt: skip
def test_metrics_in_text_hold_numbers_of_numpy(
    tmp_path: Path, text: str, outcome: tuple[float | None, str]
) -> None:
    file = details(tmp_path, {"example": ["x"], "metrics": [text], "predictions": ["[1]"]})

    assert list(cells(file, metric="em").values()) == [outcome]


def test_details_that_are_no_metrics_are_refused(tmp_path: Path) -> None:
    file = details(tmp_path, {"example": ["x"], "metrics": ["__import__('os')"], "predictions": ["[1]"]})

    assert refusal(file).problems[0].column == "metrics"


def performances(path: Path, *shares: float | None, model: str = "m") -> Path:
    rows = [{"question_id": f"q{at}", "model": model, "pass@1": share} for at, share in enumerate(shares)]
    return put(path / "performances.json", {"performances": rows, "models": [], "date_marks": []})


def test_shares_of_livecodebench_are_scores_and_their_samples_unknown(tmp_path: Path) -> None:
    file = performances(tmp_path, 30.0, 100.0, None)

    assert list(cells(file).values()) == [(0.3, "ok"), (1.0, "ok"), (None, "unscored")]
    assert "--repeats" in reading(file).account.notes[0]


def test_shares_of_livecodebench_become_attempts_on_request(tmp_path: Path) -> None:
    file = performances(tmp_path, 30.0)

    assert [score for score, _ in cells(file, repeats=10).values()] == [1.0] * 3 + [0.0] * 7


def test_a_model_of_livecodebench_with_samples_of_its_own(tmp_path: Path) -> None:
    assert len(cells(performances(tmp_path, 100.0, model="m (n=1)"), repeats=10)) == 1


def test_a_share_of_livecodebench_that_no_such_number_of_samples_gives(tmp_path: Path) -> None:
    assert refusal(performances(tmp_path, 50.0, 35.0), repeats=10).problems[0].row == 2


def lmms(metric: Any, place: int) -> dict[str, Any]:
    return {
        "doc_id": place,
        "target": "A",
        "doc": {},
        "resps": [["A"]],
        "filtered_resps": ["A"],
        "mme_score": metric,
    }


def test_a_metric_of_lmms_eval_may_be_an_object_with_its_score(tmp_path: Path) -> None:
    file = put_lines(
        tmp_path / "20250101_010203_samples_mme.jsonl",
        [lmms({"score": 1.0, "category": "x"}, 0), lmms({"score": 0.0}, 1)],
    )
    put(
        tmp_path / "20250101_010203_results.json",
        {"config": {"model": "llava", "model_args": "pretrained=org/name,x=1"}},
    )

    assert (
        cells(tmp_path)
        == cells(file)
        == {("org/name", "mme/0", 0): (1.0, "ok"), ("org/name", "mme/1", 0): (0.0, "ok")}
    )


def test_logs_of_lmms_eval_in_one_file(tmp_path: Path) -> None:
    document = {
        "args": {"model": "llava"},
        "model_configs": {"task": "mme"},
        "logs": [lmms(1.0, 0), lmms(0.0, 1)],
    }

    assert cells(put(tmp_path / "mme.json", document)) == {
        ("llava", "mme/0", 0): (1.0, "ok"),
        ("llava", "mme/1", 0): (0.0, "ok"),
    }


def test_a_metric_of_lmms_eval_without_a_number_is_refused(tmp_path: Path) -> None:
    file = put_lines(tmp_path / "20250101_010203_samples_mme.jsonl", [lmms({"answer": "B"}, 0)])

    assert "--metric" in refusal(file, model="m").problems[0].reason


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "polyglot.yml",
            "- dirname: x\n  test_cases: 10\n  model: m\n  pass_rate_1: 20.0\n  pass_num_1: 2\n",
        ),
        ("m.run.json", '{"total_instances": 3, "resolved_instances": 1}'),
    ],
)
def test_totals_of_models_are_told_from_results_per_item(tmp_path: Path, name: str, text: str) -> None:
    assert "no results per item" in str(refusal(put_text(tmp_path / name, text)))
