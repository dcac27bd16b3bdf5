"""The report page: every section in words, pictures as files, nothing of a private model, and a chart that can be asked."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vl_convert
from flask.testing import FlaskClient
from werkzeug.serving import make_server

from arena.bank.roster import ModelInfo, Roster
from arena.store.store import Store
from ratings.charts import calibration, palette
from ratings.charts.calibration import Point
from ratings.charts.rendering import VERSION
from ratings.refresh.drawing import Sketches
from ratings.refresh.reports import _as_data, completed
from ratings.releases import storage
from ratings.releases.payloads import ReportData
from ratings.releases.release import Release
from ratings.reports import sections
from ratings.tables import Section
from tests.web.boards import example_release
from tests.web.conftest import MakeApp
from web.report import VEGA_LITE

STATIC = Path(__file__).resolve().parents[2] / "web" / "static"
SECRET = "zorblax-9"


@pytest.fixture
def reported(store: Store) -> Release:
    """A published release whose first board has a report with one real picture."""
    made = example_release()
    drawn = sections.pictures("calibration", lambda: calibration.draw([Point(0.4, 0.5, 0.3, 0.7, 30)]))
    table = (("Question", ""), (("Rank 1", f"{SECRET} & others"),))
    told = Section("Diagnosis <1>", (table,), ("a note",), drawn)
    first = made.boards[0]
    partial = replace(first.plain, report=ReportData.of({"benchmarks": "", **_as_data("told", [told])}))
    whole = replace(
        partial,
        report=completed(partial, first.styled, made.history["arena"], Sketches(made.history["arena"])),
    )
    made = replace(made, boards=(replace(first, views=(whole, *first.views[1:])), *made.boards[1:]))
    fence = store.locks.take("refresh", 60)
    assert fence is not None
    assert storage.publish(store.releases, made, fence)
    return made


@pytest.mark.slow
def test_the_report_shows_each_section_with_its_tables(client: FlaskClient, reported: Release) -> None:
    page = client.get("/report").text

    for words in (
        "Ratings",
        "Who met whom",
        "Effect of style",
        "History",
        "Diagnosis &lt;1&gt;",
        "a note",
        SECRET,
        "tier",
    ):
        assert words in page
    assert "merlin &lt;b&gt;XL&lt;/b&gt;" in page
    assert "<b>XL" not in page


def test_every_picture_of_the_page_is_there_with_what_draws_it(
    client: FlaskClient, reported: Release
) -> None:
    page = client.get("/report/arena").text
    pictures, specs = re.findall(r'<img src="([^"]+\.svg)"', page), re.findall(r'data-spec="([^"]+)"', page)

    assert len(pictures) == len(specs) >= 2
    for path in pictures:
        assert client.get(path).headers["Content-Type"].startswith("image/svg+xml")
    for path in specs:
        assert client.get(path).get_json()["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


def test_the_report_is_json_too(client: FlaskClient, reported: Release) -> None:
    found = client.get("/report/arena/report.json").get_json()

    assert [one["title"] for one in found["sections"]] == [
        "Ratings",
        "Who met whom",
        "Effect of style",
        "History",
        "Diagnosis <1>",
    ]


def test_a_release_without_a_report_says_so(client: FlaskClient, release: Release) -> None:
    assert "carries no report" in client.get("/report").text


def test_before_the_first_release_the_page_is_there(client: FlaskClient) -> None:
    assert client.get("/report").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("path", ["nothing", "arena/other/calibration.svg", "arena/other/calibration.json"])
def test_what_is_not_there_is_404(client: FlaskClient, reported: Release, path: str) -> None:
    assert client.get(f"/report/{path}").status_code == 404
    assert client.get(f"/report/arena/{reported.id}/nothing.svg").status_code == 404


def test_a_private_model_is_named_nowhere(make_app: MakeApp, reported: Release) -> None:
    roster = Roster((ModelInfo(SECRET, "unreleased-x", "Lab", None, status="private"),))
    client = make_app(roster=roster).test_client()

    pages = [client.get(path).text for path in ("/report", "/report/arena/report.json")]

    assert all(SECRET not in page for page in pages)
    assert "plonkette" in pages[0]
    assert "<img" not in pages[0]
    for ending in ("svg", "json"):
        assert client.get(f"/report/arena/{reported.id}/calibration.{ending}").status_code == 404


@pytest.mark.slow
def test_the_library_of_the_charts_is_that_of_the_package_that_drew_them(client: FlaskClient) -> None:
    answer = client.get("/report/charts.js")

    assert VEGA_LITE == VERSION
    assert answer.content_type.startswith("text/javascript")
    assert answer.text == vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VERSION)


def test_the_dark_colours_of_the_page_are_those_of_the_pictures() -> None:
    sheet = (STATIC / "report.css").read_text("utf-8")

    for light, dark in palette.DARK.items():
        assert f'.live [fill="{light}"] {{ fill: {dark}; }}' in sheet


@pytest.fixture
def address(make_app: MakeApp, reported: Release) -> Iterator[str]:
    with make_server("127.0.0.1", 0, make_app(), threaded=True) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{web.server_port}"
        web.shutdown()
        thread.join()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_can_be_asked_under_the_strict_policy(browser: Any, address: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import expect

    with browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/report")
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        before = Axe().run(page).response["violations"]
        page.evaluate("document.querySelectorAll('figure button').forEach(button => button.click())")
        # Not wait_for_function: it makes code of text, which this very policy forbids.
        expect(page.locator("figure button")).to_have_count(0, timeout=120_000)

        assert before == []
        assert Axe().run(page).response["violations"] == []
        assert page.locator("figure img:visible").count() == 0
        assert said == []
        assert [url for url in asked if not url.startswith(address)] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
def test_without_scripts_the_pictures_stay(browser: Any, address: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/report")

        assert page.locator("figure img").count() >= 2
        assert page.locator("figure button").count() == 0
