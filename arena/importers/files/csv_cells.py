"""Text of a delimited file to records of cells (RFC 4180), with the physical line where each record begins."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from arena.importers.values.values import Reject, broken_character

# In order of preference where two would do.
DELIMITERS = (",", "\t", ";", "|", "^", "~", ":", "\x1f", "\x01")
QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
DECLARED = re.compile(r'"?sep=(.)"?\r?\n')  # what some spreadsheets write above the header
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
UNCLOSED = "a quote opened on this line is never closed"


@dataclass(slots=True)  # freezing one takes as long as splitting its line
class Record:
    """One record: the line of the text (from 0) where it begins, its cells, or why it has none."""

    line: int
    cells: list[str]
    fault: Reject | None = None


def split(
    text: str, delimiter: str, *, is_last: bool, most: int = sys.maxsize
) -> tuple[list[Record], int, int]:
    """The first `most` records of `text`, and how many characters and lines they take.

    Blank lines are no records. A record that the text cuts off is left for the next call unless `is_last`.
    A carriage return ends no record unless a newline follows: some writers leave them unquoted inside cells.
    """
    records: list[Record] = []
    at = line = 0
    while at < len(text) and len(records) < most:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text.find('"', at, end) < 0:
            plain = text[at:end].removesuffix("\r")
            if plain and not plain.isspace():
                records.append(Record(line, plain.split(delimiter)))
            at, line = end + 1, line + 1
            continue
        record, after = _quoted(text, at, line, delimiter)
        if record is None:
            if not is_last:
                return records, at, line
            record, after = Record(line, [], Reject(None, text[at : at + 60], UNCLOSED)), end + 1
        if record.fault or len(record.cells) > 1 or not record.cells[0].isspace():
            records.append(record)
        line += text.count("\n", at, after) or 1
        at = after
    return records, at, line


@dataclass(frozen=True)
class Table:
    """Records without any fault, all with as many cells: their cells, and the line (from 0) where each begins."""

    cells: list[list[str]]
    lines: Sequence[int]
    taken: int  # lines of the text


def split_quickly(text: str, delimiter: str, width: int) -> Table | None:
    """A text of whole records, all without fault and of `width` cells, by Python's strict reader; else None."""
    if text.count('"') % 2 or ("\r" in text and text.count("\r") != text.count("\r\n")):
        return None
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, strict=True)
    try:
        cells = list(reader)
    except csv.Error:
        return None
    if not cells or set(map(len, cells)) != {width}:
        return None
    if reader.line_num == len(cells):
        return Table(cells, range(len(cells)), len(cells))
    newlines = (sum(cell.count("\n") for cell in each) for each in cells)
    lines = list(accumulate((1 + count for count in newlines), initial=0))
    return Table(cells, lines[:-1], lines[-1])


def _quoted(text: str, at: int, line: int, delimiter: str) -> tuple[Record | None, int]:
    """One record that holds quotes, and where the next begins; None if a quote is not closed in `text`."""
    cells: list[str] = []
    fault: Reject | None = None
    while True:
        quoted = text.startswith('"', at)
        if quoted:
            found = QUOTED.match(text, at)
            if not found:
                return None, at
            cells.append(found.group(1).replace('""', '"'))
            at = found.end()
        end = _cell_end(text, at, delimiter)
        rest = (
            text[at:end].removesuffix("\r")
            if text.startswith("\n", end) or end == len(text)
            else text[at:end]
        )
        if not quoted:
            cells.append(rest)
        elif rest and fault is None:
            fault = Reject(None, rest, "text follows a closing quote; a quote inside a cell must be doubled")
        if not text.startswith(delimiter, end):
            return Record(line, cells, fault), end + 1
        at = end + 1


def _cell_end(text: str, at: int, delimiter: str) -> int:
    newline = text.find("\n", at)
    newline = len(text) if newline < 0 else newline
    comma = text.find(delimiter, at, newline)
    return newline if comma < 0 else comma


def fault_of(record: Record, width: int, *, is_text: bool) -> Reject | None:
    """Why a record of a file with `width` columns cannot be read; None if it can."""
    if record.fault is not None:
        return record.fault
    bad = None if is_text else broken(record.cells)
    if bad is None and len(record.cells) != width:
        cells = f"{len(record.cells)} cell{'s' * (len(record.cells) != 1)}"
        return Reject(None, cells, f"the header has {width} columns")
    return bad


def broken(cells: Sequence[str]) -> Reject | None:
    """The first byte of the record that is not UTF-8 (decoded with `surrogateescape`), as a refusal."""
    for cell in cells:
        found = LONE_SURROGATE.search(cell)
        if found:
            seen = cell.encode(errors="surrogateescape").decode(errors="backslashreplace")
            shown = f"0x{ord(found.group()) - 0xDC00:02X} in {seen}"
            return Reject(None, shown, broken_character(found.group()))
    return None


def delimiter_of(head: str) -> str:
    """The delimiter that gives the header the most columns, and the next record as many."""
    return max(DELIMITERS, key=lambda delimiter: _fitness(head, delimiter))


def _fitness(head: str, delimiter: str) -> tuple[bool, int]:
    records, _, _ = split(head, delimiter, is_last=True, most=2)
    widths = [len(record.cells) for record in records]
    return len(widths) > 1 and widths[0] > 1 and widths[1] == widths[0], widths[0] if widths else 0
