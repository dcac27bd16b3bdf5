"""Files as readers of results see them: held whole, and parsed once, whatever they hold."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.errors import BadInput, Problem
from arena.importers.files import sources as stored_files
from arena.importers.files.csv_rows import CsvContent, open_csv
from arena.importers.files.json_rows import not_utf8, parse_json
from arena.importers.files.parquet_rows import ParquetContent, open_parquet
from arena.importers.files.rows import Row
from arena.importers.values.values import Reject
from arena.settings import bounds
from ratings.benchmarks.results.entries import RowNumber, line_of

SUFFIXES = (".json", ".jsonl", ".ndjson", ".eval", ".csv", ".tsv", ".parquet", ".html")


@dataclass(frozen=True)
class Source:
    """One file. `named`: the person named it, it was not merely found in a folder."""

    path: Path
    named: bool = True
    stored: stored_files.Source | None = None  # where `path` is not enough: a pipe, standard input

    @property
    def name(self) -> str:
        return stored_files.printable(str(self.path))

    @property
    def file(self) -> str:
        """File name without the ending of a packer."""
        return stored_files.unpacked_name(self.path)

    @cached_property
    def content(self) -> bytes:
        """The unpacked bytes; of a text in UTF-8, without byte-order mark."""
        return (self.stored or stored_files.Source(self.name, self.path)).whole()

    @cached_property
    def text(self) -> str:
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, error.start) + 1
            raise _refused(self, not_utf8(self.content, error.start), line=line) from None

    @property
    def is_text(self) -> bool:
        head = self.content[:4]
        return not (head.startswith(b"PK") or head == b"PAR1" or b"\x00" in self.content[:4096])

    @property
    def is_parquet(self) -> bool:
        return self.content.startswith(b"PAR1")

    @cached_property
    def document(self) -> Any:
        """The file as one JSON value; None when it is none."""
        if not self.is_text or not self.text.lstrip()[:1] or self.text.lstrip()[0] not in "[{":
            return None
        if fault := bounds.now().document_fault(self.content):
            if self._first_line() is not None and "\n" in self.text.strip():
                return None  # JSON lines, which are read one by one
            raise refuse_whole(self, fault)
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The first object: of a JSON list, or of JSON lines; empty when there is none."""
        if isinstance(self.document, list):
            found = next(iter(self.document), None)
        elif isinstance(self.document, dict):
            found = self.document
        else:
            found = self._first_line()
        return found if isinstance(found, Mapping) else {}

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Number from 1 and value of each record of a JSON list or of JSON lines; a broken line raises `BadInput`."""
        if isinstance(self.document, list):
            yield from enumerate(self.document, start=1)
            return
        count, longest, most = 0, bounds.now().line, bounds.now().rows
        for line, raw in enumerate(io.BytesIO(self.content), start=1):
            if raw.isspace():
                continue
            count += 1
            if count > most:
                raise refuse_whole(self, bounds.now().rows_fault(count) or "")
            row = RowNumber(count)
            row.line = line
            if len(raw) > longest:
                raise refuse_whole(self, bounds.now().line_fault(), row=row)
            try:
                value = json.loads(raw.decode())
            except (ValueError, RecursionError):
                raise _refused(self, parse_json(raw), row=row) from None
            yield row, value

    def text_rows(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        """Number from 1 and texts by column of each row of delimited text; one that cannot be read raises `BadInput`."""
        for row in self.delimited_rows():
            number = RowNumber(row.number)
            number.line = row.line
            if row.fault is not None:
                raise _refused(self, row.fault, row=number)
            yield number, row.values

    def delimited_rows(self) -> Iterator[Row]:
        """The records of delimited text, no more of them than files may have."""
        most = bounds.now().rows
        for row in self.delimited().rows():
            if row.number > most:
                raise refuse_whole(self, bounds.now().rows_fault(row.number) or "")
            yield row

    def delimited(self) -> CsvContent:
        """The file as delimited text (CSV, TSV, semicolons)."""
        return open_csv(self._held)

    def parquet(self) -> ParquetContent:
        return open_parquet(self._held)

    def problem(
        self, reason: str, *, row: int | None = None, line: int | None = None, **seen: Any
    ) -> Problem:
        """A fault of the file; the physical line is that of the row where none is given."""
        return Problem(self.name, reason, row, line or line_of(row), **seen)

    def beside(self, name: str) -> Any:
        """The JSON of a neighbouring file; None where there is none."""
        path = self.path.with_name(name)
        return Source(path, named=False).document if path.is_file() else None

    @property
    def _held(self) -> stored_files.Source:
        """What is in memory, for the readers of streams."""
        return stored_files.Source(self.name, None, io.BytesIO(self.content))

    def _first_line(self) -> Any:
        if not self.is_text:
            return None
        line = next((line for line in self.text.split("\n", 50) if line.strip()), "")
        try:
            return None if len(line) > bounds.now().line else json.loads(line)
        except (ValueError, RecursionError):
            return None


def find(paths: Sequence[str | Path]) -> list[Source]:
    """The files that `paths` mean: files, folders (all files of a known ending below them) and globs, each once."""
    return [
        Source(each.path or Path(each.name), named=not each.found_in_folder, stored=each)
        for each in stored_files.find(paths, SUFFIXES, below=True)
    ]


def refuse_whole(source: Source, reason: str, **seen: Any) -> BadInput:
    """The error for a file that cannot be used at all."""
    problem = source.problem(reason, **seen)
    return BadInput(str(problem), [problem])


def _refused(source: Source, fault: Reject, **seen: Any) -> BadInput:
    return refuse_whole(source, fault.reason, column=fault.column, value=fault.value, **seen)
