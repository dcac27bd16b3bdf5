"""The manifest of a collection: which Parquet parts it is made of, where they came from, how far the stream is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.errors import BadInput

VERSION = 1
PART_FILE = re.compile(r"[a-z0-9][a-z0-9-]{0,80}\.parquet")
DIGEST = re.compile(r"[0-9a-f]{64}")
LAST_KEY = re.compile(r"[0-9]{1,19}-[0-9]{1,19}")
HASH_LETTERS = 8  # of a hash that name it


@dataclass(frozen=True)
class ArchiveFile:
    """One Parquet file. A row may stand for several equal votes."""

    file: str
    rows: int
    votes: int
    sha256: str
    date: str | None = None  # UTC day of its votes; None for an import
    source: str | None = None  # which import it came from


@dataclass(frozen=True)
class ImportedSource:
    """One import: what was read, and the account of it."""

    source: str  # SHA-256 over the files as they were
    content: str  # SHA-256 over the votes as they were read
    at: float  # seconds UTC
    files: tuple[str, ...] = ()
    format: str = ""
    read: int = 0
    accepted: int = 0
    rejected: int = 0
    duplicates: int = 0
    not_votes: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def is_called(self, name: str) -> bool:
        """Is it the import that a person means by `name`: a file of it, or the beginning of its hash?"""
        return name in self.files or (len(name) >= HASH_LETTERS and self.source.startswith(name))


@dataclass(frozen=True)
class Manifest:
    """What a collection holds. `last_key`: id of the last vote of the stream that is in it (own votes only)."""

    collection: str
    models: tuple[str, ...] = ()  # every model that some vote or file named, also those without a vote
    parts: tuple[ArchiveFile, ...] = ()
    sources: tuple[ImportedSource, ...] = ()
    last_key: str | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)  # name in the parts -> name in every reading

    @property
    def votes(self) -> int:
        return sum(part.votes for part in self.parts)

    def only(self, source: str) -> Manifest:
        """The parts of imports that had a file called `source`, or whose SHA-256 begins so."""
        wanted = [one for one in self.sources if one.is_called(source)]
        known = {one.source for one in wanted}
        parts = tuple(part for part in self.parts if part.source in known)
        return replace(self, models=(), parts=parts, sources=tuple(wanted))

    def to_bytes(self) -> bytes:
        content = {"version": VERSION, **asdict(self)}
        return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True).encode()

    @classmethod
    def parse(cls, raw: bytes, place: str, collection: str) -> Manifest:
        """The manifest of `collection` that `to_bytes` wrote. Raises `BadInput` for anything else.

        Names of files in it become paths, so they are those that we give and no others.
        """
        try:
            content = json.loads(raw)
            if content.pop("version") != VERSION:
                raise ValueError("another version of the archive")
            content["parts"] = tuple(ArchiveFile(**part) for part in content["parts"])
            content["sources"] = tuple(_source(source) for source in content["sources"])
            content["models"] = tuple(content["models"])
            found = cls(**content)
            _check(found, collection)
            return found
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadInput(f"{place} is damaged: {error}") from None


def _check(found: Manifest, collection: str) -> None:
    """Raises `ValueError` or `TypeError` for names and numbers that we have not written."""
    if found.collection != collection:
        raise ValueError(f"it is of the collection {found.collection!r}")
    for part in found.parts:
        if not PART_FILE.fullmatch(part.file) or not DIGEST.fullmatch(part.sha256):
            raise ValueError(f"{part.file!r} is no part of an archive")
        if not all(type(count) is int and count >= 0 for count in (part.rows, part.votes)):
            raise ValueError(f"{part.file} has no number of votes")
    if len({part.file for part in found.parts}) < len(found.parts):
        raise ValueError("it names a part twice")
    if found.last_key is not None and not LAST_KEY.fullmatch(found.last_key):
        raise ValueError(f"{found.last_key!r} is no id of a vote")
    for source in found.sources:
        _check_source(source)
    names = [*found.models, *found.aliases.keys(), *found.aliases.values()]
    if not all(isinstance(name, str) for name in names):
        raise TypeError("a name is no text")


def _check_source(source: ImportedSource) -> None:
    texts = (source.source, source.content, source.format, *source.files, *source.warnings)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a source is named by something else than a text")
    counts = (source.read, source.accepted, source.rejected, source.duplicates, *source.not_votes.values())
    if not all(type(count) is int for count in counts) or type(source.at) not in (int, float):
        raise TypeError("the account of a source is no number")


def _source(content: dict[str, Any]) -> ImportedSource:
    lists = {name: tuple(content.get(name, ())) for name in ("files", "warnings")}
    return ImportedSource(**{**content, **lists})
