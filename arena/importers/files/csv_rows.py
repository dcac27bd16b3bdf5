"""Delimited text files: rows for rules that look at one record, blocks of columns for rules that look at many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from arena.importers.files.csv_cells import DECLARED, Record, broken, delimiter_of, fault_of, split
from arena.importers.files.csv_columns import Columns, Piece, piece_of
from arena.importers.files.rows import Block, Row
from arena.importers.files.sources import Source
from arena.importers.files.streams import Watch, refused
from arena.settings import bounds

CHUNK = 2 << 20
HEAD = 1 << 20


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
        number, columns, width = 0, self.columns, len(self.columns)
        for piece in self._pieces():
            for record in piece.cut(self.delimiter):
                number += 1
                if piece.is_text and record.fault is None and len(record.cells) == width:
                    yield Row(number, piece.line + record.line, dict(zip(columns, record.cells, strict=True)))
                    continue
                fault = fault_of(record, width, is_text=piece.is_text)
                values = {} if fault else dict(zip(columns, record.cells, strict=True))
                yield Row(number, piece.line + record.line, values, fault)

    def blocks(self, coded: Collection[str], text: Collection[str]) -> Iterator[Block]:
        """The columns `coded` (as dictionaries) and `text`; faulty records apart."""
        columns = Columns(self.columns, self.delimiter, coded, text)
        number = 0
        for piece in self._pieces():
            block = columns.block(piece, number)
            number += len(block.number) + len(block.faults)
            yield block

    def _pieces(self) -> Iterator[Piece]:
        with self.source.text(self.watch) as stream:
            stream.read(self.body)
            left, line, is_last = b"", self.body_line, False
            longest = max(bounds.now().line, 2 * CHUNK)
            while not is_last:
                data = stream.read(CHUNK)
                is_last = not data
                data = left + (data.replace(b"\r", b"\n") if self.old_newlines else data)
                end = len(data) if is_last else data.rfind(b"\n") + 1
                whole, left = data[:end], data[end:]
                if len(left) > longest:
                    raise refused(self.source.name, bounds.now().line_fault(), line=line)
                if whole:
                    # A quote that stays open longer was never meant.
                    give_up = is_last or len(whole) > longest
                    piece, lines, rest = piece_of(
                        whole, line, self.delimiter, len(self.columns), is_last=give_up
                    )
                    yield piece
                    line += lines
                    left = rest + left


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
    if fault_of_width := bounds.now().columns_fault(len(columns)):
        raise refused(name, fault_of_width, line=1)
    if twice:
        raise refused(name, f"the header names a column twice: {', '.join(twice)}")
