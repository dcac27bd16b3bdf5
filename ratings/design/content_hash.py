"""The content address of a ranking: one hash over the canonical votes, the plan and the version of the method."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt

from arena.votes import UNKNOWN, VoteTable
from ratings.leaderboard import METHOD_VERSION, Plan

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
BLOCK = 1 << 15  # rows that are mixed in cache
# The constants of splitmix64 (Steele, Lea & Flood 2014): a good mixer, used only to find an order of the rows.
GOLDEN, MIX_1, MIX_2 = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


def snapshot_id(table: VoteTable, plan: Plan, *, votes: str | None = None) -> str:
    """The id of the ranking of `table` under `plan`; pass `votes` = `votes_hash(table)` when it is known."""
    parts = {"votes": votes or votes_hash(table), "plan": asdict(plan), "method_version": METHOD_VERSION}
    return hashlib.sha256(_json(parts)).hexdigest()


def votes_hash(table: VoteTable) -> str:
    """SHA-256 of the votes of `table` as a multiset: the order of rows and the merging of equal rows do not matter.

    Every column counts, and every model named, with or without votes. Of voters only their places in the order
    of names count, as in a fit: who they are is no part of it, so the votes can be kept without telling. Rows
    are put into an order that depends on their content only, equal rows become one with the sum of their counts,
    and the columns are hashed one after the other.
    """
    digest = hashlib.sha256(_json(["models", sorted(table.models)]))
    if len(table) == 0:
        return digest.hexdigest()
    order, starts = _canonical_rows(table)
    rows = order[starts]
    counts = np.add.reduceat(table.count[order], starts).astype(np.uint64)
    _add_column(digest, "count", counts)
    for name, names, words in _columns(table):
        digest.update(_json([name, [] if name == "voter" else names]))
        # A constant column (no traits, weight 1) costs eight bytes instead of eight a row.
        constant = bool((words == words[0]).all())
        _add_column(digest, name, words[:1] if constant else words[rows])
    return digest.hexdigest()


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, allow_nan=False).encode("ascii")


def _add_column(digest: hashlib._Hash, name: str, words: Words | Bytes) -> None:
    """Eight bytes a row, whatever the column is kept in."""
    digest.update(f"{name}:{len(words)}:".encode())
    digest.update(np.ascontiguousarray(words, dtype="<u8").data)


def _columns(table: VoteTable) -> Iterator[tuple[str, Sequence[str], Words | Bytes]]:
    """Every column but the count, as (name, names that its codes stand for, unsigned words); one at a time."""
    for name, names in (
        ("a", table.models),
        ("b", table.models),
        ("voter", table.voters),
        ("prompt", table.prompts),
        ("language", table.languages),
        ("reason", table.reasons),
    ):
        yield name, *_by_name(names, getattr(table, name), keep_unused=name in "ab")
    yield "outcome", (), table.outcome.astype(np.uint8)
    yield "side_known", (), table.side_known.astype(np.uint8)
    for name in ("weight", "at", "drawn_p"):
        yield name, (), _float_words(getattr(table, name))
    for label in sorted(table.labels):
        yield f"label {label}", (), table.labels[label].astype(np.uint8)
    for trait in sorted(table.traits):
        for side in (0, 1):
            yield f"trait {trait} {'ab'[side]}", (), _float_words(table.traits[trait][:, side])


def _by_name(
    names: Sequence[str], codes: npt.NDArray[np.int32], *, keep_unused: bool
) -> tuple[Sequence[str], Words]:
    """Codes renumbered from 1 in the order of the names in use; 0 for none."""
    used = np.zeros(len(names) + 1, dtype=np.bool_)  # the last entry stands for UNKNOWN (-1)
    used[codes] = True
    kept = sorted(name for name, is_used in zip(names, used[:UNKNOWN], strict=True) if is_used or keep_unused)
    place = {name: number for number, name in enumerate(kept, 1)}
    lookup = np.array([place.get(name, 0) for name in names] + [0], dtype=np.uint64)
    return kept, lookup[codes]


def _float_words(values: npt.NDArray[np.float64]) -> Words:
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, and no -0.0
    return plain.astype(np.float64).view(np.uint64)


def _canonical_rows(table: VoteTable) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """An order of the rows by content alone, and where in it each run of equal rows starts."""
    mixed = np.zeros(len(table), dtype=np.uint64)
    for _, _, words in _columns(table):
        if words.any():  # a column of zeros tells no rows apart
            for low in range(0, len(mixed), BLOCK):
                _mix(mixed[low : low + BLOCK], words[low : low + BLOCK])
    order = np.argsort(mixed, kind="stable")
    follows = np.concatenate([[False], mixed[order[1:]] == mixed[order[:-1]]])
    if not _equal_to_the_row_before(table, order, follows):
        # Two different rows share one 64-bit mix: sort by the columns themselves.
        order = np.lexsort([words for _, _, words in _columns(table)])
        follows = np.ones(len(table), dtype=np.bool_)
        follows[0] = False
        for _, _, words in _columns(table):
            follows[1:] &= words[order[1:]] == words[order[:-1]]
    return order, np.flatnonzero(~follows)


def _equal_to_the_row_before(
    table: VoteTable, order: npt.NDArray[np.intp], follows: npt.NDArray[np.bool_]
) -> bool:
    places = np.flatnonzero(follows)
    here, before = order[places], order[places - 1]
    return all(bool((words[here] == words[before]).all()) for _, _, words in _columns(table))


def _mix(mixed: Words, words: Words | Bytes) -> None:
    """Mix a column into `mixed`."""
    mixed ^= words
    mixed += GOLDEN
    mixed ^= mixed >> np.uint64(30)
    mixed *= MIX_1
    mixed ^= mixed >> np.uint64(27)
    mixed *= MIX_2
    mixed ^= mixed >> np.uint64(31)
