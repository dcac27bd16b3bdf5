"""What reading a vote file found: the table, and the account in which every vote read is accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from arena.errors import BadInput, Problem
from arena.votes import VoteTable

KEPT_PROBLEMS = 1000  # more rejected rows are counted, not described
SHOWN_COLUMNS = 60
KEPT_EXAMPLES = 3  # of each kind of record that holds no vote


@dataclass(frozen=True)
class Tally:
    """The account of one reading. Counts are of votes: read = accepted + rejected + duplicates + all not_votes.

    A row with count n counts n, a record that yields k votes k, one that yields none 1.
    """

    format: str  # name of the format; several joined by " + "
    why: str  # how it was chosen
    files: tuple[str, ...]
    read: int
    accepted: int  # votes in the table, the excluded ones among them
    rejected: tuple[Problem, ...]  # the first `KEPT_PROBLEMS`
    rejected_count: int
    duplicates: int  # votes whose id came before; conflicting ones among them
    conflicts: tuple[Problem, ...]  # ids that came again with another content; the first vote is kept
    conflict_count: int
    not_votes: Mapping[str, int]  # reason -> records
    examples: tuple[Problem, ...]  # some records of each such reason
    excluded: Mapping[str, int]  # reason -> votes kept in the table that do not count
    ignored_columns: tuple[str, ...]
    warnings: tuple[str, ...]
    # What was measured on the way: measure -> whose -> (sum, of how many), such as how many verdicts of a judge
    # changed with the order of the answers.
    measures: Mapping[str, Mapping[str, tuple[float, int]]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(
        default_factory=dict
    )  # merged names: as in the files -> as in the table
    timeless: int = 0  # accepted votes without a time
    future: int = 0  # accepted votes of more than a day after the reading

    def lines(self) -> Iterator[str]:
        """The account for a person: sums first, then each reason with examples, then what was ignored or odd."""
        yield f"format {self.format}: {self.why}"
        yield (
            f"read {self.read:,} = accepted {self.accepted:,} + rejected {self.rejected_count:,} "
            f"+ duplicates {self.duplicates:,} + not votes {sum(self.not_votes.values()):,}"
        )
        yield from (f"excluded, {reason}: {number:,}" for reason, number in self.excluded.items())
        for reason, number in self.not_votes.items():
            yield f"not a vote, {reason}: {number:,}"
        yield from (f"  for example {example}" for example in self.examples)
        if self.duplicates:
            yield f"duplicates: {self.duplicates - self.conflict_count:,} equal, {self.conflict_count:,} in conflict"
        yield from (f"  {conflict}" for conflict in self.conflicts[:20])
        for measure, whose in self.measures.items():
            yield from (f"{measure}, {who}: {total:.10g} of {n:,}" for who, (total, n) in whose.items())
        if self.ignored_columns:
            more = len(self.ignored_columns) - SHOWN_COLUMNS
            shown = ", ".join(self.ignored_columns[:SHOWN_COLUMNS])
            yield f"columns ignored: {shown}" + (f" and {more} more" if more > 0 else "")
        if 0 < self.timeless < self.accepted:
            yield f"times: {self.timeless:,} of {self.accepted:,} votes have none, so they are in no period and no time window"
        if self.future:
            yield f"warning: {self.future:,} votes lie in the future; they count, and stand in the periods that they name"
        yield from (f"warning: {warning}" for warning in self.warnings)


@dataclass(frozen=True)
class Reading:
    """Votes as read from files, and the account of the reading."""

    table: VoteTable
    tally: Tally


class RowsRejected(BadInput):
    """Some rows cannot be read and nobody said to leave them out. `problems` are the first, `tally` counts all."""

    code = "rows_rejected"

    def __init__(self, tally: Tally) -> None:
        super().__init__(
            f"{tally.rejected_count:,} of {tally.read:,} votes are rejected; nothing is kept "
            "(--skip-bad leaves them out and reads the rest)",
            tally.rejected,
        )
        self.tally = tally


@dataclass
class Account:
    """A tally in the making."""

    rejected: list[Problem] = field(default_factory=list)
    rejected_count: int = 0
    not_votes: Counter[str] = field(default_factory=Counter)
    examples: list[Problem] = field(default_factory=list)
    measures: dict[str, dict[str, tuple[float, int]]] = field(default_factory=dict)
    cases: set[int] = field(default_factory=set)

    def reject(self, problem: Problem) -> None:
        self.rejected_count += 1
        if len(self.rejected) < KEPT_PROBLEMS:
            self.rejected.append(problem)

    def not_vote(self, reason: str, example: Problem) -> None:
        self.not_votes[reason] += 1
        if self.not_votes[reason] <= KEPT_EXAMPLES:
            self.examples.append(example)

    def measure(self, name: str, whose: str, value: float, case: str = "") -> None:
        """Add one case to a measure; a case that came before is left out."""
        if case:
            key = hash((name, whose, case))
            if key in self.cases:
                return
            self.cases.add(key)
        sums = self.measures.setdefault(name, {})
        total, number = sums.get(whose, (0.0, 0))
        sums[whose] = (total + value, number + 1)
