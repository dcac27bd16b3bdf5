"""What an owner or a visitor may do about a voter: forget him, quarantine him, lift it. The ledger never names him."""

from __future__ import annotations

from collections.abc import Callable

from arena.archive import own_votes
from arena.archive.partitions import Partitions
from arena.store import ledger
from arena.store.store import Store

OUT_OF_REACH = "backups made before, and exports that were downloaded before"


def forget(
    store: Store, archive: Partitions | None, voter: str, *, by: str, clock: Callable[[], float]
) -> bool:
    """Cut every tie between a voter and his votes, at once: in the store, in the archive, in the votes kept for snapshots.

    The votes stay and count, under one random pseudonym that no cookie and no key leads to: nobody can bend a ranking by
    taking votes back, and the votes of one person remain one cluster. What is out of reach is said in `OUT_OF_REACH`.
    Ended halfway, it is finished by the next run of the worker, or by forgetting again. Without an archive at hand the
    worker does its part.
    """
    was_known = store.visitors.forget(voter)
    if was_known:
        ledger.record(store.ledger, "forget", {"voters": 1}, by=by, clock=clock)
        if archive is None:
            store.visitors.erase(voter)
        else:
            own_votes.absorb(store, archive)
    return was_known


def quarantine(store: Store, voter: str, *, why: str, by: str, clock: Callable[[], float]) -> None:
    """Let no vote of `voter` count until it is lifted. The ledger names the fact, not the voter."""
    fact = store.moderation.quarantine(voter, why=why, at=clock(), by=by)
    ledger.record(store.ledger, "quarantine", {"fact": fact, "why": why}, by=by, clock=clock)


def lift(store: Store, voter: str, *, why: str, by: str, clock: Callable[[], float]) -> None:
    """Let the votes of `voter` count again."""
    fact = store.moderation.unquarantine(voter, why=why, at=clock(), by=by)
    ledger.record(store.ledger, "lift", {"fact": fact, "why": why}, by=by, clock=clock)
