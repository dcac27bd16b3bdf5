"""Open WebUI's feedback export: a thumb up or down for one answer, against each of its siblings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import categories_value
from arena.importers.formats.registry import reader
from arena.importers.rules.checks import Checks
from arena.importers.values.values import NotVote, Reject, identifier, is_missing
from arena.votes import Outcome, Vote

MASK = "arena-model"  # what the wrapper of blind battles is called
RATINGS = {"1": Outcome.A, "-1": Outcome.B}


@reader("openwebui", "Open WebUI feedback export", ("id", "type", "data", "meta"))
def openwebui(row: Row, checks: Checks) -> Iterator[Vote]:
    """One vote for each sibling, weight 1/k; they share the voter. Ratings without siblings compare nothing.

    The order on the screen is not recorded. Battles with names in sight (`arena: false`) do not count.
    """
    if row.get("type") != "rating":
        raise NotVote("no_rating")
    data, meta = row.get("data"), row.get("meta")
    if not isinstance(data, Mapping):
        raise NotVote("no_data")
    meta = meta if isinstance(meta, Mapping) else {}
    siblings = _siblings(data)
    outcome = _outcome(data.get("rating"))
    model, others = _models(data.get("model_id"), siblings, meta, row.get("snapshot"), checks)
    record = identifier(row.get("id"), "id")
    tags = [tag for part in (data, meta) for tag in categories_value(part.get("tags"), "tags")]
    categories = tuple(dict.fromkeys(tags))
    ids = checks.ids_of(record, others)
    for name, vote_id in zip(others, ids, strict=True):
        yield Vote(
            vote_id=vote_id,
            model_a=model,
            model_b=name,
            outcome=outcome,
            at=checks.times.read(row.get("created_at"), "created_at"),
            categories=categories,
            voter=identifier(row.get("user_id"), "user_id") or _session(meta, record),
            reason="not_blind" if meta.get("arena") is False else None,
            side_known=False,
            weight=1 / len(others),
        )


def _siblings(data: Mapping[str, Any]) -> Sequence[Any]:
    siblings = data.get("sibling_model_ids")
    if is_missing(siblings) or siblings == []:
        raise NotVote("no_sibling")
    if not isinstance(siblings, list):
        raise Reject("sibling_model_ids", siblings, "must be a list of models")
    return siblings


def _outcome(rating: Any) -> Outcome:
    if is_missing(rating):
        raise NotVote("no_rating")
    word = str(rating) if isinstance(rating, int | float | str) and not isinstance(rating, bool) else ""
    word = word.removesuffix(".0")  # as a table of numbers has it
    if word == "0":
        raise NotVote("rating_0")
    if word not in RATINGS:
        raise Reject("rating", rating, "unknown rating; known: 1, -1, 0")
    return RATINGS[word]


def _models(
    model: Any, siblings: Sequence[Any], meta: Mapping[str, Any], snapshot: Any, checks: Checks
) -> tuple[str, list[str]]:
    """The rated model and its distinct siblings, the mask of blind battles taken off."""
    messages = _messages(snapshot)
    rated = messages.get(str(meta.get("message_id")), {})
    name = checks.names.read(_unmasked(model, [rated]), "model_id")
    beside = [
        message
        for key, message in messages.items()
        if message.get("parentId") == rated.get("parentId") and key != str(meta.get("message_id"))
    ]
    masked = [other for other in siblings if other == MASK]
    if masked and len(masked) == len(siblings) and len(beside) >= len(masked):
        siblings = [_unmasked(MASK, [message]) for message in beside]
    others = [checks.names.read(_unmasked(other, []), "sibling_model_ids") for other in siblings]
    distinct = list(dict.fromkeys(others))
    if len(distinct) < len(others):
        checks.count("repeated siblings counted once")
    if name in distinct:
        distinct.remove(name)
        if not distinct:
            raise NotVote("self_sibling")
        checks.count("siblings that are the rated model itself left out")
    return name, distinct


def _messages(snapshot: Any) -> dict[str, Mapping[str, Any]]:
    """The messages of the chat as it was, by id; empty if there is no snapshot."""
    found = snapshot
    for key in ("chat", "chat", "history", "messages"):
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        return {}
    return {key: message for key, message in found.items() if isinstance(message, Mapping)}


def _unmasked(model: Any, messages: Sequence[Mapping[str, Any]]) -> Any:
    if model != MASK:
        return model
    for message in messages:
        chosen = message.get("selectedModelId")
        if isinstance(chosen, str) and chosen and chosen != MASK:
            return chosen
    raise Reject(
        "model_id", model, "is the mask of a blind battle; the export does not say which model it was"
    )


def _session(meta: Mapping[str, Any], record: str | None) -> str | None:
    """Without a user the chat is the voter, and at least the record: its votes are one judgment."""
    chat = meta.get("chat_id")
    return chat if isinstance(chat, str) and chat else record
