"""A page for each model and each pair of models, from the records of the current release."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template

from arena.bank.roster import ModelInfo
from arena.errors import NoData
from ratings.leaderboard import Leaderboard, Standing
from ratings.releases.boards import OWN_VOTES
from ratings.releases.release import HistoryPoint, PublishedBoard, Release
from web import current, gaps, leaderboard, standings
from web.history import Polyline, trace

blueprint = Blueprint("models", __name__)

HISTORY_POINTS = 60


@dataclass(frozen=True)
class BoardPlace:
    """A model on one board."""

    board: PublishedBoard
    leaderboard: Leaderboard
    row: Standing
    meetings: tuple[gaps.MetPair, ...]
    history: tuple[tuple[HistoryPoint, float], ...]  # points with a rating, oldest first

    @property
    def line(self) -> Polyline | None:
        return trace(self.history, self.row.model)


@blueprint.get("/models/<slug>")
def show(slug: str) -> str:
    """One model: where it stands on every board, and its record against each other model."""
    release = current.release()
    addresses = leaderboard.addresses(release)
    name = _declared(slug) if slug not in addresses.values() else named(slug, addresses)
    places = [found for board in release.boards if (found := place(release, board, name)) is not None]
    on = {found.board.name for found in places}
    missing = [(board, _absence(board, name)) for board in release.boards if board.name not in on]
    return render_template(
        "model.html",
        name=name,
        info=_info(name),
        places=places,
        missing=missing,
        slugs=addresses,
        release=release,
    )


@blueprint.get("/pairs/<a>/<b>")
def pair(a: str, b: str) -> str:
    """Two models beside each other: their direct votes on every board, and where both stand."""
    release = current.release()
    addresses = leaderboard.addresses(release)
    first, second = named(a, addresses), named(b, addresses)
    if first == second:
        raise NoData("a pair needs two models")
    boards = [
        (left, right, standings.meeting(left.leaderboard, first, second), gaps.verdicts(board, first, second))
        for board in release.boards
        if (left := place(release, board, first)) and (right := place(release, board, second))
    ]
    return render_template(
        "pair.html", first=first, second=second, boards=boards, slugs=addresses, release=release
    )


def named(slug: str, addresses: dict[str, str]) -> str:
    """The model of an address; `NoData` when no board knows it."""
    name = next((name for name, known in addresses.items() if known == slug), None)
    if name is None:
        raise NoData(f"no model {slug!r}")
    return name


def _declared(slug: str) -> str:
    """A model of the roster that stands on no board; `NoData` when there is none that may be named."""
    info = current.arena().roster.by_slug.get(slug)
    if info is None or info.name in current.arena().roster.hidden:
        raise NoData(f"no model {slug!r}")
    return info.name


def _absence(board: PublishedBoard, name: str) -> str:
    """Why the model stands on this board in no line."""
    if board.collection != OWN_VOTES:
        return "no vote of this collection names it"
    info = _info(name)
    if info is None:
        return "it is not in this arena's roster: no battle is drawn with it"
    if info.status == "retired":
        return "retired: it is drawn in no battle, and none of its votes counts here"
    if not any(name in pair for pair in current.arena().bank.shared):
        return "no prompt of the bank has its answer beside another model's: no battle is possible"
    return "no vote on it counted at the last refresh"


def place(release: Release, board: PublishedBoard, name: str) -> BoardPlace | None:
    hidden = current.arena().roster.hidden
    seen = standings.redact(board.plain.leaderboard, hidden)
    row = next((row for row in seen.models if row.model == name), None)
    if row is None:
        return None
    points = release.history.get(board.name, ())[-HISTORY_POINTS:]
    past = tuple(
        (point, rating) for point in points if (rating := point.ratings.get(name, (None,))[0]) is not None
    )
    return BoardPlace(board, seen, row, tuple(gaps.meetings(seen, board.plain, name)), past)


def _info(name: str) -> ModelInfo | None:
    return current.arena().roster.get(name)
