"""Where votes and results come from: files, folders, globs and standard input, compressed or not, as streams of plain bytes."""

from __future__ import annotations

import glob
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from arena.errors import BadInput
from arena.importers.files.streams import Watch, is_packed, recoded, refused, unpacked
from arena.settings import bounds

STANDARD_INPUT = "-"
ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
PACKED_ENDINGS = (".gz", ".zst")
KEPT_IN_MEMORY = 32 << 20  # standard input beyond this goes through a temporary file

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Source:
    """One file to read: `name` as messages show it, `path` or spooled bytes of standard input."""

    name: str
    path: Path | None
    spooled: IO[bytes] | None = None
    found_in_folder: bool = False  # nobody named it: it may be something else than votes

    @property
    def size(self) -> int:
        """Bytes as stored."""
        if self.path is not None:
            return self.path.stat().st_size
        assert self.spooled is not None
        here = self.spooled.tell()
        size = self.spooled.seek(0, io.SEEK_END)
        self.spooled.seek(here)
        return size

    @contextmanager
    def raw(self) -> Iterator[BinaryIO]:
        """The stored bytes from the start."""
        if self.path is None:
            assert self.spooled is not None
            self.spooled.seek(0)
            yield self.spooled  # type: ignore[misc]
            return
        try:
            stream = self.path.open("rb")
        except OSError as error:
            raise refused(self.name, f"cannot be read: {error.strerror}") from error
        with stream:
            yield stream

    @contextmanager
    def text(self, watch: Watch | None = None) -> Iterator[io.BufferedReader]:
        """The unpacked bytes as UTF-8 without byte-order mark; whether they are UTF-8 is left to the reader."""
        with self.plain(watch) as stream:
            yield recoded(stream, self.name)

    def check_size(self) -> None:
        """See that it does not unpack to more than it may, piece by piece: a bomb never lies in memory."""
        with self.raw() as stream:
            packed = is_packed(stream.read(4))
        if packed:
            with self.plain() as unpacking:
                while unpacking.read(1 << 20):
                    pass

    def whole(self) -> bytes:
        """All unpacked bytes, as `text` gives them. `BadInput` where they are more than memory is meant to hold."""
        most = bounds.now().unpacked_mb * bounds.MB
        self.check_size()
        with self.text() as stream:
            content = stream.read(most + 1)
        if len(content) > most:
            raise refused(self.name, f"has more than {most:,} bytes (ARENA_FILE_UNPACKED_MB)")
        return content

    def close(self) -> None:
        if self.spooled is not None:
            self.spooled.close()

    @contextmanager
    def plain(self, watch: Watch | None = None) -> Iterator[io.BufferedReader]:
        """The bytes from the start, unpacked. `watch` is told the number of stored bytes read so far."""
        with self.raw() as stream:
            yield unpacked(stream, self.name, self.size, watch)


def find(
    paths: Sequence[str | Path], endings: tuple[str, ...] = ENDINGS, *, below: bool = False
) -> list[Source]:
    """All files that `paths` name, in order, each once: files, folders, globs, `-` for standard input.

    Of a folder the files with one of `endings` (or these, packed) are taken; `below`: also those in the folders in it.
    """
    found: dict[str, Source] = {}
    for path in paths:
        for source in _expand(os.fspath(path), endings, below=below):
            found.setdefault(source.name if source.path is None else str(source.path.resolve()), source)
    if not found:
        raise BadInput("no file to read")
    return list(found.values())


def _expand(path: str, endings: tuple[str, ...], *, below: bool) -> list[Source]:
    if path == STANDARD_INPUT:
        return [Source("<stdin>", None, _spool(sys.stdin.buffer))]
    if "\0" in path:
        raise refused(path.replace("\0", "\\0"), "is no file name")
    here = Path(path)
    try:
        if here.is_dir():
            return _folder(here, endings, below=below)
        if here.is_file():
            return [Source(printable(path), here)]
        if here.exists():  # a pipe can be read only once
            with here.open("rb") as stream:
                return [Source(printable(path), None, _spool(stream))]
    except OSError as error:
        raise refused(printable(path), f"cannot be read: {error.strerror}") from error
    matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
    files: list[Source] = []
    for match in map(Path, matches):
        if match.is_file():
            files.append(Source(printable(str(match)), match))
        elif below:
            files += _data_in(match, endings, below=True)
    if not files:
        raise refused(printable(path), "no such file")
    return files


def _folder(folder: Path, endings: tuple[str, ...], *, below: bool) -> list[Source]:
    files = _data_in(folder, endings, below=below)
    if not files:
        reason = f"no file in this folder ends in {', '.join(endings)} (or these with .gz, .zst)"
        raise refused(printable(str(folder)), reason)
    return files


def _data_in(folder: Path, endings: tuple[str, ...], *, below: bool) -> list[Source]:
    files = sorted(folder.rglob("*") if below else folder.iterdir())
    return [
        Source(printable(str(file)), file, found_in_folder=True)
        for file in files
        if file.is_file() and _is_data(file, endings)
    ]


def _is_data(file: Path, endings: tuple[str, ...]) -> bool:
    name = unpacked_name(file).lower()
    return name.endswith(endings) and not name.startswith(".")


def unpacked_name(file: Path) -> str:
    """The file's name without the ending of a packer."""
    ending = file.suffix.lower() if file.suffix.lower() in PACKED_ENDINGS else ""
    return file.name[: len(file.name) - len(ending)]


def printable(path: str) -> str:
    """A file name as a message shows it: names are bytes, and some are not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _spool(stream: IO[bytes]) -> IO[bytes]:
    spooled = tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY)  # noqa: SIM115 - closed with its Source
    while chunk := stream.read(1 << 20):
        spooled.write(chunk)
    return spooled
