"""The store: battles and votes in Redis or Valkey. With `store_*.py`, the only place that speaks to it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from arena.battles import Battle, id_bytes, term
from arena.battles import digest as text_digest
from arena.store import encoding, schema
from arena.store.admin import AdminPart
from arena.store.client import Client
from arena.store.facts import FactsPart
from arena.store.locks import Locks
from arena.store.owner import OwnerPart
from arena.store.releases import StoredReleases
from arena.store.replies import Cap, StoredBattle, VoteReply
from arena.store.visitor import challenge_period
from arena.store.worker import WorkerNotes
from arena.votes import Outcome, Vote

KEEP_SECONDS = 86_400  # a battle answers repeats of its vote for a day after it would have expired
VISITOR_SECONDS = (
    400 * 86_400
)  # a visitor who stays away so long is forgotten by the store (not by the votes)
CHALLENGE_SECONDS = 2 * 86_400
PAGE = 5_000  # votes read at once


class Store(FactsPart, AdminPart, OwnerPart):
    """Battles, votes and what stands beside them. Every method raises `StoreUnavailable` when the store fails."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.releases = StoredReleases(client)
        self.locks = Locks(client)
        self.worker = WorkerNotes(client)

    @classmethod
    def open(cls, url: str, *, timeout_seconds: float = 2.0) -> Store:
        """A store that connects at its first use. `url`: redis://, rediss://, unix:// or redis+cluster://."""
        return cls(Client(url, timeout_seconds))

    def close(self) -> None:
        self.client.close()

    def ping(self) -> None:
        """Raise `StoreUnavailable` unless the store answers."""
        self.client.do("ping")

    # battles

    def open_battle(self, battle: Battle, seen: Sequence[str] = ()) -> str:
        """Keep `battle` unless its visitor has an open one; the id of whichever is open now, "" while he is being forgotten.

        `seen`: marks of the prompts that he has met, this one included.
        """
        texts = {text_digest(text): text for text in (battle.prompt, battle.a.text, battle.b.text)}
        seconds = max(1, round(battle.expires_at - battle.made_at))
        reply = self.client.script(
            "open",
            [
                schema.battle(battle.battle_id),
                schema.open_battle(battle.visitor),
                schema.TERMS,
                schema.CODES,
                schema.COUNTS,
                schema.visitor(battle.visitor),
                schema.FORGOTTEN,
                *map(schema.text, texts),
            ],
            [
                battle.battle_id,
                battle.visitor,
                _ms(battle.made_at),
                _ms(battle.expires_at),
                seconds,
                seconds + KEEP_SECONDS,
                term(battle, battle.a),
                term(battle, battle.b),
                "" if battle.drawn_p is None else f"{battle.drawn_p:.9g}",
                battle.rule or "",
                battle.reason or "",
                "\t".join(battle.pair),
                VISITOR_SECONDS,
                " ".join(seen),
                *texts.values(),
            ],
        )
        return _text(reply[0])

    def open_battle_of(self, visitor: str, now: float) -> tuple[str | None, list[str]]:
        """Id of the battle that `visitor` has open at `now`, and marks of the prompts that he met last."""
        value, seen = self.client.pipe(
            lambda pipe: (pipe.get(schema.open_battle(visitor)), pipe.hget(schema.visitor(visitor), "seen"))
        )
        marks = _text(seen).split() if seen else []
        if value is None:
            return None, marks
        battle_id, expires = _text(value).split(" ")
        return (battle_id if int(expires) > _ms(now) else None), marks

    def battle(self, battle_id: str) -> StoredBattle | None:
        """The battle of this id, open or not; None when there is none (any more)."""
        if id_bytes(battle_id) is None:
            return None
        reply = self.client.script("read", [schema.battle(battle_id), schema.TERMS], [])
        if not reply:
            return None
        visitor, expires, a, b, outcome, reason, at, _, skipped = map(_text, reply)
        return StoredBattle(
            visitor=visitor,
            expires_at=int(expires) / 1000,
            a=encoding.answer_term(a),
            b=encoding.answer_term(b),
            outcome=Outcome(int(outcome)) if outcome else None,
            reason=reason or None,
            at=int(at) / 1000 if at else None,
            skipped=bool(skipped),
        )

    def texts(self, digests: Sequence[str]) -> list[str | None]:
        """The texts of these digests, as battles took them."""
        values = self.client.do("mget", [schema.text(digest) for digest in digests])
        return [None if value is None else _text(value) for value in values]

    # votes

    def vote(
        self,
        battle_id: str,
        visitor: str,
        outcome: Outcome,
        *,
        now: float,
        reason: str | None = None,
        challenge: str | None = None,
        caps: Sequence[Cap] = (),
    ) -> VoteReply:
        """Cast a vote: one script, all or nothing, once. A repeat gets the first answer and spends no cap."""
        raw = id_bytes(battle_id)
        if raw is None:
            return VoteReply("none")
        reply = self.client.script(
            "vote",
            [
                schema.battle(battle_id),
                schema.VOTES,
                schema.TERMS,
                schema.CODES,
                schema.PAIRS,
                schema.COUNTS,
                schema.QUARANTINED,
                schema.open_battle(visitor),
                schema.visitor(visitor),
                schema.visitor_votes(visitor),
                schema.challenge(challenge_period(now)),
                schema.FORGOTTEN,
                *(cap.key for cap in caps),
            ],
            [
                visitor,
                int(outcome),
                _ms(now),
                raw,
                secrets.token_bytes(8),
                reason or "",
                challenge or "",
                VISITOR_SECONDS,
                CHALLENGE_SECONDS,
                *_flat(caps),
            ],
        )
        status = _text(reply[0])
        if status == "capped":
            return VoteReply(status, cap=int(reply[1]), retry_after_seconds=_seconds(reply[2]))
        if status not in ("voted", "repeat"):
            return VoteReply(status)
        return VoteReply(
            status,
            outcome=Outcome(int(reply[1])),
            reason=_text(reply[2]) or None,
            at=int(reply[3]) / 1000,
            vote_key=_text(reply[4]),
            models=(encoding.answer_term(_text(reply[5])).model, encoding.answer_term(_text(reply[6])).model),
        )

    def skip(self, battle_id: str, visitor: str, *, now: float, caps: Sequence[Cap] = ()) -> VoteReply:
        """Give an open battle back. Status: skipped, repeat, none, other, voted, expired or capped."""
        if id_bytes(battle_id) is None:
            return VoteReply("none")
        reply = self.client.script(
            "skip",
            [
                schema.battle(battle_id),
                schema.open_battle(visitor),
                schema.COUNTS,
                schema.visitor(visitor),
                *(cap.key for cap in caps),
            ],
            [visitor, _ms(now), VISITOR_SECONDS, *_flat(caps)],
        )
        status = _text(reply[0])
        if status == "capped":
            return VoteReply(status, cap=int(reply[1]), retry_after_seconds=_seconds(reply[2]))
        return VoteReply(status)

    def vote_count(self) -> int:
        """Votes cast here since the beginning, archived ones included."""
        return int(self.client.do("hget", schema.COUNTS, "votes") or 0)

    def counts(self) -> dict[str, int]:
        """Running totals: battles, votes, skips, `reason:<word>`."""
        values = self.client.do("hgetall", schema.COUNTS)
        return {_text(name): int(value) for name, value in values.items()}

    def pair_votes(self) -> dict[tuple[str, str], int]:
        """Votes that count, by pair of models in order of name."""
        values = self.client.do("hgetall", schema.PAIRS)
        found = {}
        for name, value in values.items():
            first, _, second = _text(name).partition("\t")
            found[first, second] = int(value)
        return found

    def terms(self, first: int = 0) -> list[str]:
        """What the codes of the votes stand for, from code `first` on."""
        return [_text(value) for value in self.client.do("lrange", schema.TERMS, first, -1)]

    def read_votes(self, after_id: str | None = None, limit: int | None = None) -> list[tuple[str, Vote]]:
        """Votes of the stream in order, with their ids, from the first one after `after_id`."""
        found: list[tuple[str, Vote]] = []
        last, terms = after_id, list[str]()
        while limit is None or len(found) < limit:
            size = PAGE if limit is None else min(PAGE, limit - len(found))
            start = f"({last}" if last else "-"
            entries = self._entries(start, size)
            if not entries:
                break
            terms += self.terms(len(terms))  # after the entries, so that every code in them is known
            for key, fields in entries:
                found.append((_text(key), encoding.vote(_text(key), fields, terms)))
            last = found[-1][0]
        return found

    def _entries(self, start: str, size: int) -> list[tuple[bytes, dict[bytes, bytes]]]:
        entries: list[tuple[bytes, dict[bytes, bytes]]] = self.client.do(
            "xrange", schema.VOTES, start, "+", size
        )
        return entries


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _seconds(ms: int) -> int:
    return max(1, -(-int(ms) // 1000))


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def _flat(caps: Sequence[Cap]) -> list[int]:
    return [number for cap in caps for number in (cap.limit, cap.seconds)]
