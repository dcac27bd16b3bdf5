"""Inspect logs: verdicts, epochs, scorers, errors and the zip that Python cannot open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.ratings.benchmarks.readers.writing import cells, put, reading, refusal, results, zip_zstd

EVAL = {"task": "sums", "model": "lab/m", "dataset": {"sample_ids": ["a", "b"]}}


def sample(item: Any = "a", value: Any = "C", epoch: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": item,
        "epoch": epoch,
        "scores": {"match": {"value": value}},
        "metadata": {"text": "t1"},
        **more,
    }


def log(*samples: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": EVAL, "samples": list(samples), **more}


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0), (True, 1.0), (0.25, 0.25), ("0.5", 0.5), (1, 1.0)],
)
def test_verdicts(tmp_path: Path, value: Any, score: float) -> None:
    file = put(tmp_path / "log.json", log(sample(value=value), sample("b")))

    assert cells(file)["lab/m", "a", 1] == (score, "ok")


def test_nan_is_unscored(tmp_path: Path) -> None:
    file = put(tmp_path / "log.json", log(sample(value=float("nan")), sample("b")))

    assert cells(file)["lab/m", "a", 1] == (None, "unscored")


@pytest.mark.parametrize("value", ["perhaps", ["C", "I"], 7])
def test_another_verdict_is_refused(tmp_path: Path, value: Any) -> None:
    error = refusal(put(tmp_path / "log.json", log(sample(), sample("b", value))))

    assert [(problem.row, problem.column) for problem in error.problems] == [(2, "match")]


def test_epochs_are_repeats_from_1(tmp_path: Path) -> None:
    file = put(tmp_path / "log.json", log(sample(epoch=1), sample(epoch=2, value="I"), sample("b")))

    assert results(file)["sums"].repeats == (1, 2)


def test_an_error_is_no_wrong_answer(tmp_path: Path) -> None:
    broken = {"id": "b", "epoch": 1, "scores": {}, "error": {"message": "container gone", "traceback": ""}}

    assert cells(put(tmp_path / "log.json", log(sample(), broken)))["lab/m", "b", 1] == (None, "error")


def test_items_of_the_header_without_a_sample_were_not_run(tmp_path: Path) -> None:
    file = put(tmp_path / "log.json", log(sample(), status="cancelled"))

    assert cells(file)["lab/m", "b", 1] == (None, "not_run")
    assert "the run ended as 'cancelled'" in reading(file).account.notes[0]


def test_scorers_and_parts_of_a_verdict_are_kept_apart(tmp_path: Path) -> None:
    both = {"id": "a", "epoch": 1, "scores": {"f": {"value": "C"}, "g": {"value": {"x": 0, "y": 1}}}}

    found = results(put(tmp_path / "log.json", log(both, sample("b"))))

    assert sorted(found) == ["sums:f", "sums:g/x", "sums:g/y", "sums:match"]


def test_items_go_together_by_the_key_of_the_logs_own_standard_error(tmp_path: Path) -> None:
    scores = [{"name": "match", "metrics": {"stderr": {"value": 0.1, "params": {"cluster": "text"}}}}]
    file = put(tmp_path / "log.json", log(sample(), sample("b"), results={"scores": scores}))

    assert results(file)["sums"].groups == (("t1",), ("t1",))
    assert results(file)["sums"].grouped


def test_a_zip_packed_by_zstd_is_read(tmp_path: Path) -> None:
    members = {
        "samples/a_epoch_1.json": sample(),
        "samples/b_epoch_1.json": sample("b", "I"),
        "header.json": {"eval": EVAL},
    }

    found = cells(zip_zstd(tmp_path / "log.eval", members))

    assert found == {("lab/m", "a", 1): (1.0, "ok"), ("lab/m", "b", 1): (0.0, "ok")}


def test_a_run_that_was_cut_off_is_read_by_its_journal(tmp_path: Path) -> None:
    members = {"_journal/start.json": {"eval": EVAL}, "samples/a_epoch_1.json": sample()}

    assert cells(zip_zstd(tmp_path / "log.eval", members))["lab/m", "a", 1] == (1.0, "ok")


def test_a_damaged_zip_is_refused_whole(tmp_path: Path) -> None:
    file = zip_zstd(
        tmp_path / "log.eval", {"header.json": {"eval": EVAL}, "samples/a_epoch_1.json": sample()}
    )
    file.write_bytes(file.read_bytes().replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfc"))

    assert "damaged" in str(refusal(file))


def test_a_log_of_headers_only_is_refused(tmp_path: Path) -> None:
    assert "no samples" in str(refusal(put(tmp_path / "log.json", {"eval": EVAL})))


def test_epochs_without_a_sample_were_not_run(tmp_path: Path) -> None:
    spec = {**EVAL, "config": {"epochs": 2}}
    file = put(tmp_path / "log.json", log(sample(), sample("b", epoch=2), eval=spec))

    assert cells(file) == {
        ("lab/m", "a", 1): (1.0, "ok"),
        ("lab/m", "b", 2): (1.0, "ok"),
        ("lab/m", "a", 2): (None, "not_run"),
        ("lab/m", "b", 1): (None, "not_run"),
    }


def test_a_sample_that_was_scored_after_an_error_is_one_that_failed(tmp_path: Path) -> None:
    file = put(tmp_path / "log.json", log(sample(value="I", error={"message": "no memory"}), sample("b")))

    assert cells(file)["lab/m", "a", 1] == (0.0, "error")


def test_grades_of_another_scale_are_taken_to_0_and_1(tmp_path: Path) -> None:
    file = put(tmp_path / "log.json", log(sample(value=7.5), sample("b", "C")))

    assert [score for score, _ in cells(file, scale=(0.0, 10.0)).values()] == [0.75, 1.0]
