"""The pages of benchmarks: each number with its interval, each claim with its test, hidden models nowhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.dom import minidom

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from arena.bank.roster import ModelInfo, Roster
from ratings.__main__ import main
from ratings.benchmarks.library.published import folder_of
from ratings.benchmarks.reports import drawing
from tests.web.conftest import MakeApp
from web.benchmarks import redacted

NAME = "Field quiz"
SLUG = folder_of(NAME)
SECRET_MODEL = "unreleased-x"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark of four models on forty items, one model named as an attacker would."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    table = tmp_path / "results.csv"
    names = ("heron", "lab/wren", "<i>crow</i>", SECRET_MODEL)
    rows = [f"q{n}," + ",".join(str(int(n % 40 >= k)) for k in (4, 20, 36, 10)) for n in range(40)]
    table.write_text("item," + ",".join(names) + "\n" + "\n".join(rows) + "\n")
    stated = tmp_path / "stated.csv"
    stated.write_text("model,score\nheron,90.0\nlab/wren,77.0\n")
    result = CliRunner().invoke(
        main, ["bench", "import", str(table), "--benchmark", NAME, "--published", str(stated)]
    )
    assert result.exit_code == 0, result.output
    return tmp_path / "benchmarks"


@pytest.fixture
def client(make_app: MakeApp, folder: Path) -> FlaskClient:
    return make_app(benchmarks=folder).test_client()


def test_the_list_names_the_best_with_its_interval(client: FlaskClient) -> None:
    page = client.get("/benchmarks").text

    for words in (NAME, "heron", "90.0", "[76.9, 96.0]", f"/benchmarks/{SLUG}"):  # Wilson, 36 of 40
        assert words in page


def test_a_benchmark_shows_intervals_tests_and_checks(client: FlaskClient) -> None:
    page = client.get(f"/benchmarks/{SLUG}").text

    for words in (
        "[76.9, 96.0]",
        "McNemar",
        "Holm",
        "exact",
        "contradicts",
        "There is no card",
        "Map of items",
    ):
        assert words in page
    assert "<i>crow" not in page


def test_the_table_of_pairs_has_those_of_the_leader_first(client: FlaskClient) -> None:
    page = client.get(f"/benchmarks/{SLUG}").text

    pairs = re.findall(r'<th scope="row"><a href="[^"]+">(\S+) and (\S+)</a>', page)

    heron, other, wren, crow = "heron", SECRET_MODEL, "lab/wren", "&lt;i&gt;crow&lt;/i&gt;"
    order = [(heron, other), (heron, wren), (heron, crow), (other, wren), (other, crow), (wren, crow)]
    assert [set(pair) for pair in pairs] == [set(pair) for pair in order]


def test_a_pair_shows_difference_interval_test_and_items(client: FlaskClient) -> None:
    page = client.get(f"/benchmarks/{SLUG}/heron/lab-wren").text

    for words in ("heron is ahead", "+40.0", "McNemar", "p after Holm", "q4", "q19", "16 of 16"):
        assert words in page
    assert ">Group<" not in page  # no item has one


def test_a_pair_reads_the_same_from_the_other_side(client: FlaskClient) -> None:
    page = client.get(f"/benchmarks/{SLUG}/lab-wren/heron").text

    assert "−40.0" in page
    assert "heron is ahead" in page


def test_the_form_leads_to_the_pair(client: FlaskClient) -> None:
    answer = client.get(f"/benchmarks/{SLUG}/pair?a=heron&b=lab-wren")

    assert answer.status_code == 302
    assert answer.location.endswith(f"/benchmarks/{SLUG}/heron/lab-wren")


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["nothing", f"{SLUG}/heron/heron", f"{SLUG}/heron/nobody", "..%2f..", f"{SLUG}/pair?a=%00&b=x"]
)
def test_what_is_not_there_is_404(client: FlaskClient, path: str) -> None:
    assert client.get(f"/benchmarks/{path}", follow_redirects=True).status_code == 404


@pytest.mark.slow
def test_a_hidden_model_is_named_nowhere(make_app: MakeApp, folder: Path) -> None:
    roster = Roster((ModelInfo(SECRET_MODEL, "unreleased-x", "Lab", None, status="private"),))
    client = make_app(roster=roster, benchmarks=folder).test_client()

    pages = [
        client.get(f"/benchmarks{path}").text
        for path in ("", f"/{SLUG}", f"/{SLUG}/report.json", f"/{SLUG}/heron/lab-wren")
    ]

    assert all(SECRET_MODEL not in page for page in pages)
    assert client.get(f"/benchmarks/{SLUG}/heron/unreleased-x").status_code == 404


def test_nothing_imported_is_said(make_app: MakeApp, tmp_path: Path) -> None:
    assert (
        "No benchmark has been imported"
        in make_app(benchmarks=tmp_path / "none").test_client().get("/benchmarks").text
    )
    assert "No benchmark has been imported" in make_app().test_client().get("/benchmarks").text


def test_an_import_is_shown_at_once_by_a_server_that_runs(
    make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    table = tmp_path / "results.csv"
    table.write_text("item,heron,crow\nq1,1,0\nq2,1,1\n")
    running = make_app(benchmarks=tmp_path / "benchmarks").test_client()
    before = running.get("/benchmarks").text

    result = CliRunner().invoke(main, ["bench", "import", str(table), "--benchmark", NAME])

    assert result.exit_code == 0, result.output
    assert "No benchmark has been imported" in before
    assert f"/benchmarks/{SLUG}" in running.get("/benchmarks").text


def test_pictures_are_well_formed_and_carry_no_markup_of_names(folder: Path) -> None:
    report = json.loads(
        next(path for path in folder.rglob("*.json") if path.name != "benchmark.json").read_text()
    )

    for picture in drawing.pictures(report).values():
        minidom.parseString(picture)
        assert "<i>" not in picture
        assert not re.search(r'\sstyle="|<script', picture)


def test_redaction_keeps_the_rows_of_the_others(folder: Path) -> None:
    report = json.loads(
        next(path for path in folder.rglob("*.json") if path.name != "benchmark.json").read_text()
    )

    found = redacted(report, {SECRET_MODEL})

    assert [line["model"] for line in found["sheet"]["lines"]] == ["heron", "lab/wren", "<i>crow</i>"]
    assert len(found["item_map"]["rows"]) == 3
    assert len(found["comparison"]["lines"]) == 3


@pytest.mark.slow
def test_the_pages_load_no_statistics() -> None:
    heavy = "scipy", "sklearn", "statsmodels", "numba"
    code = f"import sys, web.app; print([name for name in {heavy} if name in sys.modules])"

    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
