"""Arenas of sound: TTS-Arena (chosen and rejected, the side is lost) and Music Arena."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import first_identifier, voter_of
from arena.importers.formats.registry import Sample, reader
from arena.importers.rules.checks import NO_OUTCOME, Checks
from arena.importers.rules.conversations import prompt_id, structure, text_id
from arena.importers.values.values import NotVote, Reject, boolean, identifier, is_missing, text
from arena.votes import Outcome, Vote

CHOSEN = ("model_chosen", "chosen_model_id", "chosen_model")
REJECTED = ("model_rejected", "rejected_model_id", "rejected_model")


def _is_tts(columns: Sequence[str], sample: Sample) -> bool:
    found = set(columns)
    return bool(found.intersection(CHOSEN)) and bool(found.intersection(REJECTED))


@reader("tts_arena", "TTS-Arena: model_chosen and model_rejected", ("model_type",), fits=_is_tts)
def tts_arena(row: Row, checks: Checks) -> Iterator[Vote]:
    """The chosen model is written first: which side it had is lost. Kinds of models are categories."""
    chosen_column, chosen = row.first(CHOSEN)
    rejected_column, rejected = row.first(REJECTED)
    names = checks.pair(chosen, rejected, (chosen_column, rejected_column))
    public = "counts_for_public_leaderboard"
    counts = public not in row.values or boolean(row.get(public), public) is not False
    kind = text(row.get("model_type"), "model_type")
    at_column, at = row.first(("vote_date", "timestamp"))
    yield Vote(
        vote_id=first_identifier(row, ("id",)) or "",
        model_a=names[0],
        model_b=names[1],
        outcome=Outcome.A,
        at=checks.times.read(at, at_column),
        voter=voter_of(row, ("user_id", "username", "session_id")),
        prompt=prompt_id(text(row.get("text"), "text")),
        categories=(kind,) if kind else (),
        reason="self_battle" if names[0] == names[1] else None if counts else "excluded_at_source",
        side_known=False,
    )


PREFERENCES = {"A": Outcome.A, "B": Outcome.B, "TIE": Outcome.TIE, "BOTH_BAD": Outcome.BOTH_BAD}


@reader("music_arena", "Music Arena battles", ("uuid", "a_metadata", "b_metadata", "vote"))
def music_arena(row: Row, checks: Checks) -> Iterator[Vote]:
    """A model is `system:variant`. Battles without a vote (health checks among them) are counted."""
    names = checks.pair(_system(row, "a_metadata"), _system(row, "b_metadata"), ("a_metadata", "b_metadata"))
    vote = structure(row.get("vote"))
    preference = vote.get("preference") if isinstance(vote, Mapping) else None
    if is_missing(preference):
        if not is_missing(vote) and not isinstance(vote, Mapping):
            raise Reject("vote", vote, "must be an object with a preference, or null")
        checks.named.update(names)
        raise NotVote(NO_OUTCOME)
    if not isinstance(preference, str) or preference not in PREFERENCES:
        raise Reject("vote", preference, f"unknown preference; known: {', '.join(PREFERENCES)}")
    yield Vote(
        vote_id=first_identifier(row, ("uuid",)) or "",
        model_a=names[0],
        model_b=names[1],
        outcome=PREFERENCES[preference],
        at=checks.times.read(vote.get("preference_time"), "vote"),
        voter=_voter(structure(row.get("vote_user"))),
        prompt=_prompt(structure(row.get("prompt"))),
        reason="self_battle" if names[0] == names[1] else None,
    )


def _system(row: Row, column: str) -> Any:
    metadata = structure(row.get(column))
    key = metadata.get("system_key") if isinstance(metadata, Mapping) else None
    if not isinstance(key, Mapping):
        raise Reject(column, metadata, "must hold system_key with system_tag and variant_tag")
    system, variant = (text(key.get(name), column) for name in ("system_tag", "variant_tag"))
    if system is None:
        raise Reject(column, None, "a system_tag is missing")
    return system if variant is None else f"{system}:{variant}"


def _voter(user: Any) -> str | None:
    if isinstance(user, Mapping):
        return identifier(user.get("salted_ip") or user.get("uuid"), "vote_user")
    return None


def _prompt(prompt: Any) -> str | None:
    """The hash of what was asked: a text, or an object with the text and its settings."""
    if isinstance(prompt, Mapping | list):
        return text_id(json.dumps(prompt, sort_keys=True, default=str))
    return prompt_id(text(prompt, "prompt"))
