"""What the votes say of pairs, models and boards, as JSON under /api/v1."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, request

from arena.errors import NoData
from web import current, display, leaderboard, standings
from web.api import answer, find
from web.gaps import gap_object, pair_objects
from web.models import BoardPlace, named, place

blueprint = Blueprint("answers", __name__, url_prefix="/api/v1")


@blueprint.get("/pairs")
@blueprint.get("/pairs/<board>")
def pairs(board: str | None = None) -> Response:
    """Direct votes, gap, probability of a win and test of every pair, or of those of one `model`."""
    shown, model = find(board), request.args.get("model")
    if model is not None and model not in {row.model for row in shown.leaderboard.models}:
        raise NoData(f"no model {model!r} on board {shown.board.name!r}")
    gaps = shown.view.gaps
    return answer(
        {
            **about(shown),
            "pairs_tested": None if gaps is None else gaps.tested,
            "correction": None if gaps is None else "holm",
            "pairs": list(pair_objects(shown, current.arena().roster.hidden, model)),
        }
    )


@blueprint.get("/diagnosis")
@blueprint.get("/diagnosis/<board>")
def diagnosis(board: str | None = None) -> Response:
    """Whether the board can be trusted; null in a release of an older program."""
    shown = find(board)
    return answer({**about(shown), "diagnosis": standings.findings(shown, current.arena().roster.hidden)})


def about(shown: standings.Shown) -> dict[str, Any]:
    return {
        "release": shown.release.id,
        "board": shown.board.name,
        "view": shown.view.name,
        "snapshot": shown.leaderboard.snapshot.id,
    }


@blueprint.get("/models")
def models() -> Response:
    """Every model that may be named: those of the roster and those of the boards."""
    roster = current.arena().roster
    release = current.latest().release()
    addresses = leaderboard.addresses(release) if release else {}
    names = sorted({*addresses, *(model.name for model in roster if model.name not in roster.hidden)})
    found = []
    for name in names:
        info = roster.get(name)
        found.append(
            {
                "model": name,
                "slug": addresses.get(name, info.slug if info else None),
                "provider": info.provider if info else None,
                "licence": info.licence if info else None,
                "status": info.status if info else None,
                "variant_of": info.variant_of if info and info.variant_of not in roster.hidden else None,
            }
        )
    return answer({"models": found, "private": len(roster.hidden)})


@blueprint.get("/models/<slug>")
def one_model(slug: str) -> Response:
    """One model on every board: its line, its gap to each other model, its rating over releases."""
    release = current.release()
    name = named(slug, leaderboard.addresses(release))
    places = [found for board in release.boards if (found := place(release, board, name)) is not None]
    return answer({"model": name, "release": release.id, "boards": [place_object(one) for one in places]})


def place_object(one: BoardPlace) -> dict[str, Any]:
    gaps = one.board.plain.gaps
    return {
        "board": one.board.name,
        "snapshot": one.leaderboard.snapshot.id,
        "standing": asdict(one.row),
        "pairs_tested": None if gaps is None else gaps.tested,
        "pairs": [{**vars(met.record), **gap_object(met.gap)} for met in one.meetings],
        "history": [
            {"release": point.release, "at": display.iso(point.at), "rating": rating}
            | dict(zip(("low", "high", "rank"), point.ratings[one.row.model][1:], strict=True))
            for point, rating in one.history
        ],
    }
