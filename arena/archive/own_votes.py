"""This arena's own votes, wherever they are: from the stream into the archive, and both together as one table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby

import numpy as np
import pyarrow as pa

from arena.archive import columns, kept_votes
from arena.archive.manifest import ArchiveFile, Manifest
from arena.archive.partitions import LOCK, OWN, TRIES, PartGone, Partitions, mark
from arena.battles import HIDDEN_MODEL
from arena.errors import Busy
from arena.store.store import Store
from arena.votes import UNKNOWN, Vote, VoteTable

UNCHECKED = "challenge_unchecked"
MINUTE = 60.0
BATCH = 100_000  # votes held in memory at once


def archive_new_votes(
    store: Store, archive: Partitions, called: kept_votes.Called, *, trim: bool = True
) -> int:
    """Append the votes of the stream to the archive, then (with `trim`) drop them from the stream. How many.

    Killed at any moment it loses nothing and doubles nothing: the manifest says which vote is the last one inside.
    Voters who were forgotten lose their names and battles in all files, and all that names them in the store.
    `called`: how a voter is called in votes with a given key.
    """
    moved = 0
    with archive.folder.exclusive(f"{OWN}/{LOCK}"):
        while True:
            manifest = archive.manifest(OWN) or Manifest(OWN)
            fresh = store.votes.read(manifest.last_key, BATCH)
            if not fresh:
                break
            archive.put_manifest(_with(archive, manifest, fresh))
            moved += len(fresh)
        if trim and manifest.last_key is not None:
            store.votes.trim(manifest.last_key)
        _forget(store, archive, called)
    return moved


def continue_stream_after(store: Store, archive: Partitions) -> None:
    """See that the stream goes on where the archive ends. For the start of a service and after a restore."""
    manifest = archive.manifest(OWN)
    if manifest is not None and manifest.last_key is not None:
        store.votes.continue_after(manifest.last_key)


def read(store: Store, archive: Partitions, hidden: Collection[str] = ()) -> VoteTable:
    """All own votes: the archive, then what is still only in the stream, with quarantines applied.

    Votes on a model of `hidden` (private ones) are there without its name and do not count.
    """
    return without(read_arrow(store, archive)[0], hidden)


def read_arrow(store: Store, archive: Partitions) -> tuple[VoteTable, pa.Table]:
    """The same votes, all models by name, and the columns that only own votes have (`columns.OWN`)."""
    found, models, names = _settled(store, archive)
    table = _renamed(columns.from_arrow(found, models), names)
    table = _accepted(table, store.votes.unchecked_until())
    table = mark(table, _of(table.voters, table.voter, store.moderation.quarantined()), "quarantined_session")
    return table, found.select(columns.OWN)


def _settled(store: Store, archive: Partitions) -> tuple[pa.Table, tuple[str, ...], Mapping[str, str]]:
    """All votes, all models, and the pseudonyms of voters whom these votes may still name."""
    for _ in range(TRIES):
        # In this order: whoever is no longer among the names has left the files before they are read.
        before, names = store.visitors.forgettings(), store.visitors.forgotten()
        found, models = _all(store, archive)
        if store.visitors.forgettings() == before:
            return found, models, names
    raise Busy("voters are forgotten faster than the votes can be read; try again")


def _all(store: Store, archive: Partitions) -> tuple[pa.Table, tuple[str, ...]]:
    for _ in range(TRIES):
        manifest = archive.manifest(OWN) or Manifest(OWN)
        try:
            old = [archive.arrow_part(OWN, part) for part in manifest.parts]
        except PartGone:
            continue
        votes = [vote for _, vote in store.votes.read(manifest.last_key)]
        again = archive.manifest(OWN) or Manifest(OWN)
        # Between the two readings votes may have moved from the stream into the archive.
        if again.last_key == manifest.last_key:
            return columns.join([*old, columns.to_arrow(VoteTable.of(votes), votes)]), manifest.models
    raise PartGone("the archive changes faster than it can be read, or a file of it is lost")


def without(table: VoteTable, hidden: Collection[str]) -> VoteTable:
    """`table` with the models of `hidden` unnamed; their votes stay as rows that do not count (`unpublished`)."""
    if not set(hidden) & set(table.models):
        return table
    rows = _of(table.models, table.a, hidden) | _of(table.models, table.b, hidden)
    renamed = [HIDDEN_MODEL if name in hidden else name for name in table.models]
    models = tuple(sorted(set(renamed)))
    lookup = np.array([models.index(name) for name in renamed], dtype=np.int32)
    table = replace(table, models=models, a=lookup[table.a], b=lookup[table.b])
    return mark(table, rows, "unpublished")


def _with(archive: Partitions, manifest: Manifest, fresh: Sequence[tuple[str, Vote]]) -> Manifest:
    """The manifest after these votes: each day's file written anew with its old and new votes."""
    parts = {part.date: part for part in manifest.parts}
    names: set[str] = set(manifest.models)
    days = sorted(fresh, key=lambda pair: _day(pair[1]))
    for day, group in groupby(days, key=lambda pair: _day(pair[1])):
        votes = [vote for _, vote in group]
        names.update(name for vote in votes for name in (vote.model_a, vote.model_b))
        table = columns.to_arrow(VoteTable.of(votes), votes)
        if day in parts:
            table = columns.join([archive.arrow_part(OWN, parts[day]), table])
        parts[day] = archive.write_part(OWN, day, table, date=day)
    ordered = tuple(parts[day] for day in sorted(parts, key=str))
    return replace(manifest, models=tuple(sorted(names)), parts=ordered, last_key=fresh[-1][0])


def _day(vote: Vote) -> str:
    return datetime.fromtimestamp(vote.at or 0.0, UTC).date().isoformat()


def _forget(store: Store, archive: Partitions, called: kept_votes.Called) -> None:
    """Finish what `Store.forget` began: nothing in store or archive names these voters or their battles after it."""
    names = store.visitors.forgotten()
    manifest = archive.manifest(OWN)
    if not names:
        return
    for voter in names:
        store.visitors.erase(voter)
    if manifest is not None:
        parts = tuple(_rewritten(archive, part, names) for part in manifest.parts)
        if parts != manifest.parts:
            archive.put_manifest(replace(manifest, parts=parts))
    kept_votes.forget(archive.folder, names, called)
    store.visitors.forgotten_everywhere(list(names))
    store.admin.tidy_log()


def _rewritten(archive: Partitions, part: ArchiveFile, names: Mapping[str, str]) -> ArchiveFile:
    table: pa.Table = archive.arrow_part(OWN, part)
    whose = {*names, *names.values()}
    rows = [voter in whose for voter in table["voter"].to_pylist()]
    if not any(rows):
        return part
    table = columns.rename(table, "voter", names)
    # The ids of his battles stand in his browser's history, the seconds of his votes in logs of requests.
    for name in ("battle", "dwell_seconds", "at"):
        column = table[name]
        kept = [
            column_value if not gone else _minute(column_value) if name == "at" else None
            for gone, column_value in zip(rows, column.to_pylist(), strict=True)
        ]
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(kept, column.type))
    return archive.write_part(OWN, str(part.date), table, date=part.date)


def _minute(at: float | None) -> float | None:
    return None if at is None else at // MINUTE * MINUTE


def _renamed(table: VoteTable, names: Mapping[str, str]) -> VoteTable:
    """`table` with voters renamed."""
    if not set(names) & set(table.voters):
        return table
    renamed = [names.get(voter, voter) for voter in table.voters]
    voters = tuple(sorted(set(renamed)))
    place = {voter: code for code, voter in enumerate(voters)}
    lookup = np.array([place[voter] for voter in renamed] + [UNKNOWN], dtype=np.int32)
    return replace(table, voters=voters, voter=lookup[table.voter])


def _accepted(table: VoteTable, until: float) -> VoteTable:
    """`table` with unchecked votes cast before `until` (seconds UTC) counted."""
    if UNCHECKED not in table.reasons:
        return table
    rows = (table.reason == table.reasons.index(UNCHECKED)) & (table.at < until)
    return replace(table, reason=np.where(rows, np.int32(UNKNOWN), table.reason))


def _of(names: Sequence[str], codes: np.ndarray, wanted: Collection[str]) -> np.ndarray:
    """(n,) rows whose code is one of the `wanted` names."""
    hit = np.array([name in wanted for name in names] + [False], dtype=np.bool_)
    found: np.ndarray = hit[codes]
    return found
