"""What kind of file this is, by its first bytes: delimited text, JSON lines, a JSON array or object, or Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.importers.files.csv_rows import CsvContent, open_csv
from arena.importers.files.json_rows import (
    DECODER,
    ArrayContent,
    DocumentContent,
    LinesContent,
    read_document,
)
from arena.importers.files.parquet_rows import ParquetContent, open_parquet
from arena.importers.files.sources import Source
from arena.importers.files.streams import Watch, refused
from arena.settings import bounds

HEAD = 1 << 20
PARQUET = b"PAR1"
SAMPLED = 50
SAMPLED_AT_MOST = 500  # records looked at in search of so many that can be read
NO_TEXT = {
    b"PK\x03\x04": "a zip or spreadsheet file; save the sheet as CSV, or unpack it",
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet file; save the sheet as CSV",
    b"SQLite format": "a database; export the votes as CSV or JSON lines",
    b"ARROW1": "an Arrow file; save it as Parquet",
    b"BZh": "packed by bzip2; unpack it, or pack it by gzip or zstd",
    b"\xfd7zXZ": "packed by xz; unpack it, or pack it by gzip or zstd",
}

Content = CsvContent | LinesContent | ArrayContent | DocumentContent | ParquetContent


def open_content(source: Source, watch: Watch | None = None) -> Content | None:
    """The reader for the kind of file that `source` is; None when it is empty."""
    source.check_size()
    with source.plain() as stream:
        magic = stream.read(16)
    if magic.startswith(PARQUET):
        return open_parquet(source, watch)
    for start, what in NO_TEXT.items():
        if magic.startswith(start):
            raise refused(source.name, f"is {what}")
    with source.text() as stream:
        head = stream.read(HEAD)
    if b"\0" in head[:1000]:
        raise refused(
            source.name, "holds zero bytes: UTF-16 without a byte-order mark, or no text; save it as UTF-8"
        )
    begin = head.lstrip()
    if not begin:
        return None
    if begin.startswith(b"["):
        return ArrayContent(source, watch)
    if not begin.startswith(b"{"):
        return open_csv(source, watch)
    return (
        LinesContent(source, watch)
        if _is_lines(source)
        else DocumentContent(source, document=read_document(source))
    )


def _is_lines(source: Source) -> bool:
    """Does each line hold an object? One object alone is a document, on one line or on many."""
    with source.text() as stream:
        lines: list[bytes] = []
        while len(lines) < 3 and (line := stream.readline(bounds.now().line)):
            if line.strip():
                lines.append(line)
    return len(lines) > 1 and any(_is_object(line.decode("utf-8", "replace")) for line in lines[:2])


def _is_object(line: str) -> bool:
    """Does the line begin with one whole JSON object?"""
    try:
        value, _ = DECODER.raw_decode(line.strip())
    except (json.JSONDecodeError, ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def sample(content: Content) -> tuple[Mapping[str, Any], ...]:
    """The first readable records."""
    found: list[Mapping[str, Any]] = []
    for row in content.rows():
        if row.fault is None:
            found.append(row.values)
        if len(found) == SAMPLED or row.number == SAMPLED_AT_MOST:
            break
    return tuple(found)
