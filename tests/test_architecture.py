"""docs/architecture.md names what is there: every room, and the files of a vote and of a ranking in reading order."""

from __future__ import annotations

import re

import pytest

from tests import house_figures
from tests.house_figures import ROOT, module_name

TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SOURCES = house_figures.read_sources()
GRAPH = house_figures.module_graph(SOURCES)


def route(heading: str) -> list[str]:
    """The numbered files below a heading."""
    section = TEXT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)


def reach(module: str) -> set[str]:
    """What a module imports, and what that imports of its own room: a room may have a front."""
    seen = set(GRAPH[module])
    return seen | {
        far for near in seen for far in GRAPH[near] if near.rpartition(".")[0] == far.rpartition(".")[0]
    }


def linked(file: str, before: list[str]) -> bool:
    """One of the files before it reaches it, or, of a script, names it; or it reaches one of them."""
    path = ROOT / file
    if path.suffix != ".py":
        return any(f'"{path.stem}"' in (ROOT / other).read_text(encoding="utf-8") for other in before)
    module = module_name(path.relative_to(ROOT))
    others = {module_name((ROOT / other).relative_to(ROOT)) for other in before if other.endswith(".py")}
    return any(module in reach(other) for other in others) or bool(reach(module) & others)


@pytest.mark.parametrize(
    ("heading", "count"), [("The six files of a vote", 6), ("The eight files of a ranking", 8)]
)
def test_a_route_leads_from_file_to_file(heading: str, count: int) -> None:
    files = route(heading)

    assert len(files) == count
    assert [file for file in files if not (ROOT / file).is_file()] == []
    assert [file for number, file in enumerate(files) if number and not linked(file, files[:number])] == []


def test_a_file_off_the_route_is_found() -> None:
    assert not linked("ratings/exports.py", ["web/battle.py"])
    assert not linked("arena/store/lua/vote.lua", ["ratings/exports.py"])


def test_every_room_has_its_line_and_every_line_its_room() -> None:
    told = set(re.findall(r"^\| `([a-z_/]+)` \|", TEXT, re.MULTILINE))
    rooms = {
        str(path.parent.relative_to(ROOT))
        for package in ("arena", "ratings")
        for path in (ROOT / package).glob("*/__init__.py")
    }

    assert told == rooms | {"web"}


def test_the_rule_of_the_page_is_the_rule_under_test() -> None:
    named = set(re.findall(r"[a-z_]+", TEXT.split("inside ratings", 1)[1].split("```", 1)[0]))
    rooms = {
        room
        for line in (*house_figures.ORDER["ratings"], *house_figures.ORDER["arena"])
        for room in line.split()
    }

    assert rooms - named <= {"__init__", "__main__", "tiers", "words"}
