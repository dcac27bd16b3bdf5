"""The OpenAPI document of the JSON routes: what goes in, what comes out, which errors, which limits."""

from __future__ import annotations

from web import limits
from web.openapi_schemas import SCHEMAS, Json, ref
from web.options import Options
from web.request_checks import TOKEN_HEADER

VERSION = "1"
BATTLE_ID = {
    "name": "battle_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]+$"},
}
BOARD = {
    "name": "board",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[a-z0-9-]+$"},
}
STYLE = {
    "name": "style",
    "in": "query",
    "description": "1: the ranking with style control",
    "schema": {"type": "string", "enum": ["0", "1"]},
}
MODEL = {
    "name": "model",
    "in": "query",
    "description": "only pairs of this model",
    "schema": {"type": "string", "maxLength": 200},
}
RELEASE = {
    "name": "release",
    "in": "query",
    "description": "the votes that this release was made of, once all are old enough: ranked, they give its snapshot",
    "schema": {"type": "string", "maxLength": 64},
}
SLUG = {
    "name": "slug",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[A-Za-z0-9._-]+$"},
}
TOKEN = {
    "name": TOKEN_HEADER,
    "in": "header",
    "description": "The `csrf_token` that POST /battles gave, unless the body holds it.",
    "schema": {"type": "string"},
}
ERRORS = {
    400: "not understood: bad_input, csrf, bad_json, missing_field, repeated_field, bad_field",
    403: "cross_site: the request came from another website",
    404: "no_battle or no_data",
    410: "battle_expired",
    413: "the body is too large",
    415: "send a form or JSON",
    429: "too_many_requests; see Retry-After",
    503: "store_unavailable or nothing_to_serve; see Retry-After",
}


def document(options: Options) -> Json:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": options.title,
            "version": VERSION,
            "description": _about(options),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": {f"/api/v1{path}": item for path, item in _paths().items()},
        "components": {"schemas": SCHEMAS, "securitySchemes": {}},
    }


def _about(options: Options) -> str:
    return (
        "Blind votes on pairs of answers, and the rankings made of them. A visitor is a random cookie: keep it between "
        f"calls. Limits for one network address: {options.battles_per_minute} battles and {options.votes_per_minute} "
        f"votes a minute (for one visitor {options.battles_per_visitor_minute} and "
        f"{options.votes_per_visitor_minute}), {limits.DOWNLOADS_PER_MINUTE} exports a minute. For one network (/24, or /64 for IPv6): {options.votes_per_day} votes a day."
    )


def _paths() -> Json:
    return {
        "/battles": {
            "post": _operation(
                "Open a battle, or get the open one", "Battle", status=201, errors=(403, 429, 503)
            )
        },
        "/battles/{battle_id}": {
            "get": _operation("One's own battle", "Battle", [BATTLE_ID], errors=(404, 410, 503))
        },
        "/battles/{battle_id}/stream": {
            "get": _file(
                "The texts of one's own battle as server-sent events: `prompt`, two of `answer` (data: side, text, html), `done`",
                "text/event-stream",
                [BATTLE_ID],
                errors=(404, 410, 503),
            )
        },
        "/battles/{battle_id}/vote": {
            "post": _operation(
                "Vote, once; a repeat gets the first vote's receipt",
                "Receipt",
                [BATTLE_ID, TOKEN],
                body="Vote",
                errors=(400, 403, 404, 410, 413, 415, 429, 503),
            )
        },
        "/battles/{battle_id}/skip": {
            "post": _operation(
                "Give a battle back without a vote; it is counted",
                "Skipped",
                [BATTLE_ID, TOKEN],
                body="Token",
                errors=(400, 403, 404, 410, 413, 415, 429, 503),
            )
        },
        "/me/forget": {
            "post": _operation(
                "Cut every tie between this visitor and his votes, which stay; the cookie ends",
                "Forgotten",
                [TOKEN],
                body="Token",
                errors=(400, 403, 413, 415, 429, 503),
            )
        },
        "/leaderboards": {"get": _operation("The boards of the release", "Boards", errors=(404, 503))},
        "/leaderboard": {
            "get": _operation("The first board with votes", "Board", [STYLE], errors=(404, 503))
        },
        "/leaderboard/{board}": {"get": _operation("One board", "Board", [BOARD, STYLE], errors=(404, 503))},
        "/leaderboard.csv": {"get": _file("The first board with votes as CSV", "text/csv", [STYLE])},
        "/leaderboard/{board}.csv": {"get": _file("One board as CSV", "text/csv", [BOARD, STYLE])},
        "/pairs": {
            "get": _operation(
                "Votes and gaps of pairs, first board", "Pairs", [STYLE, MODEL], errors=(404, 503)
            )
        },
        "/pairs/{board}": {
            "get": _operation("Votes and gaps of pairs", "Pairs", [BOARD, STYLE, MODEL], errors=(404, 503))
        },
        "/models": {"get": _operation("Models that may be named", "Models", errors=(503,))},
        "/models/{slug}": {"get": _operation("One model on every board", "Model", [SLUG], errors=(404, 503))},
        "/diagnosis": {
            "get": _operation("Can the first board be trusted", "Diagnosis", [STYLE], errors=(404, 503))
        },
        "/diagnosis/{board}": {
            "get": _operation("Can a board be trusted", "Diagnosis", [BOARD, STYLE], errors=(404, 503))
        },
        "/snapshots": {"get": _operation("Snapshots over releases", "Snapshots", errors=(404, 503))},
        "/sampling": {"get": _operation("How pairs are drawn now", "Sampling", errors=(503,))},
        "/changes": {"get": _operation("What the owners did", "Changes", errors=(503,))},
        **{
            f"/export/votes.{ending}": {
                "get": _file(
                    "Votes at least a day old; or those of one release",
                    kind,
                    [RELEASE],
                    errors=(404, 429, 503),
                )
            }
            for ending, kind in (
                ("csv", "text/csv"),
                ("jsonl", "application/x-ndjson"),
                ("parquet", "application/vnd.apache.parquet"),
            )
        },
    }


def _operation(
    summary: str,
    result: str,
    parameters: list[Json] | None = None,
    *,
    body: str | None = None,
    status: int = 200,
    errors: tuple[int, ...] = (),
) -> Json:
    found: Json = {
        "summary": summary,
        "parameters": parameters or [],
        "responses": {
            str(status): {"description": "Done", "content": {"application/json": {"schema": ref(result)}}},
            **_errors(errors),
        },
    }
    if body is not None:
        content = {
            kind: {"schema": ref(body)} for kind in ("application/json", "application/x-www-form-urlencoded")
        }
        found["requestBody"] = {"required": body == "Vote", "content": content}
    return found


def _file(summary: str, kind: str, parameters: list[Json], errors: tuple[int, ...] = (404, 503)) -> Json:
    content = {kind: {"schema": {"type": "string"}}}
    return {
        "summary": summary,
        "parameters": parameters,
        "responses": {"200": {"description": "A file", "content": content}, **_errors(errors)},
    }


def _errors(statuses: tuple[int, ...]) -> Json:
    content = {"application/problem+json": {"schema": ref("Problem")}}
    return {str(status): {"description": ERRORS[status], "content": content} for status in statuses}
