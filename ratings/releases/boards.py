"""The boards that a refresh publishes, as `boards.toml` declares them: which votes, and under which plan."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.errors import BadInput, Problem
from arena.settings import bounds
from ratings.leaderboard import Plan

DEFAULT_BOARDS = Path(__file__).resolve().parent.parent.parent / "data" / "boards.toml"
# The name becomes a part of addresses and of file names.
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
OWN_KEYS = ("name", "title", "collection", "source", "note", "style")
OWN_VOTES = "arena"  # the collection of votes cast here, which come from no import
PLAN_KEYS = tuple(field.name for field in fields(Plan) if field.name != "style")


@dataclass(frozen=True)
class Board:
    """One declared board. `plan` is the one without style; `style` names the traits of the one beside it."""

    name: str
    title: str
    collection: str
    plan: Plan
    style: tuple[str, ...] = ()
    note: str = ""
    source: str | None = (
        None  # only votes of imports that had a file of this name, or whose SHA-256 begins so
    )


def read_boards(path: Path = DEFAULT_BOARDS) -> tuple[Board, ...]:
    """The boards of a TOML file, in order of declaration; every fault of it at once as `BadInput`."""
    try:
        declared = bounds.read_toml(path)
    except BadInput as fault:
        raise BadInput(f"cannot read the boards of {fault}", fault.problems) from None
    tables = declared.pop("board", [])
    problems = [Problem(str(path), f"unknown key `{key}`") for key in declared]
    boards: list[Board] = []
    for number, table in enumerate(tables if isinstance(tables, list) else [tables], 1):
        try:
            boards.append(_board(table))
        except BadInput as fault:
            problems.append(Problem(str(path), f"board {number}: {fault}"))
    names = [board.name for board in boards]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems += [Problem(str(path), f"two boards are called {name!r}") for name in twice]
    if not tables:
        problems.append(Problem(str(path), "no [[board]] is declared"))
    if problems:
        raise BadInput(f"the boards of {path} cannot be used", problems)
    return tuple(boards)


def _board(table: Mapping[str, Any]) -> Board:
    if not isinstance(table, dict):
        raise BadInput("not a table; write [[board]]")
    unknown = [key for key in table if key not in OWN_KEYS + PLAN_KEYS]
    if unknown:
        raise BadInput(f"unknown key {', '.join(f'`{key}`' for key in unknown)}")
    name = _text(table, "name")
    if not NAME.fullmatch(name):
        raise BadInput(f"name {name!r}: use small letters, digits and inner hyphens, at most 64")
    style = table.get("style", [])
    if not isinstance(style, list) or not all(isinstance(trait, str) and trait for trait in style):
        raise BadInput("`style` is a list of names of traits")
    source = None if "source" not in table else _text(table, "source")
    if source is not None and (not source or table.get("collection") == OWN_VOTES):
        raise BadInput("`source` names a file of an import; votes cast here come from none")
    return Board(
        name=name,
        title=_text(table, "title", name),
        collection=_text(table, "collection"),
        plan=_plan(table),
        style=tuple(style),
        note=_text(table, "note", ""),
        source=source,
    )


def _text(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if value is None:
        raise BadInput(f"`{key}` is missing")
    if not isinstance(value, str):
        raise BadInput(f"`{key}` is a text")
    return value


def _plan(table: Mapping[str, Any]) -> Plan:
    values = {key: table[key] for key in PLAN_KEYS if key in table}
    if "anchor" in values:
        values["anchor"] = _anchor(values["anchor"])
    for key in ("since", "until"):
        if key in values:
            values[key] = _instant(key, values[key])
    return checked(Plan(**values))


def _anchor(value: object) -> tuple[str, float]:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and _is_number(value[1]):
        return value[0], float(value[1])
    raise BadInput('`anchor` is a pair such as ["heron-7b", 1000]')


def _instant(key: str, value: object) -> float:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if _is_number(value):
        return float(value)  # type: ignore[arg-type]
    raise BadInput(f"`{key}` is a date and time (UTC when it names no zone) or seconds since 1970")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


CHOICES = {"cluster": ("voter", "none"), "ties": ("half", "drop", "davidson"), "prior": ("none", "pairs")}


def checked(plan: Plan) -> Plan:
    """`plan` itself, or `BadInput` when a value of it is of the wrong kind or out of its range."""
    for key, choices in CHOICES.items():
        if getattr(plan, key) not in choices:
            raise BadInput(f"`{key}` is one of {', '.join(choices)}; not {getattr(plan, key)!r}")
    for key, least in (("rounds", 0), ("seed", 0), ("min_votes", 0)):
        value = getattr(plan, key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise BadInput(f"`{key}` is a whole number of at least {least}; not {value!r}")
    for key in ("side", "reweight"):
        if not isinstance(getattr(plan, key), bool):
            raise BadInput(f"`{key}` is true or false")
    for key in ("category", "language"):
        if not isinstance(getattr(plan, key), str | None):
            raise BadInput(f"`{key}` is a text")
    return plan
