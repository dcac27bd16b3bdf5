"""`python -m ratings rank`: a ranking of vote files, with no store."""

from __future__ import annotations

from typing import Any, get_args

import click

from arena.errors import NoData
from ratings import exports
from ratings.commands import console
from ratings.commands.board_files import content_of, is_text
from ratings.commands.files import file_options
from ratings.commands.options import output_options, plan_of, plan_options
from ratings.commands.votes import read_votes, refuse_unknown
from ratings.engine.choice import EngineName
from ratings.ranking.rank import rank as rank_votes


@click.command()
@click.argument("files", nargs=-1, required=True)
@file_options
@plan_options
@click.option("--engine", type=click.Choice(get_args(EngineName)), default="auto", show_default=True,
              help="Code of the heavy sums: plain numpy (reference), compiled, or by the size of the work.")  # fmt: skip
@output_options
def rank(
    files: tuple[str, ...], engine: EngineName, as_: str, chart: str, out: str | None, **options: Any
) -> None:
    """Rank the models of vote FILES: files, folders, globs, or - for standard input.

    The account of what was read goes to standard error; the ranking alone to standard output or --out.
    """
    reading = read_votes(files, **options)
    if reading.tally.read == 0:
        raise NoData(f"{', '.join(reading.tally.files)}: no votes, nothing to rank")
    refuse_unknown(reading.table, options)
    with console.progress("ranking") as progress:
        board = rank_votes(
            reading.table, plan_of(options), tally=reading.tally, progress=progress, engine=engine
        )
    if as_ not in exports.FOR_PEOPLE:  # these say it themselves
        for warning in board.warnings:
            console.say(f"warning: {warning}")
    console.write(content_of(board, as_, chart), out, is_text=is_text(as_))
