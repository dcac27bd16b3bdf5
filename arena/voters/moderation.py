"""What an owner or a visitor may do about a voter: forget him, quarantine him, lift it. The ledger never names him."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

from arena.archive import own_votes
from arena.archive.archive import Archive
from arena.errors import ArenaError, BadInput
from arena.store import ledger
from arena.store.store import Store
from arena.voters.identity import VISITOR_BYTES

OUT_OF_REACH = "backups made before, and exports that were downloaded before"
HASH = re.compile(rf"[0-9a-f]{{{2 * VISITOR_BYTES}}}")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Forgotten:
    """What became of a wish to be forgotten."""

    known: bool  # there was something to forget
    everywhere: bool = (
        True  # False: archived files follow with the next run of the worker, which is asked for
    )

    def __bool__(self) -> bool:
        return self.known


def forget(
    store: Store, archive: Archive | None, voter: str, *, by: str, clock: Callable[[], float]
) -> Forgotten:
    """Cut every tie between a voter and his votes, at once: in the store, in the archive, in the votes kept for snapshots.

    The votes stay and count, under one random pseudonym that no cookie and no key leads to: nobody can bend a ranking by
    taking votes back, and the votes of one person remain one cluster. What is out of reach is said in `OUT_OF_REACH`.
    Ended halfway, it is finished by the next run of the worker, or by forgetting again. Where the archive is not at
    hand, lies on no disk of ours (there the worker alone writes, under its lock) or fails, the worker does its part.
    """
    if not _is_voter(store, archive, voter) or not store.visitors.forget(voter):
        return Forgotten(known=False)
    ledger.record(store.ledger, "forget", {"voters": 1}, by=by, clock=clock)
    store.visitors.erase(voter)
    if archive is not None and archive.folder.is_local:
        try:
            archive.archive_new_votes(store)
        except (ArenaError, OSError) as error:
            log.warning("archived files still name a forgotten voter: %s", error)
    if voter not in store.visitors.forgotten():
        return Forgotten(known=True)
    store.worker.ask_refresh(clock())
    return Forgotten(known=True, everywhere=False)


def _is_voter(store: Store, archive: Archive | None, voter: str) -> bool:
    """Nothing else may be forgotten: names of rules and reasons stand beside those of voters in the store."""
    if HASH.fullmatch(voter) or store.visitors.has_met(voter) or voter in store.visitors.forgotten():
        return True
    return archive is not None and voter in own_votes.read_arrow(store, archive)[0].voters


def quarantine(store: Store, voter: str, *, why: str, by: str, clock: Callable[[], float]) -> None:
    """Let no vote of `voter` count until it is lifted. The ledger names the fact, not the voter."""
    _check_nameless(voter, why)
    event = store.moderation.quarantine(voter, why=why, at=clock(), by=by)
    ledger.record(store.ledger, "quarantine", {"fact": event, "why": why}, by=by, clock=clock)


def unquarantine(store: Store, voter: str, *, why: str, by: str, clock: Callable[[], float]) -> None:
    """Let the votes of `voter` count again."""
    _check_nameless(voter, why)
    event = store.moderation.unquarantine(voter, why=why, at=clock(), by=by)
    ledger.record(store.ledger, "lift", {"fact": event, "why": why}, by=by, clock=clock)


def _check_nameless(voter: str, why: str) -> None:
    """A reason is kept for good, so it must not name whom it is about."""
    if HASH.fullmatch(voter) and voter in why:
        raise BadInput("the reason names the voter; it is kept for good, so leave the name out")
