"""`python -m arena`: the commands of the owner. Exit codes: 0 done; 1 input or state at fault; 2 wrong usage."""

from __future__ import annotations

import click

from arena.commands.context import Commands
from arena.commands.models import bank, models
from arena.commands.records import backup, export, ledger_group, restore
from arena.commands.setup import check, setup
from arena.commands.voters import forget, list_voters, quarantine, unchecked
from arena.commands.votes import collections, import_votes


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Look after an arena: its votes, models, bank and records."""


for command in (
    setup, check, import_votes, collections, models, bank, export, backup, restore, list_voters, quarantine, forget,
    unchecked, ledger_group,
):  # fmt: skip
    cli.add_command(command)


if __name__ == "__main__":
    cli(prog_name="python -m arena")
