"""The shapes of what the JSON routes take and give, as the OpenAPI document names them."""

from __future__ import annotations

from typing import Any

from ratings.releases.payloads import NUMBERS
from web import display

Json = dict[str, Any]


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def object_(required: Json, optional: Json | None = None) -> Json:
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


TEXT: Json = {"type": "string"}
MAYBE_TEXT: Json = {"type": ["string", "null"]}
COUNT: Json = {"type": "integer", "minimum": 0}
MAYBE_NUMBER: Json = {"type": ["number", "null"]}
MAYBE_COUNT: Json = {"type": ["integer", "null"]}
CHOICE: Json = {"type": "string", "enum": list(display.CHOICES)}
VIEW: Json = {"type": "string", "enum": ["plain", "style"]}
TIME: Json = {"type": "string", "format": "date-time"}


def list_(item: Json) -> Json:
    return {"type": "array", "items": item}


SCHEMAS: Json = {
    "Problem": object_(
        {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT, "code": TEXT}
    ),
    "Battle": object_(
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
            "choices": list_(CHOICE),
        },
        {"csrf_token": TEXT, "vote": {"anyOf": [ref("Receipt"), {"type": "null"}]}},
    ),
    "Vote": object_({"choice": CHOICE}, {"csrf_token": TEXT}),
    "Token": object_({}, {"csrf_token": TEXT}),
    "Receipt": object_(
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
    "Skipped": object_({"battle_id": TEXT, "skipped": {"type": "boolean"}}),
    "Forgotten": object_(
        {
            "forgotten": {"type": "boolean", "description": "false: there was nothing to forget"},
            "files": {"type": "string", "enum": ["now", "soon"]},
            "out_of_reach": TEXT,
        }
    ),
    "Standing": object_(
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
            "status": {"type": "string", "enum": list(display.STATUS)},
            "component": MAYBE_COUNT,
            "effective_voters": MAYBE_NUMBER,
            "rating_without_style": MAYBE_NUMBER,
            "why": MAYBE_TEXT,
        }
    ),
    "Board": object_(
        {
            "release": TEXT,
            "released_at": TIME,
            "board": TEXT,
            "title": TEXT,
            "collection": TEXT,
            "view": VIEW,
            "snapshot": {"type": "object"},
            "models": list_(ref("Standing")),
            "coefficients": list_({"type": "object"}),
            "dropped": list_({"type": "object"}),
            "warnings": list_(TEXT),
        }
    ),
    "Boards": object_(
        {"release": TEXT, "released_at": TIME, "default": MAYBE_TEXT, "boards": list_({"type": "object"})}
    ),
    "Pair": object_(
        {
            **dict.fromkeys(("a", "b"), TEXT),
            **dict.fromkeys(("wins", "losses", "ties", "both_bad"), COUNT),
            **dict.fromkeys(NUMBERS, MAYBE_NUMBER),
            "why": MAYBE_TEXT,
        }
    ),
    "Pairs": object_(
        {
            "release": TEXT,
            "board": TEXT,
            "view": VIEW,
            "snapshot": TEXT,
            "pairs_tested": MAYBE_COUNT,
            "correction": MAYBE_TEXT,
            "pairs": list_(ref("Pair")),
        }
    ),
    "Diagnosis": object_(
        {
            "release": TEXT,
            "board": TEXT,
            "view": VIEW,
            "snapshot": TEXT,
            "diagnosis": {"type": ["object", "null"]},
        }
    ),
    "Model": object_(
        {
            "model": TEXT,
            "release": TEXT,
            "boards": list_(
                object_(
                    {
                        "board": TEXT,
                        "snapshot": TEXT,
                        "standing": ref("Standing"),
                        "pairs_tested": MAYBE_COUNT,
                        "pairs": list_(ref("Pair")),
                        "history": list_({"type": "object"}),
                    }
                )
            ),
        }
    ),
    "Models": object_({"models": list_({"type": "object"}), "private": COUNT}),
    "Snapshots": object_({"release": TEXT, "snapshots": list_({"type": "object"})}),
    "Sampling": object_(
        {
            "rule": TEXT,
            "most_of_a_model": MAYBE_NUMBER,
            "most_of_newcomers_of_a_provider": MAYBE_NUMBER,
            "pairs": list_({"type": "object"}),
            "p_with_private_models": MAYBE_NUMBER,
        }
    ),
    "Changes": object_({"changes": list_({"type": "object"}), "head": TEXT}),
}
