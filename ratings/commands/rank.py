"""`python -m ratings rank`: a ranking of vote files, with no store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
import numpy as np

from arena.errors import BadInput, NoData
from arena.importers.reading import read
from arena.importers.rules.tally import Reading, RowsRejected, Tally
from arena.votes import VoteTable
from ratings import exports
from ratings.charts import palette
from ratings.commands import console
from ratings.commands.files import file_options
from ratings.commands.options import output_options, plan_of, plan_options
from ratings.leaderboard import Leaderboard
from ratings.ranking.rank import rank as rank_votes


@click.command()
@click.argument("files", nargs=-1, required=True)
@file_options
@plan_options
@output_options
def rank(files: tuple[str, ...], as_: str, chart: str, out: str | None, **options: Any) -> None:
    """Rank the models of vote FILES: files, folders, globs, or - for standard input.

    The account of what was read goes to standard error; the ranking alone to standard output or --out.
    """
    reading = read_votes(files, **options)
    if reading.tally.read == 0:
        raise NoData(f"{', '.join(reading.tally.files)}: no votes, nothing to rank")
    refuse_unknown(reading.table, options)
    with console.progress("ranking") as progress:
        board = rank_votes(reading.table, plan_of(options), tally=reading.tally, progress=progress)
    if as_ not in exports.FOR_PEOPLE:  # these say it themselves
        for warning in board.warnings:
            console.say(f"warning: {warning}")
    console.write(content_of(board, as_, chart), out, is_text=is_text(as_))


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


def content_of(board: Leaderboard, as_: str, chart: str, **more: Any) -> bytes:
    """The board as a file or as a picture."""
    if as_ not in palette.PICTURES:
        return exports.write(board, as_)
    from ratings.charts import charts  # loads the drawing library, for pictures only

    return charts.write(board, chart, as_=as_, **more)


def is_text(as_: str) -> bool:
    return as_ not in ("parquet", "png", "pdf")
