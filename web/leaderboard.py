"""The leaderboard page: one board of the current release, with what it was made of."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from ratings.releases.release import Release
from web import current, slugs, standings

blueprint = Blueprint("leaderboard", __name__)


@blueprint.get("/leaderboard")
@blueprint.get("/leaderboard/<name>")
def show(name: str | None = None) -> str:
    """Board `name`, or the first that has votes. `style=1`: with style control; `sort` and `find` change the view only."""
    release = current.latest().release()
    if release is None or not release.boards:
        return render_template(
            "leaderboard_empty.html", release=release, board=None, options=current.options()
        )
    shown = standings.find(release, name, style=wants_style(), hidden=current.arena().roster.hidden)
    if shown.board.empty:
        return render_template(
            "leaderboard_empty.html", release=release, board=shown.board, options=current.options()
        )
    sort, words = request.args.get("sort"), request.args.get("find", "")
    rows = standings.rows(shown.leaderboard, sort=sort, words=words)
    return render_template(
        "leaderboard.html",
        shown=shown,
        release=release,
        rows=rows,
        # Redacted: the pictures hold a name that has become private since they were drawn.
        pictures=sorted(shown.view.charts) if shown.leaderboard is shown.view.leaderboard else [],
        tiers=standings.tiers(shown, current.arena().roster.hidden),
        scale=standings.scale(shown.leaderboard.models),
        sort=sort if sort in standings.SORTS else None,
        words=words,
        slugs=addresses(release),
        now=current.arena().clock(),
    )


@blueprint.get("/charts/<release_id>/<name>/<view>/<chart>.svg")
def chart(release_id: str, name: str, view: str, chart: str) -> tuple[str, dict[str, str]]:
    """A picture of the current release as a file."""
    release = current.release()
    board = release.board(name)
    if board is None or release.id != release_id or view not in ("plain", "style"):
        abort(404)
    svg = board.view(style=view == "style").charts.get(chart)
    if svg is None or current.arena().roster.hidden & {row.model for row in board.plain.leaderboard.models}:
        abort(404)
    return svg, {"Content-Type": "image/svg+xml; charset=utf-8", "Cache-Control": "public, max-age=86400"}


def wants_style() -> bool:
    return request.args.get("style", "") not in ("", "0", "off", "false")


def addresses(release: Release) -> dict[str, str]:
    """model -> slug for every model on a board that may be named."""
    roster = current.arena().roster
    names = {row.model for board in release.boards for row in board.plain.leaderboard.models}
    return dict(slugs.assign(names - roster.hidden, roster))
