"""What a release is: every board of one refresh, with its rankings, pictures and history. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ratings.leaderboard import Leaderboard
from ratings.releases.payloads import Findings, GapTable, ReportData

ViewName = Literal["plain", "style"]


@dataclass(frozen=True)
class View:
    """One board under one plan: `plain`, or `style` with its style traits controlled for."""

    name: ViewName
    leaderboard: Leaderboard
    charts: Mapping[str, str] = field(default_factory=dict, repr=False)  # name -> SVG, to be set into a page
    exports: Mapping[str, bytes] = field(
        default_factory=dict, repr=False
    )  # ending -> file; written, not read back
    gaps: GapTable | None = field(
        default=None, repr=False
    )  # of all pairs; None in a release of an older program
    findings: Findings | None = field(default=None, repr=False)  # can this board be trusted
    report: ReportData | None = field(default=None, repr=False)  # of a plain view, for the page


@dataclass(frozen=True)
class Votes:
    """What the votes of a board were: all of a collection, counted or not, and their hash (`address.votes_hash`)."""

    collection: str
    rows: int = 0
    hash: str = ""


@dataclass(frozen=True)
class PublishedBoard:
    """One board of a release. Without votes it is there all the same, and `empty` says so."""

    name: str
    title: str
    collection: str
    note: str
    views: tuple[View, ...]  # `plain` first
    votes: Votes

    @property
    def plain(self) -> View:
        return self.views[0]

    @property
    def styled(self) -> View | None:
        """The view with style control; None when the board has none."""
        return self.views[1] if len(self.views) > 1 else None

    def view(self, *, style: bool) -> View:
        """The view with or without style control; the plain one when there is no other."""
        return self.styled or self.plain if style else self.plain

    @property
    def empty(self) -> bool:
        return self.plain.leaderboard.snapshot.votes_used == 0


@dataclass(frozen=True)
class HistoryPoint:
    """One release in the life of a board: model -> (rating, low, high, rank), None for what was not known."""

    release: str
    at: float
    snapshot: str
    ratings: Mapping[str, tuple[float | None, float | None, float | None, int | None]]


@dataclass(frozen=True)
class Release:
    """All boards of one refresh, in order of declaration."""

    id: str  # UTC instant and a hash: 20260101T023000Z-1a2b3c4d
    at: float  # seconds since 1970, UTC
    boards: tuple[PublishedBoard, ...]
    history: Mapping[str, tuple[HistoryPoint, ...]] = field(
        default_factory=dict, repr=False
    )  # board -> old first
    cast: int = 0  # votes that had been cast in this arena when it was made
    faults: Mapping[str, str] = field(
        default_factory=dict
    )  # board -> why it could not be made anew: it is as before, or left out

    @property
    def default(self) -> PublishedBoard | None:
        """The first board that has votes, else the first declared."""
        return next((board for board in self.boards if not board.empty), next(iter(self.boards), None))

    def board(self, name: str) -> PublishedBoard | None:
        return next((board for board in self.boards if board.name == name), None)

    def find(self, snapshot: str) -> tuple[PublishedBoard, View] | None:
        """The board and view whose snapshot id starts with `snapshot`."""
        for board in self.boards:
            for view in board.views:
                if view.leaderboard.snapshot.id.startswith(snapshot):
                    return board, view
        return None
