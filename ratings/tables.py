"""An answer as a sheet of small tables, for a terminal or as markdown."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 160  # of a sheet that goes to no terminal

Columns = tuple[str, ...]
Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Sheet:
    """A title, tables (columns and rows of cells), and notes below them."""

    title: str
    tables: tuple[tuple[Columns, Rows], ...]
    notes: tuple[str, ...] = ()


def plain(sheet: Sheet) -> str:
    """For a terminal."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
    console.print(Text(sheet.title), end="\n\n")
    for columns, rows in sheet.tables:
        table = Table(box=None, pad_edge=False)
        for name in columns:
            table.add_column(Text(name))
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        console.print(table, end="\n\n")
    for note in sheet.notes:
        console.print(Text(note))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def markdown(sheet: Sheet) -> str:
    """As GitHub-flavoured markdown."""
    parts = [f"## {_escaped(sheet.title)}"]
    for columns, rows in sheet.tables:
        lines = [_line(columns), _line(["---"] * len(columns)), *(_line(row) for row in rows)]
        parts.append("\n".join(lines))
    parts += [_escaped(note) for note in sheet.notes]
    return "\n\n".join(parts)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell if cell == "---" else _escaped(cell) for cell in cells) + " |"


def _escaped(text: str) -> str:
    for letter in "\\`*_[]<>|#":
        text = text.replace(letter, "\\" + letter)
    return " ".join(text.split())
