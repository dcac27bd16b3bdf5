"""The part of the store that holds moderation events: whose votes do not count, since when and why."""

from __future__ import annotations

from dataclasses import dataclass

from arena.store import schema, string_table
from arena.store.client import Client


@dataclass(frozen=True)
class ModerationEvent:
    """Something noted about a voter. The last event of a voter holds."""

    event_id: str
    kind: str  # quarantine, lift
    voter: str
    why: str
    at: float  # seconds UTC
    by: str


class ModerationEvents:
    """Events are added, never edited; votes are not touched by them."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def quarantine(self, voter: str, *, why: str, at: float, by: str) -> str:
        """Let no vote of `voter` count, past or future, until it is lifted. Id of the event."""
        return self._note("quarantine", voter, why, at, by)

    def unquarantine(self, voter: str, *, why: str, at: float, by: str) -> str:
        """Let the votes of `voter` count again. Id of the event."""
        return self._note("lift", voter, why, at, by)

    def _note(self, kind: str, voter: str, why: str, at: float, by: str) -> str:
        keys = [schema.FACTS, schema.QUARANTINED, schema.STRINGS, schema.STRING_CODES]
        reply: bytes = self.client.script("fact", keys, [kind, voter, why, round(at * 1000), by])
        return reply.decode()

    def events(self) -> list[ModerationEvent]:
        """All events, in order."""
        entries = self.client.do("xrange", schema.FACTS)
        codes = sorted({int(fields[b"v"]) for _, fields in entries})
        names = dict(zip(codes, string_table.texts(self.client, codes), strict=True))
        return [
            ModerationEvent(
                event_id=key.decode(),
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
