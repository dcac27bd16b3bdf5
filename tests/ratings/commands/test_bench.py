"""`python -m ratings bench` as people run it: exit statuses, JSON without NaN, faults in one line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.__main__ import cli
from ratings.__main__ import main
from ratings.commands.bench.group import COMMANDS

TABLE = "item,model,score\n" + "".join(
    f"i{n},heron,{int(n < 8)}\ni{n},wren,{int(n < 3)}\n" for n in range(10)
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def run(*arguments: object, input: str | None = None) -> Result:
    return CliRunner().invoke(main, ["bench", *map(str, arguments)], input=input)


def as_json(*arguments: object) -> Any:
    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    result = run(*arguments, "--as", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout, parse_constant=refuse)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(name: str) -> None:
    result = run(name, "--help")

    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 4


def test_a_report_has_intervals_and_tests(table: Path) -> None:
    found = as_json("report", table)

    heron = found["sheet"]["lines"][0]
    pair = found["comparison"]["lines"][0]
    assert (heron["model"], heron["score"], heron["method"]) == ("heron", 0.8, "wilson")
    assert (heron["low"], heron["high"]) == pytest.approx((0.49016, 0.94331), abs=1e-5)  # Wilson, 8 of 10
    assert (pair["ups"], pair["downs"], pair["p"]) == (5, 0, 0.0625)  # 2 * 2^-5


def test_reports_in_markdown_and_html_hold_the_same_numbers(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"

    assert run("report", table, "--as", "html", "--out", page).exit_code == 0
    text = run("report", table).stdout

    for words in ("80.0 % [49.0, 94.3]", "McNemar", "Holm"):
        assert words in text
        assert words in page.read_text()
    assert "http" not in page.read_text().replace("http://www.w3.org/2000/svg", "")


def test_names_that_look_like_markup_stay_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        'item,model,score\ni0,<script>alert(1)</script>,1\ni0,a|b,0\ni1,a|b,1\n"i1",<script>alert(1)</script>,0\n'
    )

    assert "<script>" not in run("report", path, "--as", "html").stdout
    assert "a\\|b" in run("report", path).stdout


def test_a_fault_is_told_with_file_row_value_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,model,score\ni0,m,1\ni1,m,seven\n")

    result = run("report", path)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"{path}, row 2 (line 3), column score: 'seven': the score is not a number" in result.stderr


@pytest.mark.parametrize(
    "arguments", [("report",), ("plan",), ("import", "x.csv"), ("compare", "x", "--level", "2")]
)
def test_wrong_usage_is_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_import_keeps_shows_and_adds(table: Path, tmp_path: Path) -> None:
    assert run("import", table, "--benchmark", "quiz").exit_code == 0
    more = tmp_path / "more.csv"
    more.write_text(TABLE.replace("heron", "osprey"))
    assert run("import", more, "--benchmark", "quiz").exit_code == 0

    again = run("import", more, "--benchmark", "quiz")

    assert "nothing new" in again.stderr
    assert as_json("list") == [{"benchmark": "quiz", "models": 3, "attempts": 40, "imports": 2}]
    assert len(as_json("compare", "quiz")["lines"]) == 3
    assert run("remove", "quiz").exit_code == 0
    assert as_json("list") == []


def test_an_import_with_a_fault_leaves_what_was_there(table: Path, tmp_path: Path, home: Path) -> None:
    run("import", table, "--benchmark", "quiz")
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    bad = tmp_path / "bad.csv"
    bad.write_text("item,model,score\ni0,m,9\n")

    assert run("import", bad, "--benchmark", "quiz").exit_code == 1

    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


def test_published_reports_name_no_path(table: Path, home: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.csv"
    twice.write_text("item,model,score,hash\ni0,heron,1,x\ni0,osprey,0,y\n")
    run("import", twice, "--benchmark", "quiz")

    pages = [path.read_text() for path in home.rglob("*.json") if path.name != "benchmark.json"]

    assert "another content hash" in pages[0]
    assert str(tmp_path) not in pages[0]


def test_baselines_gate(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "item,model,score\n" + "".join(f"i{n},null,0\ni{n},oracle,{int(n > 0)}\n" for n in range(10))
    )

    result = run("baselines", path, "--as", "json")

    assert result.exit_code == 1
    verdicts = {row["kind"]: (row["verdict"], row["suspects"]) for row in json.loads(result.stdout)}
    assert verdicts == {"null": ("PASS", []), "echo": ("not run", []), "oracle": ("FAIL", ["i0"])}


def test_pass_k_beyond_the_attempts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,model,trial,reward\na,m,0,1\na,m,1,0\nb,m,0,1\nb,m,1,1\n")

    assert [(row["k"], row["pass@k"], row["pass^k"]) for row in as_json("pass-k", path)] == [
        (1, 0.75, 0.75),
        (2, 1.0, 0.5),
    ]
    assert run("pass-k", path, "-k", 3).exit_code == 1


def test_planning_ceilings_and_luck() -> None:
    assert as_json("plan", "--p", 0.5, "--delta", 0.1)["two models on different items"]["n"] == 393
    assert as_json("ceiling", "--label-error", 0.0649, "--options", 4, "--observed", 0.88, "-n", 5700)[
        "implied accuracy"
    ] == (pytest.approx(0.93968, abs=1e-5))
    assert as_json("best-of", "--tries", 100, "-n", 1000, "--observed", 0.7)[
        "standard errors of luck"
    ] == pytest.approx(2.5076, abs=1e-4)


def test_the_ladder_moves_in_steps(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(".513\n.548\n.561\n.587\n.50\n.595\n.603\n.622\n")  # the worked example of the sources

    shown = [row["shown"] for row in as_json("ladder", path, "--eta", 0.02)]

    assert shown == pytest.approx([0.52, 0.54, 0.56, 0.58, 0.58, 0.58, 0.60, 0.62])


def test_the_card_names_what_is_missing(tmp_path: Path) -> None:
    card = tmp_path / "card.toml"
    card.write_text('name = "quiz"\nversion = "1"\nlabel_error_rate = 0.05\n')

    missing = as_json("card", card)["missing"]

    assert "version" not in missing
    assert "human" in missing
    assert run("card", "--template", "quiz").stdout.startswith('name = "quiz"')


def test_the_audit_is_a_gate(tmp_path: Path) -> None:
    diff = "--- a/tests/test_x.py\n+++ b/tests/test_x.py\n@@ -1 +1 @@\n-assert x == 1\n+assert True\n"
    clean = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"

    assert run("audit", "-", input=diff).exit_code == 1
    assert run("audit", "-", input=clean).exit_code == 0
    assert run("audit", "-", input="").exit_code == 0


def test_leaked_items_are_found_in_a_corpus_and_among_prompts(tmp_path: Path) -> None:
    sentence = "how many grey herons stand on one leg beside the second bridge at noon in late may"
    items, corpus, prompts = tmp_path / "items.jsonl", tmp_path / "corpus.txt", tmp_path / "bank.jsonl"
    items.write_text(json.dumps({"id": "q1", "question": sentence}) + "\n")
    corpus.write_text(f"Long ago. {sentence.upper()}! And so on.")
    prompts.write_text(
        json.dumps({"prompt_id": "p1", "prompt": sentence, "model": "m", "response": ""}) + "\n"
    )

    found = as_json("contamination", "--items", items, "--corpus", corpus, "--prompts", prompts)

    assert found["rows"][0]["flag"] == "CONTAMINATED?"
    assert found["prompts that are items"] == [
        {"prompt": "p1", "item": "q1", "fraction": 1.0, "how": "same words"}
    ]


def test_a_model_that_falls_after_its_cut_off_is_named(tmp_path: Path) -> None:
    results, dates, ends = tmp_path / "r.csv", tmp_path / "d.csv", tmp_path / "e.csv"
    days = [f"2025-{month:02}-{day:02}" for month in (1, 6) for day in range(1, 26)]
    results.write_text(
        "item,leaky,fair,other\n" + "".join(f"i{n},{int(n < 25)},{n % 2},{(n // 2) % 2}\n" for n in range(50))
    )
    dates.write_text("item,date\n" + "".join(f"i{n},{day}\n" for n, day in enumerate(days)))
    ends.write_text("model,date\nleaky,2025-03-01\nfair,2025-03-01\n")

    assert as_json("cutoff", results, "--dates", dates, "--cutoffs", ends)["flagged"] == ["leaky"]


def test_agreement_is_undefined_with_one_label(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("x,y\nyes,yes\nyes,yes\n")

    row = as_json("agreement", path, "--columns", "x,y")[0]

    assert row["kappa"] is None
    assert "one label" in row["why"]


def test_agreement_of_several_graders_from_labels_and_from_counts(tmp_path: Path) -> None:
    labels, counts = tmp_path / "labels.csv", tmp_path / "counts.csv"
    labels.write_text("x,y,z\nyes,yes,yes\nno,no,yes\nno,no,no\n")
    counts.write_text("yes,no\n3,0\n1,2\n0,3\n")

    of_labels = as_json("agreement", labels, "--columns", "x,y,z", "--together")
    of_counts = as_json("agreement", counts, "--counts", "yes,no")

    assert of_labels["alpha"] == pytest.approx(of_counts["alpha"])
    # P = (1 + 1/3 + 1)/3 and P_e = (4/9)^2 + (5/9)^2 by hand.
    assert of_labels["fleiss"] == pytest.approx(0.55)


def test_a_count_of_graders_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("yes,no\n3,0\nmany,2\n")

    found = run("agreement", path, "--counts", "yes,no")

    assert "row 2, column yes" in found.stderr


def test_a_judge_that_takes_what_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.csv"
    path.write_text("one,two,la,lb\na,a,10,5\na,a,3,9\na,b,7,2\nb,error,1,2\n")

    found = as_json("judge", path, "--shown", "one", "--swapped", "two", "--lengths", "la", "lb")

    assert (found["order"]["pairs"], found["order"]["missing"], found["order"]["flips_to_first"]) == (3, 1, 2)
    assert (found["length"]["judge"]["taken"], found["length"]["judge"]["n"]) == (3, 4)


def test_records_are_lines_of_json(table: Path) -> None:
    lines = [json.loads(line) for line in run("records", table).stdout.splitlines()]

    assert len(lines) == 20
    assert lines[0] == {
        "benchmark": "benchmark", "model": "heron", "item": "i0", "repeat": 0, "score": 1.0, "status": "ok", "group": [],
        "source": str(table), "hash": None, "reason": None,
    }  # fmt: skip


def test_findings_of_the_audit_flag_items(tmp_path: Path) -> None:
    table, patches = tmp_path / "t.csv", tmp_path / "preds.jsonl"
    table.write_text("item,model,score\nx-1,m,1\nx-2,m,1\n")
    diff = "--- a/tests/test_x.py\n+++ b/tests/test_x.py\n@@ -1 +1 @@\n-assert x == 1\n+pass\n"
    patches.write_text(
        json.dumps({"instance_id": "x-1", "model_name_or_path": "m", "model_patch": diff}) + "\n"
    )

    flags = as_json("report", table, "--patches", patches)["flags"]

    assert [(flag["item"], flag["model"], flag["counts_as_right"]) for flag in flags] == [("x-1", "m", True)]
    assert "test file modified" in flags[0]["findings"][0]


def test_the_contamination_report_names_models_that_fall(tmp_path: Path) -> None:
    results, dates, ends = tmp_path / "r.csv", tmp_path / "d.csv", tmp_path / "e.csv"
    results.write_text("item,leaky,fair\n" + "".join(f"i{n},{int(n < 25)},{n % 2}\n" for n in range(50)))
    dates.write_text("item,date\n" + "".join(f"i{n},2025-0{1 if n < 25 else 6}-01\n" for n in range(50)))
    ends.write_text("model,date\nleaky,2025-03-01\nfair,2025-03-01\n")

    found = as_json("contamination", "--results", results, "--dates", dates, "--cutoffs", ends)

    assert found["after the cut-off"]["flagged"] == ["leaky"]


def test_a_judge_is_held_against_the_votes_of_this_arena(tmp_path: Path) -> None:
    votes, verdicts = tmp_path / "votes.csv", tmp_path / "verdicts.csv"
    rows = [f"v{n},p{n % 5},heron,wren,{'model_a' if n % 10 < 8 else 'model_b'},s{n}" for n in range(50)]
    votes.write_text("vote_id,prompt,model_a,model_b,winner,session_id\n" + "\n".join(rows) + "\n")
    verdicts.write_text("prompt,left,right,verdict\n" + "".join(f"p{n},wren,heron,b\n" for n in range(5)))
    imported = CliRunner().invoke(cli, ["import", str(votes), "--into", "mine"])
    assert imported.exit_code == 0, imported.output

    command = ("judge", verdicts, "--shown", "verdict", "--models", "left", "right", "--collection", "mine")
    people = as_json(*command)["people"]

    assert (people["votes"], people["prompts"], people["agreement"]["value"]) == (50, 5, pytest.approx(0.8))


@pytest.mark.parametrize("command", ["report", "compare", "records", "saturation", "pass-k"])
def test_rows_that_differ_are_said_or_refused_by_each_command(tmp_path: Path, command: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE + "i0,heron,0\n")

    said, refused = run(command, path), run(command, path, "--attempts", "refuse")

    assert "further attempts" in said.stderr
    assert (refused.exit_code, "heron on i0" in str(refused.exception) + refused.stderr) == (1, True)
