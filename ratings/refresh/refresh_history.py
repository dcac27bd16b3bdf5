"""A board's life over releases: one more point for each release that says anything new."""

from __future__ import annotations

from ratings.releases.release import HistoryPoint, PublishedBoard, Release

KEPT_POINTS = 400  # of a board's history: a year of nights and a month of busy days


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
