"""Short addresses of models: the roster's where it names one, else made from the name; one slug, one model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from arena.bank.roster import Roster, slug_of

LONGEST = 60


def assign(names: Iterable[str], roster: Roster) -> Mapping[str, str]:
    """name -> slug. Names that would share a slug get a piece of their hash, so the address never changes hands."""
    return _assign(frozenset(names), roster)


@lru_cache(maxsize=16)
def _assign(names: frozenset[str], roster: Roster) -> Mapping[str, str]:
    wanted = {name: _wanted(name, roster) for name in names}
    shared = Counter(wanted.values())
    return {
        name: slug if shared[slug] == 1 or name in roster.by_name else f"{slug}-{_hash(name)}"
        for name, slug in sorted(wanted.items())
    }


def _wanted(name: str, roster: Roster) -> str:
    known = roster.get(name)
    return known.slug if known is not None else slug_of(name)[:LONGEST]


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
