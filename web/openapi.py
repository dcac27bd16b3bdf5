"""The OpenAPI document of the JSON routes: what goes in, what comes out, which errors, which limits."""

from __future__ import annotations

from typing import Any

from web import limits, words
from web.guard import TOKEN_HEADER
from web.options import Options

Json = dict[str, Any]

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
        f"votes a minute, {options.votes_per_day} votes a day, {limits.DOWNLOADS_PER_MINUTE} exports a minute."
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
        "/leaderboards": {"get": _operation("The boards of the release", "Boards", errors=(404, 503))},
        "/leaderboard": {
            "get": _operation("The first board with votes", "Board", [STYLE], errors=(404, 503))
        },
        "/leaderboard/{board}": {"get": _operation("One board", "Board", [BOARD, STYLE], errors=(404, 503))},
        "/leaderboard.csv": {"get": _file("The first board with votes as CSV", "text/csv", [STYLE])},
        "/leaderboard/{board}.csv": {"get": _file("One board as CSV", "text/csv", [BOARD, STYLE])},
        "/pairs": {
            "get": _operation("Votes between pairs, first board", "Pairs", [STYLE], errors=(404, 503))
        },
        "/pairs/{board}": {
            "get": _operation("Votes between pairs", "Pairs", [BOARD, STYLE], errors=(404, 503))
        },
        "/models": {"get": _operation("Models that may be named", "Models", errors=(503,))},
        "/snapshots": {"get": _operation("Snapshots over releases", "Snapshots", errors=(404, 503))},
        "/sampling": {"get": _operation("How pairs are drawn now", "Sampling", errors=(503,))},
        "/changes": {"get": _operation("What the owners did", "Changes", errors=(503,))},
        **{
            f"/export/votes.{ending}": {"get": _file("Votes at least a day old", kind, [], errors=(429, 503))}
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
            str(status): {"description": "Done", "content": {"application/json": {"schema": _ref(result)}}},
            **_errors(errors),
        },
    }
    if body is not None:
        content = {
            kind: {"schema": _ref(body)} for kind in ("application/json", "application/x-www-form-urlencoded")
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
    content = {"application/problem+json": {"schema": _ref("Problem")}}
    return {str(status): {"description": ERRORS[status], "content": content} for status in statuses}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: Json, optional: Json | None = None) -> Json:
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


TEXT: Json = {"type": "string"}
MAYBE_TEXT: Json = {"type": ["string", "null"]}
COUNT: Json = {"type": "integer", "minimum": 0}
MAYBE_NUMBER: Json = {"type": ["number", "null"]}
MAYBE_COUNT: Json = {"type": ["integer", "null"]}
CHOICE: Json = {"type": "string", "enum": list(words.CHOICES)}
TIME: Json = {"type": "string", "format": "date-time"}


def _list(item: Json) -> Json:
    return {"type": "array", "items": item}


SCHEMAS: Json = {
    "Problem": _object(
        {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT, "code": TEXT}
    ),
    "Battle": _object(
        {
            "battle_id": TEXT,
            "prompt": TEXT,
            "answer_a": TEXT,
            "answer_b": TEXT,
            "prompt_html": TEXT,
            "answer_a_html": TEXT,
            "answer_b_html": TEXT,
            "category": MAYBE_TEXT,
            "language": MAYBE_TEXT,
            "expires_at": TIME,
            "choices": _list(CHOICE),
        },
        {"csrf_token": TEXT, "vote": {"anyOf": [_ref("Receipt"), {"type": "null"}]}},
    ),
    "Vote": _object({"choice": CHOICE}, {"csrf_token": TEXT}),
    "Token": _object({}, {"csrf_token": TEXT}),
    "Receipt": _object(
        {
            "battle_id": TEXT,
            "choice": CHOICE,
            "first": {"type": "boolean"},
            "model_a": TEXT,
            "model_b": TEXT,
            "counted": {"type": "boolean"},
            "reason": MAYBE_TEXT,
            "at": TIME,
        }
    ),
    "Skipped": _object({"battle_id": TEXT, "skipped": {"type": "boolean"}}),
    "Standing": _object(
        {
            "model": TEXT,
            "rank": MAYBE_COUNT,
            "rank_low": MAYBE_COUNT,
            "rank_high": MAYBE_COUNT,
            "rating": MAYBE_NUMBER,
            "low": MAYBE_NUMBER,
            "high": MAYBE_NUMBER,
            "se": MAYBE_NUMBER,
            "votes": COUNT,
            "wins": COUNT,
            "losses": COUNT,
            "ties": COUNT,
            "both_bad": COUNT,
            "win_rate": MAYBE_NUMBER,
            "status": {"type": "string", "enum": list(words.STATUS)},
            "component": MAYBE_COUNT,
            "effective_voters": MAYBE_NUMBER,
            "rating_without_style": MAYBE_NUMBER,
            "why": MAYBE_TEXT,
        }
    ),
    "Board": _object(
        {
            "release": TEXT,
            "released_at": TIME,
            "board": TEXT,
            "title": TEXT,
            "collection": TEXT,
            "view": {"type": "string", "enum": ["plain", "style"]},
            "snapshot": {"type": "object"},
            "models": _list(_ref("Standing")),
            "coefficients": _list({"type": "object"}),
            "dropped": _list({"type": "object"}),
            "warnings": _list(TEXT),
        }
    ),
    "Boards": _object(
        {"release": TEXT, "released_at": TIME, "default": MAYBE_TEXT, "boards": _list({"type": "object"})}
    ),
    "Pairs": _object({"release": TEXT, "board": TEXT, "snapshot": TEXT, "pairs": _list({"type": "object"})}),
    "Models": _object({"models": _list({"type": "object"}), "private": COUNT}),
    "Snapshots": _object({"release": TEXT, "snapshots": _list({"type": "object"})}),
    "Sampling": _object(
        {"rule": TEXT, "pairs": _list({"type": "object"}), "p_with_private_models": MAYBE_NUMBER}
    ),
    "Changes": _object({"changes": _list({"type": "object"}), "head": TEXT}),
}
