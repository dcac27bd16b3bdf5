"""HELM: perturbed copies, missing metrics and the model's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ratings.benchmarks.results.assembly import assemble
from tests.ratings.benchmarks.readers.writing import cells, put, reading, refusal, results

RUN = "quiz:subject=law,method=joint,model=lab_m"


def stat(name: str, mean: float, **more: Any) -> dict[str, Any]:
    return {"name": {"name": name, "split": "test", **more}, "count": 1, "sum": mean, "mean": mean}


def instance(item: str, *stats: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"instance_id": item, "train_trial_index": 0, "stats": list(stats), **more}


def run(folder: Path, *instances: dict[str, Any], name: str = RUN) -> Path:
    put(folder / "run_spec.json", {"name": name, "adapter_spec": {"model": "lab/m"}})
    return put(folder / "per_instance_stats.json", list(instances))


def test_perturbed_copies_are_left_out_and_counted(tmp_path: Path) -> None:
    typos = {"name": "typos"}
    copy = instance("id0", stat("exact_match", 0, perturbation=typos), perturbation=typos)
    file = run(tmp_path, instance("id0", stat("exact_match", 1)), copy, copy)

    assert cells(file) == {("lab_m", "id0", 0): (1.0, "ok")}
    assert reading(file).account.notes == (
        "perturbed copies of instances (typos), left out; --variant typos reads them (2 times)",
    )


def test_an_instance_without_the_metric_is_unscored(tmp_path: Path) -> None:
    file = run(tmp_path, instance("id0", stat("exact_match", 1)), instance("id1", stat("length", 5)))

    assert cells(file)["lab_m", "id1", 0] == (None, "unscored")


def test_the_adapter_names_the_model_where_the_run_does_not(tmp_path: Path) -> None:
    file = run(tmp_path, instance("id0", stat("f1_score", 0.5)), name="quiz:subject=law")

    assert cells(file) == {("lab/m", "id0", 0): (0.5, "ok")}


def test_items_of_two_subjects_put_together_stay_apart(tmp_path: Path) -> None:
    run(tmp_path / "a", instance("id0", stat("exact_match", 1)))
    run(tmp_path / "b", instance("id0", stat("exact_match", 0)), name=RUN.replace("law", "art"))

    found = assemble(reading(tmp_path).entries, "quiz")["quiz"]

    assert (len(found.items), found.groups) == (2, (("art",), ("law",)))


def test_no_headline_metric_is_said_with_what_there_is(tmp_path: Path) -> None:
    error = refusal(run(tmp_path, instance("id0", stat("length", 5))))

    assert "--metric" in str(error)
    assert "length" in str(error)


def test_folder_alone_is_enough(tmp_path: Path) -> None:
    run(tmp_path / "runs", instance("id0", stat("exact_match", 1)))

    assert list(results(tmp_path)) == ["quiz:subject=law,method=joint"]
