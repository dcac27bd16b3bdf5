"""CONTRIBUTING.md holds: it names files that exist, and what it promises to fail does fail until a thing is whole."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

from arena.bank.traits import TRAITS
from arena.importers import FORMATS, read
from ratings.benchmarks.readers import FORMATS as HARNESSES
from ratings.commands.bench.group import COMMANDS
from tests.house_figures import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
METHOD = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")


def first_cells(text: str) -> set[str]:
    """The names in the first cells of all table rows."""
    rows = (line for line in text.splitlines() if line.startswith("|"))
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


def test_every_file_it_names_is_there() -> None:
    named = re.findall(r"`((?:arena|ratings|web|tests|docs|\.ci)/[\w./-]+)`|\]\(([\w./-]+)\)", TEXT)
    files = {a or b for a, b in named}

    assert len(files) > 25
    assert [file for file in sorted(files) if "NAME" not in file and not (ROOT / file).exists()] == []


def test_a_vote_format_is_one_file_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert example is not None
    head = (ROOT / "arena/importers/formats/allourideas.py").read_text(encoding="utf-8")
    imports = "\n".join(re.findall(r"^(?:from|import) .*", head, re.MULTILINE))
    body = re.sub(r"^   ", "", example[1], flags=re.MULTILINE)
    (tmp_path / "duels_of_birds.py").write_text(f"{imports}\n\n\n{body}", encoding="utf-8")
    (tmp_path / "votes.csv").write_text("left,right,verdict\nrook,teal,model_a\nteal,wren,tie\n")
    monkeypatch.delitem(FORMATS, "duels", raising=False)  # where somebody tried the recipe to the letter
    monkeypatch.syspath_prepend(tmp_path)

    try:
        importlib.import_module("duels_of_birds")
        reading = read([tmp_path / "votes.csv"])
    finally:
        FORMATS.pop("duels", None)
        sys.modules.pop("duels_of_birds", None)

    assert (reading.tally.format, reading.tally.accepted) == ("duels", 2)
    assert set(reading.table.models) == {"rook", "teal", "wren"}


@pytest.mark.parametrize("name", HARNESSES)
def test_every_harness_has_its_row_in_the_docs(name: str) -> None:
    assert name in first_cells(BENCHMARKS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_statistic_of_bench_has_its_row_in_the_docs(name: str) -> None:
    assert name in first_cells(BENCHMARKS)


@pytest.mark.parametrize("name", TRAITS)
def test_every_trait_is_in_the_docs_and_the_help(name: str) -> None:
    options = (ROOT / "ratings/commands/options.py").read_text(encoding="utf-8")

    assert name in first_cells(METHOD)
    assert name in re.findall(r"[a-z]+", options.split("Traits to control for:", 1)[1].split('"', 1)[0])


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changes = re.findall(
        r"^## (\d\S*) - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    assert changes[0][0] == version
    assert f"version: {version}\ndate-released: {changes[0][1]}\n" in cited
    assert [date for _, date in changes] == sorted((date for _, date in changes), reverse=True)


@pytest.mark.parametrize(
    "page", [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], ids=lambda page: page.name
)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []
