"""Small result files of every kind, invented for these tests, and what was read of them."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

from arena.errors import BadInput
from ratings.benchmarks.readers import Ask, Reading, read
from ratings.benchmarks.results.assembly import assemble, records
from ratings.benchmarks.results.results import ItemResults


def put(path: Path, value: Any) -> Path:
    """`value` as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def put_lines(path: Path, rows: Sequence[Any]) -> Path:
    """`rows` as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def put_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def reading(*paths: Path, **ask: Any) -> Reading:
    return read(paths, ask=Ask(**ask))


def results(*paths: Path, **ask: Any) -> dict[str, ItemResults]:
    found = read(paths, ask=Ask(**ask))
    return assemble(found.entries, labels=found.labels)


def cells(*paths: Path, **ask: Any) -> dict[tuple[str, str, int], tuple[float | None, str]]:
    """(model, item, repeat) -> (score, status) of the one benchmark there."""
    found = {}
    for record in records(read(paths, ask=Ask(**ask)).entries):
        found[record["model"], record["item"], record["repeat"]] = (record["score"], record["status"])
    return found


def refusal(*paths: Path, **ask: Any) -> BadInput:
    """The error that reading ends in."""
    try:
        read(paths, ask=Ask(**ask))
    except BadInput as error:
        return error
    raise AssertionError("it was read")


def zip_zstd(path: Path, members: Mapping[str, Any]) -> Path:
    """A zip whose members are packed by zstd (method 93), which the standard library cannot write."""
    body, directory = b"", b""
    for name, value in members.items():
        raw = json.dumps(value).encode()
        packed, coded = zstandard.ZstdCompressor().compress(raw), name.encode()
        sizes = struct.pack(
            "<HHHHHIIIHH", 63, 0, 93, 0, 33, zlib.crc32(raw), len(packed), len(raw), len(coded), 0
        )
        directory += (
            b"PK\x01\x02"
            + struct.pack("<H", 63)
            + sizes
            + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
            + coded
        )
        body += b"PK\x03\x04" + sizes + coded + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)
    return path
