"""Pieces of a delimited file: some whole records together, in the cheapest form that holds all that is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from arena.importers.files.csv_cells import Record, Table, split, split_quickly

Shape = Literal["plain", "quoted"]
QUOTE, NEWLINE, RETURN = b'"\n\r'


@dataclass(frozen=True)
class Piece:
    """Records from the physical line `line` on; exactly one of `lines`, `table` and `records` holds them."""

    line: int
    lines: bytes = b""  # one sound line a record, not cut yet
    shape: Shape = "plain"  # of `lines`: no cell is quoted, or quoted cells are sound
    table: Table | None = None
    records: Sequence[Record] = ()
    is_text: bool = True  # every byte of the records is UTF-8

    def cut(self, delimiter: str) -> Iterator[Record]:
        """The records one by one."""
        if self.records:
            yield from self.records
        elif self.table is not None:
            yield from map(Record, self.table.lines, self.table.cells)
        elif self.shape == "quoted":
            yield from split(self.lines.decode("utf-8"), delimiter, is_last=True)[0]
        else:
            for line, text in enumerate(self.lines.decode("utf-8").removesuffix("\n").split("\n")):
                if text and not text.isspace():
                    yield Record(line, text.removesuffix("\r").split(delimiter))


def piece_of(
    data: bytes, line: int, delimiter: str, width: int, *, is_last: bool
) -> tuple[Piece, int, bytes]:
    """The records of `data`, the physical lines they take, and what is left for the next piece."""
    shape = shape_of(data, delimiter)
    if shape is not None:
        return Piece(line, lines=data, shape=shape), data.count(b"\n"), b""
    text, is_text = decoded(data)
    table = split_quickly(text, delimiter, width) if is_text else None
    if table is not None:
        return Piece(line, table=table), table.taken, b""
    records, taken, lines = split(text, delimiter, is_last=is_last)
    left = text[taken:].encode("utf-8", "surrogateescape")
    return Piece(line, records=records, is_text=is_text), lines, left


def shape_of(data: bytes, delimiter: str) -> Shape | None:
    """What makes lines safe to cut without looking at each: UTF-8, one record a line, none blank; else None."""
    if b"\0" in data or b"\n\n" in data or b"\n\r\n" in data or data[:1] in (b"\n", b"\r"):
        return None
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None
    if not data.isascii() and not decoded(data)[1]:
        return None
    if b'"' not in data:
        return "plain"
    return "quoted" if _quotes_are_sound(data, ord(delimiter)) else None


def _quotes_are_sound(data: bytes, delimiter: int) -> bool:
    """Does each quoted cell begin after a delimiter or newline and end before one, on the same line (RFC 4180)?"""
    letters = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(letters == QUOTE)
    if len(quotes) % 2:
        return False
    opening, closing = quotes[0::2], quotes[1::2]
    # A doubled quote reads as a closing one with an opening one right behind it.
    doubled = np.zeros(len(opening) + 1, dtype=np.bool_)
    doubled[1:-1] = opening[1:] == closing[:-1] + 1
    before = letters[opening - 1]  # of the very first letter: wraps around, and does not matter
    begins = (opening == 0) | (before == delimiter) | (before == NEWLINE) | doubled[:-1]
    after = letters[np.minimum(closing + 1, len(letters) - 1)]
    ends = (after == delimiter) | (after == NEWLINE) | (after == RETURN) | doubled[1:]
    ends |= closing == len(letters) - 1
    newlines = np.flatnonzero(letters == NEWLINE)
    return bool(begins.all() and ends.all() and not (np.searchsorted(quotes, newlines) % 2).any())


def decoded(data: bytes) -> tuple[str, bool]:
    """The text, and whether all of it is UTF-8; bytes that are not stand as lone surrogates."""
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), False
