"""A vote as the store keeps it: short repeated fields, names by code; and back to a `Vote`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from arena.battles import id_text
from arena.votes import Outcome, Vote

# Fields of an entry of the votes stream. `lua/vote.lua` writes them, always in this order:
#   i battle id (16 bytes)   v voter (code)   a, b answers (codes)   o outcome   p probability of the draw
#   r rule (code)   w reason (code; 0 counts)   t seconds UTC in ms   d ms from opening to voting


@dataclass(frozen=True)
class AnswerTerm:
    """What a vote says of one answer. Digests tell which text it was without holding the text."""

    model: str
    prompt_id: str
    language: str | None
    categories: tuple[str, ...]
    traits: Mapping[str, float]
    answer_digest: str
    prompt_digest: str


@lru_cache(maxsize=1 << 17)
def answer_term(term: str) -> AnswerTerm:
    """The facts that `battles.term` wrote."""
    facts = json.loads(term)
    return AnswerTerm(
        facts["m"], facts["p"], facts["l"], tuple(facts["c"]), facts["t"], facts["h"], facts["q"]
    )


def vote(entry_id: str, entry: Mapping[bytes, bytes], terms: Sequence[str]) -> Vote:
    """The vote of one entry of the stream. `terms` are the texts of the codes.

    The id of a vote is the id of its battle. Raises `KeyError`, `IndexError` or `ValueError` on a foreign entry.
    """
    a = answer_term(terms[int(entry[b"a"])])
    b = answer_term(terms[int(entry[b"b"])])
    return Vote(
        vote_id=id_text(entry[b"i"]),
        model_a=a.model,
        model_b=b.model,
        outcome=Outcome(int(entry[b"o"])),
        at=int(entry[b"t"]) / 1000,
        voter=terms[int(entry[b"v"])],
        prompt=a.prompt_id,
        language=a.language,
        categories=a.categories,
        traits={name: (a.traits[name], b.traits[name]) for name in a.traits if name in b.traits},
        drawn_p=float(entry[b"p"]) if entry[b"p"] else None,
        rule=terms[int(entry[b"r"])] or None,
        reason=terms[int(entry[b"w"])] or None,
        dwell_seconds=int(entry[b"d"]) / 1000,
        digests=(a.prompt_digest, a.answer_digest, b.answer_digest),
    )


def milliseconds(seconds: float) -> int:
    """An instant or a length as the store keeps it."""
    return round(seconds * 1000)


def text(value: bytes | str) -> str:
    """What the store returned, as text."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
