"""The part of the store that holds what is known beside the votes: quarantines, forgotten voters, the ledger."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from arena.store import schema
from arena.store.visitor import VisitorPart

GLOB = "*?[]^\\"
LIMITS = "LIMITS:"  # how the web's counters of requests begin; the library names them
BATTLES_AT_ONCE = 1_000
PSEUDONYM = "forgotten-"  # how the name of a voter begins whose tie to a cookie was cut


@dataclass(frozen=True)
class Fact:
    """Something noted about a voter. The last fact of a voter holds."""

    fact_id: str
    kind: str  # quarantine, lift
    voter: str
    why: str
    at: float  # seconds UTC
    by: str


class FactsPart(VisitorPart):
    """Facts are added, never edited; votes are not touched by them."""

    def quarantine(self, voter: str, *, why: str, at: float, by: str) -> str:
        """Let no vote of `voter` count, past or future, until it is lifted. Id of the fact."""
        return self._note("quarantine", voter, why, at, by)

    def lift(self, voter: str, *, why: str, at: float, by: str) -> str:
        """Let the votes of `voter` count again. Id of the fact."""
        return self._note("lift", voter, why, at, by)

    def _note(self, kind: str, voter: str, why: str, at: float, by: str) -> str:
        keys = [schema.FACTS, schema.QUARANTINED, schema.TERMS, schema.CODES]
        reply: bytes = self.client.script("fact", keys, [kind, voter, why, round(at * 1000), by])
        return reply.decode()

    def facts(self) -> list[Fact]:
        """All facts, in order."""
        entries = self.client.do("xrange", schema.FACTS)
        codes = sorted({int(fields[b"v"]) for _, fields in entries})
        names = dict(zip(codes, self._texts(codes), strict=True))
        return [
            Fact(
                fact_id=key.decode(),
                kind=fields[b"k"].decode(),
                voter=names[int(fields[b"v"])],
                why=fields[b"y"].decode(),
                at=int(fields[b"t"]) / 1000,
                by=fields[b"by"].decode(),
            )
            for key, fields in entries
        ]

    def quarantined(self) -> set[str]:
        """Voters whose votes do not count now."""
        return {voter.decode() for voter in self.client.do("smembers", schema.QUARANTINED)}

    def forget(self, voter: str) -> bool:
        """Begin to forget `voter`: his votes get a pseudonym that nothing leads to, and he is served no more; False if unknown.

        `erase` and the archive's next run do the rest; begun again, it goes on with the same pseudonym.
        """
        keys = [
            schema.TERMS,
            schema.CODES,
            schema.QUARANTINED,
            schema.FORGOTTEN,
            schema.visitor(voter),
            schema.visitor_votes(voter),
            schema.open_battle(voter),
        ]
        return bool(self.client.script("forget", keys, [voter, PSEUDONYM + secrets.token_hex(12)]))

    def forgotten(self) -> dict[str, str]:
        """Voters (and their pseudonyms) that archived votes may still name."""
        pairs = self.client.do("hgetall", schema.FORGOTTEN)
        return {voter.decode(): pseudonym.decode() for voter, pseudonym in pairs.items()}

    def erase(self, voter: str) -> None:
        """Drop every key that names `voter`, and every battle of his, open or voted."""
        name = "".join(f"[{letter}]" if letter in GLOB else letter for letter in voter)
        for keys in (self.client.keys(f"{schema.ROOT}*{name}"), self.client.keys(f"{LIMITS}*{name}")):
            for key in keys:
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

    def ledger_head(self) -> str:
        """Hash of the newest entry of the ledger; empty before the first."""
        head = self.client.do("get", schema.LEDGER_HEAD)
        return "" if head is None else head.decode()

    def ledger_append(self, before: str, digest: str, entry: str) -> bool:
        """Append an entry after the one with hash `before`; False when another came first."""
        keys = [schema.LEDGER, schema.LEDGER_HEAD]
        return bool(self.client.script("ledger", keys, [before, digest, entry]))

    def ledger_entries(self) -> list[tuple[str, str]]:
        """All entries of the ledger in order, as (JSON, hash)."""
        entries = self.client.do("xrange", schema.LEDGER)
        return [(fields[b"e"].decode(), fields[b"h"].decode()) for _, fields in entries]
