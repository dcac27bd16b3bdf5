"""Delimited text (CSV, TSV, semicolons): its rows, each with its number, and a clear refusal of ragged ones."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.results.entries import Unusable

DELIMITERS = ",;\t"


def cells(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each row that is not blank, the header first."""
    head = source.text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=head.count)
    # Decoded anew in pieces: a StringIO would hold four bytes a character.
    text = io.TextIOWrapper(io.BytesIO(source.content), encoding="utf-8-sig", newline="")
    lines = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        for values in lines:
            if values:
                yield lines.line_num, values
    except csv.Error as error:
        raise refuse_whole(source, f"not CSV: {error}", line=lines.line_num) from None


def header(source: Source) -> list[str]:
    """The names of the columns. Raises `Unusable` where two have one name."""
    found = next(cells(source), (1, []))[1]
    if len(set(found)) < len(found):
        raise Unusable("two columns have one name")
    return found


def text_rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """Number from 1 and texts by column of each row; a row of another length raises `BadInput`."""
    rows = cells(source)
    _, names = next(rows, (1, []))
    for row, (line, values) in enumerate(rows, start=1):
        if len(values) != len(names):
            raise refuse_whole(source, f"{len(values)} cells under {len(names)} columns", row=row, line=line)
        yield row, dict(zip(names, values, strict=True))
