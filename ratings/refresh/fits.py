"""The fits of a refresh: one board that cannot be fitted stops no other, and keeps its last good version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import ArenaError, SchedulerFailed, StoreUnavailable
from arena.votes import VoteTable
from ratings.leaderboard import Leaderboard, Plan
from ratings.releases.boards import Board
from ratings.releases.release import HistoryPoint, PublishedBoard, Release

KEPT_POINTS = 400  # of a board's history: a year of nights and a month of busy days

Rank = Callable[..., dict[str, Leaderboard]]


def fitted(
    rank: Rank, table: VoteTable, plans: Mapping[str, Plan], **rest: Any
) -> tuple[dict[str, Leaderboard], dict[str, ArenaError]]:
    """One leaderboard for each named plan, or what was wrong with it."""
    try:
        return rank(table, plans, **rest), {}
    except (StoreUnavailable, SchedulerFailed):
        raise
    except ArenaError as error:
        if len(plans) == 1:
            return {}, dict.fromkeys(plans, error)
    # One at a time: twice the work, only when something is wrong.
    boards: dict[str, Leaderboard] = {}
    faults: dict[str, ArenaError] = {}
    for name, plan in plans.items():
        found, wrong = fitted(rank, table, {name: plan}, **rest)
        boards |= found
        faults |= wrong
    return boards, faults


def kept(board: Board, before: Release | None) -> PublishedBoard | None:
    """The version of `board` that the release before showed, if it had votes of the same collection."""
    old = None if before is None else before.board(board.name)
    return None if old is None or old.empty or old.collection != board.collection else old


def point_added(
    board: PublishedBoard, release: str, at: float, before: Release | None
) -> tuple[HistoryPoint, ...]:
    """The board's earlier points and the present one, if it says anything new."""
    points = () if before is None else before.history.get(board.name, ())
    plain = board.plain.leaderboard
    if board.empty or (points and points[-1].snapshot == plain.snapshot.id):
        return points
    ratings = {
        row.model: (_round(row.rating), _round(row.low), _round(row.high), row.rank)
        for row in plain.models
        if row.rating is not None
    }
    return (*points, HistoryPoint(release, at, plain.snapshot.id, ratings))[-KEPT_POINTS:]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
