"""Tables of our own making: the generic vote table (DESIGN.md, section 4), and what `arena export votes` writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.importers.files.contents import open_content
from arena.importers.files.csv_rows import CsvContent
from arena.importers.files.rows import Row
from arena.importers.files.sources import Source
from arena.importers.formats.battle_rows import GENERIC, battle, categories_value
from arena.importers.formats.registry import Parse, reader
from arena.importers.rules.checks import Checks
from arena.importers.rules.conversations import structure
from arena.importers.values.values import (
    Reject,
    boolean,
    count,
    decimal,
    identifier,
    is_missing,
    text,
    weight,
)
from arena.votes import EXCLUSIONS, Vote

BATTLE = ("model_a", "model_b", "winner")
# What the CSV writer puts before a cell that a spreadsheet would compute.
GUARDED = re.compile(r"'(?='*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])")
TEXTS = ("model_a", "model_b", "voter", "prompt", "language", "battle_id", "rule")


@reader("generic", "a table with model_a, model_b, winner", BATTLE, layout=GENERIC)
def generic(row: Row, checks: Checks) -> Iterator[Vote]:
    """Outcome words of the closed set and of `--outcomes`; an empty one is rejected."""
    yield battle(row, checks, GENERIC)


def _begin(source: Source, checks: Checks) -> Parse:
    """CSV exports guard cells by an apostrophe; it is taken off again."""
    if not isinstance(open_content(source), CsvContent):
        return arena_export

    def parse(row: Row, checks: Checks) -> Iterable[Vote]:
        guarded = {name: row.values.get(name) for name in TEXTS}
        free = {name: GUARDED.sub("", cell, count=1) for name, cell in guarded.items() if cell is not None}
        row.values = {**row.values, **free}
        return arena_export(row, checks)

    return parse


@reader(
    "arena",
    "votes as `python -m arena export votes` writes them",
    (*BATTLE, "side_known", "excluded", "drawn_p", "weight"),
    begin=_begin,
)
def arena_export(row: Row, checks: Checks) -> Iterator[Vote]:
    """Everything as it was: reasons are kept and not judged again, traits are read and not measured again."""
    names = checks.pair(row.get("model_a"), row.get("model_b"))
    yield Vote(
        vote_id=identifier(row.get("battle_id"), "battle_id") or "",
        model_a=names[0],
        model_b=names[1],
        outcome=checks.outcome(row.get("winner"), "winner"),
        at=decimal(row.get("tstamp"), "tstamp"),
        voter=identifier(row.get("voter"), "voter"),
        prompt=identifier(row.get("prompt"), "prompt"),
        language=text(row.get("language"), "language"),
        categories=categories_value(row.get("category"), "category"),
        traits=_traits(structure(row.get("traits"))),
        drawn_p=_share(row.get("drawn_p")),
        rule=text(row.get("rule"), "rule"),
        reason=_reason(row.get("excluded"), names),
        side_known=boolean(row.get("side_known"), "side_known") is not False,
        count=count(row.get("count"), "count") if "count" in row.values else 1,
        weight=1.0 if is_missing(row.get("weight")) else weight(row.get("weight"), "weight"),
    )


def _traits(given: Any) -> dict[str, tuple[float, float]]:
    if is_missing(given):
        return {}
    if not isinstance(given, Mapping):
        raise Reject("traits", given, "must be {name: [a, b]}")
    found = {}
    for name, pair in given.items():
        if pair is None:
            continue
        if not isinstance(pair, list) or len(pair) != 2:
            raise Reject("traits", pair, "must be {name: [a, b]}")
        a, b = (decimal(value, "traits") for value in pair)
        if a is None or b is None:
            raise Reject("traits", pair, "must be two numbers")
        found[str(name)] = (a, b)
    return found


def _reason(given: Any, names: tuple[str, str]) -> str | None:
    reason = text(given, "excluded")
    if reason is not None and reason not in EXCLUSIONS:
        raise Reject("excluded", reason, f"unknown reason; known: {', '.join(EXCLUSIONS)}")
    return reason or ("self_battle" if names[0] == names[1] else None)


def _share(given: Any) -> float | None:
    found = decimal(given, "drawn_p")
    if found is not None and not 0 < found <= 1:
        raise Reject("drawn_p", given, "must be a probability above 0")
    return found
