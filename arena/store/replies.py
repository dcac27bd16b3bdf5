"""What goes into the store's scripts and comes out of them: quotas, a stored battle, the fate of a vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.store import schema
from arena.store.encoding import AnswerTerm
from arena.votes import Outcome

DAY = 86_400
HOUR = 3_600


@dataclass(frozen=True)
class Quota:
    """At most `limit` of a kind by one visitor or network within one period."""

    kind: str
    who: str
    period: str
    limit: int
    seconds: int

    @property
    def key(self) -> str:
        return schema.quota(self.kind, self.who, self.period)


@dataclass(frozen=True)
class Quotas:
    """Most that one visitor, or one network (/24, /64), may do."""

    votes_per_visitor_day: int = 500
    votes_per_network_day: int = 5000  # ten visitors at their quota: a class shares one address
    skips_per_visitor_hour: int = 60

    def of_vote(self, visitor: str, network: str | None, now: float) -> Sequence[Quota]:
        """The quotas that a vote at `now` (seconds UTC) counts against. `network`: hash of the network of that day."""
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        quotas = [Quota("votes", visitor, day, self.votes_per_visitor_day, DAY)]
        if network is not None:
            quotas.append(Quota("network", network, day, self.votes_per_network_day, DAY))
        return quotas

    def of_skip(self, visitor: str, now: float) -> Sequence[Quota]:
        """The quotas that a skip at `now` (seconds UTC) counts against."""
        return [Quota("skips", visitor, f"{int(now // HOUR)}", self.skips_per_visitor_hour, HOUR)]


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
    quota: int | None = None  # which quota refused, from 0
    retry_after_seconds: int = 0


def numbers(quotas: Sequence[Quota]) -> list[int]:
    """Limit and length of each, as the scripts take them."""
    return [number for quota in quotas for number in (quota.limit, quota.seconds)]


def quota_reply(reply: Sequence[bytes]) -> VoteReply:
    """The reply of a script that a quota stopped."""
    return VoteReply("capped", quota=int(reply[1]), retry_after_seconds=max(1, -(-int(reply[2]) // 1000)))
