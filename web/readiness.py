"""Could a visitor open a battle and vote now, and would the vote be kept? In words that anybody may read."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import StoreUnavailable
from arena.service import Arena


@dataclass(frozen=True)
class Readiness:
    """`faults` keep people from voting or endanger votes; `warnings` do neither, yet."""

    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        return not self.faults


def look(arena: Arena) -> Readiness:
    """What stands in the way now. Paths and values of files stay in the log."""
    fault, serves = arena.files_fault(), _serves(arena)
    unread = "the bank or the roster of models cannot be read: python -m arena bank check says why"
    found = _store_faults(arena)
    warned = _worker_warnings(arena)
    if not serves:
        found.append(unread if fault else NOTHING)
        return Readiness(tuple(found), warned)
    return Readiness(tuple(found), ((f"{unread}; the last good one is shown",) if fault else ()) + warned)


def _worker_warnings(arena: Arena) -> tuple[str, ...]:
    """The worker only ranks: while it fails, people vote on. Why it fails is for the owner alone."""
    try:
        return (FAILING,) if arena.store.worker.faults() else ()
    except StoreUnavailable:
        return ()


FAILING = "the worker that ranks the votes fails: the rankings stay as they were; the owner's page and the log say why"
NOTHING = (
    "there is nothing to vote on: no prompt has answers of two models that take part "
    "(python -m arena bank import FILE)"
)


def _serves(arena: Arena) -> bool:
    try:
        return bool(arena.bank.only(arena.roster).shared)
    except StoreUnavailable:  # no roster: nothing is shown, since private models would be named
        return False


def _store_faults(arena: Arena) -> list[str]:
    try:
        faults = arena.store.admin.durability_faults()
    except StoreUnavailable:
        return ["the vote store does not answer"]
    if not faults and arena.store.admin.write_fault() is not None:
        return ["the vote store takes no votes: it is full, read-only, or its disk is in trouble"]
    return faults
