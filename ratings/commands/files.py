"""Options of the commands that read vote files."""

from __future__ import annotations

import click

from arena.importers.formats import registry
from ratings.commands.options import stack

# Which votes: they come to the command under the names of `arena.importers.reading.read`.
file_options = stack(
    click.option("--format", default="auto", show_default=True, metavar="auto|NAME", help=f"Format of the files: {registry.known()}."),
    click.option("--skip-bad", is_flag=True, help="Leave rows out that cannot be read, and count them."),
    click.option("--aliases", type=click.Path(), help="File of names to merge: two columns, alias and canonical."),
    click.option("--outcomes", metavar="A=B,...", help="Other words for outcomes, such as left=model_a,right=model_b; by=name: winners are "
                 "told by name; blank=none: an empty outcome is no vote; score=match: 4-1 is won by the first."),
    click.option("--columns", metavar="A=B,...", help="Columns under other names, such as winner=verdict or importance=weight."),
)  # fmt: skip
