"""The same as JSON, under /api/v1, as the OpenAPI document says. Names of models only after the vote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import IO, Any

from flask import Blueprint, Response, request

from arena.battles import HIDDEN_MODEL, BattleView, Receipt
from arena.errors import NoBattle
from arena.store import ledger
from arena.voters.moderation import OUT_OF_REACH
from ratings import exports
from web import current, display, format, leaderboard, openapi, pages, request_checks, standings, visitor
from web.battle import cast, choice

EXPORTS = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}

CHUNK = 1 << 16  # bytes
LAST_EVENT = "done"  # id of the last event of a battle's stream

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")


@blueprint.get("/openapi.json")
def document() -> Response:
    return answer(openapi.document(current.options()))


@blueprint.post("/battles")
def open_battle() -> Response:
    """The visitor's open battle or a new one, with the token that its vote needs."""
    view = current.arena().open_battle(visitor.ensure_visitor())
    return answer({**battle_object(view), "csrf_token": request_checks.token()}, 201)


@blueprint.get("/battles/<battle_id>")
def battle(battle_id: str) -> Response:
    """A battle of this visitor; with names once it is voted."""
    who = known()
    receipt = current.arena().reveal(battle_id, who)
    view = current.arena().battle(battle_id, who)
    return answer({**battle_object(view), "vote": None if receipt is None else receipt_object(receipt)})


@blueprint.get("/battles/<battle_id>/stream")
def stream(battle_id: str) -> Response:
    """The texts of a battle as server-sent events. A bank's answers are there whole, so each is one event."""
    shown = battle_object(current.arena().battle(battle_id, known()))
    if request.headers.get("Last-Event-ID") == LAST_EVENT:
        return Response(status=204)  # a browser that has it all stops asking
    events: list[tuple[str, Mapping[str, Any]]] = [
        (kind, {**side, "text": shown[name], "html": shown[f"{name}_html"]})
        for kind, name, side in (
            ("prompt", "prompt", {}),
            ("answer", "answer_a", {"side": "a"}),
            ("answer", "answer_b", {"side": "b"}),
        )
    ]
    body = "".join(f"event: {kind}\ndata: {json.dumps(data)}\n\n" for kind, data in events)
    done = json.dumps({"battle_id": battle_id, "expires_at": shown["expires_at"]})
    return Response(f"{body}event: done\nid: {LAST_EVENT}\ndata: {done}\n\n", mimetype="text/event-stream")


@blueprint.post("/battles/<battle_id>/vote")
def vote(battle_id: str) -> Response:
    return answer(receipt_object(cast(battle_id, known(), choice(request_checks.field("choice")))))


@blueprint.post("/battles/<battle_id>/skip")
def skip(battle_id: str) -> Response:
    current.arena().skip(battle_id, known())
    return answer({"battle_id": battle_id, "skipped": True})


@blueprint.post("/me/forget")
def forget() -> Response:
    """Cut every tie between the visitor and his votes, and take the cookie's content away."""
    done = pages.forget_visitor()
    return answer(
        {"forgotten": done.known, "files": "now" if done.everywhere else "soon", "out_of_reach": OUT_OF_REACH}
    )


@blueprint.get("/leaderboard")
@blueprint.get("/leaderboard/<board>")
def board(board: str | None = None) -> Response:
    shown = find(board)
    return answer(
        {
            "release": shown.release.id,
            "released_at": display.iso(shown.release.at),
            "board": shown.board.name,
            "title": shown.board.title,
            "collection": shown.board.collection,
            "view": shown.view.name,
            **shown.leaderboard.to_object(),
        }
    )


@blueprint.get("/leaderboard.csv", defaults={"board": None})
@blueprint.get("/leaderboard/<board>.csv")
def board_csv(board: str | None) -> Response:
    shown = find(board)
    name = f"{shown.board.name}-{shown.view.name}-{shown.leaderboard.snapshot.id[:12]}.csv"
    return attachment(exports.write(shown.leaderboard, "csv"), name, "text/csv; charset=utf-8")


@blueprint.get("/leaderboards")
def boards() -> Response:
    release = current.release()
    return answer(
        {
            "release": release.id,
            "released_at": display.iso(release.at),
            "default": release.default.name if release.default else None,
            "boards": [
                {
                    "board": board.name,
                    "title": board.title,
                    "collection": board.collection,
                    "note": board.note,
                    "views": [
                        {"view": view.name, "snapshot": view.leaderboard.snapshot.id} for view in board.views
                    ],
                    "votes_used": board.plain.leaderboard.snapshot.votes_used,
                }
                for board in release.boards
            ],
        }
    )


@blueprint.get("/snapshots")
def snapshots() -> Response:
    """Every snapshot of the boards' histories, the current ones last."""
    release = current.release()
    found = [
        {"board": board, "release": point.release, "at": display.iso(point.at), "snapshot": point.snapshot}
        for board, points in release.history.items()
        for point in points
    ]
    return answer({"release": release.id, "snapshots": found})


@blueprint.get("/sampling")
def sampling() -> Response:
    """The rule by which pairs are drawn, the bounds of shares, and the probability of each pair now, after them."""
    chances = current.arena().chances()
    hidden = current.arena().roster.hidden
    public = [
        {"a": a, "b": b, "p": p}
        for (a, b), p in zip(chances.pairs, chances.p, strict=True)
        if not hidden & {a, b}
    ]
    rest = 1.0 - sum(p for (a, b), p in zip(chances.pairs, chances.p, strict=True) if not hidden & {a, b})
    return answer(
        {
            "rule": chances.rule,
            "most_of_a_model": chances.bounds.model,
            "most_of_newcomers_of_a_provider": chances.bounds.newcomers,
            "pairs": public,
            "p_with_private_models": max(0.0, round(rest, 9)),
        }
    )


@blueprint.get("/changes")
def changes() -> Response:
    """The ledger: what the owners did, each entry with the hash of the one before."""
    store, hidden = current.arena().store, current.arena().roster.hidden
    found = [
        {
            "at": display.iso(entry.at),
            "kind": entry.kind,
            "by": entry.by,
            "data": without(entry.data, hidden),
            "before": entry.before,
            "digest": entry.digest,
        }
        for entry in ledger.entries(store.ledger)
    ]
    return answer({"changes": found, "head": found[-1]["digest"] if found else ""})


@blueprint.get("/export/votes.<any(csv, jsonl, parquet):ending>")
def export_votes(ending: str) -> Response:
    """Public votes of this arena; the last hours are not in it, and no open battle ever."""
    name = request.args.get("release")
    manifest = None if name is None else current.latest().manifest(name) or b"{}"
    file = current.arena().export_votes(ending, manifest)
    return attachment(chunks(file), f"votes.{ending}", EXPORTS[ending])


def chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The content of `file`, piece by piece; closes it at the end or when the caller has gone."""
    with file:
        while piece := file.read(CHUNK):
            yield piece


def find(board: str | None) -> standings.Shown:
    return standings.find(
        current.release(), board, style=leaderboard.wants_style(), hidden=current.arena().roster.hidden
    )


def known() -> str:
    who = visitor.known()
    if who is None:
        raise NoBattle("no visitor")
    return who


def battle_object(view: BattleView) -> dict[str, Any]:
    """What may be known before the vote, as typed and as HTML (the same that the page shows)."""
    texts = {"prompt": view.prompt, "answer_a": view.answer_a, "answer_b": view.answer_b}
    return {
        "battle_id": view.battle_id,
        **texts,
        **{f"{name}_html": format.render(text) for name, text in texts.items()},
        "category": view.category,
        "language": view.language,
        "expires_at": display.iso(view.expires_at),
        "choices": list(display.CHOICES),
    }


def receipt_object(receipt: Receipt) -> dict[str, Any]:
    return {
        "battle_id": receipt.battle_id,
        "choice": display.choice(receipt.outcome),
        "first": receipt.first,
        "model_a": receipt.model_a,
        "model_b": receipt.model_b,
        "counted": receipt.counted,
        "reason": receipt.reason,
        "at": display.iso(receipt.at),
    }


def without(value: Any, hidden: frozenset[str]) -> Any:
    """`value` with every text that holds the name of a private model replaced."""
    if isinstance(value, str):
        return HIDDEN_MODEL if any(name in value for name in hidden) else value
    if isinstance(value, Mapping):
        return {without(key, hidden): without(item, hidden) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without(item, hidden) for item in value]
    return value


def answer(body: Any, status: int = 200) -> Response:
    """Strict JSON: a NaN anywhere is a programming error, never an answer."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text, status, mimetype="application/json")


def attachment(content: bytes | Iterator[bytes], name: str, content_type: str) -> Response:
    return Response(
        content, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
