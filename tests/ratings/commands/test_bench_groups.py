"""Groups, strata, stated scores and saturation as `python -m ratings bench` gives them: what is asked, and nothing by itself."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ratings.__main__ import main
from ratings.commands.bench.group import COMMANDS
from tests.ratings.benchmarks.readers.writing import put

READERS = ("report", "compare", "pass-k", "saturation", "baselines")  # those whose JSON tells of the items


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def takes_sources(place: str) -> bool:
    """The command has an argument SOURCES, or results besides."""
    file, name = place.split(":")
    return bool({"sources", "results"} & {p.name for p in getattr(import_module(file), name).params})


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["bench", *map(str, arguments)])


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--as", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def table(path: Path, parts: int = 1, column: str = "category") -> Path:
    """16 items that only `a` gets right, 2 that only `b` does, 12 for both, 10 for none."""
    scores = [(1, 0)] * 16 + [(0, 1)] * 2 + [(1, 1)] * 12 + [(0, 0)] * 10
    rows = [
        f"i{n},{model},{score},part {n % parts}"
        for n, pair in enumerate(scores)
        for model, score in zip("ab", pair, strict=True)
    ]
    path.write_text(f"item,model,score,{column}\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("parts", [1, 2, 8])
@pytest.mark.parametrize("column", ["category", "subject", "flavour"])
def test_no_column_groups_by_itself(tmp_path: Path, parts: int, column: str) -> None:
    file = table(tmp_path / "t.csv", parts, column)

    result, found = run("compare", file), as_json("compare", file)

    line = found["lines"][0]
    assert (found["dependence"], found["test"]) == ("independent", "McNemar, exact")
    assert (line["p"], line["diff"]) == (pytest.approx(0.001312255859375), pytest.approx(0.35))
    assert (f"--group {column}" in result.stderr) == (parts > 1 or column != "flavour")


@pytest.mark.parametrize("parts", [1, 2])
def test_a_group_that_carries_no_test_is_said_to(tmp_path: Path, parts: int) -> None:
    file = table(tmp_path / "t.csv", parts)

    found = as_json("compare", file, "--group", "category")

    assert (found["dependence"], found["test"]) == ("independent", "McNemar, exact")
    assert found["lines"][0]["p"] == pytest.approx(0.001312255859375)
    assert "independent" in found["dependence_why"]


def test_clusters_and_strata_are_what_is_asked_for(tmp_path: Path) -> None:
    file = table(tmp_path / "t.csv", 8)

    clustered, stratified = (as_json("compare", file, by, "category") for by in ("--group", "--strata"))

    assert (clustered["dependence"], clustered["test"]) == ("clustered", "paired t, clustered")
    assert (stratified["dependence"], stratified["test"]) == ("stratified", "McNemar, exact")
    assert stratified["lines"][0]["p"] == pytest.approx(0.001312255859375)
    assert as_json("compare", file, "--columns", "group=category") == clustered


def test_an_ignored_column_is_not_even_noted(tmp_path: Path) -> None:
    result = run("compare", table(tmp_path / "t.csv", 2), "--columns", "ignore=category")

    assert (result.exit_code, "note" in result.stderr) == (0, False)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--group", "topic"], "no column 'topic'"),
        (["--strata", "topic"], "no column 'topic'"),
        (["--group", "category", "--strata", "category"], "exclude each other"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(tmp_path: Path, options: list[str], reason: str) -> None:
    result = run("compare", table(tmp_path / "t.csv", 2), *options)

    assert (result.exit_code, reason in result.stderr) == (1, True)


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(("by", "word"), [("--group", "clustered"), ("--strata", "stratified")])
def test_the_options_stand_on_each_command(tmp_path: Path, command: str, by: str, word: str) -> None:
    file = table(tmp_path / "t.csv", 8)
    text = file.read_text().replace(",a,", ",null,")
    file.write_text(text)

    result = run(command, file, by, "category", "--as", "json")

    assert result.exit_code in (0, 1)  # 1: the baseline fails, as it should
    assert f'"dependence": "{word}"' in result.stdout


def test_pass_k_has_the_interval_of_its_clusters(tmp_path: Path) -> None:
    rows = [f"i{n},m,{k},{int(n // 4 % 2 == 0)},g{n // 4}" for n in range(40) for k in range(2)]
    file = tmp_path / "t.csv"
    file.write_text("item,model,trial,score,passage\n" + "\n".join(rows) + "\n")

    alone, together = as_json("pass-k", file)[0], as_json("pass-k", file, "--group", "passage")[0]

    assert together["pass@k"] == alone["pass@k"]
    assert together["at_high"] - together["at_low"] > 1.8 * (alone["at_high"] - alone["at_low"])


def test_an_imported_benchmark_remembers_its_groups(tmp_path: Path) -> None:
    file = table(tmp_path / "t.csv", 8)

    assert run("import", file, "--benchmark", "quiz", "--group", "category").exit_code == 0

    assert as_json("compare", "quiz")["dependence"] == "clustered"
    assert as_json("compare", "quiz", "--strata", "category")["dependence"] == "stratified"
    assert "without labels 'topic'" in run("compare", "quiz", "--group", "topic").stderr


def test_the_joint_bootstrap_keeps_to_the_strata(tmp_path: Path) -> None:
    rows = [f"i{n},{m},{int(n < 20 or (m == 'a' and n == 39))},s{n // 20}" for n in range(40) for m in "ab"]
    file = tmp_path / "t.csv"
    file.write_text("item,model,score,subject\n" + "\n".join(rows) + "\n")

    found = as_json("compare", file, "--strata", "subject", "--bootstrap", "500")

    together = found["together"][0]
    assert together["low"] >= -1e-6
    assert together["high"] <= 0.125 + 1e-6  # five draws of the one item, and not more of its stratum


def two_tasks(folder: Path) -> Path:
    """A results file that states two tasks, one of them of a thousand items, with ten items of each beside it."""
    stated = {"easy": 0.8, "hard": 0.1}
    results = {
        "model_name": "m", "configs": {}, "versions": {},
        "results": {task: {"acc,none": value} for task, value in stated.items()},
        "n-samples": {"easy": {"original": 1000, "effective": 1000}, "hard": {"original": 10, "effective": 10}},
    }  # fmt: skip
    (folder / "results_2026-01-01T00-00-00.json").write_text(json.dumps(results))
    for task, value in stated.items():
        rows = [
            {"doc_id": n, "doc": {}, "target": "x", "resps": [], "filtered_resps": [], "acc": float(n < 10 * value)}
            for n in range(10)
        ]  # fmt: skip
        (folder / f"samples_{task}_2026-01-01T00-00-00.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.mark.parametrize("options", [[], ["--benchmark", "both"]])
def test_a_stated_score_is_held_against_its_own_task(tmp_path: Path, options: list[str]) -> None:
    found = as_json("report", two_tasks(tmp_path), *options)

    checks = [check for one in (found if isinstance(found, list) else [found]) for check in one["checks"]]
    assert [(c["published"], c["verdict"], c["items"]) for c in checks] == [
        (0.8, "exact", 10),
        (0.1, "exact", 10),
    ]
    assert "10 of 1,000 items" in checks[0]["explanation"]
    assert "easy: 10 of 1,000 samples" in run("report", tmp_path, *options).stderr


def test_what_is_put_together_can_be_its_strata(tmp_path: Path) -> None:
    folder = two_tasks(tmp_path)

    found = as_json("report", folder, "--benchmark", "both", "--strata", "benchmark")

    assert (found["dependence"], found["sheet"]["lines"][0]["stratified"]["strata"]) == ("stratified", 2)
    assert "--strata benchmark" in run("report", folder, "--benchmark", "both").stderr


@pytest.mark.parametrize("command", [name for name, place in COMMANDS.items() if takes_sources(place)])
def test_every_command_that_reads_results_takes_groups(command: str) -> None:
    text = run(command, "--help").stdout

    assert all(option in text for option in ("--group", "--strata", "--columns"))


def test_a_published_score_says_which_of_several_it_is_of(tmp_path: Path) -> None:
    folder, stated = (
        two_tasks(tmp_path / "runs") if (tmp_path / "runs").mkdir() is None else None,
        tmp_path / "s.csv",
    )

    stated.write_text("model,score\nm,0.8\n")
    assert "names no benchmark" in run("report", folder, "--published", stated).stderr
    stated.write_text("model,benchmark,score\nm,eazy,0.8\n")
    assert "is of eazy" in run("report", folder, "--published", stated).stderr
    stated.write_text("model,benchmark,score\nm,hard,0.1\n")
    easy, hard = as_json("report", folder, "--published", stated)

    assert [check["what"] for check in easy["checks"]] == ["acc,none"]
    assert [(c["what"], c["verdict"]) for c in hard["checks"]] == [("acc,none", "exact"), ("published", "exact")]  # fmt: skip


def test_stated_scores_of_two_scorers_keep_to_their_own(tmp_path: Path) -> None:
    samples = [
        {"id": n, "epoch": 1, "scores": {"match": {"value": "C" if n < 3 else "I"}, "judge": {"value": "C"}}}
        for n in range(4)
    ]
    scores = [{"name": name, "metrics": {"accuracy": {"value": v}}} for name, v in (("match", 0.75), ("judge", 1.0))]  # fmt: skip
    log = {
        "status": "success", "eval": {"task": "quiz", "model": "m", "dataset": {"samples": 5000}},
        "results": {"scores": scores}, "samples": samples,
    }  # fmt: skip
    (tmp_path / "log.json").write_text(json.dumps(log))

    found = as_json("report", tmp_path / "log.json")

    assert [[(c["published"], c["verdict"]) for c in one["checks"]] for one in found] == [
        [(1.0, "exact")],
        [(0.75, "exact")],
    ]
    assert "4 of 5,000 samples" in run("report", tmp_path / "log.json").stderr
    alone = as_json("report", tmp_path / "log.json", "--variant", "match")
    assert [(c["published"], c["verdict"]) for c in alone["checks"]] == [(0.75, "exact")]


def test_stated_scores_of_two_filters_keep_to_their_own(tmp_path: Path) -> None:
    rows = [
        {"doc_id": n, "doc": {}, "target": "x", "resps": [], "filtered_resps": [], "filter": f, "acc": float(n < k)}
        for f, k in (("none", 1), ("strict", 3)) for n in range(4)
    ]  # fmt: skip
    stated = {"acc,none": 0.25, "acc,strict": 0.75}
    put(
        tmp_path / "results_1.json",
        {"model_name": "m", "configs": {}, "versions": {}, "results": {"quiz": stated}},
    )
    (tmp_path / "samples_quiz.jsonl").write_text("\n".join(map(json.dumps, rows)))

    both, strict = as_json("report", tmp_path), as_json("report", tmp_path, "--variant", "strict")

    found = [[(c["published"], c["verdict"]) for c in one["checks"]] for one in (*both, strict)]
    assert found == [[(0.25, "exact")], [(0.75, "exact")], [(0.75, "exact")]]


def test_a_stated_score_of_two_runs_is_held_against_its_own(tmp_path: Path) -> None:
    for run_id, right in (("one", 3), ("two", 5)):
        samples = [
            {"id": n, "epoch": 1, "scores": {"match": {"value": "C" if n < right else "I"}}} for n in range(6)
        ]
        put(tmp_path / f"{run_id}.json", {
            "status": "success", "eval": {"task": "quiz", "model": "m", "run_id": run_id, "eval_id": run_id}, "samples": samples,
            "results": {"scores": [{"name": "match", "metrics": {"accuracy": {"value": right / 6}}}]},
        })  # fmt: skip

    found = as_json("report", tmp_path)

    assert found["sheet"]["lines"][0]["score"] == pytest.approx(8 / 12)
    assert [(c["published"], c["verdict"]) for c in found["checks"]] == [
        (pytest.approx(3 / 6), "exact"),
        (pytest.approx(5 / 6), "exact"),
    ]


@pytest.mark.parametrize(
    ("right", "n", "human", "verdict"),
    [
        (8, 10, None, "too few items"),
        (10, 10, None, "too few items"),
        (34, 40, None, "not saturated"),  # its interval ends at 93 %
        (40, 40, None, "saturated"),
        (191, 198, 0.97, "saturated"),
        (120, 198, 0.97, "not saturated"),
    ],
)
def test_saturation_needs_the_interval_and_the_items(
    tmp_path: Path, right: int, n: int, human: float | None, verdict: str
) -> None:
    file, card = tmp_path / "t.csv", tmp_path / "card.toml"
    file.write_text("item,model,score\n" + "".join(f"i{i},m,{int(i < right)}\n" for i in range(n)))
    card.write_text('name = "b"\n' + ("" if human is None else f"human = {human}\n"))

    found = as_json("saturation", file, "--card", card)[0]

    assert (found["verdict"], found["saturated"]) == (verdict, verdict == "saturated")
    text = run("report", file, "--card", card).stdout
    assert f"{100 * (human or 1):.2f} %" in text
    assert f"{100 * right / n:.1f} % (" in text
    assert ("The benchmark is saturated" in text) == (verdict == "saturated")


def test_all_three_baselines_are_shown_whichever_is_named(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "item,model,score\n"
        + "".join(f"i{n},idle,0\ni{n},echo,{int(n == 0)}\ni{n},oracle,1\n" for n in range(10))
    )

    result = run("baselines", file, "--null", "idle", "--as", "json")

    rows = [(row["kind"], row["model"], row["verdict"]) for row in json.loads(result.stdout)]
    assert rows == [("null", "idle", "PASS"), ("echo", "echo", "FAIL"), ("oracle", "oracle", "PASS")]
    assert "no model 'nobody'" in run("baselines", file, "--null", "nobody").stderr
