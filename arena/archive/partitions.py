"""Collections of votes as Parquet files under one folder or fsspec address, each behind a manifest.

    <root>/<collection>/manifest.json      what counts; replaced whole, last of all
    <root>/<collection>/<day>-<hash>.parquet    this arena's own votes of one UTC day
    <root>/<collection>/import-<hash>.parquet   one import

A file that no manifest names is nothing: a killed run leaves the last good state.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from arena.archive import columns
from arena.archive.folders import Folder
from arena.archive.manifest import ArchiveFile, ImportedSource, Manifest
from arena.errors import BadInput
from arena.votes import UNKNOWN, VoteTable

OWN = "arena"  # the collection of this arena's own votes
NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?")
TRIES = 5
MANIFEST, LOCK = "manifest.json", ".lock"
ROWS_OF_GROUP = 1 << 22  # few groups, so that few dictionaries must be united on reading
SMOOTH = {"at", "drawn_p"}  # columns of ever new numbers, where a dictionary only costs


class PartGone(BadInput):
    """A manifest names a file that is not there: replaced meanwhile (read again), or lost."""

    code = "part_gone"


@dataclass(frozen=True)
class Collection:
    """What is known of a collection without reading its votes."""

    name: str
    votes: int
    models: int
    sources: tuple[ImportedSource, ...]


class Partitions:
    """Reads and writes collections. One writer at a time: see `Folder.alone`, and the lock of the store."""

    def __init__(self, root: str) -> None:
        self.folder = Folder(root)

    def collections(self) -> list[Collection]:
        """All collections, by name."""
        found = []
        for name in self.folder.names():
            manifest = self.manifest(name) if NAME.fullmatch(name) else None
            if manifest is not None:
                found.append(Collection(name, manifest.votes, len(manifest.models), manifest.sources))
        return found

    def manifest(self, collection: str) -> Manifest | None:
        """The manifest of a collection; None when there is no such collection."""
        raw = self.folder.read(f"{checked(collection)}/{MANIFEST}")
        return (
            None
            if raw is None
            else Manifest.parse(raw, f"{self.folder.address}/{collection}/{MANIFEST}", collection)
        )

    def read(self, collection: str, source: str | None = None) -> VoteTable:
        """All votes of a collection, excluded ones included; an empty table when there is none.

        `source`: only those of imports that had a file of this name, or whose SHA-256 begins so.
        """
        for _ in range(TRIES):
            manifest = self.manifest(collection)
            if manifest is not None and source is not None:
                manifest = manifest.only(source)
            try:
                return VoteTable.of([]) if manifest is None else self.read_parts(manifest)
            except PartGone:
                continue  # a writer replaced the part after we read the manifest
        raise PartGone(f"{self.folder.address}/{collection}: the manifest names a file that is gone")

    def read_parts(self, manifest: Manifest) -> VoteTable:
        """The votes of this state of a collection."""
        if not manifest.parts:
            return replace(VoteTable.of([]), models=tuple(sorted(manifest.models)))
        table = columns.from_arrow(self.arrow(manifest), manifest.models)
        return merged(table, manifest.aliases) if manifest.aliases else table

    def arrow(self, manifest: Manifest) -> pa.Table:
        """The columns of all parts, joined."""
        return columns.join([self.arrow_part(manifest.collection, part) for part in manifest.parts])

    def arrow_part(self, collection: str, part: ArchiveFile) -> pa.Table:
        """The columns of one part. Raises `PartGone`."""
        raw = self.folder.read(f"{collection}/{part.file}")
        if raw is None:
            raise BadInput(
                f"{self.folder.address}/{collection}/{part.file} is gone, but the manifest names it"
            )
        return pq.read_table(io.BytesIO(raw))

    def part_faults(self, collection: str) -> list[str]:
        """Files of a collection that are gone or not as they were written, one line each."""
        manifest = self.manifest(collection)
        faults = []
        for part in manifest.parts if manifest else ():
            raw = self.folder.read(f"{collection}/{part.file}")
            if raw is None or hashlib.sha256(raw).hexdigest() != part.sha256:
                faults.append(f"{collection}/{part.file} is {'gone' if raw is None else 'damaged'}")
        return faults

    def append(
        self,
        collection: str,
        table: VoteTable,
        source: ImportedSource,
        aliases: Mapping[str, str] | None = None,
    ) -> bool:
        """Add an import, all or nothing; False when the same file or the same votes are in already.

        `aliases` are kept beside the votes and merged at every reading, so that they can be taken back.
        """
        if collection == OWN:
            raise BadInput(f"the collection {OWN!r} holds this arena's own votes; import into another")
        with self.folder.exclusive(f"{checked(collection)}/{LOCK}"):
            manifest = self.manifest(collection) or Manifest(collection)
            if any(source.source == old.source or source.content == old.content for old in manifest.sources):
                return False
            part = self.write_part(collection, "import", columns.to_arrow(table), source=source.source)
            changed = replace(
                manifest,
                models=tuple(sorted({*manifest.models, *table.models})),
                parts=(*manifest.parts, part),
                sources=(*manifest.sources, source),
                aliases={**manifest.aliases, **(aliases or {})},
            )
            self.put_manifest(changed)
        return True

    def set_aliases(self, collection: str, aliases: Mapping[str, str]) -> None:
        """Merge these names at every reading of a collection, instead of those before; an empty map parts all."""
        with self.folder.exclusive(f"{checked(collection)}/{LOCK}"):
            manifest = self.manifest(collection)
            if manifest is None:
                raise BadInput(f"there is no collection {collection!r}")
            self.put_manifest(replace(manifest, aliases=dict(aliases)))

    def remove(self, collection: str) -> bool:
        """Remove a collection whole; False when there was none."""
        if collection == OWN:
            raise BadInput(f"the collection {OWN!r} holds this arena's own votes and stays")
        with self.folder.exclusive(f"{checked(collection)}/{LOCK}"):
            manifest = self.manifest(collection)
            if manifest is None:
                return False
            self.folder.remove(f"{collection}/{MANIFEST}")
            for name in self.folder.names(collection):
                if name.endswith(".parquet"):
                    self.folder.remove(f"{collection}/{name}")
        return True

    def write_part(
        self,
        collection: str,
        stem: str,
        table: pa.Table,
        *,
        date: str | None = None,
        source: str | None = None,
    ) -> ArchiveFile:
        """Write one Parquet file, named by its content."""
        buffer = io.BytesIO()
        pq.write_table(
            table,
            buffer,
            compression="zstd",
            row_group_size=ROWS_OF_GROUP,
            use_dictionary=[name for name in table.column_names if name not in SMOOTH],
            column_encoding=dict.fromkeys(SMOOTH, "BYTE_STREAM_SPLIT"),
        )
        raw = buffer.getvalue()
        digest = hashlib.sha256(raw).hexdigest()
        file = f"{stem}-{digest[:16]}.parquet"
        self.folder.write(f"{collection}/{file}", raw)
        votes = int(np.sum(table["count"].to_numpy())) if len(table) else 0
        return ArchiveFile(file, len(table), votes, digest, date, source)

    def put_manifest(self, manifest: Manifest) -> None:
        """Make this state of a collection the one that readers see, then drop files of none."""
        self.folder.write(f"{manifest.collection}/{MANIFEST}", manifest.to_bytes())
        named = {part.file for part in manifest.parts}
        for name in self.folder.names(manifest.collection):
            if name.endswith((".parquet", ".tmp")) and name not in named:
                self.folder.remove(f"{manifest.collection}/{name}")


def checked(collection: str) -> str:
    """`collection` if it can name one. Raises `BadInput`."""
    if not NAME.fullmatch(collection):
        raise BadInput(
            f"collection {collection!r}: use small letters, digits, inner hyphens and underscores, at most 64"
        )
    return collection


def merged(table: VoteTable, aliases: Mapping[str, str]) -> VoteTable:
    """`table` with models renamed as `aliases` says; a battle between two names of one model becomes a self-battle."""
    renamed = [aliases.get(name, name) for name in table.models]
    models = tuple(sorted(set(renamed)))
    place = {name: code for code, name in enumerate(models)}
    lookup = np.array([place[name] for name in renamed], dtype=np.int32)
    a, b = lookup[table.a], lookup[table.b]
    return mark(replace(table, models=models, a=a, b=b), a == b, "self_battle")


def mark(table: VoteTable, rows: np.ndarray, reason: str) -> VoteTable:
    """`table` with `reason` on those of `rows` (a mask) that counted so far."""
    rows = rows & (table.reason == UNKNOWN)
    if not rows.any():
        return table
    reasons = tuple(sorted({*table.reasons, reason}))
    lookup = np.array([reasons.index(name) for name in table.reasons] + [UNKNOWN], dtype=np.int32)
    code = lookup[table.reason]
    code[rows] = reasons.index(reason)
    return replace(table, reasons=reasons, reason=code)


def content_hash(table: VoteTable) -> str:
    """SHA-256 over names and columns: equal for the same votes in the same order, whatever file they came in."""
    found = hashlib.sha256()
    for names in (table.models, table.voters, table.prompts, table.languages, table.reasons):
        found.update("\0".join(names).encode("utf-8", "surrogatepass") + b"\1")
    arrays = [
        getattr(table, name)
        for name in (
            "a",
            "b",
            "outcome",
            "voter",
            "prompt",
            "language",
            "reason",
            "count",
            "weight",
            "at",
            "drawn_p",
            "side_known",
        )
    ]
    for name, column in [*sorted(table.labels.items()), *sorted(table.traits.items())]:
        found.update(name.encode() + b"\2")
        arrays.append(column)
    for array in arrays:
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()
