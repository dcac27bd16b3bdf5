"""What a reader hands over: entries in a file's own terms, and a book of everything odd that it met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.errors import Problem
from ratings.benchmarks.results.dependence import Dependence

PROBLEMS_KEPT = 100  # enough to see the kind of fault; the count says how many there were


Marks = tuple[tuple[str, str], ...]
EVERY = "*"  # value of a mark: an attempt without any verdict belongs to each


@dataclass(slots=True)
class Entry:
    """One attempt. `score` lies in [0, 1]; None where there is none.

    Not frozen only because millions are made, and freezing takes three times as long; nobody changes one that was handed over.
    """

    benchmark: str  # as the file calls it
    model: str
    item: str
    score: float | None
    repeat: int | None = 0  # None: numbered in the order of the file
    status: str = "ok"  # of `records.STATUSES`
    group: tuple[str, ...] = ()  # from coarse to fine
    hash: str | None = None  # of the item's content, where the file has one
    variant: str = ""  # one of several verdicts on the same attempts (filter, scorer, test set): never mixed
    reason: str | None = None  # why the status is not ok, or what the harness calls it
    source: str | None = None
    # What `identity.settle` names the above from, once all files are read.
    marks: Marks = ()  # what the verdict belongs to: (judge, gpt-4), (baseline, x), (split, test); `variant` is told from them
    setup: tuple[str, str] | None = None  # provider and label, of which `model` is one
    run: str = ""  # of the harness: another run is a further attempt
    pairing: tuple[str, str] | None = None  # the two that were judged, as the file orders them


@dataclass(frozen=True)
class Claim:
    """A score that a file states for a model, to be checked against its items."""

    model: str
    value: float  # a share
    source: str
    benchmark: str = ""
    variant: str = ""
    n: int | None = None  # the denominator, where stated
    digits: int | None = None  # of the share, as printed; None: full precision
    what: str = "score"


@dataclass(frozen=True)
class Figure:
    """Another number that the field computes from the same records, beside our score."""

    model: str
    what: str
    value: float | None
    n: int
    benchmark: str = ""
    marks: Marks = ()  # as of the entries that it is computed from


@dataclass(frozen=True)
class Ask:
    """What the person said about the files; None: as the files say."""

    model: str | None = None
    benchmark: str | None = None
    metric: str | None = None
    variant: str | None = None
    group: str | None = None  # column, or key of the metadata, whose values are clusters of items
    strata: str | None = None  # the same for fixed parts
    repeats: int | None = None  # attempts per item, for files that flatten them
    items: tuple[str, ...] | None = None  # every item of the data set
    scale: tuple[float, float] = (0.0, 1.0)
    columns: Mapping[str, str] = field(default_factory=dict)  # of generic tables: item, model, score, ...

    @property
    def label(self) -> str | None:
        """What the person groups or stratifies by."""
        return self.group or self.strata

    @property
    def dependence(self) -> Dependence | None:
        if self.group is not None:
            return "clustered"
        return None if self.strata is None else "stratified"


class RowNumber(int):
    """The number of a record from 1; `line` is the physical line where it begins."""

    line: int | None = None


def line_of(row: int | None) -> int | None:
    """The physical line of a row, where its file has lines."""
    return row.line if isinstance(row, RowNumber) else None


class Unusable(Exception):
    """A record, or a value in it, that cannot be read. Caught by `Book.each`."""

    def __init__(self, reason: str, *, column: str | None = None, value: Any = None) -> None:
        super().__init__(reason)
        self.reason, self.column, self.value = reason, column, value


@dataclass
class Book:
    """What came up while reading."""

    ask: Ask = field(default_factory=Ask)
    problems: list[Problem] = field(default_factory=list)
    refused: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    claims: list[Claim] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    listed: dict[str, None] = field(default_factory=dict)  # items of the data set, as other files list them
    owed: dict[tuple[str, str], Entry] = field(default_factory=dict)  # (run and model, item), not run as yet
    owing: set[str] = field(
        default_factory=set
    )  # runs and models whose items of the data set are, or were, in `owed`
    labels: dict[str, bool] = field(
        default_factory=dict
    )  # what could group the items; True: their harness says so
    tied: set[str] = field(default_factory=set)  # benchmarks whose harness says what hangs together

    def note(self, text: str) -> None:
        self.notes[text] += 1

    def refuse(self, source: str, fault: Unusable, row: int | None = None) -> None:
        self.refused += 1
        if len(self.problems) < PROBLEMS_KEPT:
            shown = None if fault.value is None else shown_value(fault.value)
            self.problems.append(Problem(source, fault.reason, row, line_of(row), fault.column, shown))

    def each(
        self, source: str, rows: Iterable[tuple[int, Any]], build: Callable[[int, Any], Iterable[Entry]]
    ) -> Iterator[Entry]:
        """The entries of all rows; a row that cannot be used is refused with its number, and reading goes on."""
        for row, record in rows:
            try:
                found = list(build(row, record))
            except Unusable as fault:
                self.refuse(source, fault, row)
                continue
            yield from found


def shown_value(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text[:200]
