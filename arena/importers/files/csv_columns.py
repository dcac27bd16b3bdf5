"""Pieces of a delimited file as blocks of columns: by Arrow where lines are sound, else from the cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from arena.importers.files.csv_cells import Record, Table, fault_of
from arena.importers.files.csv_pieces import Piece
from arena.importers.files.rows import Block, Row
from arena.importers.values import arrow

# Bytes from which on Arrow's threads are worth while. They cost a short command its end: a process that ends while
# Arrow still starts them is aborted by the C++ library.
THREADED = 1 << 20


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
