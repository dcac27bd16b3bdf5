"""A report in markdown and as one self-contained page of HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from ratings.benchmarks.reports import drawing
from ratings.benchmarks.reports.drawing import p_words, score_words, signed
from ratings.benchmarks.reports.report import Report

PAIRS_SHOWN = 60
Cells = Sequence[str]
Table = tuple[Cells, Sequence[Cells]]
Block = tuple[
    str, Any
]  # ("heading", text), ("text", text), ("list", texts), ("table", (head, rows)), ("picture", svg)

PAGE_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d1c1a; --soft: #5b5852; --line: #dfdcd5; --accent: #1f66b0;
  --warn: #7a4b00; --edge: #8b877e; --sunk: #f0eee9; }
@media (prefers-color-scheme: dark) { :root { --paper: #151617; --ink: #e9e7e2; --soft: #aaa69d; --line: #35383a;
  --accent: #74b3f5; --warn: #f0c77e; --edge: #7b7f82; --sunk: #272a2b; } }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } .wide { overflow-x: auto; } h2 { margin-top: 2rem; }
"""


def markdown(report: Report) -> str:
    """The report as Markdown; tables in place of charts."""
    return "\n".join(_markdown(block) for block in _blocks(report) if block[0] != "picture")


def html(report: Report) -> str:
    """The report as one page with its charts and nothing to load."""
    body = "".join(_html(block) for block in _blocks(report))
    title = escape(report.sheet.benchmark)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{PAGE_STYLE}{drawing.STYLE}</style></head><body>{body}</body></html>\n'


def _blocks(report: Report) -> Iterator[Block]:
    found, sheet = report.to_object(), report.sheet
    yield "title", sheet.benchmark
    yield "text", _headline(report)
    yield from _told(report.account)
    yield "heading", "Scores"
    yield "picture", drawing.intervals(found)
    yield "table", _score_table(report)
    yield from _told([f"{line.model}: {line.why}" for line in sheet.lines if line.why])
    yield from _told(sheet.warnings)
    if sheet.models > 1:
        yield "heading", "Pairs"
        yield "text", f"Tested by {report.test}, on common items."
        yield "picture", drawing.pairs(found)
        yield "table", _pair_table(report)
    if report.item_map is not None:
        yield "heading", "Items"
        yield (
            "text",
            f"Items right for all models: {report.item_map.solved_by_all}; for none: {report.item_map.solved_by_none}.",
        )
        yield "picture", drawing.item_map(found)
    yield from _more(report)


def _headline(report: Report) -> str:
    sheet, parts = report.sheet, []
    parts.append(
        f"{sheet.items:,} items, {sheet.models} model{'s' if sheet.models != 1 else ''}, level {100 * sheet.level:g} %, errors {_policy(sheet.errors)}."
    )
    if sheet.saturation is not None:
        known = "" if sheet.ceiling_known else " (no label error rate on the card: taken as 100 %)"
        parts.append(f"{sheet.saturation.why}{known}.")
    if sheet.models > 1 and sheet.lines and sheet.lines[0].score is not None:
        parts.append(
            f"The paired tests cannot tell {sheet.tied_with_best} of {sheet.models} models from the best."
        )
    if report.power is not None and report.power.detectable is not None:
        worth = (
            "" if report.power.effective is None else f" (worth {report.power.effective:,} independent ones)"
        )
        parts.append(
            f"{report.power.items:,} items{worth} show a gap of {100 * report.power.detectable:.1f} points with 80 % power (unpaired, spread of the best model's scores); half the interval costs {report.power.items_for_half:,} items."
        )
    return " ".join(parts)


def _score_table(report: Report) -> Table:
    matter = any(line.errors_matter for line in report.sheet.lines)
    passing = any(line.pass_hat for line in report.sheet.lines)
    head = [
        "ranks",
        "model",
        "score (interval)",
        "method",
        "items",
        *(["errors as 0", "errors left out"] if matter else []),
    ]
    head += ["pass^k"] if passing else []
    head += ["freed of wrong keys"] if report.implied else []
    rows = []
    for line in report.sheet.lines:
        ranks = (
            "–"
            if line.rank_low is None
            else str(line.rank_low)
            if line.rank_low == line.rank_high
            else f"{line.rank_low}–{line.rank_high}"
        )
        shown = {"score": line.score, "low": line.low, "high": line.high}
        effect = f", design effect {line.design_effect:.2f}" if line.design_effect else ""
        row = [ranks, line.model, score_words(shown), line.method + effect, f"{line.items:,}"]
        row += [_percent(line.score_errors_zero), _percent(line.score_errors_excluded)] if matter else []
        row += [" ".join(f"{value:.3f}" for value in line.pass_hat) or "–"] if passing else []
        row += [_percent(report.implied.get(line.model))] if report.implied else []
        rows.append(row)
    return head, rows


def _pair_table(report: Report) -> Table:
    head = ("a", "b", "a − b (interval)", "only a better", "only b better", "p", "p (Holm)", "items", "ahead")
    rows = []
    for line in report.comparison.lines[:PAIRS_SHOWN]:
        around = (
            "" if line.low is None or line.high is None else f" ({signed(line.low)} to {signed(line.high)})"
        )
        ahead = "not shown" if line.leader is None else (line.a if line.leader == "a" else line.b)
        diff = "–" if line.diff is None else signed(line.diff) + around
        rows.append(
            (
                line.a,
                line.b,
                diff,
                str(line.ups),
                str(line.downs),
                p_words(line.p),
                p_words(line.p_holm),
                str(line.n),
                ahead,
            )
        )
    return head, rows


def _more(report: Report) -> Iterator[Block]:
    if report.checks:
        yield "heading", "Stated scores against the items"
        exact = sum(check.verdict == "exact" for check in report.checks)
        yield "text", f"{exact} of {len(report.checks)} stated scores are exactly those of the items."
        rows = [
            (c.model, c.what, f"{100 * c.published:.6g} %", _percent(c.computed), c.verdict, c.explanation)
            for c in report.checks
        ]
        yield "table", (("model", "what", "stated", "items say", "verdict", "why"), rows)
    if report.figures:
        yield "heading", "Other figures of the field"
        yield (
            "table",
            (
                ("model", "what", "value", "n"),
                [(f.model, f.what, _percent(f.value), str(f.n)) for f in report.figures],
            ),
        )
    if report.baselines:
        yield "heading", "Baselines"
        agents = [
            (b.verdict, b.kind, b.model or "–", _percent(b.score), b.meaning, ", ".join(b.suspects[:10]))
            for b in report.baselines
        ]
        yield "table", (("verdict", "baseline", "model", "score", "what it is", "suspect items"), agents)
    if report.flags:
        right = sum(flag.counts_as_right for flag in report.flags)
        yield "heading", "Audit of diffs"
        yield "text", f"{len(report.flags)} attempts are flagged; {right} of them count as right."
        flagged = [
            (f.item, f.model, "right" if f.counts_as_right else "wrong", "; ".join(f.findings))
            for f in report.flags
        ]
        yield "table", (("item", "model", "scored", "findings"), flagged[:PAIRS_SHOWN])
    selection = report.sheet.selection
    if selection.debiased is not None and selection.inflation is not None:
        yield "heading", "Selection"
        yield (
            "text",
            f"Best of {selection.tries} tries: {100 * selection.inflation:.2f} points of luck expected, {_percent(selection.debiased)} without it.",
        )
    if report.card is not None:
        yield "heading", "Card"
        yield (
            "text",
            f"{len(report.open_questions)} questions are open."
            if report.open_questions
            else "Every question is answered.",
        )
        yield from _told(report.open_questions)


def _told(lines: Sequence[str]) -> Iterator[Block]:
    if lines:
        yield "list", lines


def _policy(errors: str) -> str:
    return "counted as the lowest score" if errors == "zero" else "left out"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f} %"


def _markdown(block: Block) -> str:
    kind, value = block
    if kind == "table":
        head, rows = value
        lines = [_row(head), "|" + " --- |" * len(head), *(_row(row) for row in rows)]
        return "\n".join(lines) + "\n"
    if kind == "list":
        return "\n".join(f"* {_plain(line)}" for line in value) + "\n"
    return {"title": "# ", "heading": "## "}.get(kind, "") + _plain(value) + "\n"


def _row(cells: Cells) -> str:
    return "| " + " | ".join(_plain(cell) for cell in cells) + " |"


def _plain(text: str) -> str:
    """One line that no cell and no markup breaks."""
    flat = " ".join(str(text).split())
    for mark in ("\\", "|", "<", "`", "*", "_"):
        flat = flat.replace(mark, f"\\{mark}")
    return flat


def _html(block: Block) -> str:
    kind, value = block
    if kind == "picture":
        return f'<div class="wide">{value}</div>'
    if kind == "table":
        head, rows = value
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    if kind == "list":
        return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in value) + "</ul>"
    tag = {"title": "h1", "heading": "h2"}.get(kind, "p")
    return f"<{tag}>{escape(value)}</{tag}>"
