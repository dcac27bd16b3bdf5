"""Commands that set things beside each other: `judges` and `report`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.errors import BadInput, NoData
from ratings import charts, console, diagnosis, exports, gaps, judges, report
from ratings.commands_bench_inputs import to_plain
from ratings.commands_crossref import asked_of, cross_reference, crossref_options
from ratings.commands_questions import gaps_sheet, show, source_options, votes_and_plan
from ratings.commands_rank import read_votes
from ratings.crossref import findings
from ratings.ranking import analyse
from ratings.report import Section
from ratings.sheets import Sheet
from ratings.standings import leaderboard

COMPARED = 5  # models at the top that the report compares


@click.command("judges")
@click.argument("verdicts", nargs=-1, required=True)
@source_options
def judges_command(verdicts: tuple[str, ...], as_: str, out: str | None, **options: Any) -> None:
    """A judge beside people: vote files VERDICTS of a model judge against people's --votes or --board."""
    judged = read_votes(verdicts, **{key: options[key] for key in options if key != "files"}).table
    found = judges.against(votes_and_plan(options)[0], judged)
    show(judges.sheet(found), to_plain(found), as_, out)


@click.command("report")
@click.option(
    "--benchmark",
    metavar="FILE",
    help="Results, or the name of an imported benchmark, to set beside the board.",
)
@crossref_options
@source_options
def report_command(benchmark: str | None, as_: str, out: str | None, **options: Any) -> None:
    """Board, diagnosis, comparison and cross-reference as report.html, report.md and report.json in the folder --out."""
    asked = asked_of(options)
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
        found = cross_reference(table, analysis, (benchmark,), **asked)
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
