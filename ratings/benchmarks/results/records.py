"""The neutral record that every reader yields, and the gathering of many records into arrays."""

from __future__ import annotations

import math
import numbers
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple, NotRequired, TypedDict

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
KNOWN = frozenset(FIELDS)
CODE_OF = {name: code for code, name in enumerate(STATUSES)}
CODES = 1 << 40  # more than there are models, items or repeats
PROBLEMS_KEPT = 100  # enough to see the kind of fault; the message says how many there were

Scale = tuple[float, float] | None


class AttemptRecord(TypedDict):
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


class Attempt(NamedTuple):
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
    """Attempts by cell, in columns, with what was odd about them. Equal records of a cell count once, a different one is a further attempt; over
    "not run" any wins."""

    scale: Scale
    models: dict[str, int] = field(default_factory=dict)  # name -> code, in order of appearance
    items: dict[str, int] = field(default_factory=dict)
    repeats: dict[int, int] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    cells: dict[int, int] = field(
        default_factory=dict
    )  # codes of model, item and repeat -> place in the columns
    model: array[int] = field(default_factory=lambda: array("q"))
    item: array[int] = field(default_factory=lambda: array("q"))
    repeat: array[int] = field(default_factory=lambda: array("q"))
    score: array[float] = field(default_factory=lambda: array("d"))
    status: array[int] = field(default_factory=lambda: array("b"))
    source: array[int] = field(default_factory=lambda: array("q"))  # -1 unknown
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    clashing: set[str] = field(default_factory=set)
    duplicates: int = 0
    benchmarks: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    rows: int = 0  # records seen
    faulty: int = 0
    faults: list[Problem] = field(default_factory=list)  # the first of them

    def take(self, record: Mapping[str, Any]) -> None:
        """Check and add one record; its row is its number among all."""
        self.rows += 1
        attempt = check(record, self.scale)
        if isinstance(attempt, Attempt):
            self._add(attempt)
            return
        self.faulty += 1
        if len(self.faults) < PROBLEMS_KEPT:
            where = str(record.get("source") or record.get("benchmark") or "records")
            self.faults.append(Problem(where, attempt, row=self.rows, value=repr(record.get("score"))))

    def whole(self) -> Gathering:
        """Itself. Raises `BadInput` with every faulty record (the first hundred in full)."""
        if self.faulty:
            raise BadInput(f"{self.faulty} records cannot be used; first: {self.faults[0]}", self.faults)
        if len(self.benchmarks) > 1:
            raise BadInput(f"records of {len(self.benchmarks)} benchmarks; see by_benchmark")
        return self

    def _add(self, attempt: Attempt) -> None:
        self.benchmarks.add(attempt.benchmark)
        place = self._place(attempt)
        if place < len(self.score):
            self._repeated(place, attempt)
        if attempt.group or attempt.hash is not None:
            self._describe(attempt)

    def _place(self, attempt: Attempt) -> int:
        """Where the cell of `attempt` is; the attempt is put there if there is none as yet, and the place is the end."""
        model = self.models.setdefault(attempt.model, len(self.models))
        item = self.items.setdefault(attempt.item, len(self.items))
        repeat = self.repeats.setdefault(attempt.repeat, len(self.repeats))
        end = len(self.score)
        place = self.cells.setdefault((model * CODES + item) * CODES + repeat, end)
        if place < end:
            return place
        self.model.append(model)
        self.item.append(item)
        self.repeat.append(repeat)
        self.score.append(attempt.score)
        self.status.append(attempt.status)
        self.source.append(self._source(attempt))
        return len(self.score)

    def _source(self, attempt: Attempt) -> int:
        return -1 if attempt.source is None else self.sources.setdefault(attempt.source, len(self.sources))

    def _repeated(self, place: int, attempt: Attempt) -> None:
        first = self.status[place]
        if (first == NOT_RUN) != (attempt.status == NOT_RUN):  # a result takes the place of "not run"
            if first == NOT_RUN:
                self.score[place], self.status[place] = attempt.score, attempt.status
                self.source[place] = self._source(attempt)
            return
        if (first, _known(self.score[place])) == (attempt.status, _known(attempt.score)):
            self.duplicates += 1
            return
        cell = f"{attempt.model} on {attempt.item}, repeat {attempt.repeat}"
        shown = f"{STATUSES[attempt.status]} {attempt.score}"
        self._say(attempt, f"another result than an earlier record of {cell}: a further attempt", shown)
        self._further(attempt)

    def _further(self, attempt: Attempt) -> None:
        """Under the next number that the item does not use; an equal one there is the same attempt told again."""
        for repeat in count(attempt.repeat + 1):
            place = self._place(attempt._replace(repeat=repeat))
            if place == len(self.score):
                return
            if (self.status[place], _known(self.score[place])) == (attempt.status, _known(attempt.score)):
                self.duplicates += 1
                return

    def _describe(self, attempt: Attempt) -> None:
        item = attempt.item
        if attempt.group and self.groups.setdefault(item, attempt.group) != attempt.group:
            reason = f"item {item} was in group {self.groups[item]} before; the first counts"
            self._say(attempt, reason, str(attempt.group))
        if attempt.hash is not None and self.hashes.setdefault(item, attempt.hash) != attempt.hash:
            if item not in self.clashing:
                reason = f"item {item} has another content hash in another record: not the same question"
                self._say(attempt, reason, attempt.hash)
            self.clashing.add(item)

    def _say(self, attempt: Attempt, reason: str, value: str) -> None:
        self.problems.append(Problem(attempt.source or attempt.benchmark, reason, row=self.rows, value=value))


def gather(records: Iterable[Mapping[str, Any]], scale: Scale) -> Gathering:
    """All `records` by cell. Raises `BadInput` with every faulty record (the first hundred in full)."""
    gathering = Gathering(scale)
    for record in records:
        gathering.take(record)
    return gathering.whole()


def check(record: Mapping[str, Any], scale: Scale) -> Attempt | str:
    """The record as an `Attempt`, or the reason why it is none. A million times called: plain types are asked for first."""
    get = record.get
    if not KNOWN.issuperset(record):
        return f"unknown field {min(set(record) - KNOWN)!r}"
    benchmark, model, item = get("benchmark"), get("model"), get("item")
    if not isinstance(benchmark, str) or not benchmark.strip():
        return "no benchmark"
    if not isinstance(model, str) or not model.strip():
        return "no model"
    if not isinstance(item, str) or not item.strip():
        return "no item"
    status = get("status", "ok")
    code = CODE_OF.get(status) if isinstance(status, str) else None
    if code is None:
        return f"unknown status {status!r}; known: {', '.join(STATUSES)}"
    repeat = get("repeat", 0)
    if (
        type(repeat) is not int and (isinstance(repeat, bool) or not isinstance(repeat, numbers.Integral))
    ) or repeat < 0:
        return f"repeat is {repeat!r}, not a whole number from 0"
    score = get("score")
    if type(score) is not float or scale is None or not scale[0] <= score <= scale[1]:
        score = read_score(score, scale)
        if isinstance(score, str):
            return score
    if code == OK and score != score:
        return "status ok without a score; say unscored"
    group = _path(get("group"))
    if isinstance(group, str):
        return group
    return Attempt(benchmark, model, item, int(repeat), score, code, group, get("source"), get("hash"))


def read_score(value: object, scale: Scale) -> float | str:
    """A score as a float (nan for None; True and False are 1 and 0), or the reason why it is none."""
    if value is None:
        return math.nan
    if isinstance(value, np.bool_):
        value = bool(value)
    if not isinstance(value, float | int | numbers.Real):
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
    if group is None or group == ():
        return ()
    if isinstance(group, str):
        return (group,) if group else ()
    if isinstance(group, tuple | list | Sequence):
        for part in group:
            if not isinstance(part, str):
                break
        else:
            return tuple(group)
    return f"group is {group!r}, not a list of names"


def _known(score: float) -> float | None:
    return None if math.isnan(score) else score
