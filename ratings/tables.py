"""Answers for people: sections of tables, notes and pictures; one form of each number, one writer of each output form."""

from __future__ import annotations

import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from html import escape
from itertools import zip_longest
from typing import Any

DASH = "–"  # what is not known, and between the ends of a range of whole numbers
WIDTH = 150  # letters of a line of a table in plain text
NARROW = 10  # no column is folded further
ONE_LINE = 24  # letters: numbers, intervals and short words are never broken on a screen

Columns = tuple[str, ...]
Rows = tuple[tuple[str, ...], ...]
Table = tuple[Columns, Rows]


@dataclass(frozen=True)
class Picture:
    """One picture: SVG text of our own making, what it shows, and its Vega-Lite specification, if it has one."""

    name: str  # in file names and addresses: small letters, digits, hyphens
    caption: str
    svg: str
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A title, tables, notes below them, and pictures; what these show stands in the tables too, or in their captions."""

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()


# Numbers.


def number(value: float | None, digits: int = 1, *, sign: bool = False) -> str:
    """Such as `−12.3`, with `sign` `+12.3`; zero has no sign."""
    if value is None:
        return DASH
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return ("−" if value < 0 else "+" if sign else "") + text


def count(value: float | None) -> str:
    """Such as `12,345`."""
    return DASH if value is None else f"{round(value):,}"


def percent(value: float | None, digits: int = 1) -> str:
    """A share from 0 to 1, such as `56.2 %`."""
    return DASH if value is None else f"{number(100 * value, digits)} %"


def points(value: float | None, digits: int = 1) -> str:
    """A difference of two shares, such as `+1.2 pts` (percentage points)."""
    return DASH if value is None else f"{number(100 * value, digits, sign=True)} pts"


def p_value(value: float | None) -> str:
    """Four decimals, or `< 0.0001`."""
    if value is None:
        return DASH
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def interval(low: float | None, high: float | None, digits: int = 1, *, sign: bool = False) -> str:
    """Such as `[1005.2, 1230.4]`; one open side is an infinity, and two are a dash."""
    if low is None and high is None:
        return DASH
    ends = (
        "−∞" if low is None else number(low, digits, sign=sign),
        "∞" if high is None else number(high, digits, sign=sign),
    )
    return f"[{', '.join(ends)}]"


def estimate(
    value: float | None, low: float | None, high: float | None, digits: int = 1, *, sign: bool = False
) -> str:
    """Such as `1100.0 [1005.2, 1230.4]`; the value alone where nothing bounds it."""
    return _beside(number(value, digits, sign=sign), interval(low, high, digits, sign=sign))


def percent_interval(low: float | None, high: float | None, digits: int = 1) -> str:
    """Such as `[52.1, 61.0] %`."""
    ends = interval(_hundredfold(low), _hundredfold(high), digits)
    return ends if ends == DASH else f"{ends} %"


def percent_estimate(
    value: float | None, low: float | None, high: float | None, digits: int = 1
) -> str:  # fmt: skip
    """Such as `56.2 % [52.1, 61.0]`."""
    return _beside(percent(value, digits), interval(_hundredfold(low), _hundredfold(high), digits))


def points_estimate(value: float | None, low: float | None, high: float | None, digits: int = 1) -> str:
    """Such as `+1.2 pts [−0.3, +2.7]`."""
    ends = interval(_hundredfold(low), _hundredfold(high), digits, sign=True)
    return _beside(points(value, digits), ends)


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _beside(shown: str, ends: str) -> str:
    return shown if DASH in (shown, ends) else f"{shown} {ends}"


def ranks(low: int | None, high: int | None) -> str:
    """All the ranks that the data allow: `2`, or `1–3`."""
    if low is None or high is None:
        return DASH
    return str(low) if low == high else f"{low}{DASH}{high}"


# Plain text.


def visible(text: str) -> str:
    """`text` on one line, control characters as their codes; the joiners inside words of some scripts stay."""
    return "".join(
        letter if letter.isprintable() or letter in "\u200c\u200d" else _code(letter) for letter in text
    )


def _code(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def plain(section: Section) -> str:
    """For a terminal."""
    parts = [section.title, *("\n".join(plain_lines(table)) for table in section.tables)]
    return "\n\n".join([*parts, "\n".join(map(visible, section.notes))]).rstrip("\n")


def plain_lines(table: Table, right: Collection[int] = ()) -> list[str]:
    """The table with a rule below its head, long cells folded; the columns `right` are flush right."""
    columns, rows = table
    cells = [[visible(cell) for cell in row] for row in (columns, *rows)]
    widths = _fitted([max(map(_width, column)) for column in zip(*cells, strict=True)])
    head, *body = (_folded(row, widths, right) for row in cells)
    return [*head, "  ".join("─" * width for width in widths), *(line for lines in body for line in lines)]


def _folded(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> list[str]:
    pieces = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines = []
    for parts in zip_longest(*pieces, fillvalue=""):
        padding = [" " * (width - _width(part)) for part, width in zip(parts, widths, strict=True)]
        padded = (
            pad + part if n in right else part + pad
            for n, (part, pad) in enumerate(zip(parts, padding, strict=True))
        )
        lines.append("  ".join(padded).rstrip())
    return lines


def _wrapped(cell: str, width: int) -> list[str]:
    if _width(cell) <= width:
        return [cell]
    is_wide = _width(cell) > len(cell)
    return textwrap.wrap(cell, width // 2 if is_wide else width, break_on_hyphens=False)


def _fitted(widths: list[int]) -> list[int]:
    """Widths that a line holds: the widest column gives way first."""
    found = [min(width, WIDTH) for width in widths]
    while sum(found) + 2 * len(found) > WIDTH and max(found) > NARROW:
        found[found.index(max(found))] -= 1
    return found


def _width(text: str) -> int:
    """Columns of a terminal: letters of East Asia take two, marks upon letters none."""
    if text.isascii():
        return len(text)
    kinds = ((unicodedata.category(letter), unicodedata.east_asian_width(letter)) for letter in text)
    return sum(0 if kind in ("Mn", "Me", "Cf") else 2 if wide in "WF" else 1 for kind, wide in kinds)


# Markdown and LaTeX.


def markdown(section: Section) -> str:
    """As GitHub-flavoured markdown."""
    tables = (markdown_table(table) for table in section.tables)
    return "\n\n".join([f"## {marked(section.title)}", *tables, *map(marked, section.notes)])


def markdown_table(table: Table, right: Collection[int] = ()) -> str:
    columns, rows = table
    rule = ["---:" if place in right else "---" for place in range(len(columns))]
    lines = [map(marked, columns), rule, *(map(marked, row) for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def marked(text: str) -> str:
    """`text` as markdown that shows it to the letter."""
    # A closing bracket is harmless but before an address: intervals stay as they are.
    return re.sub(r"([\\`*_<>|#~$&]|\](?=[(:\[]))", r"\\\1", visible(text))


LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--", "∞": r"$\infty$", "−": "$-$", "·": r"$\cdot$",
}  # fmt: skip


def latex(table: Table, right: Collection[int] = ()) -> str:
    r"""A booktabs table; its document needs \usepackage{booktabs} (and a Unicode engine for names beyond Latin)."""
    columns, rows = table
    sides = "".join("r" if place in right else "l" for place in range(len(columns)))
    head = [r"\begin{tabular}{" + sides + "}", r"\toprule", _latex_row(columns), r"\midrule"]
    return "\n".join([*head, *map(_latex_row, rows), r"\bottomrule", r"\end{tabular}"])


def _latex_row(cells: Sequence[str]) -> str:
    shown = ["".join(LATEX.get(letter, letter) for letter in visible(cell)) for cell in cells]
    # A cell that begins with [ would be read as the optional argument of the \\ before it.
    return " & ".join("{}" + cell if cell.startswith("[") else cell for cell in shown) + r" \\"


# HTML.

# No network, no script: what is not in the page does not exist for it. Dark is for screens; paper is white.
STYLE = """
:root { color-scheme: light dark; --ink: #1d1d21; --soft: #5c5c66; --line: #d9d9e0; --paper: #fff; --accent: #1f66b0;
  --warn: #7a4b00; --edge: #8b877e; --sunk: #f0eee9; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #ececf1; --soft: #a9a9b6; --line: #3a3a44; --paper: #18181c; --accent: #74b3f5;
  --warn: #f0c77e; --edge: #7b7f82; --sunk: #272a2b; } }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
p { max-width: 46rem; color: var(--soft); overflow-wrap: anywhere; } a { color: var(--accent); }
.wide { overflow-x: auto; margin: 1rem 0; } .wide:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .9rem .3rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); unicode-bidi: plaintext; }
thead th { color: var(--soft); font-weight: 600; } tbody th { font-weight: 500; max-width: 26rem; overflow-wrap: anywhere; }
@media screen { tbody th { min-width: 9rem; } .n { white-space: nowrap; } }
figure { margin: 1rem 0; } .wide svg { display: block; max-width: none; }
@media screen and (max-width: 40rem) { .wide svg { max-width: 36rem; height: auto; } }
.bench { font: 12px system-ui, sans-serif; } .bench text { fill: var(--ink); } .bench .soft { fill: var(--soft); }
.bench .grid { stroke: var(--line); } .bench .bar { stroke: var(--accent); stroke-width: 2.5; stroke-linecap: round; }
.bench .dot, .bench .right { fill: var(--accent); } .bench .none { fill: var(--sunk); } .bench .limit { fill: var(--warn); }
.bench .weak { stroke-dasharray: 3 4; } .bench .ceiling { stroke: var(--warn); stroke-width: 1.5; stroke-dasharray: 6 4; }
.bench .zero { stroke: var(--edge); stroke-width: 1.5; }
@media print {
  @page { margin: 14mm; }
  :root { color-scheme: light; --ink: #000; --soft: #333; --line: #bbb; --paper: #fff; --accent: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; } table { font-size: 8pt; } nav { display: none; }
  .wide { overflow: visible; } .wide svg { max-width: 100%; max-height: 240mm; width: auto; height: auto; }
  thead { display: table-header-group; } tr, figure { break-inside: avoid; } h2 { break-after: avoid; margin-top: 1.5rem; }
  th, td { padding-right: .4rem; } tbody th { max-width: 9rem; } tbody th, td:last-child { overflow-wrap: anywhere; }
  table:has(th:nth-child(7)) { font-size: 6.5pt; }
}
"""


def page(title: str, sections: Sequence[Section], lead: Sequence[str] = ()) -> str:
    """A report as one HTML file with nothing to load."""
    links = "".join(f'<li><a href="#s{n}">{_html(s.title)}</a></li>' for n, s in enumerate(sections))
    body = "".join(_html_section(n, section) for n, section in enumerate(sections))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_html(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<style>{STYLE}</style></head><body><main><h1>{_html(title)}</h1>{paragraphs(lead)}"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>{body}</main></body></html>\n'
    )


def html_table(table: Table, kind: str = "") -> str:
    """The table alone, every text escaped; `kind` is its class."""
    columns, rows = table
    head = "".join(f'<th scope="col">{_html(name)}</th>' if name else "<td></td>" for name in columns)
    body = "".join(
        f'<tr><th scope="row">{_html(first)}</th>{"".join(map(_html_cell, rest))}</tr>\n'
        for first, *rest in rows
    )
    start = f'<table class="{kind}">' if kind else "<table>"
    return f"{start}<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"


def paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{_html(text)}</p>\n" for text in texts)


def _html(text: str) -> str:
    return escape(visible(text))


def _html_cell(cell: str) -> str:
    kind = ' class="n"' if len(cell) <= ONE_LINE else ""
    return f"<td{kind}>{_html(cell)}</td>"


def _html_section(place: int, section: Section) -> str:
    tables = "".join(
        f'<div class="wide" tabindex="0" role="group" aria-label="{_html(section.title)}: {_html(table[0][0] or "table")}">{html_table(table)}</div>'
        for table in section.tables
    )
    return (
        f'<section aria-labelledby="s{place}"><h2 id="s{place}">{_html(section.title)}</h2>'
        f"{''.join(map(_figure, section.pictures))}{tables}{paragraphs(section.notes)}</section>"
    )


def _figure(one: Picture) -> str:
    # Its marks are hidden from screen readers: the caption names it, and the tables below say the same.
    return (
        f'<figure><div class="wide" tabindex="0" role="img" aria-label="{_html(one.caption)}">'
        f'<div aria-hidden="true">{one.svg}</div></div></figure>'
    )


# Reports in markdown and JSON.


def report_text(title: str, sections: Sequence[Section], lead: Sequence[str] = (), pictures: str = "") -> str:
    """A report as markdown; with the pictures that lie beside it under `pictures` (such as `pictures/{}.svg`)."""
    parts = [f"# {marked(title)}", *map(marked, lead)]
    for section in sections:
        parts.append(markdown(section))
        if pictures:
            parts += [f"![{marked(one.caption)}]({pictures.format(one.name)})" for one in section.pictures]
    return "\n\n".join(parts) + "\n"


def to_object(section: Section) -> dict[str, Any]:
    """The section as plain JSON values, of its pictures the names and captions."""
    return {
        "title": section.title,
        "tables": [[list(columns), [list(row) for row in rows]] for columns, rows in section.tables],
        "notes": list(section.notes),
        "pictures": [{"name": one.name, "caption": one.caption} for one in section.pictures],
    }


def to_plain(value: Any) -> Any:
    """JSON's types; what is no number is null, infinity is text."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): to_plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return to_plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def json_text(value: Any) -> str:
    """Strict JSON, indented: no NaN, no infinity."""
    return json.dumps(value, allow_nan=False, ensure_ascii=False, indent=1)
