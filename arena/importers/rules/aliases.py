"""Alias files: models that are one under several names. Checked whole before anything is merged.

The merge changes a table, never a file or a store: without the alias file the old names are back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from arena.errors import BadInput, Problem
from arena.importers.files.csv_rows import open_csv
from arena.importers.files.sources import Source
from arena.importers.values.names import Names
from arena.importers.values.values import Reject
from arena.votes import UNKNOWN, VoteTable

HEADERS = frozenset({("alias", "canonical"), ("old", "new"), ("alias", "model"), ("from", "to")})


@dataclass(frozen=True)
class Pair:
    """One line of an alias file."""

    old: str
    new: str
    row: int
    line: int | None
    column: str  # the file's word for the first of its two columns


def load(path: str | Path, models: Collection[str]) -> dict[str, str]:
    """Old name -> final name, for a file of two columns (old, new; header `alias,canonical` or `old,new`).

    Refused whole, with all problems, for a cycle, an alias of itself, two targets of one name, or a target that is
    none of `models`. Chains are followed to their end.
    """
    pairs, problems = _read(str(path))
    problems += _faults(str(path), pairs, models)
    if problems:
        raise BadInput(f"{path}: the alias file is refused whole, nothing is merged", problems)
    direct = {pair.old: pair.new for pair in pairs}
    return {old: _end(old, direct) for old in direct}


def merge(table: VoteTable, aliases: Mapping[str, str]) -> VoteTable:
    """`table` under the final names; battles between names that are one model become self-battles, excluded."""
    names = [aliases.get(name, name) for name in table.models]
    models = tuple(sorted(set(names)))
    index = {name: code for code, name in enumerate(models)}
    lookup = np.array([index[name] for name in names] + [UNKNOWN], dtype=np.int32)
    merged = replace(table, models=models, a=lookup[table.a], b=lookup[table.b])
    return exclude(merged, np.flatnonzero((merged.a == merged.b) & merged.used), "self_battle")


def exclude(table: VoteTable, rows: np.ndarray, reason: str) -> VoteTable:
    """`table` with `reason` set on `rows`."""
    if not len(rows):
        return table
    reasons = tuple(sorted({*table.reasons, reason}))
    lookup = np.array([reasons.index(name) for name in table.reasons] + [UNKNOWN], dtype=np.int32)
    codes = lookup[table.reason]
    codes[rows] = reasons.index(reason)
    return replace(table, reasons=reasons, reason=codes)


def _read(path: str) -> tuple[list[Pair], list[Problem]]:
    source = Source(path, Path(path))
    if not Path(path).is_file():
        raise BadInput(f"{path}: no such alias file", [Problem(path, "no such file")])
    content = open_csv(source)
    if len(content.columns) != 2:
        reason = f"an alias file has two columns (old, new), this has {len(content.columns)}"
        raise BadInput(f"{path}: {reason}", [Problem(path, reason)])
    names, pairs, problems = Names(), [], []
    rows = [(row.number, row.line, tuple(row.values.values()), row.fault) for row in content.rows()]
    head = content.columns if content.columns in HEADERS else ("old", "new")
    if content.columns not in HEADERS:
        rows.insert(0, (0, 1, content.columns, None))
    for number, line, cells, fault in rows:
        try:
            if fault is not None:
                raise fault
            pairs.append(
                Pair(names.read(cells[0], head[0]), names.read(cells[1], head[1]), number, line, head[0])
            )
        except Reject as reject:
            problems.append(Problem(path, reject.reason, number, line, reject.column, reject.value))
    return pairs, problems


def _faults(path: str, pairs: list[Pair], models: Collection[str]) -> list[Problem]:
    times = Counter(pair.old for pair in {(pair.old, pair.new): pair for pair in pairs}.values())
    direct = {pair.old: pair.new for pair in pairs}
    found: list[Problem] = []
    told: set[str] = set()
    for pair in pairs:
        reason = _fault(pair, direct, times, models)
        key = f"{pair.old}\0{reason}"
        if reason and key not in told:
            told.add(key)
            found.append(Problem(path, reason, pair.row, pair.line, pair.column, pair.old))
            if "cycle" in reason:
                told.update(f"{name}\0{reason}" for name in _walk(pair.old, direct))
    return found


def _fault(
    pair: Pair, direct: Mapping[str, str], times: Mapping[str, int], models: Collection[str]
) -> str | None:
    if pair.old == pair.new:
        return "is an alias of itself"
    if times[pair.old] > 1:
        return "has two targets"
    walk = _walk(pair.old, direct)
    if walk[-1] in walk[:-1]:
        circle = walk[walk.index(walk[-1]) :]
        smallest = circle.index(min(circle))
        turned = circle[smallest:-1] + circle[:smallest]
        return f"ends in a cycle: {' -> '.join([*turned, turned[0]])}"
    if times[walk[-1]] > 0:
        return None  # its fault is told at its own line
    return None if walk[-1] in models else f"points to {walk[-1]!r}, which is no model of the votes"


def _walk(old: str, direct: Mapping[str, str]) -> list[str]:
    """The names from `old` on, up to the end or to the first one met twice."""
    names = [old]
    while names[-1] in direct:
        names.append(direct[names[-1]])
        if names[-1] in names[:-1]:
            break
    return names


def _end(old: str, direct: Mapping[str, str]) -> str:
    return _walk(old, direct)[-1]
