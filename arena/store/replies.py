"""What goes into the store's scripts and comes out of them: caps, a stored battle, the fate of a vote."""

from __future__ import annotations

from dataclasses import dataclass

from arena.store import schema
from arena.store.encoding import AnswerTerm
from arena.votes import Outcome


@dataclass(frozen=True)
class Cap:
    """At most `limit` of a kind by one visitor or network within one period."""

    kind: str
    who: str
    period: str
    limit: int
    seconds: int

    @property
    def key(self) -> str:
        return schema.cap(self.kind, self.who, self.period)


@dataclass(frozen=True)
class StoredBattle:
    """A battle as the store remembers it."""

    visitor: str
    expires_at: float
    a: AnswerTerm
    b: AnswerTerm
    outcome: Outcome | None  # None: no vote yet
    reason: str | None
    at: float | None
    skipped: bool

    def is_open(self, now: float) -> bool:
        """Can it be voted on at `now` (seconds UTC)?"""
        return self.outcome is None and not self.skipped and now < self.expires_at


@dataclass(frozen=True)
class VoteReply:
    """What the vote script said."""

    status: str  # voted, repeat, none, other, skipped, expired, capped
    outcome: Outcome | None = None
    reason: str | None = None
    at: float | None = None
    vote_key: str | None = None  # id of the entry in the stream
    models: tuple[str, str] = ("", "")
    cap: int | None = None  # which cap refused, from 0
    retry_after_seconds: int = 0
