"""Commands that set things beside each other: `crossref`, `judges` and `report`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.errors import BadInput, NoData
from ratings import charts, console, diagnosis, exports, gaps, judges, report
from ratings.benchmarks.readers.aliases import read_aliases
from ratings.commands_bench_inputs import load, to_plain
from ratings.commands_questions import gaps_sheet, show, source_options, votes_and_plan
from ratings.commands_rank import read_votes
from ratings.crossref import findings, measures
from ratings.crossref.findings import CrossReference
from ratings.ranking import analyse
from ratings.report import Section
from ratings.sheets import Sheet
from ratings.standings import leaderboard

RESULTS: dict[str, Any] = {
    "format": "auto", "benchmark": None, "variant": None, "metric": None, "model": None, "group": None,
    "repeats": None, "items": None, "scale": (0.0, 1.0), "columns": None, "aliases": None, "skip_bad": False,
}  # fmt: skip
COMPARED = 5  # models at the top that the report compares
names_option = click.option(
    "--names",
    type=click.Path(),
    help="Names of one model: CSV with columns alias (the benchmark's) and canonical (the board's).",
)
results_format = click.option(
    "--results-format", default="auto", show_default=True, help="Format of the benchmark's files."
)


@click.command()
@click.argument("results", nargs=-1, required=True)
@names_option
@results_format
@source_options
def crossref(
    results: tuple[str, ...],
    names: str | None,
    results_format: str,
    as_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Does a benchmark foretell what people prefer? RESULTS (files or an imported benchmark) beside a board."""
    table, plan = votes_and_plan(options)
    found = _crossref(measures.arena(analyse(table, plan)), results, names, results_format, plan.seed)
    show(findings.sheet(found), to_plain(found), as_, out)


@click.command("judges")
@click.argument("verdicts", nargs=-1, required=True)
@source_options
def judges_command(verdicts: tuple[str, ...], as_: str, out: str | None, **options: Any) -> None:
    """A judge beside people: vote files VERDICTS of a model judge against people's --votes or --board."""
    judged = read_votes(verdicts, **options).table
    found = judges.against(votes_and_plan(options)[0], judged)
    show(judges.sheet(found), to_plain(found), as_, out)


@click.command("report")
@click.option(
    "--benchmark",
    metavar="FILE",
    help="Results, or the name of an imported benchmark, to set beside the board.",
)
@names_option
@results_format
@source_options
def report_command(
    benchmark: str | None, names: str | None, results_format: str, as_: str, out: str | None, **options: Any
) -> None:  # fmt: skip
    """Board, diagnosis, comparison and cross-reference as report.html, report.md and report.json in the folder --out."""
    table, plan = votes_and_plan(options)
    with console.progress("ranking") as progress:
        analysis = analyse(table, plan, progress=progress)
    board, trusted = leaderboard(table, analysis), diagnosis.diagnose(table, plan)
    top = [row.model for row in board.models if row.status == "ranked"][:COMPARED]
    pairs = gaps.compare(analysis, top) if len(top) > 1 else ()
    lines = tuple(
        (exports.shown_rank(row), row.model, exports.number(row.rating), exports.shown_interval(row), f"{row.votes:,}", row.why or "")
        for row in board.models
    )  # fmt: skip
    columns = ("Rank", "Model", "Rating", "95 % interval", "Votes", "Remark")
    sections = [
        Section(Sheet("Board", ((columns, lines),), board.warnings), _whiskers(board), "Ratings with 95 % intervals"),
        Section(diagnosis.sheet(trusted)),
    ]  # fmt: skip
    answer: dict[str, Any] = {"board": board.to_object(), "diagnosis": trusted, "comparison": pairs}
    if pairs:
        sections.append(Section(replace(gaps_sheet(pairs), title=f"Comparison of the first {len(top)}")))
    if benchmark is not None:
        found = _crossref(measures.arena(analysis), (benchmark,), names, results_format, plan.seed)
        sections.append(Section(findings.sheet(found)))
        answer["crossref"] = found
    snapshot = board.snapshot
    lead = f"{snapshot.votes_used:,} votes on {snapshot.models} models. Snapshot {snapshot.id[:12]}, method {snapshot.method_version}, seed {snapshot.seed}."
    _write(Path(out or "report"), sections, lead, to_plain(answer))


def _whiskers(board: Any) -> str:
    try:
        return charts.write(board, "whiskers").decode()
    except NoData:
        return ""


def _crossref(
    board: measures.Measure, results: tuple[str, ...], names: str | None, format: str, seed: int
) -> CrossReference:
    aliases = None if names is None else read_aliases(names)
    return findings.of_items(board, load(results, **RESULTS | {"format": format}).only, aliases, seed=seed)


def _write(folder: Path, sections: list[Section], lead: str, answer: Any) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be made: {error.strerror}") from None
    title = "Arena report"
    for name, content in (
        ("report.html", report.page(title, sections, lead)),
        ("report.md", report.text(title, sections, lead)),
        ("report.json", json.dumps(answer, allow_nan=False, ensure_ascii=False, indent=1) + "\n"),
    ):
        console.write(content.encode(), str(folder / name))
    console.say(f"{folder}: report.html, report.md, report.json")
