"""The votes behind published snapshots, kept in the archive so that each snapshot can be computed again.

One Parquet file for each state of a collection, named by the hash of its votes. Voters of imports are numbers there, in
the order of their names: enough for the fit and its rounds, and nothing to tell who they are. Votes cast here stand as
they are exported (`pseudonyms`), so that the votes of a release can be exported too.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq

from arena.archive import columns, pseudonyms
from arena.archive.folders import Folder
from arena.archive.partitions import OWN
from arena.archive.partitions import Partitions as Archive
from arena.votes import UNKNOWN, VoteTable

FOLDER = "_snapshots"  # no collection can be called so
ENDING, GONE = ".parquet", ".forgotten"
NAMED = b"named"  # mark of files whose voters have the pseudonyms of their key
Called = Callable[[str, str], str]  # key of votes, voter -> pseudonym


def keep(archive: Archive, votes_hash: str, table: VoteTable, collection: str) -> bool:
    """Keep `table`, votes of `collection`, under its hash; False when it is there already."""
    if f"{votes_hash}{ENDING}" in archive.folder.names(FOLDER):
        return False
    rows = columns.to_arrow(table if collection == OWN else anonymous(table))
    # Some models may have no vote. The key of the pseudonyms, so that one of them can be told from a release.
    names = {"models": json.dumps(table.models), "collection": collection, "key": pseudonyms.key(table)}
    if collection == OWN:
        names[NAMED.decode()] = "1"
    out = io.BytesIO()
    pq.write_table(rows.replace_schema_metadata(names), out, compression="zstd")
    archive.folder.write(f"{FOLDER}/{votes_hash}{ENDING}", out.getvalue())
    archive.folder.remove(f"{FOLDER}/{votes_hash}{GONE}")
    return True


def drop(archive: Archive, votes_hash: str) -> None:
    """Keep the votes of that hash no longer."""
    archive.folder.remove(f"{FOLDER}/{votes_hash}{ENDING}")


def find(archive: Archive, votes_hash: str) -> VoteTable | None:
    """The votes of that hash as they are kept; None when they are not (any more)."""
    raw = archive.folder.read(f"{FOLDER}/{votes_hash}{ENDING}")
    if raw is None:
        return None
    rows = pq.read_table(io.BytesIO(raw))
    return columns.from_arrow(rows, json.loads(rows.schema.metadata[b"models"]))


def drop_others(archive: Archive, wanted: Collection[str]) -> None:
    """Drop kept votes that no kept release was made of."""
    for name in archive.folder.names(FOLDER):
        if name.removesuffix(ENDING).removesuffix(GONE) not in wanted:
            archive.folder.remove(f"{FOLDER}/{name}")


def forget(folder: Folder, voters: Collection[str], called: Called) -> None:
    """Drop the votes of every snapshot that one of these voters of this arena is in; what stays says so.

    `called` gives the name of a voter in votes with a given key. Files of earlier versions do not say who is in them.
    """
    for name in folder.names(FOLDER):
        raw = folder.read(f"{FOLDER}/{name}") if name.endswith(ENDING) else None
        about = None if raw is None else pq.read_schema(io.BytesIO(raw)).metadata or {}
        if raw is None or about is None or not _is_own(raw, about) or not _holds(raw, about, voters, called):
            continue
        folder.write(f"{FOLDER}/{name.removesuffix(ENDING)}{GONE}", about.get(b"key", b"") or b"-")
        folder.remove(f"{FOLDER}/{name}")


def _holds(raw: bytes, about: Mapping[bytes, bytes], voters: Collection[str], called: Called) -> bool:
    if NAMED not in about:
        return True
    there = set(pq.read_table(io.BytesIO(raw), columns=["voter"])["voter"].unique().to_pylist())
    key = about[b"key"].decode()
    return any(called(key, voter) in there for voter in voters)


def is_forgotten(archive: Archive, votes_hash: str) -> bool:
    """The votes of that hash were dropped since a voter among them was forgotten."""
    return f"{votes_hash}{GONE}" in archive.folder.names(FOLDER)


def key_of(archive: Archive, votes_hash: str) -> str | None:
    """The key of the pseudonyms of the votes with that hash; None when they are not known (any more)."""
    raw = archive.folder.read(f"{FOLDER}/{votes_hash}{ENDING}")
    if raw is not None:
        found = (pq.read_schema(io.BytesIO(raw)).metadata or {}).get(b"key")
    else:
        found = archive.folder.read(f"{FOLDER}/{votes_hash}{GONE}")
    return None if found in (None, b"-") else found.decode()


def _is_own(raw: bytes, about: Mapping[bytes, bytes]) -> bool:
    """Votes of this arena; files of earlier versions do not say so, but only own votes have the chance of their draw."""
    if b"collection" in about:
        return about[b"collection"] == OWN.encode()
    column = pq.read_table(io.BytesIO(raw), columns=["drawn_p"])["drawn_p"]
    return bool(column.null_count < len(column))


def anonymous(table: VoteTable) -> VoteTable:
    """`table` with voters called by their place in the order of names."""
    used = np.unique(table.voter[table.voter != UNKNOWN])
    order = sorted(used.tolist(), key=lambda code: table.voters[code])
    digits = len(str(len(order)))
    lookup = np.full(len(table.voters) + 1, UNKNOWN, dtype=np.int32)
    lookup[order] = np.arange(len(order), dtype=np.int32)
    names = tuple(f"{number:0{digits}d}" for number in range(len(order)))
    return replace(table, voters=names, voter=lookup[table.voter])
