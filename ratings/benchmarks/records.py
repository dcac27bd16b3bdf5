"""The neutral record that every reader yields, and the gathering of many records into arrays."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

import numpy as np

from arena.errors import BadInput, Problem

# What became of one attempt. Only `ok` carries a verdict of the grader; the score of another status is kept as told.
#   ok        answered and graded
#   error     the model's own run failed: crash, time-out, refused or unusable output
#   infra     the machinery failed: container, network, harness; it says nothing about the model
#   unscored  an answer without a verdict: the grader could not parse it or was not run
#   not_run   never tried, or cut off by a limit
STATUSES = ("ok", "error", "infra", "unscored", "not_run")
OK, ERROR, INFRA, UNSCORED, NOT_RUN = range(len(STATUSES))
FIELDS = ("benchmark", "model", "item", "repeat", "score", "status", "group", "source", "hash")
PROBLEMS_KEPT = 100  # enough to see the kind of fault; the message says how many there were

Scale = tuple[float, float] | None


class Record(TypedDict):
    """One attempt.

    `score` lies on the benchmark's scale ([0, 1] unless told otherwise), or is None where there is none.
    `group` runs from coarse to fine (subject, passage); `hash` is the item's content hash where the file has one.
    """

    benchmark: str
    model: str
    item: str
    score: float | None
    repeat: NotRequired[int]  # 0 when left out
    status: NotRequired[str]  # "ok" when left out
    group: NotRequired[Sequence[str] | str | None]
    source: NotRequired[str | None]
    hash: NotRequired[str | None]


@dataclass(frozen=True)
class Attempt:
    """A checked record."""

    benchmark: str
    model: str
    item: str
    repeat: int
    score: float  # nan where there is none
    status: int  # index into STATUSES
    group: tuple[str, ...]
    source: str | None
    hash: str | None


@dataclass
class Gathering:
    """Attempts by cell, with what was odd about them. The first record of a cell wins, over "not run" any."""

    scale: Scale
    cells: dict[tuple[str, str, int], Attempt] = field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    clashing: set[str] = field(default_factory=set)
    duplicates: int = 0
    benchmarks: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def add(self, attempt: Attempt, row: int) -> None:
        self.benchmarks.add(attempt.benchmark)
        key = (attempt.model, attempt.item, attempt.repeat)
        first = self.cells.setdefault(key, attempt)
        if first is not attempt:
            self._repeated(key, first, attempt, row)
        self._describe(attempt, row)

    def _repeated(self, key: tuple[str, str, int], first: Attempt, attempt: Attempt, row: int) -> None:
        if (first.status == NOT_RUN) != (attempt.status == NOT_RUN):  # a result takes the place of "not run"
            self.cells[key] = attempt if first.status == NOT_RUN else first
            return
        self.duplicates += 1
        if _verdict(first) != _verdict(attempt):
            place = f"{attempt.model} on {attempt.item}, repeat {attempt.repeat}"
            shown = f"{STATUSES[attempt.status]} {attempt.score}"
            self._say(attempt, row, f"contradicts an earlier record of {place}; the first counts", shown)

    def _describe(self, attempt: Attempt, row: int) -> None:
        item = attempt.item
        if attempt.group and self.groups.setdefault(item, attempt.group) != attempt.group:
            reason = f"item {item} was in group {self.groups[item]} before; the first counts"
            self._say(attempt, row, reason, str(attempt.group))
        if attempt.hash is not None and self.hashes.setdefault(item, attempt.hash) != attempt.hash:
            if item not in self.clashing:
                reason = f"item {item} has another content hash in another record: not the same question"
                self._say(attempt, row, reason, attempt.hash)
            self.clashing.add(item)

    def _say(self, attempt: Attempt, row: int, reason: str, value: str) -> None:
        self.problems.append(Problem(attempt.source or attempt.benchmark, reason, row=row, value=value))


def gather(records: Iterable[Mapping[str, Any]], scale: Scale) -> Gathering:
    """All `records` by cell. Raises `BadInput` with every faulty record (the first hundred in full)."""
    gathering = Gathering(scale)
    faults: list[Problem] = []
    count = 0
    for row, record in enumerate(records, start=1):
        attempt = check(record, scale)
        if isinstance(attempt, Attempt):
            gathering.add(attempt, row)
            continue
        count += 1
        if len(faults) < PROBLEMS_KEPT:
            where = str(record.get("source") or record.get("benchmark") or "records")
            faults.append(Problem(where, attempt, row=row, value=repr(record.get("score"))))
    if count:
        raise BadInput(f"{count} records cannot be used; first: {faults[0]}", faults)
    if len(gathering.benchmarks) > 1:
        raise BadInput(f"records of {len(gathering.benchmarks)} benchmarks; see by_benchmark")
    return gathering


def check(record: Mapping[str, Any], scale: Scale) -> Attempt | str:
    """The record as an `Attempt`, or the reason why it is none."""
    unknown = sorted(set(record) - set(FIELDS))
    if unknown:
        return f"unknown field {unknown[0]!r}"
    for name in ("benchmark", "model", "item"):
        if not isinstance(record.get(name), str) or not record[name].strip():
            return f"no {name}"
    status = record.get("status", "ok")
    if status not in STATUSES:
        return f"unknown status {status!r}; known: {', '.join(STATUSES)}"
    repeat = record.get("repeat", 0)
    if isinstance(repeat, bool) or not isinstance(repeat, numbers.Integral) or repeat < 0:
        return f"repeat is {repeat!r}, not a whole number from 0"
    score = read_score(record.get("score"), scale)
    if isinstance(score, str):
        return score
    if status == "ok" and math.isnan(score):
        return "status ok without a score; say unscored"
    group = _path(record.get("group"))
    if isinstance(group, str):
        return group
    return Attempt(
        benchmark=record["benchmark"],
        model=record["model"],
        item=record["item"],
        repeat=int(repeat),
        score=score,
        status=STATUSES.index(status),
        group=group,
        source=record.get("source"),
        hash=record.get("hash"),
    )


def read_score(value: object, scale: Scale) -> float | str:
    """A score as a float (nan for None; True and False are 1 and 0), or the reason why it is none."""
    if value is None:
        return math.nan
    if isinstance(value, np.bool_):
        value = bool(value)
    if not isinstance(value, numbers.Real):
        return f"the score is a {type(value).__name__}, not a number"
    try:
        score = float(value)
    except OverflowError:
        score = math.inf
    if not math.isfinite(score):
        return "the score is not finite; leave it out (null) and say unscored"
    if scale is not None and not scale[0] <= score <= scale[1]:
        return f"the score is off the scale {scale[0]:g} to {scale[1]:g}"
    return score


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key under which "q2" comes before "q10"."""
    parts = re.split(r"([0-9]+)", name)
    return tuple((1, int(part), part) if part.isdecimal() else (0, 0, part) for part in parts)


def _path(group: object) -> tuple[str, ...] | str:
    if group is None:
        return ()
    if isinstance(group, str):
        return (group,) if group else ()
    if isinstance(group, Sequence) and all(isinstance(part, str) for part in group):
        return tuple(group)
    return f"group is {group!r}, not a list of names"


def _verdict(attempt: Attempt) -> tuple[int, float | None]:
    return attempt.status, None if math.isnan(attempt.score) else attempt.score
