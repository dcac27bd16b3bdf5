"""`python -m ratings`: the commands, each in the file named beside it and loaded only when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from arena.errors import ArenaError
from arena.settings import bounds
from ratings.commands import console
from ratings.commands.console import LazyGroup

# A new command is one line here and one file.
COMMANDS: Mapping[str, str] = {
    "rank": "ratings.commands.rank:rank",
    "refresh": "ratings.commands.publish:refresh",
    "first-release": "ratings.commands.first_release:first_release",
    "export": "ratings.commands.publish:export",
    "verify": "ratings.commands.publish:verify",
    "compare": "ratings.commands.questions:compare",
    "plan-votes": "ratings.commands.questions:plan_votes",
    "diagnose": "ratings.commands.questions:diagnose",
    "simulate": "ratings.commands.simulate:simulate_command",
    "prompts": "ratings.commands.prompts:prompts_command",
    "bench": "ratings.commands.bench.group:bench",
    "crossref": "ratings.commands.crossref:crossref",
    "judges": "ratings.commands.report:judges_command",
    "report": "ratings.commands.report:report_command",
    "serve": "ratings.commands.serve:serve",
}


class Commands(LazyGroup):
    """Ends on our own errors with a line and their status."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            bounds.use(bounds.of_environment())
            return super().invoke(ctx)
        except ArenaError as error:
            console.say_error(error)
            ctx.exit(console.status_of(error))


@click.command(cls=Commands, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Votes in, rankings with intervals out.

    Results go to standard output, messages to standard error. Exit status: 0 done; 1 the input or the state is
    at fault, said in one line each; 2 wrong usage; 5 another refresh is running.
    """


if __name__ == "__main__":
    main(prog_name="python -m ratings")
