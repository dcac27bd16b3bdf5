"""A battle: two anonymous answers to one prompt, who may vote on it until when, and what the voter may see of it."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.votes import Outcome

ID_BYTES = 16  # 128 bits: nobody guesses the id of another visitor's battle
ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
HIDDEN_MODEL = "a private model"  # what a reveal calls a model that its owner has not published


@dataclass(frozen=True)
class Side:
    """One answer as a battle took it: everything a vote must remember, whatever happens to the bank later."""

    model: str
    prompt_id: str
    text: str
    traits: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None  # why votes on this answer do not count


@dataclass(frozen=True)
class Battle:
    """A battle as it was made. Side a is shown on the left."""

    battle_id: str
    visitor: str
    prompt: str
    a: Side
    b: Side
    categories: tuple[str, ...]
    language: str | None
    made_at: float  # seconds UTC
    expires_at: float  # seconds UTC
    drawn_p: float | None  # probability of drawing this pair
    rule: str | None  # the sampler's rule and version
    reason: str | None  # why a vote on it does not count

    @property
    def pair(self) -> tuple[str, str]:
        """The two models in order of name, whichever side they are on."""
        first, second = sorted((self.a.model, self.b.model))
        return first, second


@dataclass(frozen=True)
class BattleView:
    """All that a visitor may know before the vote: raw texts, no names."""

    battle_id: str
    prompt: str
    answer_a: str
    answer_b: str
    expires_at: float
    category: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class Receipt:
    """What became of a vote. `first` is False when this visitor had voted before; `outcome` is then the first one."""

    battle_id: str
    outcome: Outcome
    first: bool
    model_a: str
    model_b: str
    counted: bool
    reason: str | None
    at: float  # seconds UTC


def new_id() -> str:
    """A fresh opaque id: 128 random bits as hex, derived from nothing."""
    return secrets.token_hex(ID_BYTES)


def id_bytes(battle_id: str) -> bytes | None:
    """The 16 bytes of an id; None for anything that `new_id` cannot have made."""
    return bytes.fromhex(battle_id) if ID.fullmatch(battle_id) else None


def id_text(raw: bytes) -> str:
    """The id whose bytes are `raw`."""
    return raw.hex()


def digest(text: str) -> str:
    """Name of a text by its content: 128 bits of SHA-256, as hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def term(battle: Battle, side: Side) -> str:
    """What a vote says of one answer, as canonical JSON; equal for every battle that shows the same answer."""
    facts = {
        "m": side.model,
        "p": side.prompt_id,
        "l": battle.language,
        "c": list(battle.categories),
        "t": dict(side.traits),
        "h": digest(side.text),
        "q": digest(battle.prompt),
    }
    return json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
