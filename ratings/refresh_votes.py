"""The votes behind published snapshots, kept in the archive so that each snapshot can be computed again.

One Parquet file for each state of a collection, named by the hash of its votes. Voters are numbers there, in the
order of their names: enough for the fit and its rounds, and nothing to tell who they are.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq

from arena import columns
from arena.archive import Archive
from arena.votes import UNKNOWN, VoteTable

FOLDER = "_snapshots"  # no collection can be called so


def keep(archive: Archive, votes_hash: str, table: VoteTable) -> None:
    """Keep `table` under its hash, unless it is there already."""
    if f"{votes_hash}.parquet" in archive.folder.names(FOLDER):
        return
    rows = columns.to_arrow(anonymous(table))
    names = {"models": json.dumps(table.models)}  # some may have no vote
    out = io.BytesIO()
    pq.write_table(rows.replace_schema_metadata(names), out, compression="zstd")
    archive.folder.write(f"{FOLDER}/{votes_hash}.parquet", out.getvalue())


def find(archive: Archive, votes_hash: str) -> VoteTable | None:
    """The votes of that hash as they are kept; None when they are not (any more)."""
    raw = archive.folder.read(f"{FOLDER}/{votes_hash}.parquet")
    if raw is None:
        return None
    rows = pq.read_table(io.BytesIO(raw))
    return columns.from_arrow(rows, json.loads(rows.schema.metadata[b"models"]))


def drop_others(archive: Archive, wanted: Collection[str]) -> None:
    """Forget kept votes that no kept release was made of."""
    for name in archive.folder.names(FOLDER):
        if name.removesuffix(".parquet") not in wanted:
            archive.folder.remove(f"{FOLDER}/{name}")


def anonymous(table: VoteTable) -> VoteTable:
    """`table` with voters called by their place in the order of names."""
    used = np.unique(table.voter[table.voter != UNKNOWN])
    order = sorted(used.tolist(), key=lambda code: table.voters[code])
    digits = len(str(len(order)))
    lookup = np.full(len(table.voters) + 1, UNKNOWN, dtype=np.int32)
    lookup[order] = np.arange(len(order), dtype=np.int32)
    names = tuple(f"{number:0{digits}d}" for number in range(len(order)))
    return replace(table, voters=names, voter=lookup[table.voter])
