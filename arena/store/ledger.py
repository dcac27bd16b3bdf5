"""The ledger: what the owners did to models, votes and boards, in a chain of hashes that shows every later change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import Busy
from arena.store import schema
from arena.store.client import Client

TRIES = 20  # writers are few: a person at a command, a worker at night


class LedgerChain:
    """Where the chain is kept."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def head(self) -> str:
        """Hash of the newest entry of the ledger; empty before the first."""
        head = self.client.do("get", schema.LEDGER_HEAD)
        return "" if head is None else head.decode()

    def append(self, before: str, digest: str, entry: str) -> bool:
        """Append an entry after the one with hash `before`; False when another came first."""
        keys = [schema.LEDGER, schema.LEDGER_HEAD]
        return bool(self.client.script("ledger", keys, [before, digest, entry]))

    def entries(self) -> list[tuple[str, str]]:
        """All entries of the ledger in order, as (JSON, hash)."""
        entries = self.client.do("xrange", schema.LEDGER)
        return [(fields[b"e"].decode(), fields[b"h"].decode()) for _, fields in entries]


@dataclass(frozen=True)
class LedgerEntry:
    """One deed. `digest` is the hash over it and over the digest before."""

    kind: str  # import, remove, model, quarantine, lift, forget, release, restore, ...
    data: Mapping[str, Any]
    by: str
    at: float  # seconds UTC
    before: str
    digest: str


def record(
    chain: LedgerChain, kind: str, data: Mapping[str, Any], *, by: str, clock: Callable[[], float]
) -> LedgerEntry:
    """Append a deed to the chain. `data` holds JSON values, and never what identifies a person."""
    for _ in range(TRIES):
        before = chain.head()
        text = _canonical({"kind": kind, "data": data, "by": by, "at": round(clock(), 3), "before": before})
        digest = _digest(text)
        if chain.append(before, digest, text):
            return _entry(text, digest)
    raise Busy("the ledger is being written by many at once; try again")


def entries(chain: LedgerChain) -> list[LedgerEntry]:
    """All deeds in order, unverified."""
    return [_entry(text, digest) for text, digest in chain.entries()]


def faults(chain: LedgerChain) -> list[str]:
    """What is wrong with the chain, one line each: an edited, missing, moved or added entry. Empty: it is whole."""
    return chain_faults(chain.entries(), chain.head())


def chain_faults(chain: Sequence[tuple[str, str]], head: str) -> list[str]:
    """The same for entries given as (JSON, hash) and the hash that the newest must have."""
    found, before = [], ""
    for number, (text, digest) in enumerate(chain, 1):
        if _digest(text) != digest:
            found.append(f"entry {number} was changed after it was written")
        if json.loads(text).get("before") != before:
            found.append(f"entry {number} does not follow the one before it")
        before = digest
    if before != head:
        found.append("the newest entry is not the one that was written last")
    return found


def _entry(text: str, digest: str) -> LedgerEntry:
    content = json.loads(text)
    return LedgerEntry(
        content["kind"], content["data"], content["by"], content["at"], content["before"], digest
    )


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
