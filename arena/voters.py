"""What an owner or a visitor may do about a voter: forget him, quarantine him, lift it. The ledger never names him."""

from __future__ import annotations

from collections.abc import Callable

from arena import ledger
from arena.store import Store


def forget(store: Store, voter: str, *, by: str, clock: Callable[[], float]) -> bool:
    """Cut the tie between a voter and his votes.

    The votes stay and count, under one random pseudonym that no cookie and no key leads to: a published ranking can
    still be computed again, nobody can bend it by taking votes back, and the votes of one person remain one cluster.
    His own page, open battle and counters go at once; archived files follow at the next run of the worker.
    """
    was_known = store.forget(voter)
    if was_known:
        ledger.record(store, "forget", {"voters": 1}, by=by, clock=clock)
    return was_known


def quarantine(store: Store, voter: str, *, why: str, by: str, clock: Callable[[], float]) -> None:
    """Let no vote of `voter` count until it is lifted. The ledger names the fact, not the voter."""
    fact = store.quarantine(voter, why=why, at=clock(), by=by)
    ledger.record(store, "quarantine", {"fact": fact, "why": why}, by=by, clock=clock)


def lift(store: Store, voter: str, *, why: str, by: str, clock: Callable[[], float]) -> None:
    """Let the votes of `voter` count again."""
    fact = store.lift(voter, why=why, at=clock(), by=by)
    ledger.record(store, "lift", {"fact": fact, "why": why}, by=by, clock=clock)
