"""SWE-bench: denominators, empty patches, failures of the machinery and contradictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.ratings.benchmarks.readers.writing import cells, put, reading, refusal, results


def report(**more: Any) -> dict[str, Any]:
    found = {
        "total_instances": 6, "resolved_ids": ["x__x-1"], "unresolved_ids": ["x__x-2"], "empty_patch_ids": ["x__x-3"],
        "infra_failure_ids": ["y__y-4"], "error_ids": ["y__y-4", "y__y-5"], "incomplete_ids": ["y__y-6"],
        "completed_ids": ["x__x-1", "x__x-2"], "submitted_ids": ["x__x-1", "x__x-2", "x__x-3", "y__y-4", "y__y-5"],
    }  # fmt: skip
    return {**found, **more}


def test_every_way_to_end_has_its_status(tmp_path: Path) -> None:
    file = put(tmp_path / "lab.m-1.run7.json", report())

    assert cells(file) == {
        ("lab.m-1", "x__x-1", 0): (1.0, "ok"),
        ("lab.m-1", "x__x-2", 0): (0.0, "ok"),
        ("lab.m-1", "x__x-3", 0): (0.0, "error"),
        ("lab.m-1", "y__y-4", 0): (0.0, "infra"),
        ("lab.m-1", "y__y-5", 0): (0.0, "error"),
        ("lab.m-1", "y__y-6", 0): (0.0, "not_run"),
    }


def test_repositories_are_groups_and_the_data_set_is_the_denominator(tmp_path: Path) -> None:
    file = put(tmp_path / "m.run.json", report())

    assert results(file)["swe-bench"].groups[-1] == ("y__y",)
    assert reading(file).account.claims[0].value == pytest.approx(1 / 6)


def test_instances_of_the_list_that_the_report_lacks_were_not_run(tmp_path: Path) -> None:
    file = put(tmp_path / "m.run.json", report())

    assert cells(file, items=("x__x-1", "z__z-9"))["m", "z__z-9", 0] == (None, "not_run")


@pytest.mark.parametrize(
    ("change", "column"),
    [({"unresolved_ids": ["x__x-1"]}, "resolved_ids"), ({"resolved_instances": 3}, "resolved_instances"),
     ({"resolved_ids": "x__x-1"}, "resolved_ids")],
)  # fmt: skip
def test_a_report_that_contradicts_itself_is_refused(
    tmp_path: Path, change: dict[str, Any], column: str
) -> None:
    error = refusal(put(tmp_path / "m.run.json", report(**change)))

    assert error.problems[0].column == column


@pytest.mark.parametrize(
    ("change", "outcome"),
    [({}, (0.0, "ok")), ({"resolved": True}, (1.0, "ok")), ({"infra_failure": True}, (0.0, "infra")),
     ({"patch_is_None": True}, (0.0, "error")), ({"patch_successfully_applied": False}, (0.0, "error"))],
)  # fmt: skip
def test_reports_of_instances(tmp_path: Path, change: dict[str, Any], outcome: tuple[float, str]) -> None:
    one = {
        "patch_is_None": False,
        "patch_exists": True,
        "patch_successfully_applied": True,
        "resolved": False,
        **change,
    }

    file = put(tmp_path / "run" / "lab__m" / "x__x-1" / "report.json", {"x__x-1": one})

    assert cells(file) == {("lab__m", "x__x-1", 0): outcome}


def test_experiments_need_the_list_of_all_instances(tmp_path: Path) -> None:
    found = {"no_generation": ["x__x-2"], "no_logs": [], "resolved": ["x__x-1"]}
    file = put(tmp_path / "20260101_m" / "results" / "results.json", found)

    assert "--items" in str(refusal(file))
    assert cells(file, items=("x__x-1", "x__x-2", "x__x-3")) == {
        ("20260101_m", "x__x-1", 0): (1.0, "ok"),
        ("20260101_m", "x__x-2", 0): (0.0, "error"),
        ("20260101_m", "x__x-3", 0): (0.0, "ok"),
    }


def test_the_leaderboard_file_states_what_it_publishes(tmp_path: Path) -> None:
    system = {
        "folder": "m",
        "resolved": 52.8,
        "per_instance_details": {"x__x-1": {"resolved": True}, "x__x-2": {"resolved": False}},
    }
    file = put(tmp_path / "leaderboards.json", {"leaderboards": [{"name": "b", "results": [system]}]})

    claim = reading(file).account.claims[0]

    assert (claim.value, claim.digits, cells(file)["m", "x__x-1", 0]) == (0.528, 3, (1.0, "ok"))


def test_instances_without_a_report_of_their_own_were_not_run(tmp_path: Path) -> None:
    for item, resolved in (("x__x-1", True), ("x__x-2", False)):
        outcome = {"patch_exists": True, "patch_successfully_applied": True, "resolved": resolved}
        put(tmp_path / "run7" / "m" / item / "report.json", {item: outcome})

    assert cells(tmp_path, items=("x__x-1", "x__x-2", "y__y-3")) == {
        ("m", "x__x-1", 0): (1.0, "ok"),
        ("m", "x__x-2", 0): (0.0, "ok"),
        ("m", "y__y-3", 0): (None, "not_run"),
    }


@pytest.mark.parametrize("ending", ["submissions", "instances"])
def test_lists_of_a_run_under_other_names(tmp_path: Path, ending: str) -> None:
    report = {
        "total_instances": 3,
        f"resolved_{ending}": ["a__b-1"],
        f"unresolved_{ending}": ["a__b-2"],
        f"error_{ending}": ["a__b-3"],
    }

    assert list(cells(put(tmp_path / "m.run.json", report)).values()) == [
        (1.0, "ok"),
        (0.0, "error"),
        (0.0, "ok"),
    ]
