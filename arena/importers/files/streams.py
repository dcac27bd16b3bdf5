"""Streams of plain bytes out of packed ones: counted, bounded, and UTF-16 turned into UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO

import zstandard

from arena.errors import BadInput, Problem
from arena.settings import bounds

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

Watch = Callable[[int], None]


def unpacked(stream: BinaryIO, name: str, size: int, watch: Watch | None) -> io.BufferedReader:
    """The bytes of a file of `size` bytes, unpacked if gzip or zstd packed them. `watch` is told of stored bytes."""
    counted: Any = Counted(stream, watch)
    head = counted.peek(4)
    if head.startswith(GZIP):
        inner: Any = gzip.GzipFile(fileobj=counted, mode="rb")
    elif head.startswith(ZSTD):
        inner = Zstd(counted)
    else:
        return io.BufferedReader(counted, 1 << 20)
    return io.BufferedReader(Unpacked(inner, name, size), 1 << 20)


def is_packed(head: bytes) -> bool:
    """Do these first bytes show a packed file?"""
    return head.startswith((GZIP, ZSTD))


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


class Zstd:
    """Unpacks zstd frames one after the other. The package's own reader takes a file cut short for a whole one."""

    # What one step unpacks is bounded by what goes in: a few bytes of a frame can stand for 128 KiB.
    STEP = 1 << 10

    def __init__(self, stream: Counted) -> None:
        self._stream = io.BufferedReader(stream, 1 << 18)
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._started = False  # inside a frame
        self._ready = b""

    def read(self, size: int) -> bytes:
        while not self._ready:
            packed = self._stream.read(self.STEP)
            if not packed:
                if self._started:
                    raise EOFError("the last frame has no end")
                return b""
            self._ready = b"".join(self._unpack(packed))
        data, self._ready = self._ready[:size], self._ready[size:]
        return data

    def _unpack(self, packed: bytes) -> Iterator[bytes]:
        while packed:
            self._started = True
            yield self._frame.decompress(packed)
            if not self._frame.eof:
                return
            packed = self._frame.unused_data
            self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._started = False


class Unpacked(io.RawIOBase):
    """An unpacking stream of `size` stored bytes that stops a bomb and says in our words what is broken."""

    def __init__(self, stream: IO[bytes], name: str, size: int) -> None:
        self._stream = stream
        self._name = name
        self._size = size
        self._limit = self._left = bounds.now().unpacked(size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._stream.read(len(buffer))
        except (EOFError, OSError, zlib.error, zstandard.ZstdError) as error:
            raise refused(self._name, f"the compressed file is damaged or cut short: {error}") from error
        self._left -= len(data)
        if self._left < 0:
            setting = bounds.now().why_unpacked(self._size)
            raise refused(
                self._name,
                f"its {self._size:,} bytes unpack to more than {self._limit:,} ({setting}); if that is meant, unpack it first",
            )
        buffer[: len(data)] = data
        return len(data)


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


def refused(name: str, reason: str, **seen: Any) -> BadInput:
    """The error for a file that cannot be used at all; `seen`: the row, line, column and value where that shows."""
    problem = Problem(name, reason, **seen)
    return BadInput(str(problem), [problem])
