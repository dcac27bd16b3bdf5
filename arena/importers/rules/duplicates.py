"""Votes that came before: equal ids with equal content count once; in a conflict the first wins and it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arena.importers.values import arrow

Columns = Mapping[str, npt.NDArray[Any]]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Place:
    """Where votes were read: index of the file, row from 1, physical line (-1: the file has none)."""

    file: npt.NDArray[np.int32]
    row: npt.NDArray[np.int64]
    line: npt.NDArray[np.int64]

    @classmethod
    def of(cls, places: Sequence[tuple[int, int, int]]) -> Place:
        table = np.array(places, dtype=np.int64).reshape(-1, 3)
        return cls(table[:, 0].astype(np.int32), table[:, 1], table[:, 2])


@dataclass(frozen=True)
class Conflict:
    """One vote whose id came before with another content."""

    vote_id: str
    differs: tuple[str, ...]  # names of the columns
    file: int
    row: int
    line: int
    first_file: int
    first_row: int


@dataclass(frozen=True)
class Repeats:
    """Which rows stay, and what the others were."""

    kept: npt.NDArray[np.bool_]  # (n,)
    count: int = 0  # votes that go, conflicting ones among them
    conflict_count: int = 0
    conflicts: tuple[Conflict, ...] = ()  # the first of them
    questions: bool = False  # ids in `question_id` were those of prompts


KEPT_CONFLICTS = 1000
WORD = 8  # bytes
HASHED = 64
MASKS = np.array([2 ** (8 * kept) - 1 for kept in range(WORD + 1)], dtype=np.uint64)  # of the first bytes
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits well mixed (Knuth's golden ratio)


def find_repeats(ids: Sequence[Any], places: Sequence[Place], columns: Columns, traits: Columns) -> Repeats:
    """Compare each vote with the first of its id over all columns; `ids` and `places` are one per chunk."""
    n = len(columns["a"])
    kept = np.ones(n, dtype=np.bool_)
    firsts = _firsts(ids, n)
    later: Rows = np.flatnonzero(firsts != np.arange(n))
    if not len(later):
        return Repeats(kept)
    kept[later] = False
    differs = _differences(
        later, firsts[later], {**columns, **{f"~{name}": column for name, column in traits.items()}}
    )
    in_conflict = np.zeros(len(later), dtype=np.bool_)
    for mask in differs.values():
        in_conflict |= mask
    conflicts = _conflicts(np.flatnonzero(in_conflict)[:KEPT_CONFLICTS], later, firsts, differs, places, ids)
    counts = columns["count"][later]
    return Repeats(kept, int(counts.sum()), int(counts[in_conflict].sum()), tuple(conflicts))


def questions(
    ids: Sequence[Any], places: Sequence[Place], columns: Columns, files: Collection[int]
) -> npt.NDArray[np.bool_] | None:
    """(n,) the rows of `files`, whose ids stand in `question_id`, if that names prompts; None if it names votes.

    It does where rows of one id differ in whom they compare or who voted at least as often as they are equal.
    """
    firsts = _firsts(ids, len(columns["a"]))
    theirs = np.isin(np.concatenate([place.file for place in places]), list(files))
    later: Rows = np.flatnonzero((firsts != np.arange(len(firsts))) & theirs)
    if not len(later):
        return None
    differs = _differences(later, firsts[later], columns)
    other = differs["a"] | differs["b"] | differs["voter"]
    equal = ~np.logical_or.reduce(list(differs.values()))
    return theirs if other.sum() >= max(equal.sum(), 1) else None


def _firsts(ids: Sequence[Any], n: int) -> Rows:
    """(n,) the first row with the same id; itself for a row without id."""
    firsts = np.arange(n, dtype=np.intp)
    if all(part.null_count == len(part) for part in ids):
        return firsts
    # Equal ids have equal hashes: only rows that share a hash are compared as texts.
    hashes = np.concatenate([hashes_of(part) for part in ids])
    named = np.flatnonzero(np.concatenate([arrow.is_valid(part) for part in ids]))
    ordered = np.sort(hashes[named])
    shared = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(shared):
        return firsts
    rows = named[np.isin(hashes[named], shared)]
    known: dict[str, int] = {}
    for row, vote_id in zip(
        rows.tolist(), pa.chunked_array(ids).take(arrow.whole_numbers(rows)).to_pylist(), strict=True
    ):
        firsts[row] = known.setdefault(vote_id, row)
    return firsts


def hashes_of(texts: Any) -> npt.NDArray[np.uint64]:
    """(n,) a hash of the length, the first 64 bytes and the last 8 of each text of a string array."""
    starts, data = texts.buffers()[1:]
    edges = np.frombuffer(starts, np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    padded = np.zeros(int(edges[-1]) + WORD, dtype=np.uint8)  # so that the last word can be read whole
    if data is not None:
        padded[:-WORD] = np.frombuffer(data, np.uint8)[: len(padded) - WORD]
    words = np.ndarray(len(padded) - WORD + 1, "<u8", padded, strides=(1,))  # the word from each byte on
    lengths = np.diff(edges)
    found = lengths.astype(np.uint64)
    for step in range(0, HASHED, WORD):
        rows: Any = np.flatnonzero(lengths > step) if step < lengths.max(initial=0) else ()
        if not len(rows):
            break
        rest = np.minimum(lengths[rows] - step, WORD)
        found[rows] = _mixed(found[rows], words[edges[rows] + step] & MASKS[rest])
    rows = np.flatnonzero(lengths > HASHED)
    found[rows] = _mixed(found[rows], words[edges[rows + 1] - WORD])
    return found


def _mixed(sums: npt.NDArray[np.uint64], word: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    sums = (sums ^ word) * MULTIPLIER
    return sums ^ (sums >> np.uint64(29))


def _differences(later: Rows, firsts: Rows, columns: Columns) -> dict[str, npt.NDArray[np.bool_]]:
    """Column -> (m,) where the repeated vote differs from the first; unknown equals unknown."""
    found = {}
    for name, column in columns.items():
        one, other = column[later], column[firsts]
        same = one == other
        if column.dtype.kind == "f":
            same |= np.isnan(one) & np.isnan(other)
        found[name] = ~(same if same.ndim == 1 else same.all(axis=1))
    return found


def _conflicts(
    chosen: Rows,
    later: Rows,
    firsts: Rows,
    differs: Mapping[str, npt.NDArray[np.bool_]],
    places: Sequence[Place],
    ids: Sequence[Any],
) -> Iterable[Conflict]:
    if not len(chosen):
        return
    file = np.concatenate([place.file for place in places])
    row = np.concatenate([place.row for place in places])
    line = np.concatenate([place.line for place in places])
    all_ids = pa.chunked_array(ids)
    for index in chosen:
        at = int(later[index])
        first = int(firsts[at])
        yield Conflict(
            all_ids[at].as_py(),
            tuple(name.lstrip("#~") for name, mask in differs.items() if mask[index]),
            int(file[at]), int(row[at]), int(line[at]), int(file[first]), int(row[first]),
        )  # fmt: skip
