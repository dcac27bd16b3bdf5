"""Pieces of a delimited file: whole records in the cheapest form that holds them, and as blocks of columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv

from arena.importers.files.csv_cells import Record, Table, fault_of, split, split_quickly
from arena.importers.files.rows import Block, Row
from arena.importers.values import arrow

Shape = Literal["plain", "quoted"]
QUOTE, NEWLINE, RETURN = b'"\n\r'
# Bytes from which on Arrow's threads are worth while. They cost a short command its end: a process that ends while
# Arrow still starts them is aborted by the C++ library.
THREADED = 1 << 20


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


@dataclass(frozen=True)
class Columns:
    """Which columns of a file are wanted, and how: `coded` as dictionaries, `text` as they are."""

    names: tuple[str, ...]  # all of the file
    delimiter: str
    coded: Collection[str]
    text: Collection[str]

    @property
    def wanted(self) -> list[tuple[int, str]]:
        return [(at, name) for at, name in enumerate(self.names) if name in self.coded or name in self.text]

    def block(self, piece: Piece, number: int) -> Block:
        """The columns of `piece`; `number` records came before."""
        block = None
        if piece.lines:
            block = self._by_arrow(piece, number)
        elif piece.table is not None:
            block = self._by_table(piece.line, piece.table, number)
        return block or self._by_record(piece, number)

    def _by_arrow(self, piece: Piece, number: int) -> Block | None:
        """None if some line has too few or too many cells."""
        kinds = {
            str(at): pa.dictionary(pa.int32(), pa.string()) if name in self.coded else pa.string()
            for at, name in self.wanted
        }
        quote = '"' if piece.shape == "quoted" else False
        try:
            table = pa.csv.read_csv(
                pa.BufferReader(piece.lines),
                pa.csv.ReadOptions(
                    column_names=[str(at) for at in range(len(self.names))],
                    block_size=len(piece.lines) + 1,
                    use_threads=len(piece.lines) > THREADED,
                ),
                pa.csv.ParseOptions(delimiter=self.delimiter, quote_char=quote, ignore_empty_lines=False),
                pa.csv.ConvertOptions(
                    check_utf8=False, column_types=kinds, null_values=[], include_columns=list(kinds)
                ),
            )
        except pa.ArrowInvalid:
            return None
        columns = {name: table.column(str(at)).combine_chunks() for at, name in self.wanted}
        steps = np.arange(table.num_rows, dtype=np.int64)
        return Block(columns, number + 1 + steps, piece.line + steps)

    def _by_table(self, line: int, table: Table, number: int) -> Block:
        cells = list(zip(*table.cells, strict=True))
        columns = {name: self._column(name, cells[at]) for at, name in self.wanted}
        numbers = np.arange(number + 1, number + 1 + len(table.cells), dtype=np.int64)
        return Block(columns, numbers, line + np.array(table.lines, dtype=np.int64))

    def _by_record(self, piece: Piece, number: int) -> Block:
        good: list[tuple[int, Record]] = []
        faults: list[Row] = []
        for at, record in enumerate(piece.cut(self.delimiter), number + 1):
            fault = fault_of(record, len(self.names), is_text=piece.is_text)
            if fault is None:
                good.append((at, record))
            else:
                faults.append(Row(at, piece.line + record.line, {}, fault))
        return Block(
            {name: self._column(name, [record.cells[at] for _, record in good]) for at, name in self.wanted},
            np.array([at for at, _ in good], dtype=np.int64),
            np.array([piece.line + record.line for _, record in good], dtype=np.int64),
            tuple(faults),
        )

    def _column(self, name: str, cells: Sequence[str]) -> Any:
        column = arrow.strings(cells)
        return column.dictionary_encode() if name in self.coded else column
