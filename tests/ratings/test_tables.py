"""The report: nothing from outside, everything escaped, and it passes axe in a browser from the file system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ratings import tables
from ratings.tables import Picture, Section, page, report_text, to_object

SVG = '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="900" height="9"><g role="graphics-object" aria-roledescription="x"/></svg>'
PICTURE = Picture("whiskers-1", "A picture of <it>", SVG, {"mark": "bar"})
TABLE = (("Model", "Rating"), (("<script>x</script>", "1000"),))
SECTION = Section("Board <1>", (TABLE,), ("note & more",), (PICTURE,))


def test_names_are_escaped_and_nothing_is_loaded() -> None:
    found = page("Arena", [Section(SECTION.title, SECTION.tables, SECTION.notes)])

    assert "<script" not in found
    assert "&lt;script&gt;" in found
    assert "http" not in found.replace("http-equiv", "")
    assert "url(" not in found


def test_markdown_holds_every_section_and_names_pictures_that_lie_beside_it() -> None:
    assert "note \\& more" in report_text("Arena", [SECTION])
    assert "whiskers-1" not in report_text("Arena", [SECTION])
    assert "(pictures/whiskers-1.png)" in report_text("Arena", [SECTION], pictures="pictures/{}.png")


def test_each_picture_says_what_it_shows() -> None:
    found = page("Arena", [SECTION])

    assert 'aria-label="A picture of &lt;it&gt;"' in found
    assert "prefers-color-scheme" in found
    assert to_object(SECTION)["pictures"] == [{"name": "whiskers-1", "caption": PICTURE.caption}]


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_axe_from_the_file_system(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    path = tmp_path / "report.html"
    path.write_text(page("Arena", [SECTION], ("A lead.",)), encoding="utf-8")
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    ) as context:
        shown = context.new_page()
        shown.goto(path.as_uri())

        assert Axe().run(shown).response["violations"] == []
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (tables.number(-12.34), "−12.3"),
        (tables.number(12.34, sign=True), "+12.3"),
        (tables.number(-0.04), "0.0"),
        (tables.number(None), "–"),
        (tables.count(12345), "12,345"),
        (tables.percent(0.5625), "56.2 %"),
        (tables.points(-0.012), "−1.2 pts"),
        (tables.p_value(0.00001), "< 0.0001"),
        (tables.p_value(0.04999), "0.0500"),
        (tables.interval(-1.0, 2.5), "[−1.0, 2.5]"),
        (tables.interval(1279.5, None), "[1279.5, ∞]"),
        (tables.interval(None, 2.5), "[−∞, 2.5]"),
        (tables.interval(None, None), "–"),
        (tables.estimate(1.0, 0.5, 1.5, sign=True), "+1.0 [+0.5, +1.5]"),
        (tables.estimate(1.0, None, None), "1.0"),
        (tables.estimate(None, 0.5, 1.5), "–"),
        (tables.percent_interval(0.52, 0.61), "[52.0, 61.0] %"),
        (tables.percent_estimate(0.56, 0.52, 0.61, 0), "56 % [52, 61]"),
        (tables.points_estimate(0.1, -0.01, 0.2), "+10.0 pts [−1.0, +20.0]"),
        (tables.ranks(2, 2), "2"),
        (tables.ranks(1, 3), "1–3"),
        (tables.ranks(None, None), "–"),
    ],
)
def test_each_kind_of_number_has_one_form(shown: str, text: str) -> None:
    assert shown == text


def test_plain_text_folds_long_cells_and_keeps_columns_under_each_other() -> None:
    table = (("Model", "Votes"), (("模型", "1"), ("wren", "23"), ("word " * 60, "4")))

    lines = tables.plain_lines(table, right=(1,))

    assert max(map(len, lines)) <= tables.WIDTH
    assert sum(line.count("word") for line in lines) == 60
    assert lines[2].endswith(" 1")
    assert len(lines[3]) == len(lines[2]) + 2  # wide letters take two places each


def test_json_is_strict_about_what_is_no_number() -> None:
    value = tables.to_plain({"a": (float("nan"), float("inf")), "b": SECTION})

    assert value["a"] == [None, "inf"]
    assert value["b"]["title"] == "Board <1>"
    with pytest.raises(ValueError, match="not JSON compliant"):
        tables.json_text(float("nan"))
