"""What a report is made of, and how it is written: one self-contained page, markdown, or plain data for a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ratings.tables import Columns, Rows, Sheet, markdown

# No network, no script: what is not in the page does not exist for it. Dark is for screens; paper is white.
STYLE = """
:root { color-scheme: light dark; --ink: #1d1d21; --soft: #5c5c66; --line: #d9d9e0; --paper: #fff; --accent: #1f66b0; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #ececf1; --soft: #a9a9b6; --line: #3a3a44; --paper: #18181c; --accent: #74b3f5; } }
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


ONE_LINE = 24  # characters: numbers, intervals and short words are never broken on a screen


@dataclass(frozen=True)
class Picture:
    """One picture: SVG text of our own making, what it shows, and its Vega-Lite specification."""

    name: str  # in file names and addresses: small letters, digits, hyphens
    caption: str
    svg: str
    spec: Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """A sheet with its pictures; what these show stands in the tables too, or is told by their captions."""

    sheet: Sheet
    pictures: tuple[Picture, ...] = ()


def page(title: str, sections: Sequence[Section], lead: str = "") -> str:
    """The report as one HTML file."""
    links = "".join(f'<li><a href="#s{n}">{escape(s.sheet.title)}</a></li>' for n, s in enumerate(sections))
    body = "".join(_section(n, section) for n, section in enumerate(sections))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<style>{STYLE}</style></head><body><main><h1>{escape(title)}</h1><p>{escape(lead)}</p>"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>{body}</main></body></html>\n'
    )


def text(title: str, sections: Sequence[Section], lead: str = "", pictures: str | None = None) -> str:
    """The report as markdown; with the pictures that lie beside it under `pictures` (such as `pictures/{}.svg`)."""
    parts = [f"# {title}", lead]
    for section in sections:
        parts.append(markdown(section.sheet))
        if pictures is not None:
            parts += [f"![{one.caption}]({pictures.format(one.name)})" for one in section.pictures]
    return "\n\n".join(parts) + "\n"


def to_object(section: Section) -> dict[str, Any]:
    """The section as plain JSON values, without its pictures but for their names and captions."""
    return {
        "title": section.sheet.title,
        "tables": [[list(columns), [list(row) for row in rows]] for columns, rows in section.sheet.tables],
        "notes": list(section.sheet.notes),
        "pictures": [{"name": one.name, "caption": one.caption} for one in section.pictures],
    }


def _section(number: int, section: Section) -> str:
    tables = "".join(_table(section.sheet.title, *table) for table in section.sheet.tables)
    notes = "".join(f"<p>{escape(note)}</p>" for note in section.sheet.notes)
    pictures = "".join(_picture(one) for one in section.pictures)
    return (
        f'<section aria-labelledby="s{number}"><h2 id="s{number}">{escape(section.sheet.title)}</h2>'
        f"{pictures}{tables}{notes}</section>"
    )


def _picture(one: Picture) -> str:
    # Its marks are hidden from screen readers: the caption names it, and the tables below say the same.
    return (
        f'<figure><div class="wide" tabindex="0" role="img" aria-label="{escape(one.caption)}">'
        f'<div aria-hidden="true">{one.svg}</div></div></figure>'
    )


def _cell(cell: str) -> str:
    kind = ' class="n"' if len(cell) <= ONE_LINE else ""
    return f"<td{kind}>{escape(cell)}</td>"


def _table(title: str, columns: Columns, rows: Rows) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f'<th scope="row">{escape(cell)}</th>' if n == 0 else _cell(cell) for n, cell in enumerate(row)) + "</tr>"
        for row in rows
    )  # fmt: skip
    name = escape(f"{title}: {columns[0] or 'table'}")
    return f'<div class="wide" tabindex="0" role="group" aria-label="{name}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
