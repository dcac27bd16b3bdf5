"""Bringing vote files into the archive as a collection: read, checked, and kept all or nothing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.archive.manifest import ImportedSource
from arena.archive.partitions import NAME, Partitions, checked, content_hash
from arena.importers import Reading, read
from arena.importers.files.sources import STANDARD_INPUT, find
from arena.importers.rules import aliases as alias_files
from arena.importers.rules.columns import GivenPairs

KEPT_WARNINGS = 50


@dataclass(frozen=True)
class Imported:
    """What an import did. `added` is False when the same file or the same votes were there before."""

    collection: str
    added: bool
    reading: Reading
    aliases: Mapping[str, str]
    source: ImportedSource


@dataclass(frozen=True)
class Wish:
    """What to import, and how to read it."""

    files: tuple[str, ...]
    into: str | None = None
    format: str = "auto"
    aliases: str | None = None
    skip_bad: bool = False
    outcomes: GivenPairs | None = None
    columns: GivenPairs | None = None


def prepare(wish: Wish, *, at: float, progress: Callable[[int, int], None] | None = None) -> Imported:
    """Read everything and write nothing (`added` is False). Raises `BadInput` as `importers.read` does."""
    collection = checked(wish.into or collection_of(wish.files))
    source = _file_hash(wish.files)
    reading = read(
        wish.files,
        format=wish.format,
        skip_bad=wish.skip_bad,
        outcomes=wish.outcomes,
        columns=wish.columns,
        progress=progress,
    )
    aliases = alias_files.load(wish.aliases, reading.table.models) if wish.aliases else {}
    content = content_hash(reading.table)
    return Imported(collection, False, reading, aliases, _source(reading, source or content, content, at))


def keep(archive: Partitions, found: Imported) -> Imported:
    """Add what `prepare` read to the archive, unless it is there."""
    added = archive.append(found.collection, found.reading.table, found.source, found.aliases)
    if not added and found.aliases:
        archive.set_aliases(found.collection, found.aliases)
    return Imported(found.collection, added, found.reading, found.aliases, found.source)


def collection_of(files: Sequence[str]) -> str:
    """A name for the collection of these files, from the name of the first."""
    stem = Path(files[0]).name.split(".")[0].lower()
    name = re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:64].strip("-")
    return name if NAME.fullmatch(name) else "imported"


def _source(reading: Reading, source: str, content: str, at: float) -> ImportedSource:
    tally = reading.tally
    return ImportedSource(
        source=source,
        content=content,
        at=at,
        files=tuple(Path(file).name for file in tally.files),
        format=tally.format,
        read=tally.read,
        accepted=tally.accepted,
        rejected=tally.rejected_count,
        duplicates=tally.duplicates,
        not_votes=dict(tally.not_votes),
        warnings=tuple(tally.warnings[:KEPT_WARNINGS]),
    )


def _file_hash(files: Sequence[str]) -> str | None:
    """SHA-256 over the bytes of all files; None for standard input, which can be read only once."""
    if STANDARD_INPUT in files:
        return None
    found = hashlib.sha256()
    for source in find(files):
        with source.raw() as stream:
            part = hashlib.sha256()
            while block := stream.read(1 << 20):
                part.update(block)
            found.update(part.digest())
    return found.hexdigest()
