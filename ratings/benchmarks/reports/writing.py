"""A report in markdown and as one self-contained page of HTML."""

from __future__ import annotations

from collections.abc import Iterator

from ratings.benchmarks.reports import drawing
from ratings.benchmarks.reports.report import Report
from ratings.tables import (
    DASH,
    Picture,
    Section,
    Table,
    count,
    number,
    p_value,
    page,
    percent,
    percent_estimate,
    points_estimate,
    ranks,
    report_text,
)

PAIRS_SHOWN = 60


def markdown(report: Report) -> str:
    """The report as Markdown; tables in place of charts."""
    return report_text(report.sheet.benchmark, list(_sections(report)), _lead(report))


def html(report: Report) -> str:
    """The report as one page with its charts and nothing to load."""
    return page(report.sheet.benchmark, list(_sections(report)), _lead(report))


def _lead(report: Report) -> tuple[str, ...]:
    return _headline(report), *report.account


def _sections(report: Report) -> Iterator[Section]:
    found, sheet = report.to_object(), report.sheet
    whys = [f"{line.model}: {line.why}" for line in sheet.lines if line.why]
    scores = _picture("intervals", "Scores with their intervals", drawing.intervals(found))
    yield Section("Scores", (_score_table(report),), (*whys, *sheet.warnings), scores)
    if sheet.models > 1:
        best = _picture("pairs", "The best model against the others, with intervals", drawing.pairs(found))
        yield Section("Pairs", (_pair_table(report),), (f"Tested by {report.test}, on common items.",), best)
    if report.item_map is not None:
        extremes = f"Items right for all models: {report.item_map.solved_by_all}; for none: {report.item_map.solved_by_none}."
        yield Section("Items", (), (extremes,), _picture("items", "Map of items", drawing.item_map(found)))
    yield from _more(report)


def _picture(name: str, caption: str, svg: str) -> tuple[Picture, ...]:
    return (Picture(name, caption, svg),) if svg else ()


def _headline(report: Report) -> str:
    sheet, parts = report.sheet, []
    parts.append(
        f"{count(sheet.items)} items, {sheet.models} model{'s' if sheet.models != 1 else ''}, level {100 * sheet.level:g} %, errors {_policy(sheet.errors)}."
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
            ""
            if report.power.effective is None
            else f" (worth {count(report.power.effective)} independent ones)"
        )
        parts.append(
            f"{count(report.power.items)} items{worth} show a gap of {number(100 * report.power.detectable)} points with 80 % power (unpaired, spread of the best model's scores); half the interval costs {count(report.power.items_for_half)} items."
        )
    return " ".join(parts)


def _score_table(report: Report) -> Table:
    matter = any(line.errors_matter for line in report.sheet.lines)
    passing = any(line.pass_hat for line in report.sheet.lines)
    head = ["Model", "Ranks", "Score [interval]", "Method", "Items"]
    head += ["Errors as 0", "Errors left out"] if matter else []
    head += ["pass^k"] if passing else []
    head += ["Freed of wrong keys"] if report.implied else []
    rows = []
    for line in report.sheet.lines:
        effect = f", design effect {number(line.design_effect, 2)}" if line.design_effect else ""
        score = percent_estimate(line.score, line.low, line.high)
        row = [
            line.model,
            ranks(line.rank_low, line.rank_high),
            score,
            line.method + effect,
            count(line.items),
        ]
        row += [percent(line.score_errors_zero, 2), percent(line.score_errors_excluded, 2)] if matter else []
        row += [" ".join(number(value, 3) for value in line.pass_hat) or DASH] if passing else []
        row += [percent(report.implied.get(line.model), 2)] if report.implied else []
        rows.append(tuple(row))
    return tuple(head), tuple(rows)


def _pair_table(report: Report) -> Table:
    head = ("A", "B", "A − B [interval]", "Only A better", "Only B better", "P", "P (Holm)", "Items", "Ahead")
    rows = tuple(
        (
            line.a,
            line.b,
            points_estimate(line.diff, line.low, line.high),
            count(line.ups),
            count(line.downs),
            p_value(line.p),
            p_value(line.p_holm),
            count(line.n),
            line.a if line.leader == "a" else line.b if line.leader == "b" else "not shown",
        )
        for line in report.comparison.lines[:PAIRS_SHOWN]
    )
    return head, rows


def _more(report: Report) -> Iterator[Section]:
    if report.checks:
        exact = sum(check.verdict == "exact" for check in report.checks)
        stated = tuple(
            (c.model, c.what, f"{100 * c.published:.6g} %", percent(c.computed, 2), c.verdict, c.explanation)
            for c in report.checks
        )
        table = (("Model", "What", "Stated", "Items say", "Verdict", "Why"), stated)
        note = f"{exact} of {len(report.checks)} stated scores are exactly those of the items."
        yield Section("Stated scores against the items", (table,), (note,))
    if report.figures:
        rows = tuple((f.model, f.what, percent(f.value, 2), str(f.n)) for f in report.figures)
        yield Section("Other figures of the field", ((("Model", "What", "Value", "n"), rows),))
    if report.baselines:
        agents = tuple(
            (b.verdict, b.kind, b.model or DASH, percent(b.score, 2), b.meaning, ", ".join(b.suspects[:10]))
            for b in report.baselines
        )
        columns = ("Verdict", "Baseline", "Model", "Score", "What it is", "Suspect items")
        yield Section("Baselines", ((columns, agents),))
    if report.flags:
        right = sum(flag.counts_as_right for flag in report.flags)
        flagged = tuple(
            (f.item, f.model, "right" if f.counts_as_right else "wrong", "; ".join(f.findings))
            for f in report.flags[:PAIRS_SHOWN]
        )
        note = f"{len(report.flags)} attempts are flagged; {right} of them count as right."
        yield Section("Audit of diffs", ((("Item", "Model", "Scored", "Findings"), flagged),), (note,))
    selection = report.sheet.selection
    if selection.debiased is not None and selection.inflation is not None:
        luck = f"{number(100 * selection.inflation, 2)} points of luck expected"
        note = f"Best of {selection.tries} tries: {luck}, {percent(selection.debiased, 2)} without it."
        yield Section("Selection", (), (note,))
    if report.card is not None:
        questions = report.open_questions
        state = f"{len(questions)} questions are open." if questions else "Every question is answered."
        yield Section("Card", (), (state, *questions))


def _policy(errors: str) -> str:
    return "counted as the lowest score" if errors == "zero" else "left out"
