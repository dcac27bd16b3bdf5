"""A report of boards, their diagnosis, comparisons and cross-references: one self-contained page, markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ratings.sheets import Columns, Rows, Sheet, markdown

# No network, no script: what is not in the page does not exist for it.
STYLE = """
:root { color-scheme: light dark; --ink: #1d1d21; --soft: #5c5c66; --line: #d9d9e0; --paper: #fff; --accent: #1f66b0; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececf1; --soft: #a9a9b6; --line: #3a3a44; --paper: #18181c; --accent: #74b3f5; } }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
p { max-width: 46rem; color: var(--soft); overflow-wrap: anywhere; } a { color: var(--accent); }
.wide { overflow-x: auto; margin: 1rem 0; } .wide:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; } tbody th { font-weight: 500; }
svg { max-width: 100%; height: auto; }
@media print { :root { --ink: #000; --soft: #333; --line: #bbb; --paper: #fff; --accent: #000; } body { max-width: none; font-size: 10pt; }
  .wide { overflow: visible; } thead { display: table-header-group; } tr, svg { break-inside: avoid; } h2 { break-after: avoid; } nav { display: none; } }
"""


@dataclass(frozen=True)
class Section:
    """A sheet with an optional picture (SVG text of our own making) and what it says."""

    sheet: Sheet
    picture: str = ""
    caption: str = ""


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


def text(title: str, sections: Sequence[Section], lead: str = "") -> str:
    """The report as markdown, without pictures."""
    return "\n\n".join([f"# {title}", lead, *(markdown(section.sheet) for section in sections)]) + "\n"


def _section(number: int, section: Section) -> str:
    tables = "".join(_table(section.sheet.title, *table) for table in section.sheet.tables)
    notes = "".join(f"<p>{escape(note)}</p>" for note in section.sheet.notes)
    picture = ""
    if section.picture:
        # Hidden from screen readers: the table below says the same.
        picture = (
            f'<div class="wide" tabindex="0" role="img" aria-label="{escape(section.caption)}">'
            f'<div aria-hidden="true">{section.picture}</div></div>'
        )
    return f'<section aria-labelledby="s{number}"><h2 id="s{number}">{escape(section.sheet.title)}</h2>{picture}{tables}{notes}</section>'


def _table(title: str, columns: Columns, rows: Rows) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f'<th scope="row">{escape(cell)}</th>' if n == 0 else f"<td>{escape(cell)}</td>" for n, cell in enumerate(row)) + "</tr>"
        for row in rows
    )  # fmt: skip
    name = escape(f"{title}: {columns[0] or 'table'}")
    return f'<div class="wide" tabindex="0" role="group" aria-label="{name}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
