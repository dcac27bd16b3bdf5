"""The notebook of the documentation runs from top to bottom and says what it should."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def notebook() -> nbformat.NotebookNode:
    read = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    # A cell that raises, or does not end, fails the run.
    NotebookClient(
        read, timeout=240, kernel_name="python3", resources={"metadata": {"path": ROOT / "docs"}}
    ).execute()
    return read


def printed(notebook: nbformat.NotebookNode) -> str:
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "".join(output.text for output in outputs if output.output_type == "stream")


def shown(notebook: nbformat.NotebookNode, kind: str) -> list[object]:
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [output.data[kind] for cell in cells for output in cell.outputs if kind in output.get("data", {})]


def test_the_board_is_as_far_from_the_official_one_as_it_may_be(notebook: nbformat.NotebookNode) -> None:
    words = printed(notebook).split()

    assert words[:2] == ["129", "models;"]
    assert float(words[4]) <= 0.25
    assert float(words[7].rstrip(".")) <= 2.0


def test_boards_show_as_tables_and_charts_as_charts(notebook: nbformat.NotebookNode) -> None:
    pages = [str(page) for page in shown(notebook, "text/html")]

    assert sum('<table class="leaderboard">' in page for page in pages) == 1
    assert sum("vega-lite" in page for page in pages) == 2


def test_a_misspelt_outcome_is_refused_with_its_place(notebook: nbformat.NotebookNode) -> None:
    assert "table, row 3, column winner: 'modle_a': unknown outcome" in printed(notebook)


def test_it_is_kept_without_results(notebook: nbformat.NotebookNode) -> None:
    kept = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)

    assert all(not cell.outputs for cell in kept.cells if cell.cell_type == "code")
