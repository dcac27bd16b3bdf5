"""Where votes come from: files, folders, globs and standard input, compressed or not, as streams of plain bytes."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

import zstandard

from arena.errors import BadInput, Problem

STANDARD_INPUT = "-"
ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
PACKED_ENDINGS = (".gz", ".zst")
GZIP, ZSTD, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
KEPT_IN_MEMORY = 32 << 20  # standard input beyond this goes through a temporary file
# A compressed file may grow to the larger of the two: honest logs shrink 5 to 50 fold, a bomb 1000 fold and more.
LARGEST_UNPACKED = 4 << 30
LARGEST_RATIO = 100

Progress = Callable[[int, int], None]
Watch = Callable[[int], None]


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
        return self.spooled.seek(0, io.SEEK_END)

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

    def close(self) -> None:
        if self.spooled is not None:
            self.spooled.close()

    @contextmanager
    def plain(self, watch: Watch | None = None) -> Iterator[io.BufferedReader]:
        """The bytes from the start, unpacked. `watch` is told the number of stored bytes read so far."""
        with self.raw() as stream:
            counted: Any = Counted(stream, watch)
            head = counted.peek(4)
            if head.startswith(GZIP):
                unpacked: Any = gzip.GzipFile(fileobj=counted, mode="rb")
            elif head.startswith(ZSTD):
                unpacked = zstandard.ZstdDecompressor().stream_reader(counted, read_across_frames=True)
            else:
                yield io.BufferedReader(counted, 1 << 20)
                return
            limit = max(LARGEST_UNPACKED, LARGEST_RATIO * self.size)
            yield io.BufferedReader(Unpacked(unpacked, self.name, limit), 1 << 20)


class Counted(io.RawIOBase):
    """A stream that tells how much of it has been read."""

    def __init__(self, stream: BinaryIO, watch: Watch | None) -> None:
        self._stream = stream
        self._watch = watch
        self._read = 0

    def readable(self) -> bool:
        return True

    def peek(self, size: int) -> bytes:
        head = self._stream.read(size)
        self._stream.seek(0)
        return head

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._read += len(data)
        if self._watch is not None:
            self._watch(self._read)
        return len(data)


class Unpacked(io.RawIOBase):
    """An unpacking stream that stops a bomb and says in our words what is broken."""

    def __init__(self, stream: IO[bytes], name: str, limit: int) -> None:
        self._stream = stream
        self._name = name
        self._left = limit
        self._limit = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except (EOFError, OSError, zlib.error, zstandard.ZstdError) as error:
            raise refused(self._name, f"the compressed file is damaged or cut short: {error}") from error
        self._left -= len(data)
        if self._left < 0:
            raise refused(
                self._name, f"unpacks to more than {self._limit:,} bytes; unpack it first if that is meant"
            )
        buffer[: len(data)] = data
        return len(data)


def find(paths: Sequence[str | Path]) -> list[Source]:
    """All files that `paths` name, in order, each once: files, folders, globs, `-` for standard input."""
    found: dict[str, Source] = {}
    for path in paths:
        for source in _expand(os.fspath(path)):
            found.setdefault(source.name if source.path is None else str(source.path), source)
    if not found:
        raise BadInput("no file to read")
    return list(found.values())


def _expand(path: str) -> list[Source]:
    if path == STANDARD_INPUT:
        return [Source("<stdin>", None, _spool(sys.stdin.buffer))]
    if "\0" in path:
        raise refused(path.replace("\0", "\\0"), "is no file name")
    here = Path(path)
    try:
        if here.is_dir():
            return _folder(here)
        if here.is_file():
            return [Source(printable(path), here)]
        if here.exists():  # a pipe can be read only once
            with here.open("rb") as stream:
                return [Source(printable(path), None, _spool(stream))]
    except OSError as error:
        raise refused(printable(path), f"cannot be read: {error.strerror}") from error
    matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
    files = [Source(printable(match), Path(match)) for match in matches if Path(match).is_file()]
    if not files:
        raise refused(printable(path), "no such file")
    return files


def _folder(folder: Path) -> list[Source]:
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and _is_data(file)]
    if not files:
        endings = ", ".join(ENDINGS)
        raise refused(
            printable(str(folder)), f"no file in this folder ends in {endings} (or these with .gz, .zst)"
        )
    return [Source(printable(str(file)), file, found_in_folder=True) for file in files]


def _is_data(file: Path) -> bool:
    name = file.name.lower()
    for ending in PACKED_ENDINGS:
        name = name.removesuffix(ending)
    return name.endswith(ENDINGS) and not name.startswith(".")


def printable(path: str) -> str:
    """A file name as a message shows it: names are bytes, and some are not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _spool(stream: IO[bytes]) -> IO[bytes]:
    spooled = tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY)  # noqa: SIM115 - closed with its Source
    while chunk := stream.read(1 << 20):
        spooled.write(chunk)
    return spooled


def recoded(stream: io.BufferedReader, name: str) -> io.BufferedReader:
    """The stream as UTF-8 without byte-order mark. UTF-16 is read by its mark, UTF-32 refused."""
    head = stream.peek(4)[:4]
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise refused(name, "is UTF-32; save it as UTF-8")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return io.BufferedReader(Recoded(stream, name), 1 << 20)
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    return stream


class Recoded(io.RawIOBase):
    """UTF-16 with a byte-order mark as UTF-8 bytes."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-16")()
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._ready and not self._ended:
            chunk = self._stream.read(1 << 18)
            self._ended = not chunk
            try:
                text = self._decoder.decode(chunk, final=self._ended)
            except UnicodeDecodeError as error:
                raise refused(self._name, f"is broken UTF-16: {error.reason}") from error
            self._ready = text.encode("utf-8")
        data, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def refused(name: str, reason: str) -> BadInput:
    """The error for a file that cannot be used at all."""
    return BadInput(f"{name}: {reason}", [Problem(name, reason)])
