"""Zip files whose members are packed by zstd (method 93), which Python before 3.14 does not open."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from arena.importers.files.streams import Counted, Unpacked, Zstd
from ratings.benchmarks.readers.sources import Source, refuse_whole

ZSTD = (20, 93)  # the registered number, and the one in wide use
LOCAL_HEADER = struct.Struct("<4s22xHH")


class ZipMembers:
    """A zip file in memory. Of members with the same name the last counts, as in the zip itself."""

    def __init__(self, source: Source) -> None:
        self.source = source
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.content))
        except (zipfile.BadZipFile, ValueError) as error:
            raise refuse_whole(source, f"not a zip file, or cut off: {error}") from None
        self.names = tuple(dict.fromkeys(self._zip.namelist()))

    def read(self, name: str) -> bytes:
        """The content of a member, its checksum checked; bounded as any packed file is."""
        info = self._zip.getinfo(name)
        try:
            packed = self._zstd(info) if info.compress_type in ZSTD else self._zip.open(info)
            member = Unpacked(packed, f"{self.source.name}: {name}", info.compress_size)
            content = io.BufferedReader(member, 1 << 20).read()
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            RuntimeError,
            struct.error,
            ValueError,
        ) as error:
            raise refuse_whole(self.source, f"{name} cannot be unpacked: {error}") from None
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise refuse_whole(self.source, f"{name} is damaged: its checksum is wrong")
        return content

    def _zstd(self, info: zipfile.ZipInfo) -> IO[bytes]:
        raw = self.source.content
        mark, name_length, extra_length = LOCAL_HEADER.unpack_from(raw, info.header_offset)
        if mark != b"PK\x03\x04":
            raise zipfile.BadZipFile("no local header")
        start = info.header_offset + LOCAL_HEADER.size + name_length + extra_length
        return Zstd(Counted(io.BytesIO(raw[start : start + info.compress_size]), None))  # type: ignore[return-value]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)
