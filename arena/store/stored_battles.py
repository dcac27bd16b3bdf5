"""The part of the store that holds battles: opened, read, skipped."""

from __future__ import annotations

from collections.abc import Sequence

from arena.battles import Battle, id_bytes, term
from arena.battles import digest as text_digest
from arena.store import encoding, schema
from arena.store.client import Client
from arena.store.encoding import milliseconds, text
from arena.store.replies import Quota, StoredBattle, VoteReply, numbers, quota_reply
from arena.store.visitors import VISITOR_SECONDS
from arena.votes import Outcome

KEEP_SECONDS = 86_400  # a battle answers repeats of its vote for a day after it would have expired


class StoredBattles:
    """Battles by id; one open at a time for each visitor."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def open(self, battle: Battle, seen: Sequence[str] = ()) -> str:
        """Keep `battle` unless its visitor has an open one; the id of whichever is open now, "" while he is being forgotten.

        `seen`: the prompts that he has met, shortened, this one included.
        """
        texts = {text_digest(each): each for each in (battle.prompt, battle.a.text, battle.b.text)}
        seconds = max(1, round(battle.expires_at - battle.made_at))
        reply = self.client.script(
            "open",
            [
                schema.battle(battle.battle_id),
                schema.open_battle(battle.visitor),
                schema.STRINGS,
                schema.STRING_CODES,
                schema.COUNTS,
                schema.visitor(battle.visitor),
                schema.FORGOTTEN,
                *map(schema.text, texts),
            ],
            [
                battle.battle_id,
                battle.visitor,
                milliseconds(battle.made_at),
                milliseconds(battle.expires_at),
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
        return text(reply[0])

    def open_of(self, visitor: str, now: float) -> tuple[str | None, list[str]]:
        """Id of the battle that `visitor` has open at `now`, and the prompts that he met last, shortened."""
        value, seen = self.client.pipe(
            lambda pipe: (pipe.get(schema.open_battle(visitor)), pipe.hget(schema.visitor(visitor), "seen"))
        )
        seen_prompts = text(seen).split() if seen else []
        if value is None:
            return None, seen_prompts
        battle_id, expires = text(value).split(" ")
        return (battle_id if int(expires) > milliseconds(now) else None), seen_prompts

    def get(self, battle_id: str) -> StoredBattle | None:
        """The battle of this id, open or not; None when there is none (any more)."""
        if id_bytes(battle_id) is None:
            return None
        reply = self.client.script("read", [schema.battle(battle_id), schema.STRINGS], [])
        if not reply:
            return None
        visitor, expires, a, b, outcome, reason, at, _, skipped = map(text, reply)
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
        return [None if value is None else text(value) for value in values]

    # votes

    def skip(self, battle_id: str, visitor: str, *, now: float, quotas: Sequence[Quota] = ()) -> VoteReply:
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
                *(quota.key for quota in quotas),
            ],
            [visitor, milliseconds(now), VISITOR_SECONDS, *numbers(quotas)],
        )
        status = text(reply[0])
        if status == "capped":
            return quota_reply(reply)
        return VoteReply(status)
