"""EvalPlus and HumanEval: two test sets in one file, attempts in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.ratings.benchmarks.readers.writing import cells, put, put_lines, refusal, results


def evalplus(path: Path, *samples: tuple[Any, Any]) -> Path:
    rows = [
        {"task_id": "Mbpp/2", "solution": "", "base_status": base, "plus_status": plus}
        for base, plus in samples
    ]
    return put(path, {"date": "", "hash": "", "eval": {"Mbpp/2": rows}})


def test_plus_asks_for_both_test_sets(tmp_path: Path) -> None:
    file = evalplus(
        tmp_path / "lab--m_temp_0.8_eval_results.json", ("pass", "fail"), ("fail", "pass"), ("pass", "pass")
    )

    found = results(file)

    assert found["mbpp:base"].score[0, 0].tolist() == [1.0, 0.0, 1.0]
    assert found["mbpp:plus"].score[0, 0].tolist() == [0.0, 0.0, 1.0]
    assert found["mbpp:plus"].models == ("lab--m",)


def test_a_timeout_is_a_failure_and_null_was_not_run(tmp_path: Path) -> None:
    file = evalplus(tmp_path / "m_eval_results.json", ("timeout", None), ("pass", None))

    assert list(cells(file, variant="base").values()) == [(0.0, "ok"), (1.0, "ok")]
    assert list(cells(file, variant="plus").values()) == [(None, "unscored"), (None, "unscored")]


def test_an_unknown_status_is_refused(tmp_path: Path) -> None:
    error = refusal(evalplus(tmp_path / "m_eval_results.json", ("maybe", "pass")))

    assert (error.problems[0].column, error.problems[0].value) == ("base_status", "maybe")


def test_lines_of_a_task_are_attempts_in_order(tmp_path: Path) -> None:
    rows = [
        {"task_id": "HumanEval/0", "completion": "", "result": "r", "passed": passed}
        for passed in (True, False, True)
    ]

    file = put_lines(tmp_path / "lab-m.jsonl_results.jsonl", rows)

    assert results(file)["humaneval"].score[0, 0].tolist() == [1.0, 0.0, 1.0]
    assert results(file)["humaneval"].models == ("lab-m",)


def test_passed_is_true_or_false(tmp_path: Path) -> None:
    rows = [{"task_id": "HumanEval/0", "completion": "", "result": "passed", "passed": "yes"}]

    assert refusal(put_lines(tmp_path / "m_results.jsonl", rows)).problems[0].column == "passed"


def test_bigcodebench_has_one_test_set_and_its_split_in_the_name(tmp_path: Path) -> None:
    samples = {f"BigCodeBench/{at}": [{"task_id": f"BigCodeBench/{at}", "solution": "x", "status": status, "details": {}}]
               for at, status in enumerate(("pass", "fail", "timeout"))}  # fmt: skip
    file = put(
        tmp_path / "org--m--bigcodebench-hard-complete--vllm-0-1_eval_results.json",
        {"date": "x", "eval": samples},
    )

    assert [(model, score) for (model, _, _), (score, _) in cells(file).items()] == [
        ("org--m", 1.0),
        ("org--m", 0.0),
        ("org--m", 0.0),
    ]
    assert list(results(file)) == ["bigcodebench-hard-complete"]


def test_a_status_of_bigcodebench_that_is_none(tmp_path: Path) -> None:
    sample = [{"task_id": "B/0", "solution": "x", "status": "maybe"}]

    assert (
        refusal(put(tmp_path / "m_eval_results.json", {"eval": {"B/0": sample}})).problems[0].value == "maybe"
    )
