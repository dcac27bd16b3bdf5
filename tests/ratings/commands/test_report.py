"""`report`, `crossref` and `judges`: files and answers on a small board, and one line for what is at fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.dom import minidom

import pytest
from click.testing import CliRunner, Result

from ratings.__main__ import main

pytestmark = pytest.mark.slow

MODELS = ("heron", "osprey", "wren", "crow", "نموذج", "finch")
SKILL = dict(zip(MODELS, (5, 4, 3, 2, 1, 0), strict=True))
QUICK = ("--rounds", "0", "--min-votes", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People's votes, a judge's and the answers to a benchmark of six models, each better than the next."""
    path = tmp_path_factory.mktemp("beside")
    votes = [
        (f"v{n}", f"p{n % 4}", a, b, "model_a" if (SKILL[a] - SKILL[b]) * 3 + n * 7 % 11 - 5 > 0 else "model_b", f"s{n % 9}")
        for n, (a, b) in enumerate((a, b) for _ in range(6) for a in MODELS for b in MODELS if a != b)
    ]  # fmt: skip
    head = "question_id,prompt,model_a,model_b,winner,voter\n"
    (path / "votes.csv").write_text(head + "".join(",".join(row) + "\n" for row in votes), encoding="utf-8")
    (path / "judge.csv").write_text(
        head + "".join(",".join(row) + "\n" for row in votes[::2]), encoding="utf-8"
    )
    items = [(f"q{q}", m, str(int(SKILL[m] * 3 + q * 5 % 13 > 9))) for q in range(40) for m in MODELS]
    (path / "items.csv").write_text(
        "item,model,score\n" + "".join(",".join(row) + "\n" for row in items), encoding="utf-8"
    )
    (path / "few.csv").write_text(
        "item,model,score\nq1,heron,1\nq1,stranger,0\nq2,heron,0\nq2,stranger,1\n", encoding="utf-8"
    )
    return path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(scope="module")
def report(folder: Path) -> Path:
    out = folder / "out"
    result = run(
        "report", "--votes", folder / "votes.csv", *QUICK, "--benchmark", folder / "items.csv", "--judge",
        folder / "judge.csv", "--pictures", "svg", "--out", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return out


def test_a_report_is_a_page_a_text_and_json(report: Path) -> None:
    page, text = ((report / f"report.{end}").read_text("utf-8") for end in ("html", "md"))
    answer = json.loads((report / "report.json").read_text("utf-8"))

    for words in (
        "Ratings",
        "Who met whom",
        "Diagnosis",
        "Comparison of the first 5",
        "Arena beside",
        "Judge beside people",
    ):
        assert words in page
        assert words in text
    assert {"board", "pairs", "diagnosis", "comparison", "crossref", "judge"} == set(answer)
    assert sum(sum(v for v in pair.values() if isinstance(v, int)) for pair in answer["pairs"]) == 180


def test_the_page_stands_by_itself(report: Path) -> None:
    page = (report / "report.html").read_text("utf-8")

    assert "http" not in page.replace("http://www.w3.org/", "")
    assert "<script" not in page
    assert page.count("<svg") >= 6
    assert "NaN" not in page


def test_every_picture_is_a_file_too(report: Path) -> None:
    found = {path.stem: path for path in (report / "pictures").iterdir()}

    assert {"whiskers", "winrates", "counts", "averages", "calibration", "scatter", "orders"} <= set(found)
    for path in found.values():
        minidom.parseString(path.read_bytes())
    assert "(pictures/scatter.svg)" in (report / "report.md").read_text("utf-8")


@pytest.mark.parametrize("as_", ["table", "json", "markdown"])
def test_crossref_answers_in_each_form(folder: Path, as_: str) -> None:
    result = run("crossref", folder / "items.csv", "--votes", folder / "votes.csv", *QUICK, "--as", as_)

    assert result.exit_code == 0, result.output
    assert ("association" if as_ == "json" else "Shared models") in result.stdout
    if as_ == "json":
        found: dict[str, Any] = json.loads(result.stdout)
        assert len(found["models"]) == len(MODELS)


@pytest.mark.parametrize("as_", ["table", "json", "markdown"])
def test_judges_answers_in_each_form(folder: Path, as_: str) -> None:
    result = run("judges", folder / "judge.csv", "--votes", folder / "votes.csv", *QUICK, "--as", as_)

    assert result.exit_code == 0, result.output
    assert ("agreement" if as_ == "json" else "Agreement") in result.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("crossref", "few.csv", "--votes", "votes.csv"), "5 are needed"),
        (("crossref", "nothing.csv", "--votes", "votes.csv"), "nothing.csv"),
        (("crossref", "items.csv", "--votes", "nothing.csv"), "nothing.csv"),
        (("crossref", "items.csv", "--votes", "votes.csv", "--names", "nothing.csv"), "nothing.csv"),
        (("judges", "nothing.csv", "--votes", "votes.csv"), "nothing.csv"),
        (("judges", "items.csv", "--votes", "votes.csv"), "items.csv"),
        (("report", "--votes", "nothing.csv", "--out", "elsewhere"), "nothing.csv"),
        (("report", "--votes", "votes.csv", "--benchmark", "few.csv", "--out", "elsewhere"), "5 are needed"),
        (("report", "--votes", "votes.csv", "--judge", "nothing.csv", "--out", "elsewhere"), "nothing.csv"),
        (("report", "--votes", "votes.csv", "--out", "votes.csv"), "cannot be made"),
    ],
)
def test_what_is_at_fault_is_said_and_nothing_is_written(
    folder: Path, words: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)

    result = run(*words, *QUICK)

    assert result.exit_code == 1, result.output
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert reason in result.stderr
    assert "Traceback" not in result.output
    assert not Path("elsewhere/report.html").exists()


def test_scores_that_are_codes_are_named_and_left_out_when_asked(folder: Path, tmp_path: Path) -> None:
    coded = tmp_path / "coded.csv"
    coded.write_text((folder / "items.csv").read_text("utf-8") + "q40,heron,-1\n", encoding="utf-8")
    words = ("crossref", coded, "--votes", folder / "votes.csv", *QUICK)

    refused, skipped = run(*words), run(*words, "--skip-bad", "--as", "json")

    assert refused.exit_code == 1
    assert "column score: '-1'" in refused.stderr
    assert skipped.exit_code == 0, skipped.output
    assert json.loads(skipped.stdout)["items"] == 40


@pytest.mark.parametrize(
    "words",
    [
        ("crossref",),
        ("judges",),
        ("report", "--pictures", "gif"),
        ("report", "--votes", "v.csv", "--board", "b"),
    ],
)
def test_wrong_usage_is_status_2(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(*words).exit_code == 2


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_passes_axe_with_no_network(browser: Any, report: Path, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    ) as context:
        shown = context.new_page()
        asked: list[str] = []
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto((report / "report.html").as_uri())

        assert Axe().run(shown).response["violations"] == []
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.browser
def test_the_report_prints_within_its_pages(browser: Any, report: Path) -> None:
    with browser.new_context(viewport={"width": 688, "height": 1000}, color_scheme="dark") as context:
        shown = context.new_page()
        shown.goto((report / "report.html").as_uri())
        paper = shown.pdf(format="A4", print_background=True)
        shown.emulate_media(media="print")
        wide = shown.evaluate(
            "[...document.querySelectorAll('svg, table')].map(n => n.getBoundingClientRect().right)"
        )

        assert paper.startswith(b"%PDF")
        assert max(wide) <= 690
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
