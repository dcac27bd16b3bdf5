"""The errors of the project: one tree, one class per thing that a caller may treat differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

OTHER_VALUES = 5  # named in the one line of a cause


@dataclass(frozen=True)
class Problem:
    """One fault of one input: where it is, what stands there, and why it is refused.

    `row` counts data rows from 1 (header and blank lines not counted); `line` is the physical line from 1.
    """

    file: str
    reason: str
    row: int | None = None
    line: int | None = None
    column: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        place = self.file
        if self.row is not None:
            place += f", row {self.row}"
        if self.line is not None:
            place += f" (line {self.line})" if self.row is not None else f", line {self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        shown = "" if self.value is None else f" {shorten(self.value)!r}:"
        return f"{place}:{shown} {self.reason}"


def told(problems: Sequence[Problem], count: int, shown: int) -> Iterator[str]:
    """The problems for a person: one line for all rows with one cause, at most `shown` lines, then how many more.

    One cause is one reason in one column of one file. `count`: of all rows; only the first may be in `problems`.
    """
    causes: dict[tuple[str, str | None, str], list[Problem]] = {}
    for problem in problems:
        causes.setdefault((problem.file, problem.column, problem.reason), []).append(problem)
    lines = list(causes.values())[:shown]
    for alike in lines:
        yield _line(alike)
    rest = count - sum(map(len, lines))
    if rest > 0:
        yield f"... and {rest:,} more"


def _line(alike: Sequence[Problem]) -> str:
    """The first of them, how many are like it, and what else stood there."""
    first = alike[0]
    if len(alike) == 1:
        return str(first)
    others = [
        repr(shorten(value))
        for value in dict.fromkeys(one.value for one in alike[1:])
        if value not in (None, first.value)
    ]
    some = ", ".join(others[:OTHER_VALUES]) + (", ..." if len(others) > OTHER_VALUES else "")
    return f"{first} (and {len(alike) - 1:,} more like it{': ' + some if some else ''})"


class ArenaError(Exception):
    """Base of every error that the project raises on purpose. `code` is stable and machine-readable."""

    code = "arena_error"


class BadInput(ArenaError):
    """A file, a request or an option that cannot be used as it is."""

    code = "bad_input"

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class WrongUsage(BadInput):
    """An option that could not be right for any file. Commands end on it as on any other wrong usage."""

    code = "wrong_usage"


class StoreUnavailable(ArenaError):
    """The store cannot keep a vote now (down, read-only, full, loading or slow). Try again later."""

    code = "store_unavailable"

    def __init__(
        self, message: str = "the vote store is not available", retry_after_seconds: int = 5
    ) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class NoBattle(ArenaError):
    """No such battle, or it is not open to this visitor."""

    code = "no_battle"


class BattleExpired(NoBattle):
    """The battle was this visitor's but its time is over."""

    code = "battle_expired"


class NotYours(NoBattle):
    """The battle belongs to another visitor."""

    code = "not_yours"


class NothingToServe(ArenaError):
    """No pair of answers can be shown: the bank is empty, or every pair is excluded."""

    code = "nothing_to_serve"


class TooManyRequests(ArenaError):
    """A documented limit is reached."""

    code = "too_many_requests"

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class NotConverged(ArenaError):
    """A fit stopped before its tolerance. Carries the numbers; there is no half-good ranking."""

    code = "not_converged"

    def __init__(self, message: str, iterations: int, last_step: float) -> None:
        super().__init__(message)
        self.iterations = iterations
        self.last_step = last_step

    def __reduce__(self) -> tuple[type[NotConverged], tuple[str, int, float]]:
        # Pickled on another machine, it has to come back whole.
        return type(self), (str(self), self.iterations, self.last_step)


class NoData(ArenaError):
    """There is nothing to rank."""

    code = "no_data"


class SchedulerFailed(ArenaError):
    """Fits on other machines did not come back."""

    code = "scheduler_failed"


class Busy(ArenaError):
    """Another run holds the lock. Commands end with status 5 on it: try again later, nothing is wrong."""

    code = "busy"


def shorten(value: str, limit: int = 60) -> str:
    """`value` with at most `limit` characters, an ellipsis for the rest."""
    return value if len(value) <= limit else value[: limit - 1] + "…"
