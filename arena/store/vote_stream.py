"""The part of the store that holds votes: cast once, read in order, trimmed when archived."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from arena.battles import id_bytes
from arena.store import encoding, schema, string_table
from arena.store.client import Client
from arena.store.encoding import milliseconds, text
from arena.store.replies import Quota, VoteReply, numbers, quota_reply
from arena.store.visitors import VISITOR_SECONDS, challenge_period
from arena.votes import Outcome, Vote

CHALLENGE_SECONDS = 2 * 86_400
PAGE = 5_000  # votes read at once


class VoteStream:
    """Votes in the order in which they came. They are added, never edited."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def cast(
        self,
        battle_id: str,
        visitor: str,
        outcome: Outcome,
        *,
        now: float,
        reason: str | None = None,
        challenge: str | None = None,
        quotas: Sequence[Quota] = (),
    ) -> VoteReply:
        """Cast a vote: one script, all or nothing, once. A repeat gets the first answer and spends no quota."""
        raw = id_bytes(battle_id)
        if raw is None:
            return VoteReply("none")
        reply = self.client.script(
            "vote",
            [
                schema.battle(battle_id),
                schema.VOTES,
                schema.STRINGS,
                schema.STRING_CODES,
                schema.PAIRS,
                schema.COUNTS,
                schema.QUARANTINED,
                schema.open_battle(visitor),
                schema.visitor(visitor),
                schema.visitor_votes(visitor),
                schema.challenge(challenge_period(now)),
                schema.FORGOTTEN,
                *(quota.key for quota in quotas),
            ],
            [
                visitor,
                int(outcome),
                milliseconds(now),
                raw,
                secrets.token_bytes(8),
                reason or "",
                challenge or "",
                VISITOR_SECONDS,
                CHALLENGE_SECONDS,
                *numbers(quotas),
            ],
        )
        status = text(reply[0])
        if status == "capped":
            return quota_reply(reply)
        if status not in ("voted", "repeat"):
            return VoteReply(status)
        return VoteReply(
            status,
            outcome=Outcome(int(reply[1])),
            reason=text(reply[2]) or None,
            at=int(reply[3]) / 1000,
            vote_key=text(reply[4]),
            models=(encoding.answer_term(text(reply[5])).model, encoding.answer_term(text(reply[6])).model),
        )

    def count(self) -> int:
        """Votes cast here since the beginning, archived ones included."""
        return int(self.client.do("hget", schema.COUNTS, "votes") or 0)

    def pair_counts(self) -> dict[tuple[str, str], int]:
        """Votes that count, by pair of models in order of name."""
        values = self.client.do("hgetall", schema.PAIRS)
        found = {}
        for name, value in values.items():
            first, _, second = text(name).partition("\t")
            found[first, second] = int(value)
        return found

    def read(self, after_id: str | None = None, limit: int | None = None) -> list[tuple[str, Vote]]:
        """Votes of the stream in order, with their ids, from the first one after `after_id`."""
        found: list[tuple[str, Vote]] = []
        last, strings = after_id, list[str]()
        while limit is None or len(found) < limit:
            size = PAGE if limit is None else min(PAGE, limit - len(found))
            start = f"({last}" if last else "-"
            entries = self._entries(start, size)
            if not entries:
                break
            strings += string_table.read(
                self.client, len(strings)
            )  # after the entries, so that every code in them is known
            for key, fields in entries:
                found.append((text(key), encoding.vote(text(key), fields, strings)))
            last = found[-1][0]
        return found

    def _entries(self, start: str, size: int) -> list[tuple[bytes, dict[bytes, bytes]]]:
        entries: list[tuple[bytes, dict[bytes, bytes]]] = self.client.do(
            "xrange", schema.VOTES, start, "+", size
        )
        return entries

    def last_key(self) -> str | None:
        """Id of the newest entry of the votes stream."""
        entries = self.client.do("xrevrange", schema.VOTES, count=1)
        return entries[0][0].decode() if entries else None

    def trim(self, last_archived: str) -> int:
        """Drop the votes up to and including this id from the stream. Only for what the archive holds safely."""
        ms, _, sequence = last_archived.partition("-")
        after = f"{ms}-{int(sequence) + 1}"
        return int(self.client.do("xtrim", schema.VOTES, minid=after, approximate=False))

    def continue_after(self, archived: str) -> bool:
        """Give new votes ids above this one, which the archive holds; False when they have them already.

        A stream that begins anew (a restored backup, a lost store) takes its ids from the clock. One below the last
        archived id would never be read.
        """
        return bool(self.client.script("continue", [schema.VOTES], [archived]))

    def accept_unchecked(self, until: float) -> None:
        """Let votes that could not be checked and were cast before `until` (seconds UTC) count, from the next fit on."""
        self.client.do("set", schema.UNCHECKED_UNTIL, round(until * 1000))

    def unchecked_until(self) -> float:
        """Unchecked votes cast before this (seconds UTC) count; 0.0 before the owner has said so."""
        return int(self.client.do("get", schema.UNCHECKED_UNTIL) or 0) / 1000
