"""Parquet files: rows of plain Python values, and blocks of columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from arena.importers.files.rows import Block, Row
from arena.importers.files.sources import Source
from arena.importers.files.streams import Watch, refused
from arena.importers.values.time_columns import from_microseconds, microseconds
from arena.settings import bounds

ROWS_AT_ONCE = 200  # of nested rows: conversations are long
FLAT_ROWS_AT_ONCE = 1 << 13
BLOCK_ROWS = 1 << 17
BROKEN = (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, TypeError)


@dataclass(frozen=True)
class ParquetContent:
    """A Parquet file, read a few rows at a time."""

    source: Source
    columns: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    watch: Watch | None = None
    kind: str = field(default="parquet", init=False)

    def rows(self) -> Iterator[Row]:
        return (Row(number, None, values) for number, values in enumerate(self.records(), 1))

    def records(self, wanted: list[str] | None = None) -> Iterator[dict[str, Any]]:
        """The values of all rows; of `wanted` columns alone where they are named."""
        flat = self.is_flat(self.columns if wanted is None else wanted)
        for batch in self._batches(FLAT_ROWS_AT_ONCE if flat else ROWS_AT_ONCE, wanted):
            yield from plain_rows(batch)

    def blocks(self, coded: Collection[str], text: Collection[str]) -> Iterator[Block]:
        """The columns `coded` (as dictionaries) and `text`, of the file's own types."""
        number = 0
        wanted = [name for name in self.columns if name in coded or name in text]
        # Texts that the file keeps as dictionaries are not spelt out first.
        kinds = dict(zip(self.columns, self.types, strict=True))
        dictionaries = [name for name in wanted if name in coded and pa.types.is_string(kinds[name])]
        for batch in self._batches(BLOCK_ROWS, wanted, dictionaries):
            yield block_of(batch, number, coded)
            number += batch.num_rows

    def is_flat(self, columns: Collection[str]) -> bool:
        """Does each of these columns hold single values, so that it can be read as a column?"""
        kinds = dict(zip(self.columns, self.types, strict=True))
        return not any(name in kinds and pa.types.is_nested(kinds[name]) for name in columns)

    def _batches(
        self, size: int, wanted: list[str] | None = None, dictionaries: list[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        with self.source.raw() as stream:
            try:
                file = pq.ParquetFile(stream, read_dictionary=dictionaries)
                done = 0
                for group in range(file.num_row_groups):
                    yield from file.iter_batches(size, row_groups=[group], columns=wanted)
                    done += file.metadata.row_group(group).num_rows
                    if self.watch is not None and file.metadata.num_rows:
                        self.watch(self.source.size * done // file.metadata.num_rows)
            except BROKEN as error:
                raise refused(self.source.name, f"is no sound Parquet file: {error}") from error


def block_of(batch: pa.RecordBatch, number: int, coded: Collection[str]) -> Block:
    """Columns of a batch, those in `coded` as dictionaries; `number` rows came before."""
    columns: dict[str, Any] = {}
    for name in batch.schema.names:
        column = batch.column(name)
        if name in coded and not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        columns[name] = column
    steps = np.arange(batch.num_rows, dtype=np.int64)
    return Block(columns, number + 1 + steps, np.full(batch.num_rows, -1, dtype=np.int64))


def plain_rows(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    """The rows as Python values; times to the microsecond, since Python's go no further."""
    names = batch.schema.names
    columns = [_values(column) for column in batch.columns]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _values(column: pa.Array) -> list[Any]:
    if not pa.types.is_timestamp(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    zone = None if column.type.tz is None else UTC
    return [None if at is None else from_microseconds(at, zone) for at in microseconds(column).to_pylist()]


def open_parquet(source: Source, watch: Watch | None = None) -> ParquetContent:
    """Read the schema. `BadInput` if the file is damaged or names a column twice."""
    with source.raw() as stream:
        try:
            file = pq.ParquetFile(stream)
            schema, fault = file.schema_arrow, _too_large(file.metadata)
        except BROKEN as error:
            raise refused(source.name, f"is no sound Parquet file: {error}") from error
    names = tuple(schema.names)
    if fault is not None:
        raise refused(source.name, fault)
    if len(set(names)) < len(names):
        raise refused(source.name, "names a column twice")
    return ParquetContent(source, names, tuple(schema.types), watch)


def _too_large(known: Any) -> str | None:
    """Why a file of this metadata is too much to be read."""
    limits = bounds.now()
    size = sum(known.row_group(at).total_byte_size for at in range(known.num_row_groups))
    if size > limits.unpacked_mb * bounds.MB:
        return f"unpacks to {size:,} bytes; {limits.unpacked_mb:,} MB is the most (ARENA_FILE_UNPACKED_MB)"
    return limits.columns_fault(known.num_columns) or limits.rows_fault(known.num_rows)
