"""The page that says whether a board can be trusted: what the refresh found of its votes."""

from __future__ import annotations

from flask import Blueprint, render_template

from arena.errors import NoData
from web import current, leaderboard, standings

blueprint = Blueprint("diagnosis", __name__)

SHOWN = 20  # rows of a table; JSON has all


@blueprint.get("/leaderboard/<name>/diagnosis")
def show(name: str) -> str:
    """The findings of board `name`; `style=1`: of the ranking with style control."""
    release, hidden = current.release(), current.arena().roster.hidden
    shown = standings.find(release, name, style=leaderboard.wants_style(), hidden=hidden)
    found = standings.findings(shown, hidden)
    if shown.board.empty or found is None:
        raise NoData(f"nothing is known yet of how far board {name!r} can be trusted")
    return render_template(
        "diagnosis.html",
        shown=shown,
        found=found,
        release=release,
        most=SHOWN,
        slugs=leaderboard.addresses(release),
    )
