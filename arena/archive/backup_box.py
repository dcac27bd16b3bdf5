"""The file of a backup: a zip whose every name, size, type and hash is checked before anything of it is used."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.archive.manifest import PART_FILE
from arena.archive.partitions import MANIFEST, NAME
from arena.bank.catalogue import BANK_FILE, ROSTER_FILE
from arena.errors import BadInput
from arena.settings import bounds

VERSION = 1
STORE, ARCHIVE, SECRET, CONTENTS = "store.jsonl", "archive/", "secret", "contents.json"
BANK, ROSTER = f"bank/{BANK_FILE}", f"bank/{ROSTER_FILE}"
KEPT = (BANK, ROSTER)  # below the home; files that settings name are the owner's
MOST_FILES = 100_000
SIZES = {CONTENTS: 64 << 20, SECRET: 4096, ROSTER: 4 << 20}  # bytes; the rest is bounded all together
PACKED_BY = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DIGEST = re.compile(r"[0-9a-f]{64}")
BROKEN = (
    ValueError, KeyError, TypeError, OSError, EOFError, RuntimeError, NotImplementedError, RecursionError, OverflowError,
    zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip


@dataclass(frozen=True)
class Box:
    """An opened backup whose names, sizes and hashes are right. What stands in its parts is not looked at yet."""

    path: Path
    zip: zipfile.ZipFile
    entries: int
    files: int
    names: tuple[str, ...]

    @property
    def archived(self) -> tuple[str, ...]:
        """Files of the archive, by their place in it."""
        return tuple(name.removeprefix(ARCHIVE) for name in self.names if name.startswith(ARCHIVE))

    def read(self, name: str) -> bytes:
        return self.zip.read(name)

    @contextmanager
    def lines(self, name: str, longest: int) -> Iterator[Iterator[bytes]]:
        """The lines of a part; of a line longer than `longest` only so much, and one byte."""
        with self.zip.open(name) as part:
            yield iter(lambda: part.readline(longest + 1), b"")

    def refused(self, why: str) -> BadInput:
        return BadInput(f"{self.path}: {why}")


@contextmanager
def opened(path: Path) -> Iterator[Box]:
    """The backup at `path`. Raises `BadInput` unless it holds what a backup may hold, as it was written."""
    try:
        file = zipfile.ZipFile(path)
    except BROKEN as error:
        raise BadInput(f"{path}: is no backup: {error}") from None
    with file:
        try:
            box = _checked(file, path)
        except BROKEN as error:
            raise BadInput(f"{path}: is no whole backup: {error}") from None
        yield box


def name_fault(name: str) -> str | None:
    """Why a backup may hold no part of this name; None when it may."""
    if name in (STORE, SECRET, CONTENTS, *KEPT):
        return None
    folder, _, file = name.removeprefix(ARCHIVE).partition("/")
    is_file = file == MANIFEST or PART_FILE.fullmatch(file)
    if name.startswith(ARCHIVE) and NAME.fullmatch(folder) and is_file:
        return None
    return f"{name[:80]!r} is no part that a backup holds"


def _checked(file: zipfile.ZipFile, path: Path) -> Box:
    parts = file.infolist()
    names = [part.filename for part in parts]
    if len(parts) > MOST_FILES:
        raise ValueError(f"it has {len(parts):,} parts; {MOST_FILES:,} is the most")
    if len(set(names)) < len(names):
        raise ValueError("it names a part twice")
    for part in parts:
        fault = name_fault(part.filename) or _part_fault(part)
        if fault:
            raise ValueError(fault)
    stored, limits = path.stat().st_size, bounds.now()
    if sum(part.file_size for part in parts) > limits.unpacked(stored):
        most, why = limits.unpacked(stored), limits.why_unpacked(stored)
        raise ValueError(f"it unpacks to more than {most:,} bytes ({why}); a backup of ours does not")
    contents = _contents(json.loads(file.read(CONTENTS)))
    _check_parts(file, contents["sha256"], set(names) - {CONTENTS})
    files = sum(name.startswith(ARCHIVE) for name in names)
    if contents["files"] != files:
        raise ValueError(f"it names {contents['files']:,} archived files and holds {files:,}")
    return Box(path, file, contents["entries"], files, tuple(contents["sha256"]))


def _part_fault(part: zipfile.ZipInfo) -> str | None:
    if part.flag_bits & 1 or part.compress_type not in PACKED_BY:
        return f"{part.filename} is packed in a way that no backup is"
    most = SIZES.get(part.filename)
    if most is not None and part.file_size > most:
        return f"{part.filename} has {part.file_size:,} bytes; {most:,} is the most"
    return None


def _contents(found: Any) -> Mapping[str, Any]:
    """The table of contents, its values of the right kinds."""
    if not isinstance(found, dict) or type(found.get("version")) is not int:
        raise ValueError("its table of contents is none")
    if found["version"] != VERSION:
        raise ValueError(f"a backup of version {found['version']}; this program reads {VERSION}")
    for name in ("entries", "files"):
        if type(found[name]) is not int or found[name] < 0:
            raise ValueError(f"its table of contents has no number of {name}")
    digests = found["sha256"]
    if not isinstance(digests, dict) or not all(
        isinstance(digest, str) and DIGEST.fullmatch(digest) for digest in digests.values()
    ):
        raise ValueError("its table of contents has no hashes")
    return found


def _check_parts(file: zipfile.ZipFile, digests: Mapping[str, str], names: set[str]) -> None:
    """Every part is in the table of contents and as it was written; nothing else is there."""
    for name in (STORE, SECRET):
        if name not in names:
            raise ValueError(f"{name} is missing")
    odd = sorted(names ^ set(digests))
    if odd:
        raise ValueError(f"{odd[0][:80]!r} is in the file or in its table of contents alone")
    for name, digest in digests.items():
        found, size = hashlib.sha256(), 0
        with file.open(name) as part:
            while block := part.read(1 << 20):
                found.update(block)
                size += len(block)
        if found.hexdigest() != digest or size != file.getinfo(name).file_size:
            raise ValueError(f"{name} is not as it was written")
