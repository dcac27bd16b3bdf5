"""The fits of a refresh: one board that cannot be fitted stops no other, and keeps its last good version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import ArenaError, SchedulerFailed, StoreUnavailable
from arena.votes import VoteTable
from ratings.leaderboard import Leaderboard, Plan
from ratings.releases.boards import Board
from ratings.releases.release import PublishedBoard, Release

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
