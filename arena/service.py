"""What the web calls: open a battle, vote, skip, reveal, see and forget one's own votes. Verdicts become errors here only."""

from __future__ import annotations

import random
import secrets
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO

from arena import errors
from arena.archive.archive import Archive
from arena.bank.bank import Bank
from arena.bank.catalogue import Catalogue
from arena.bank.roster import Roster
from arena.bank.sampling import DEFAULT_RULE, Chances, chances
from arena.bank.shares import MOST, Pair
from arena.battles import HIDDEN_MODEL, Battle, BattleView, Receipt, Side, digest, new_id
from arena.settings.settings import Settings
from arena.store.replies import DAY, Quotas, StoredBattle
from arena.store.store import Store
from arena.store.visitors import OwnVote
from arena.voters import captcha, moderation
from arena.voters.captcha import CaptchaChecks, Verifier
from arena.votes import Outcome

PAIRS_SECONDS = 2.0  # age of the vote counts behind a draw; the recorded probability is right all the same
PROMPTS_APART = 30  # a visitor meets this many other prompts before one comes again, if there are so many
EMPTY_ROSTER = Roster()
_Asked = tuple[tuple[Pair, ...], dict[str, str | None], dict[Pair, int]]  # pairs, providers, votes of pairs


class Arena:
    """The arena of one process. Safe to share between threads."""

    def __init__(
        self,
        store: Store,
        bank: Bank | Callable[[], Bank],
        roster: Roster | Callable[[], Roster] = EMPTY_ROSTER,
        *,
        battle_seconds: float = 3600,
        quotas: Quotas | None = None,
        rule: str = DEFAULT_RULE,
        most_of_battles: float = MOST,
        clock: Callable[[], float] = time.time,
        rng: random.Random | None = None,
        archive: Archive | None = None,
        export_delay_seconds: float = DAY,
        verifier: Verifier | None = None,
        files_fault: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.store = store
        self._bank = bank if callable(bank) else lambda: bank
        self._roster = roster if callable(roster) else lambda: roster
        self.battle_seconds = battle_seconds
        self.quotas = quotas or Quotas()
        self.rule = rule
        self.most_of_battles = most_of_battles
        self.clock = clock
        # Not to be foreseen: who could foresee the draw could wait for the pair he wants.
        self.rng = rng or secrets.SystemRandom()
        self.archive = archive
        self.export_delay_seconds = export_delay_seconds
        self.verifier = verifier
        self.files_fault = files_fault
        self._alarm = captcha.Alarm(clock)
        self._pairs: tuple[float, dict[Pair, int]] | None = None
        self._chances: tuple[_Asked, Chances] | None = None  # of the last bank, roster and counts

    @classmethod
    def open(cls, settings: Settings, store: Store | None = None) -> Arena:
        """The arena that the settings describe. Connects to nothing yet; files are read at first use."""
        catalogue = Catalogue.of(settings)
        return cls(
            store or Store.open(settings.store_url, timeout_seconds=settings.redis_timeout_seconds),
            catalogue.bank,
            catalogue.roster,
            battle_seconds=settings.battle_seconds,
            quotas=Quotas(
                settings.votes_per_visitor_day, settings.votes_per_day, settings.skips_per_visitor_hour
            ),
            most_of_battles=settings.most_of_battles,
            archive=Archive.open(settings),
            export_delay_seconds=3600 * settings.export_delay_hours,
            verifier=Verifier.of(settings),
            files_fault=catalogue.fault,
        )

    @property
    def bank(self) -> Bank:
        """Prompts and answers that may be shown now."""
        return self._bank()

    @property
    def roster(self) -> Roster:
        return self._roster()

    def open_battle(self, visitor: str) -> BattleView:
        """The visitor's open battle (the same after a reload), or a new one. Raises `NothingToServe`."""
        battle_id, seen = self.store.battles.open_of(visitor, self.clock())
        if battle_id is None:
            battle = self._make(visitor, seen)
            battle_id = self.store.battles.open(
                battle, [*seen, _seen_prompt(battle.a.prompt_id)][-PROMPTS_APART:]
            )
        return self.battle(battle_id, visitor)

    def battle(self, battle_id: str, visitor: str) -> BattleView:
        """A battle of this visitor, open or voted. Raises `NoBattle`, `NotYours` or `BattleExpired`."""
        stored = self._own(battle_id, visitor)
        if stored.outcome is None and stored.skipped:
            raise errors.NoBattle("this battle was skipped")
        if stored.outcome is None and self.clock() >= stored.expires_at:
            raise errors.BattleExpired("this battle is over; open a new one")
        digests = (stored.a.prompt_digest, stored.a.answer_digest, stored.b.answer_digest)
        prompt, answer_a, answer_b = self.store.battles.texts(digests)
        if prompt is None or answer_a is None or answer_b is None:
            raise errors.BattleExpired("the texts of this battle are gone; open a new one")
        return BattleView(
            battle_id=battle_id,
            prompt=prompt,
            answer_a=answer_a,
            answer_b=answer_b,
            expires_at=stored.expires_at,
            category=stored.a.categories[0] if stored.a.categories else None,
            language=stored.a.language,
        )

    def cast_vote(
        self,
        battle_id: str,
        visitor: str,
        choice: Outcome,
        *,
        network: str | None = None,
        captcha_token: str = "",
    ) -> Receipt:
        """Keep the vote, once. A repeat gets the receipt of the first vote with `first` False.

        `network`: hash of the visitor's network of today, for the daily quota. `captcha_token`: what the widget of a check
        against robots put into the form, for the verifier.
        Raises `NoBattle`, `NotYours`, `BattleExpired`, `TooManyRequests` or `StoreUnavailable` (vote again later).
        """
        state = self._checked(battle_id, visitor, captcha_token)
        now = self.clock()
        reply = self.store.votes.cast(
            battle_id,
            visitor,
            choice,
            now=now,
            reason=captcha.REASONS.get(state or ""),
            challenge=state,
            quotas=self.quotas.of_vote(visitor, network, now),
        )
        _refuse(reply.status, reply.retry_after_seconds, allowed=("voted", "repeat"))
        if reply.outcome is None or reply.at is None:
            raise errors.NoBattle("there is no such battle")
        if state == "unchecked":
            with suppress(errors.StoreUnavailable):  # the vote is kept, whatever becomes of the alarm
                self._alarm.look(self.checks())
        return Receipt(
            battle_id=battle_id,
            outcome=reply.outcome,
            first=reply.status == "voted",
            model_a=self._shown(reply.models[0]),
            model_b=self._shown(reply.models[1]),
            counted=reply.reason is None,
            reason=reply.reason,
            at=reply.at,
        )

    def skip(self, battle_id: str, visitor: str) -> None:
        """Give an open battle back without a vote; it is counted. Skipping twice is skipping once."""
        now = self.clock()
        reply = self.store.battles.skip(battle_id, visitor, now=now, quotas=self.quotas.of_skip(visitor, now))
        _refuse(reply.status, reply.retry_after_seconds, allowed=("skipped", "repeat", "voted", "expired"))

    def reveal(self, battle_id: str, visitor: str) -> Receipt | None:
        """Names and fate of this visitor's vote; None before it. Raises `NoBattle` or `NotYours`."""
        stored = self._own(battle_id, visitor)
        if stored.outcome is None or stored.at is None:
            return None
        return Receipt(
            battle_id=battle_id,
            outcome=stored.outcome,
            first=False,
            model_a=self._shown(stored.a.model),
            model_b=self._shown(stored.b.model),
            counted=stored.reason is None,
            reason=stored.reason,
            at=stored.at,
        )

    def my_votes(self, visitor: str) -> list[OwnVote]:
        """All votes of this visitor, newest first; models that are not published stay unnamed."""
        return [
            replace(vote, model_a=self._shown(vote.model_a), model_b=self._shown(vote.model_b))
            for vote in self.store.visitors.own_votes(visitor)
        ]

    def forget(self, visitor: str) -> moderation.Forgotten:
        """Cut every tie between this visitor and his votes; False when there was none. The votes stay, see `voters.forget`."""
        return moderation.forget(self.store, self.archive, visitor, by="visitor", clock=self.clock)

    def export_votes(self, format: str, release: bytes | None = None) -> IO[bytes]:
        """A temporary file, at its start, with the public votes as csv, jsonl or parquet; or those of one release.

        `release`: its manifest. The last hours are not in it: who attacks a rating wants to see at once what his votes did.
        """
        if self.archive is None:
            raise errors.NoData("this arena has no archive to export from")
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller reads and closes it
        before = self.clock() - self.export_delay_seconds
        try:
            if release is None:
                self.archive.write_votes(self.store, format, file, before=before)
            else:
                self.archive.write_release(release, format, file, before=before)
        except BaseException:
            file.close()
            raise
        file.seek(0)
        return file

    def chances(self) -> Chances:
        """The probability of every pair at this moment. Raises `NothingToServe`."""
        bank = self.bank.only(self.roster)
        if not bank.shared:
            raise errors.NothingToServe("the bank holds no prompt with two answers that may be shown")
        providers = {model.name: model.provider for model in self.roster}
        votes = self._pair_votes()
        asked = (tuple(bank.shared), providers, votes)
        if self._chances is None or self._chances[0] != asked:
            drawn = chances(asked[0], votes, self.rule, most=self.most_of_battles, providers=providers)
            self._chances = (asked, drawn)
        return self._chances[1]

    def checks(self) -> CaptchaChecks:
        """How the votes of the last hour were checked for robots."""
        return CaptchaChecks(**self.store.visitors.challenges(self.clock()))

    def _checked(self, battle_id: str, visitor: str, captcha_token: str) -> captcha.State | None:
        """What the verifier says of this vote; None when there is none, or nothing to vote on (the store says why)."""
        if self.verifier is None:
            return None
        # First whether the store answers and the battle is open: a token is good for one use only.
        stored = self.store.battles.get(battle_id)
        if stored is None or stored.visitor != visitor or not stored.is_open(self.clock()):
            return None
        return self.verifier.check(captcha_token, battle_id)

    def _shown(self, model: str) -> str:
        return HIDDEN_MODEL if model in self.roster.hidden else model

    def _make(self, visitor: str, seen: Collection[str]) -> Battle:
        bank = self.bank.only(self.roster)
        drawn = self.chances().draw(self.rng)
        prompts = bank.shared[drawn.pair]
        # Chosen after the pair, so that it changes nothing of the pair's probability.
        fresh = [prompt_id for prompt_id in prompts if _seen_prompt(prompt_id) not in seen]
        prompt = bank.prompts[self.rng.choice(fresh or prompts)]
        models = list(drawn.pair)
        self.rng.shuffle(models)
        drawn_answers = (self.rng.choice(bank.answers[prompt.prompt_id, model]) for model in models)
        a, b = (Side(it.model, it.prompt_id, it.text, it.traits) for it in drawn_answers)
        now = self.clock()
        return Battle(
            battle_id=new_id(),
            visitor=visitor,
            prompt=prompt.text,
            a=a,
            b=b,
            categories=prompt.categories,
            language=prompt.language,
            made_at=now,
            expires_at=now + self.battle_seconds,
            drawn_p=drawn.p,
            rule=drawn.rule,
            reason="self_battle" if a.model == b.model else None,
        )

    def _pair_votes(self) -> dict[Pair, int]:
        now = self.clock()
        if self._pairs is None or not 0 <= now - self._pairs[0] < PAIRS_SECONDS:
            self._pairs = (now, self.store.votes.pair_counts())
        return self._pairs[1]

    def _own(self, battle_id: str, visitor: str) -> StoredBattle:
        stored = self.store.battles.get(battle_id)
        if stored is None:
            raise errors.NoBattle("there is no such battle")
        if stored.visitor != visitor:
            raise errors.NotYours("this battle belongs to another visitor")
        return stored


def _seen_prompt(prompt_id: str) -> str:
    """What a visitor is noted to have seen: the beginning of a digest. That two prompts share one now and then does no harm."""
    return digest(prompt_id)[:4]


def _refuse(status: str, retry_after_seconds: int, *, allowed: Sequence[str]) -> None:
    """Raise the error of a status that is not allowed."""
    if status in allowed:
        return
    if status == "none":
        raise errors.NoBattle("there is no such battle")
    if status == "other":
        raise errors.NotYours("this battle belongs to another visitor")
    if status == "skipped":
        raise errors.NoBattle("this battle was skipped")
    if status == "expired":
        raise errors.BattleExpired("this battle is over; open a new one")
    if status == "capped":
        raise errors.TooManyRequests("the limit for now is reached", retry_after_seconds)
    raise ValueError(f"unknown reply of the store: {status}")
