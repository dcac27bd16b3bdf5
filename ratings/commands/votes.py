"""Which votes a command asks, how they are ranked, and how its answer is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import click
import numpy as np
from click.core import ParameterSource

from arena.archive.archive import Archive
from arena.errors import BadInput, NoData
from arena.importers.reading import read
from arena.importers.rules.tally import Reading, RowsRejected, Tally
from arena.settings import settings
from arena.votes import VoteTable
from ratings.commands import console
from ratings.commands.files import file_options
from ratings.commands.options import PLAN_FIELDS, plan_of, plan_options, stack
from ratings.leaderboard import Plan
from ratings.releases.boards import checked, read_boards
from ratings.tables import Section, json_text, markdown, plain

F = TypeVar("F", bound=Callable[..., Any])


def source_options(command: F) -> F:
    """Which votes are asked: files, or the collection of a declared board; how to rank them; how to write."""
    which = stack(
        click.option("--votes", "files", multiple=True, metavar="FILE", help="Vote files; may be repeated."),
        click.option(
            "--board",
            metavar="NAME",
            help="A declared board, ranked as declared but for the options given here; without --votes the first that has votes.",
        ),
    )
    how = stack(
        click.option("--as", "as_", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True,
                     help="Format of the answer."),
        click.option("--out", type=click.Path(), help="File to write, whole or not at all; else standard output."),
    )  # fmt: skip
    return which(file_options(plan_options(how(command))))


def votes_and_plan(options: dict[str, Any]) -> tuple[VoteTable, Plan]:
    """The votes asked, and the plan to rank them by: a board's own, but for the options that were given.

    Raises `NoData` where there are no votes.
    """
    files, board = options.pop("files"), options.pop("board")
    if files and board:
        raise click.UsageError("--votes or --board, not both")
    if files:
        table = read_votes(files, **options).table
        refuse_unknown(table, options)
        return table, plan_of(options)
    values = settings.load()
    archive = Archive.open(values)
    for declared in read_boards(values.boards):
        if board not in (None, declared.name):
            continue
        table = archive.read(declared.collection, declared.source)
        if len(table):
            console.say(f"board {declared.name}: {int(table.count.sum()):,} archived votes")
            refuse_unknown(table, _given(options))
            return table, checked(replace(declared.plan, **_given(options)))
        if board is not None:
            raise NoData(
                f"board {board} has no archived votes yet: `python -m ratings refresh` archives them"
            )
    if board is not None:
        raise BadInput(f"no board {board!r} is declared in {values.boards}")
    raise NoData("no board has votes: name files by --votes")


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a plan that were given: neither left to their default nor unknown to a plan."""
    source = click.get_current_context().get_parameter_source
    return {name: options[name] for name in PLAN_FIELDS if source(name) is not ParameterSource.DEFAULT}


def show(section: Section, answer: object, as_: str, out: str | None) -> None:
    """The answer in the form asked for."""
    if as_ == "json":
        text = json_text(answer)
    elif as_ == "markdown":
        text = markdown(section)
    else:
        text = plain(section)
    console.write((text.rstrip("\n") + "\n").encode(), out)


def refuse_unknown(table: VoteTable, options: Mapping[str, Any]) -> None:
    """What no vote has is a slip of the pen here; a declared board may wait for its votes."""
    for what, names in (("category", sorted(table.labels)), ("language", sorted(table.languages))):
        asked = options.get(what)
        if asked is not None and asked not in names:
            raise BadInput(f"no vote has the {what} {asked!r}; known: {', '.join(names) or 'none'}")
    if options.get("reweight") and not np.isfinite(table.drawn_p).any():
        raise BadInput(
            "no vote says how probable its draw was, which --reweight needs; `python -m arena export votes` writes it"
        )


def read_votes(
    files: tuple[str, ...],
    *,
    format: str,
    skip_bad: bool,
    aliases: str | None,
    outcomes: Any,
    columns: Any,
    **_: Any,
) -> Reading:
    """The votes of `files` under `file_options`; what was read is accounted for on standard error, whatever comes."""
    try:
        with console.progress("reading") as progress:
            reading = read(
                files,
                format=format,
                skip_bad=skip_bad,
                aliases=aliases,
                outcomes=outcomes,
                columns=columns,
                progress=progress,
            )
    except RowsRejected as error:
        _say_account(error.tally)
        raise
    _say_account(reading.tally)
    console.say_problems(reading.tally.rejected, reading.tally.rejected_count)
    return reading


def _say_account(tally: Tally) -> None:
    for line in tally.lines():
        console.say(line)
