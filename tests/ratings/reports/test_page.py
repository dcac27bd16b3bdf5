"""The report: nothing from outside, everything escaped, and it passes axe in a browser from the file system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ratings.reports.page import Picture, Section, page, text, to_object
from ratings.tables import Sheet

SHEET = Sheet("Board <1>", ((("Model", "Rating"), (("<script>x</script>", "1000"),)),), ("note & more",))
SVG = '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="900" height="9"><g role="graphics-object" aria-roledescription="x"/></svg>'
PICTURE = Picture("whiskers-1", "A picture of <it>", SVG, {"mark": "bar"})


def test_names_are_escaped_and_nothing_is_loaded() -> None:
    found = page("Arena", [Section(SHEET)])

    assert "<script" not in found
    assert "&lt;script&gt;" in found
    assert "http" not in found.replace("http-equiv", "")
    assert "url(" not in found


def test_markdown_holds_every_sheet_and_names_pictures_that_lie_beside_it() -> None:
    section = Section(SHEET, (PICTURE,))

    assert "note & more" in text("Arena", [section])
    assert "whiskers-1" not in text("Arena", [section])
    assert "(pictures/whiskers-1.png)" in text("Arena", [section], pictures="pictures/{}.png")


def test_each_picture_says_what_it_shows() -> None:
    found = page("Arena", [Section(SHEET, (PICTURE,))])

    assert 'aria-label="A picture of &lt;it&gt;"' in found
    assert "prefers-color-scheme" in found
    assert to_object(Section(SHEET, (PICTURE,)))["pictures"] == [
        {"name": "whiskers-1", "caption": PICTURE.caption}
    ]


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_axe_from_the_file_system(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    path = tmp_path / "report.html"
    path.write_text(page("Arena", [Section(SHEET, (PICTURE,))], "A lead."), encoding="utf-8")
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    ) as context:
        shown = context.new_page()
        shown.goto(path.as_uri())

        assert Axe().run(shown).response["violations"] == []
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
