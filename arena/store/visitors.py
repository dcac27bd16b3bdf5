"""The part of the store that remembers one visitor: his own votes, how much he voted and skipped; forgetting him; and challenges."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from arena.store import encoding, schema, string_table
from arena.store.client import Client
from arena.votes import Outcome

MARKS = re.compile(r"[:/{}]")  # between the parts of a key
GLOB = "*?[]^\\"
BATTLES_AT_ONCE = 1_000
PSEUDONYM = "forgotten-"  # how the name of a voter begins whose tie to a cookie was cut
VISITOR_SECONDS = (
    400 * 86_400
)  # a visitor who stays away so long is forgotten by the store (not by the votes)
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


class Visitors:
    """What the store knows of a visitor hash."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def own_votes(self, visitor: str) -> list[OwnVote]:
        """All votes of this visitor, newest first."""
        lines = self.client.do("lrange", schema.visitor_votes(visitor), 0, -1)
        rows = [line.decode().split(" ") for line in lines]
        codes = sorted({int(code) for row in rows for code in (row[1], row[2], row[4])})
        texts = dict(zip(codes, string_table.texts(self.client, codes), strict=True))
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

    def forget(self, voter: str) -> bool:
        """Begin to forget `voter`: his votes get a pseudonym that nothing leads to, and he is served no more; False if unknown.

        `erase` and the archive's next run do the rest; begun again, it goes on with the same pseudonym.
        """
        keys = [
            schema.STRINGS,
            schema.STRING_CODES,
            schema.QUARANTINED,
            schema.FORGOTTEN,
            schema.visitor(voter),
            schema.visitor_votes(voter),
            schema.open_battle(voter),
            schema.FORGETTINGS,
        ]
        return bool(self.client.script("forget", keys, [voter, PSEUDONYM + secrets.token_hex(12)]))

    def forgettings(self) -> int:
        """How often a voter was forgotten: votes that were read before a change of it may still name one."""
        return int(self.client.do("get", schema.FORGETTINGS) or 0)

    def has_met(self, visitor: str) -> bool:
        """Does the store keep a page, an open battle or counts of this visitor?"""
        keys = (schema.visitor(visitor), schema.visitor_votes(visitor), schema.open_battle(visitor))
        return any(self.client.pipe(lambda pipe: [pipe.exists(key) for key in keys]))

    def forgotten(self) -> dict[str, str]:
        """Voters (and their pseudonyms) that archived votes may still name."""
        pairs = self.client.do("hgetall", schema.FORGOTTEN)
        return {voter.decode(): pseudonym.decode() for voter, pseudonym in pairs.items()}

    def erase(self, voter: str) -> None:
        """Drop every key that names `voter`, and every battle of his, open or voted."""
        name = "".join(f"[{letter}]" if letter in GLOB else letter for letter in voter)
        for key in self.client.keys(
            f"*{name}"
        ):  # the counters of the web's limits too, which a library names
            if _is_of(key, voter):
                self.client.do("delete", key)
        battles = self.client.keys(schema.battle(""))
        for low in range(0, len(battles), BATTLES_AT_ONCE):
            page = battles[low : low + BATTLES_AT_ONCE]
            owners = self.client.pipe(lambda pipe, page=page: [pipe.hget(key, "v") for key in page])  # type: ignore[misc]
            for key, owner in zip(page, owners, strict=True):
                if owner == voter.encode():
                    self.client.do("delete", key)

    def forgotten_everywhere(self, voters: list[str]) -> None:
        """The archive names these voters no more: drop the last entry that ties them to their votes."""
        if voters:
            self.client.do("hdel", schema.FORGOTTEN, *voters)


def _is_of(key: str, visitor: str) -> bool:
    """Does this key belong to `visitor`: his page, his open battle, or what counts him, here or in the web's limits?"""
    return visitor in MARKS.split(key) and key not in vars(schema).values()


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
