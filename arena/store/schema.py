"""Every key of the store, named and described. Code elsewhere never builds a key.

All keys carry the shard tag `{s0}`, so that one script may touch several of them on Redis Cluster too.
"""

from __future__ import annotations

ROOT = "arena:{s0}:"

# --- battles and votes
VOTES = ROOT + "votes"  # stream: one entry a vote, never edited; fields in `encoding.py`
STRINGS = (
    ROOT + "terms"
)  # list: code -> text of what votes name (answers, voters, rules, reasons); index 0 is ""
STRING_CODES = ROOT + "codes"  # hash: text -> code, the inverse of STRINGS
PAIRS = ROOT + "pairs"  # hash: "model<TAB>model" (sorted) -> votes of the pair that count
COUNTS = ROOT + "counts"  # hash: running totals (battles, votes, skips, reason:<word>, ...)
QUARANTINED = ROOT + "quarantined"  # set: voters whose votes do not count now
FORGOTTEN = ROOT + "forgotten"  # hash: voter -> pseudonym, until the archive is rewritten too
FORGETTINGS = (
    ROOT + "forgettings"
)  # string: how often a voter was forgotten; who read votes meanwhile reads again

# --- facts beside the votes
FACTS = ROOT + "facts"  # stream: quarantines and their lifting, never edited; the voter by code
UNCHECKED_UNTIL = (
    ROOT + "unchecked:until"
)  # string: ms UTC; unchecked votes cast before count, the owner says
LEDGER = ROOT + "ledger"  # stream: hash chain of everything the owners did
LEDGER_HEAD = ROOT + "ledger:head"  # string: hash of the newest entry

# --- the storage of published releases
SHELF_CURRENT = ROOT + "shelf:current"  # string: name of the release that readers see
SHELF_FENCE = ROOT + "shelf:fence"  # string: highest fence that has switched the release
REFRESH_ASKED = ROOT + "refresh:asked"  # string: seconds UTC at which the owner asked for a refresh
WORKER_FAULTS = (
    ROOT + "worker:faults"
)  # hash: part of the worker -> what failed and when, until it works again
WORKER_FAILURES = ROOT + "worker:failures"  # string: how often it failed since the beginning
SHELF_RELEASES = ROOT + "shelf:releases"  # sorted set: release -> seconds UTC when it was complete

# --- the owner
OWNER_TRIES = ROOT + "owner:tries"  # string: failed tries of the owner's token, of all callers; expires

PROBE = ROOT + "probe"  # string: written to see whether the store takes a write; expires at once


def battle(battle_id: str) -> str:
    """Hash of one battle, open or voted; expires."""
    return f"{ROOT}battle:{battle_id}"


def text(digest: str) -> str:
    """String: a prompt or an answer, under the digest of its content; shared by battles, expires after the last."""
    return f"{ROOT}text:{digest}"


def open_battle(visitor: str) -> str:
    """String: id of the visitor's one open battle; expires with it."""
    return f"{ROOT}open:{visitor}"


def visitor(visitor: str) -> str:
    """Hash: battles, votes and skips of this visitor, when first and last, marks of prompts met last; expires."""
    return f"{ROOT}visitor:{visitor}"


def visitor_votes(visitor: str) -> str:
    """List: one short record for each vote of the visitor, for his own page; expires with the visitor."""
    return f"{ROOT}mine:{visitor}"


def quota(kind: str, who: str, period: str) -> str:
    """String: how often `who` did `kind` within `period`; expires after it."""
    return f"{ROOT}cap:{kind}:{who}:{period}"


def challenge(period: str) -> str:
    """Hash: votes of ten minutes by state of their challenge (passed, failed, unchecked); expires."""
    return f"{ROOT}challenge:{period}"


def owner_tries(caller: str) -> str:
    """String: failed tries of the owner's token by this caller (a keyed hash); expires."""
    return f"{ROOT}owner:tries:{caller}"


def owner_known(caller: str) -> str:
    """String: this caller once had the right token; expires."""
    return f"{ROOT}owner:known:{caller}"


def owner_session(session: str) -> str:
    """String: mark of the token under which the owner signed in, by the digest of his cookie's session; deleted at sign-out, expires."""
    return f"{ROOT}owner:session:{session}"


def release(name: str) -> str:
    """Hash: file name -> bytes of one published release."""
    return f"{ROOT}release:{name}"


def lock(name: str) -> str:
    """String: token and fence of who holds the lock; expires."""
    return f"{ROOT}lock:{name}"


def fence(name: str) -> str:
    """Counter: the last fence that the lock handed out; only grows."""
    return f"{ROOT}fence:{name}"
