"""The report: nothing from outside, everything escaped, and it passes axe in a browser from the file system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ratings.report import Section, page, text
from ratings.sheets import Sheet

SHEET = Sheet("Board <1>", ((("Model", "Rating"), (("<script>x</script>", "1000"),)),), ("note & more",))
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="900" height="9"><g role="graphics-object" aria-roledescription="x"/></svg>'


def test_names_are_escaped_and_nothing_is_loaded() -> None:
    found = page("Arena", [Section(SHEET)])

    assert "<script" not in found
    assert "&lt;script&gt;" in found
    assert "http" not in found.replace("http-equiv", "")
    assert "url(" not in found


def test_markdown_holds_every_sheet() -> None:
    assert "note & more" in text("Arena", [Section(SHEET)])


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_passes_axe_from_the_file_system(
    browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    path = tmp_path / "report.html"
    path.write_text(page("Arena", [Section(SHEET, PICTURE, "A picture")], "A lead."), encoding="utf-8")
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    ) as context:
        shown = context.new_page()
        shown.goto(path.as_uri())

        assert Axe().run(shown).response["violations"] == []
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
