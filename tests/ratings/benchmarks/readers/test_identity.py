"""What a result belongs to is decided over all files together, and a row that comes again is never lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.errors import BadInput
from ratings.benchmarks.library.claims import check_claims
from ratings.benchmarks.readers import read
from ratings.benchmarks.readers.identity import settle
from ratings.benchmarks.results.assembly import assemble
from tests.ratings.benchmarks.readers.test_helm import instance, run, stat
from tests.ratings.benchmarks.readers.test_judged import hard, pair
from tests.ratings.benchmarks.readers.test_other_formats import row
from tests.ratings.benchmarks.readers.writing import cells, put, put_lines, put_text, reading, results


def means(*paths: Path, **ask: Any) -> dict[str, dict[str, float]]:
    """benchmark -> model -> mean of the items' means."""
    return {
        name: {model: float(values[values == values].mean()) for model, values in zip(found.models, found.means(), strict=True)}
        for name, found in results(*paths, **ask).items()
    }  # fmt: skip


def promptfoo(path: Path, *rows: dict[str, Any]) -> Path:
    return put(path, {"evalId": path.stem, "results": {"version": 3, "results": list(rows)}})


def provider(label: str, identity: str = "file://p.py") -> dict[str, Any]:
    return {"provider": {"id": identity, "label": label}}


def test_a_provider_with_a_label_in_each_of_two_files_is_two_models(tmp_path: Path) -> None:
    one = promptfoo(
        tmp_path / "base.json", row("q0", 1, **provider("base")), row("q1", 0, **provider("base"))
    )
    two = promptfoo(tmp_path / "new.json", row("q0", 1, **provider("new")), row("q1", 1, **provider("new")))

    assert means(one, two) == {"promptfoo": {"base": 0.5, "new": 1.0}}
    assert means(one) == {"promptfoo": {"file://p.py": 0.5}}


def test_one_label_of_two_providers_is_no_name_for_both(tmp_path: Path) -> None:
    rows = [row("q0", 1, **provider(label, identity)) for label in ("a", "b") for identity in ("p", "q")]

    assert results(promptfoo(tmp_path / "o.json", *rows))["promptfoo"].models == ("p a", "p b", "q a", "q b")


def test_prompts_of_a_provider_in_two_files_are_kept_apart(tmp_path: Path) -> None:
    one = promptfoo(tmp_path / "one.json", row("q0", 1))
    two = promptfoo(tmp_path / "two.json", row("q0", 0, promptId="r"))

    assert means(one, two) == {"promptfoo:ask p": {"m": 1.0}, "promptfoo:ask r": {"m": 0.0}}


def test_whom_a_model_was_judged_against_belongs_to_the_result(tmp_path: Path) -> None:
    one = put_lines(
        tmp_path / "x_pair.jsonl", [pair("model_1", "model_1", n, "heron", "base-x") for n in range(8)]
    )
    two = put_lines(
        tmp_path / "y_pair.jsonl", [pair("model_2", "model_2", n, "heron", "base-y") for n in range(8)]
    )

    found = results(one, two)["mt_bench_pair"]

    assert len(found.items) == 16
    assert means(one, two)["mt_bench_pair"] == {"base-x": 0.0, "base-y": 1.0, "heron": 0.5}


def test_files_against_one_baseline_share_the_questions(tmp_path: Path) -> None:
    one = put_lines(tmp_path / "m_pair.jsonl", [pair("model_1", "model_1", one="m", two="base")])
    two = put_lines(tmp_path / "n_pair.jsonl", [pair("model_2", "model_2", one="n", two="base")])

    assert means(one, two) == {"mt_bench_pair": {"m": 1.0, "n": 0.0}}
    assert len(results(one, two)["mt_bench_pair"].items) == 1
    assert "baseline base" in reading(one, two).account.notes[0]


def test_each_judge_of_arena_hard_has_a_result(tmp_path: Path) -> None:
    one = put_lines(tmp_path / "a" / "m.jsonl", [hard("B>A", "A>B")])
    two = put_lines(tmp_path / "b" / "m.jsonl", [{**hard("A>B", "B>A"), "judge": "k"}])

    assert means(one, two) == {"arena_hard:j": {"m": 1.0}, "arena_hard:k": {"m": 0.0}}
    assert means(one) == {"arena_hard": {"m": 1.0}}
    assert means(one, two, variant="k") == {"arena_hard": {"m": 0.0}}


def test_each_baseline_of_arena_hard_has_a_result_and_figures(tmp_path: Path) -> None:
    rows = [{**hard("B>A", "A>B"), "baseline": "weak"}, {**hard("A>B", "B>A"), "baseline": "strong"}]
    file = put_lines(tmp_path / "m.jsonl", rows)

    assert means(file) == {"arena_hard:strong": {"m": 0.0}, "arena_hard:weak": {"m": 1.0}}
    assert [figure.value for figure in reading(file).account.figures if "(weak)" in figure.what] == [1.0, 1.0]


def test_judge_and_baseline_that_both_vary_are_both_named(tmp_path: Path) -> None:
    rows = [
        {**hard("B>A"), "judge": judge, "baseline": baseline}
        for judge in ("j", "k")
        for baseline in ("x", "y")
    ]

    assert sorted(results(put_lines(tmp_path / "m.jsonl", rows))) == [
        f"arena_hard:{judge}, {baseline}" for judge in ("j", "k") for baseline in ("x", "y")
    ]


def log(
    path: Path, values: dict[str, list[str]], run_id: str = "r0", model: str = "lab/m", **sample: Any
) -> Path:
    samples = [
        {"id": n, "epoch": 1, "scores": {scorer: {"value": verdicts[n]} for scorer, verdicts in values.items()}, **sample}
        for n in range(len(next(iter(values.values()), "xx")))
    ]  # fmt: skip
    spec = {"task": "qa", "model": model, "run_id": run_id, "dataset": {"sample_ids": [0, 1]}}
    return put(path, {"status": "success", "eval": spec, "samples": samples})


def test_one_scorer_of_two_logs_is_one_variant(tmp_path: Path) -> None:
    one = log(tmp_path / "a.json", {"match": ["C", "I"], "rubric": ["C", "C"]})
    two = log(tmp_path / "b.json", {"match": ["C", "C"]}, model="lab/n")

    assert means(one, two) == {"qa:match": {"lab/m": 0.5, "lab/n": 1.0}, "qa:rubric": {"lab/m": 1.0}}
    assert means(two) == {"qa": {"lab/n": 1.0}}


def test_a_log_without_any_verdict_belongs_to_the_scorers_of_the_others(tmp_path: Path) -> None:
    one = log(tmp_path / "a.json", {"match": ["C", "I"], "rubric": ["C", "C"]})
    two = log(tmp_path / "b.json", {}, model="lab/n", error={"message": "boom"})

    found = results(one, two)

    assert sorted(found) == ["qa:match", "qa:rubric"]
    assert [part.tally("lab/n")["error"] for part in found.values()] == [2, 2]


def test_a_second_run_of_inspect_is_a_further_attempt(tmp_path: Path) -> None:
    one = log(tmp_path / "a.json", {"match": ["C", "I"]})
    two = log(tmp_path / "b.json", {"match": ["C", "C"]}, run_id="r1")

    found = results(one, two)["qa"]

    assert found.attempts().tolist() == [[2, 2]]
    assert found.means().tolist() == [[1.0, 0.5]]
    assert "further attempts" in reading(one, two).account.notes[0]


def test_the_same_run_in_two_files_counts_once(tmp_path: Path) -> None:
    files = [log(tmp_path / name, {"match": ["C", "I"]}) for name in ("a.json", "b.json")]

    found = results(*files)["qa"]

    assert (found.attempts().tolist(), found.duplicates) == ([[1, 1]], 2)


def test_a_second_run_of_swebench_is_a_further_attempt(tmp_path: Path) -> None:
    one = put(
        tmp_path / "m.first.json",
        {"resolved_ids": ["o__r-1"], "completed_ids": ["o__r-1", "o__r-2"], "unresolved_ids": ["o__r-2"]},
    )
    two = put(
        tmp_path / "m.second.json",
        {"resolved_ids": ["o__r-1", "o__r-2"], "completed_ids": ["o__r-1", "o__r-2"]},
    )

    found = results(one, two)["swe-bench"]

    assert (found.models, found.means().tolist()) == (("m",), [[1.0, 0.5]])
    assert found.attempts().tolist() == [[2, 2]]


def test_runs_of_other_items_are_no_further_attempts(tmp_path: Path) -> None:
    text = "item,model,score,run_id\nq1,m,1,a\nq2,m,0,b\n"

    assert results(put_text(tmp_path / "t.csv", text))["benchmark"].score.shape == (1, 2, 1)


def test_a_column_of_runs_makes_attempts_whatever_it_holds(tmp_path: Path) -> None:
    text = "item,model,score,run_id\nq1,m,1,monday\nq1,m,1,tuesday\nq1,m,0,friday\n"

    found = results(put_text(tmp_path / "t.csv", text))["benchmark"]

    assert (found.attempts().tolist(), found.duplicates) == ([[3]], 0)


TOLD_AGAIN = "item,model,score\nq1,m,1\nq1,m,0\nq1,m,0\nq2,m,1\nq2,m,1\nq3,m,1\n"


def test_equal_rows_count_once_and_rows_that_differ_are_attempts_and_said(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", TOLD_AGAIN)

    found, notes = results(file)["benchmark"], reading(file).account.notes

    assert found.attempts().tolist() == [[3, 1, 1]]
    assert found.means()[0].tolist() == pytest.approx([1 / 3, 1.0, 1.0])
    assert (notes[0].split()[0], notes[1].split()[0]) == ("2", "1")
    assert "further attempts" in notes[0]
    assert "counts once" in notes[1]


def test_as_many_rows_of_every_item_are_a_plan_of_attempts(tmp_path: Path) -> None:
    text = "item,model,score\n" + "".join(
        f"q{n},m,{score}\n" for n in range(3) for score in (1, 1, int(n < 2))
    )

    found = results(put_text(tmp_path / "t.csv", text))["benchmark"]

    assert (found.attempts().tolist(), found.duplicates) == ([[3, 3, 3]], 0)


def test_rows_that_differ_can_be_refused_with_what_they_say(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", TOLD_AGAIN)

    with pytest.raises(BadInput) as caught:
        read([file], attempts="refuse")

    problem = caught.value.problems[0]
    assert (problem.file, problem.column, problem.value) == (str(file), "score", "0")
    assert "m on q1" in problem.reason


def test_the_splits_of_a_run_are_never_pooled(tmp_path: Path) -> None:
    valid = {**stat("exact_match", 0), "name": {"name": "exact_match", "split": "valid"}}
    file = run(tmp_path, instance("id0", stat("exact_match", 1)), instance("id1", valid), name="quiz:model=m")

    assert means(file) == {"quiz:test": {"m": 1.0}, "quiz:valid": {"m": 0.0}}
    assert means(file, variant="valid") == {"quiz": {"m": 0.0}}


def perturbed(item: str, mean: float, name: str) -> dict[str, Any]:
    how = {"name": name, "robustness": True}
    return instance(item, stat("exact_match", mean, perturbation=how), perturbation=how)


def test_identity_is_the_instance_itself_and_other_copies_are_counted(tmp_path: Path) -> None:
    rows = [perturbed(f"id{n}", n % 2, "identity") for n in range(2)]
    rows += [perturbed(f"id{n}", 0, "typos") for n in range(2)]
    file = run(tmp_path, *rows, name="quiz:model=m")

    assert list(cells(file).values()) == [(0.0, "ok"), (1.0, "ok")]
    assert "(typos), left out; --variant typos reads them (2 times)" in reading(file).account.notes[0]
    assert means(file, variant="typos") == {"quiz": {"m": 0.0}}


def test_rows_of_counts_told_again_add_their_attempts(tmp_path: Path) -> None:
    text = "item,model,correct,count\nq1,m,1,4\nq1,m,3,4\nq2,m,2,4\nq2,m,2,4\n"

    found = results(put_text(tmp_path / "t.csv", text))["benchmark"]

    assert found.means().tolist() == [[0.5, 0.5]]
    assert found.attempts()[0, 0] == 8


def test_settled_entries_of_two_imports_settle_together(tmp_path: Path) -> None:
    one = reading(put_lines(tmp_path / "a" / "m.jsonl", [hard("B>A", "A>B")])).entries
    two = reading(put_lines(tmp_path / "b" / "m.jsonl", [{**hard("A>B", "B>A"), "judge": "k"}])).entries

    together = settle((*one, *two)).entries

    assert {entry.variant for entry in together} == {"j", "k"}
    assert settle(together).entries == together


def test_the_score_that_a_log_states_is_held_against_its_own_run(tmp_path: Path) -> None:
    for name, verdicts, stated in (("a", ["C", "I"], 0.5), ("b", ["C", "C"], 1.0)):
        file = log(tmp_path / f"{name}.json", {"match": verdicts}, run_id=name)
        scores = [{"name": "match", "metrics": {"accuracy": {"value": stated}}}]
        put(file, {**json.loads(file.read_text()), "results": {"scores": scores}})
    found = reading(tmp_path)

    checks = check_claims(found.account.claims, assemble(found.entries)["qa"])

    assert [check.verdict for check in checks] == ["exact", "exact"]
