"""The part of the store that remembers one visitor: his own votes, how much he voted and skipped; and challenges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.store import encoding, schema
from arena.store.client import Client
from arena.votes import Outcome

PERIOD_SECONDS = 600  # an hour of challenges is counted in pieces of this length


@dataclass(frozen=True)
class OwnVote:
    """One vote as its voter may see it again."""

    at: float  # seconds UTC
    prompt_id: str
    model_a: str
    model_b: str
    outcome: Outcome
    reason: str | None  # why it does not count


@dataclass(frozen=True)
class Visits:
    """How much a visitor did here."""

    battles: int = 0
    votes: int = 0
    skips: int = 0
    first_at: float | None = None
    last_at: float | None = None

    @property
    def skipped_share(self) -> float | None:
        """Share of decided battles that were skipped: who waits for one model skips most of them."""
        decided = self.votes + self.skips
        return self.skips / decided if decided else None


class VisitorPart:
    """What the store knows of a visitor hash."""

    client: Client

    def own_votes(self, visitor: str) -> list[OwnVote]:
        """All votes of this visitor, newest first."""
        lines = self.client.do("lrange", schema.visitor_votes(visitor), 0, -1)
        rows = [line.decode().split(" ") for line in lines]
        codes = sorted({int(code) for row in rows for code in (row[1], row[2], row[4])})
        texts = dict(zip(codes, self._texts(codes), strict=True))
        return [_own(row, texts) for row in reversed(rows)]

    def visits(self, visitor: str) -> Visits:
        """How often this visitor opened, voted and skipped."""
        values = self.client.do("hgetall", schema.visitor(visitor))
        counts = {name.decode(): int(value) for name, value in values.items() if name != b"seen"}
        first, last = counts.get("first"), counts.get("last")
        return Visits(
            counts.get("battles", 0),
            counts.get("votes", 0),
            counts.get("skips", 0),
            None if first is None else first / 1000,
            None if last is None else last / 1000,
        )

    def challenges(self, now: float) -> dict[str, int]:
        """Votes of the hour before `now` (to ten minutes) by state of their challenge: passed, failed, unchecked."""
        keys = [
            schema.challenge(challenge_period(now - back * PERIOD_SECONDS))
            for back in range(3600 // PERIOD_SECONDS + 1)
        ]
        replies = self.client.pipe(lambda pipe: [pipe.hgetall(key) for key in keys])
        totals: dict[str, int] = {}
        for reply in replies:
            for state, count in reply.items():
                totals[state.decode()] = totals.get(state.decode(), 0) + int(count)
        return totals

    def accept_unchecked(self, until: float) -> None:
        """Let votes that could not be checked and were cast before `until` (seconds UTC) count, from the next fit on."""
        self.client.do("set", schema.UNCHECKED_UNTIL, round(until * 1000))

    def unchecked_until(self) -> float:
        """Unchecked votes cast before this (seconds UTC) count; 0.0 before the owner has said so."""
        return int(self.client.do("get", schema.UNCHECKED_UNTIL) or 0) / 1000

    def _texts(self, codes: list[int]) -> list[str]:
        if not codes:
            return []
        replies = self.client.pipe(lambda pipe: [pipe.lindex(schema.TERMS, code) for code in codes])
        return [text.decode("utf-8") for text in replies]


def challenge_period(now: float) -> str:
    """Name of the ten minutes that hold `now`."""
    return str(int(now // PERIOD_SECONDS))


def _own(row: list[str], texts: Mapping[int, str]) -> OwnVote:
    at, a, b, outcome, why = row
    first, second = encoding.answer_term(texts[int(a)]), encoding.answer_term(texts[int(b)])
    return OwnVote(
        at=int(at) / 1000,
        prompt_id=first.prompt_id,
        model_a=first.model,
        model_b=second.model,
        outcome=Outcome(int(outcome)),
        reason=texts[int(why)] or None,
    )
