"""Commands that set things beside each other: `judges` and `report`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.errors import ArenaError, BadInput
from arena.settings import settings
from arena.votes import VoteTable
from ratings.charts import palette
from ratings.charts.rendering import rendered
from ratings.commands import console
from ratings.commands.crossref import asked_of, cross_reference, crossref_options
from ratings.commands.votes import read_votes, show, source_options, votes_and_plan
from ratings.design.selection import votes_of
from ratings.diagnostics import diagnosis, differences, judges
from ratings.leaderboard import Leaderboard
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse
from ratings.ranking.standings import leaderboard
from ratings.refresh.context import open_context
from ratings.releases import storage
from ratings.releases.release import HistoryPoint
from ratings.reports import sections as reports_sections
from ratings.reports.comparison_tables import comparison_section
from ratings.tables import Section, json_text, page, report_text, to_plain

COMPARED = 5  # models at the top that the report compares
TITLE = "Arena report"
FOLDER = "report"
PICTURES = "pictures"  # the folder of picture files in the report's


@click.command("judges")
@click.argument("verdicts", nargs=-1, required=True)
@source_options
def judges_command(verdicts: tuple[str, ...], as_: str, out: str | None, **options: Any) -> None:
    """A judge beside people: vote files VERDICTS of a model judge against people's --votes or --board."""
    judged = _verdicts(verdicts, options)
    table, plan = votes_and_plan(options)
    found = judges.against(votes_of(table, plan), judged)
    show(judges.section(found), to_plain(found), as_, out)


def _verdicts(files: Sequence[str], options: dict[str, Any]) -> VoteTable:
    return read_votes(tuple(files), **{key: options[key] for key in options if key != "files"}).table


@click.command("report")
@click.option(
    "--benchmark",
    "benchmarks",
    metavar="FILE",
    multiple=True,
    help="Results, or the name of an imported benchmark, to set beside the board; may be repeated.",
)
@click.option(
    "--judge", metavar="FILE", multiple=True, help="Votes of a model judge, to set beside people's."
)
@click.option(
    "--pictures",
    "endings",
    type=click.Choice(palette.PICTURES),
    multiple=True,
    help="Also write every picture as a file of this kind; may be repeated.",
)
@crossref_options
@source_options
def report_command(
    benchmarks: tuple[str, ...],
    judge: tuple[str, ...],
    endings: tuple[str, ...],
    as_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Board, diagnosis, comparison and cross-references as report.html, report.md and report.json in the folder --out.

    The page stands by itself: it opens from a disk without a network, and prints.
    """
    folder = _made(Path(out or FOLDER))
    asked = asked_of(options)
    judged = _verdicts(judge, options) if judge else None
    is_published = not options["files"]
    table, plan = votes_and_plan(options)
    with console.progress("ranking") as progress:
        analysis = analyse(table, plan, progress=progress)
    board = leaderboard(table, analysis)
    sections = reports_sections.of_board(board, _history(board) if is_published else ())
    answer: dict[str, Any] = {"board": board.to_object(), "pairs": board.pairs}
    answer |= _diagnosed(sections, table, analysis, board)
    found = [cross_reference(table, analysis, (name,), **asked) for name in benchmarks]
    sections += [reports_sections.of_crossref(one, n) for n, one in enumerate(found, 1)]
    answer["crossref"] = found
    if judged is not None:
        answer["judge"] = judges.against(votes_of(table, plan), judged)
        sections.append(reports_sections.of_judge(answer["judge"]))
    _write(folder, sections, _lead(board), to_plain(answer), endings)


def _diagnosed(
    sections: list[Section], table: VoteTable, analysis: Analysis, board: Leaderboard
) -> dict[str, Any]:
    """Diagnosis, and comparison of the first models."""
    found = diagnosis.thorough(diagnosis.examine(table, analysis, board), table, analysis, board)
    sections.append(reports_sections.of_diagnosis(found))
    top = [row.model for row in board.models if row.status == "ranked"][:COMPARED]
    pairs = differences.compare(analysis, top) if len(top) > 1 else ()
    if pairs:
        sections.append(replace(comparison_section(pairs), title=f"Comparison of the first {len(top)}"))
    return {"diagnosis": found, "comparison": pairs}


def _history(board: Leaderboard) -> tuple[HistoryPoint, ...]:
    """What was published of this very board; nothing where no store answers."""
    with contextlib.suppress(ArenaError), open_context(settings.load()) as context:
        release = storage.current(context.releases)
        found = None if release is None else release.find(board.snapshot.id)
        if release is not None and found is not None:
            return tuple(release.history.get(found[0].name, ()))
    return ()


def _lead(board: Leaderboard) -> str:
    s = board.snapshot
    return (
        f"{s.votes_used:,} votes on {s.models} models; {s.voters_said}. "
        f"Snapshot {s.id[:12]}, method {s.method_version}, seed {s.seed}, {s.plan.rounds} rounds."
    )


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be made: {error.strerror}") from None
    return folder


def _write(folder: Path, sections: Sequence[Section], lead: str, answer: Any, endings: Iterable[str]) -> None:
    shown = next((ending for ending in ("svg", "png") if ending in endings), None)
    beside = "" if shown is None else f"{PICTURES}/{{}}.{shown}"
    for name, content in (
        ("report.html", page(TITLE, sections, (lead,))),
        ("report.md", report_text(TITLE, sections, (lead,), beside)),
        ("report.json", json_text(answer) + "\n"),
    ):
        console.write(content.encode(), str(folder / name))
    pictures = [one for section in sections for one in section.pictures]
    for ending in endings:
        for one in pictures:
            place = _made(folder / PICTURES) / f"{one.name}.{ending}"
            console.write(rendered(one.spec, ending), str(place), is_text=False)
    console.say(f"{folder}: report.html, report.md, report.json")
