"""Delimited text files: rows for rules that look at one record, blocks of columns for rules that look at many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.csv

from arena.importers.csv_cells import DECLARED, Record, broken, delimiter_of, split
from arena.importers.rows import Block, Row
from arena.importers.sources import Source, Watch, refused
from arena.importers.values import Reject

CHUNK = 8 << 20
LONGEST_RECORD = 64 << 20  # a quote that stays open longer was never meant
HEAD = 1 << 20


@dataclass(frozen=True)
class Piece:
    """Some whole records: as records, or as plain lines (valid UTF-8, no quotes, no blank lines) not cut yet."""

    line: int  # physical line of its first
    plain: bytes = b""
    records: tuple[Record, ...] = ()


@dataclass(frozen=True)
class CsvContent:
    """A delimited file: its header, and where the records begin."""

    source: Source
    columns: tuple[str, ...]
    delimiter: str
    body: int  # byte of the first record
    body_line: int
    old_newlines: bool  # lines end with a carriage return alone
    watch: Watch | None = None
    kind: str = field(default="csv", init=False)

    def rows(self) -> Iterator[Row]:
        number = 0
        for piece in self._pieces():
            for record in piece.records or self._cut(piece.plain):
                number += 1
                fault = self._fault(record)
                values = {} if fault else dict(zip(self.columns, record.cells, strict=True))
                yield Row(number, piece.line + record.line, values, fault)

    def blocks(self, coded: Collection[str], text: Collection[str]) -> Iterator[Block]:
        """The columns `coded` (as dictionaries) and `text`; faulty records apart."""
        number = 0
        for piece in self._pieces():
            block = self._arrow(piece, number, coded, text) if piece.plain else None
            if block is None:
                block = self._gathered(piece, number, coded, text)
            number += len(block.number) + len(block.faults)
            yield block

    def _pieces(self) -> Iterator[Piece]:
        with self.source.text(self.watch) as stream:
            stream.read(self.body)
            left, line, is_last = b"", self.body_line, False
            while not is_last:
                data = stream.read(CHUNK)
                is_last = not data
                data = left + (data.replace(b"\r", b"\n") if self.old_newlines else data)
                end = len(data) if is_last else data.rfind(b"\n") + 1
                whole, left = data[:end], data[end:]
                if len(left) > LONGEST_RECORD:
                    raise refused(self.source.name, f"line {line} is longer than {LONGEST_RECORD:,} bytes")
                if not whole:
                    continue
                if _is_plain(whole):
                    yield Piece(line, plain=whole)
                    line += whole.count(b"\n")
                    continue
                text = whole.decode("utf-8", "surrogateescape")
                give_up = is_last or len(whole) > LONGEST_RECORD
                records, taken, lines = split(text, self.delimiter, is_last=give_up)
                left = text[taken:].encode("utf-8", "surrogateescape") + left
                if records:
                    yield Piece(line, records=tuple(records))
                line += lines

    def _cut(self, plain: bytes) -> list[Record]:
        return split(plain.decode("utf-8"), self.delimiter, is_last=True)[0]

    def _fault(self, record: Record) -> Reject | None:
        if record.fault is not None:
            return record.fault
        bad = broken(record.cells)
        if bad is None and len(record.cells) != len(self.columns):
            cells = f"{len(record.cells)} cell{'s' * (len(record.cells) != 1)}"
            return Reject(None, cells, f"the header has {len(self.columns)} columns")
        return bad

    def _arrow(
        self, piece: Piece, number: int, coded: Collection[str], text: Collection[str]
    ) -> Block | None:
        """A plain piece read by Arrow; None if some line has too few or too many cells."""
        names = {name: str(index) for index, name in enumerate(self.columns)}
        wanted = [name for name in self.columns if name in coded or name in text]
        kinds = {
            names[name]: pa.dictionary(pa.int32(), pa.string()) if name in coded else pa.string()
            for name in wanted
        }
        try:
            table = pa.csv.read_csv(
                pa.BufferReader(piece.plain),
                pa.csv.ReadOptions(column_names=list(names.values()), block_size=len(piece.plain) + 1),
                pa.csv.ParseOptions(delimiter=self.delimiter, quote_char=False, ignore_empty_lines=False),
                pa.csv.ConvertOptions(
                    check_utf8=False,
                    column_types=kinds,
                    null_values=[],
                    include_columns=[names[n] for n in wanted],
                ),
            )
        except pa.ArrowInvalid:
            return None
        count = table.num_rows
        columns = {name: table.column(names[name]).combine_chunks() for name in wanted}
        steps = np.arange(count, dtype=np.int64)
        return Block(columns, number + 1 + steps, piece.line + steps)

    def _gathered(self, piece: Piece, number: int, coded: Collection[str], text: Collection[str]) -> Block:
        records = piece.records or self._cut(piece.plain)
        faults = [self._fault(record) for record in records]
        good = [(index, record) for index, record in enumerate(records) if faults[index] is None]
        columns = {}
        for at, name in enumerate(self.columns):
            if name in coded or name in text:
                column = pa.array([record.cells[at] for _, record in good], pa.string())
                columns[name] = column.dictionary_encode() if name in coded else column
        return Block(
            columns,
            np.array([number + 1 + index for index, _ in good], dtype=np.int64),
            np.array([piece.line + record.line for _, record in good], dtype=np.int64),
            tuple(
                Row(number + 1 + index, piece.line + record.line, {}, faults[index])
                for index, record in enumerate(records)
                if faults[index] is not None
            ),
        )


def _is_plain(data: bytes) -> bool:
    """Can lines and cells be cut at newlines and delimiters without looking closer?"""
    if b'"' in data or b"\0" in data or b"\n\n" in data or b"\n\r\n" in data or data[:1] in (b"\n", b"\r"):
        return False
    if data.count(b"\r") != data.count(b"\r\n"):
        return False
    try:
        return data.isascii() or bool(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def open_csv(source: Source, watch: Watch | None = None) -> CsvContent:
    """Read the header. `BadInput` if there is none, or if it names a column twice."""
    with source.text() as stream:
        raw = stream.read(HEAD)
    old_newlines = b"\n" not in raw and b"\r" in raw
    head = (raw.replace(b"\r", b"\n") if old_newlines else raw).decode("utf-8", "surrogateescape")
    declared = DECLARED.match(head)
    skipped = declared.end() if declared else 0
    delimiter = declared.group(1) if declared else delimiter_of(head)
    records, taken, _ = split(head[skipped:], delimiter, is_last=True, most=1)
    if not records:
        raise refused(source.name, "is empty")
    columns = tuple(cell.strip() for cell in records[0].cells)
    _check_header(source.name, columns, records[0])
    read = head[: skipped + taken]
    body = len(read.encode("utf-8", "surrogateescape"))
    return CsvContent(source, columns, delimiter, body, read.count("\n") + 1, old_newlines, watch)


def _check_header(name: str, columns: tuple[str, ...], record: Record) -> None:
    fault = record.fault or broken(record.cells)
    if fault is not None:
        raise refused(name, f"the header cannot be read: {fault.reason}")
    twice = [column for column, times in Counter(columns).items() if times > 1 and column]
    if twice:
        raise refused(name, f"the header names a column twice: {', '.join(twice)}")
