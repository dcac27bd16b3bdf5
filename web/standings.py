"""What pages and JSON show of a release: which board and view, which rows, on which scale. Names of private models never."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.battles import HIDDEN_MODEL
from arena.errors import NoData
from ratings.leaderboard import Leaderboard, PairRecord, Standing
from ratings.releases.release import PublishedBoard, Release, View

SORTS: Mapping[str, Callable[[Standing], tuple[float, str]]] = {
    "rating": lambda row: (-_number(row.rating), row.model),
    "votes": lambda row: (-row.votes, row.model),
    "wins": lambda row: (-_number(row.win_rate), row.model),
    "name": lambda row: (0.0, row.model.casefold()),
}
TICKS = 5
LEAST_WIDTH = 10.0  # of an axis, in points
ARROW = 0.15  # of the span of all ratings


@dataclass(frozen=True)
class Shown:
    """One view of one board of one release: everything on a page comes from here, so nothing can be mixed."""

    release: Release
    board: PublishedBoard
    view: View
    leaderboard: Leaderboard  # the view's, without names of private models

    @property
    def style(self) -> bool:
        return self.view.name == "style"


def find(release: Release, name: str | None, *, style: bool, hidden: frozenset[str]) -> Shown:
    """The board `name` (None: the first that has votes), with or without style control; `NoData` when unknown."""
    board = release.default if name is None else release.board(name)
    if board is None:
        raise NoData(f"no board {name!r}")
    view = board.view(style=style)
    return Shown(release, board, view, redact(view.leaderboard, hidden))


def redact(board: Leaderboard, hidden: frozenset[str]) -> Leaderboard:
    """`board` with every private model's name replaced; the lines stay, so that no rank has a hole."""
    alias = aliases(board, hidden)
    if not alias:
        return board
    plan = board.snapshot.plan
    if plan.anchor is not None and plan.anchor[0] in alias:
        plan = replace(plan, anchor=(alias[plan.anchor[0]], plan.anchor[1]))
    return replace(
        board,
        snapshot=replace(board.snapshot, plan=plan),
        models=tuple(replace(row, model=alias.get(row.model, row.model)) for row in board.models),
        pairs=tuple(replace(p, a=alias.get(p.a, p.a), b=alias.get(p.b, p.b)) for p in board.pairs),
        warnings=tuple(_without(text, alias) for text in board.warnings),
    )


def aliases(board: Leaderboard, hidden: frozenset[str]) -> dict[str, str]:
    """Private name -> what stands for it."""
    found = sorted({row.model for row in board.models} & hidden)
    return {name: f"{HIDDEN_MODEL} ({number})" for number, name in enumerate(found, 1)}


def findings(shown: Shown, hidden: frozenset[str]) -> Any:
    """What the release found of the view, without names of private models; None in a release of an older program."""
    packed = shown.view.findings
    if packed is None:
        return None
    return _renamed(packed.content, aliases(shown.view.leaderboard, hidden))


def tiers(shown: Shown, hidden: frozenset[str]) -> dict[str, int]:
    """Model -> tier, for the models that are in one."""
    found = findings(shown, hidden)
    return {} if found is None else {name: tier["tier"] for tier in found["tiers"] for name in tier["models"]}


def _renamed(value: Any, alias: Mapping[str, str]) -> Any:
    if not alias:
        return value
    if isinstance(value, str):
        return alias.get(value) or _without(value, alias)
    if isinstance(value, Mapping):
        return {key: _renamed(part, alias) for key, part in value.items()}
    return [_renamed(part, alias) for part in value] if isinstance(value, list) else value


def _without(text: str, alias: Mapping[str, str]) -> str:
    for name, other in alias.items():
        text = text.replace(name, other)
    return text


def rows(board: Leaderboard, *, sort: str | None, words: str) -> list[Standing]:
    """Lines that hold `words`, in the board's order or sorted; unknown numbers last, ranks as they are."""
    wanted = words.casefold().strip()
    found = [row for row in board.models if wanted in row.model.casefold()]
    return sorted(found, key=SORTS[sort]) if sort is not None and sort in SORTS else found


def _number(value: float | None) -> float:
    return -math.inf if value is None else value


@dataclass(frozen=True)
class Scale:
    """The axis on which a page draws intervals, in rating points."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, rating: float | None) -> float:
        """Place of a rating in per cent of the width, never outside; an open end is the edge."""
        if rating is None:
            return 0.0
        return round(100 * min(1.0, max(0.0, (rating - self.low) / (self.high - self.low))), 2)

    def holds(self, rating: float) -> bool:
        return self.low <= rating <= self.high


def scale(rows: Sequence[Standing]) -> Scale:
    """An axis for `rows`: all ratings, and intervals except those that would squeeze the others together."""
    ratings = [row.rating for row in rows if row.rating is not None]
    if not ratings:
        return Scale(900.0, 1100.0, (900.0, 1000.0, 1100.0))
    room = 1.5 * max(max(ratings) - min(ratings), 50.0)
    ends = [end for row in rows for end in (row.low, row.high) if end is not None]
    # Beyond an open end there must be room for its arrow.
    span = max(ratings) - min(ratings)
    ends += [row.rating + ARROW * span for row in rows if row.rating is not None and row.high is None]
    ends += [row.rating - ARROW * span for row in rows if row.rating is not None and row.low is None]
    low = max(min([*ratings, *ends]), min(ratings) - room)
    high = min(max([*ratings, *ends]), max(ratings) + room)
    if high - low < LEAST_WIDTH:  # all alike: a span around them
        low, high = low - LEAST_WIDTH / 2, high + LEAST_WIDTH / 2
    step = _step((high - low) / TICKS)
    first, last = math.floor(low / step), math.ceil(high / step)
    if first == last:
        last += 1
    return Scale(first * step, last * step, tuple(n * step for n in range(first, last + 1)))


def _step(rough: float) -> float:
    """The round number (1, 2 or 5 times a power of ten) at or above `rough`."""
    power = 10.0 ** math.floor(math.log10(max(rough, 1e-6)))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= rough)


def against(pair: PairRecord, model: str) -> PairRecord:
    """The record as seen from `model`."""
    if pair.a == model:
        return pair
    return PairRecord(pair.b, pair.a, pair.losses, pair.wins, pair.ties, pair.both_bad)


def records(board: Leaderboard, model: str) -> list[PairRecord]:
    """All records of `model` as seen from it, most votes first."""
    found = [against(pair, model) for pair in board.pairs if model in (pair.a, pair.b) and pair.a != pair.b]
    return sorted(found, key=lambda pair: (-total(pair), pair.b))


def total(pair: PairRecord) -> int:
    return pair.wins + pair.losses + pair.ties + pair.both_bad


def meeting(board: Leaderboard, first: str, second: str) -> PairRecord:
    """Direct votes between two models as seen from the first; zeros when they never met."""
    found = next((pair for pair in board.pairs if {pair.a, pair.b} == {first, second}), None)
    return PairRecord(first, second, 0, 0, 0, 0) if found is None else against(found, first)
