"""`python -m ratings`: the commands, each in the file named beside it and loaded only when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from arena import bounds
from arena.errors import ArenaError
from ratings import console
from ratings.lazy_commands import LazyGroup

# A new command is one line here and one file.
COMMANDS: Mapping[str, str] = {
    "rank": "ratings.commands_rank:rank",
    "refresh": "ratings.commands_publish:refresh",
    "first-release": "ratings.commands_first:first_release",
    "export": "ratings.commands_publish:export",
    "verify": "ratings.commands_publish:verify",
    "compare": "ratings.commands_questions:compare",
    "plan-votes": "ratings.commands_questions:plan_votes",
    "diagnose": "ratings.commands_questions:diagnose",
    "simulate": "ratings.commands_simulate:simulate_command",
    "prompts": "ratings.commands_prompts:prompts_command",
    "bench": "ratings.commands_bench:bench",
    "crossref": "ratings.commands_crossref:crossref",
    "judges": "ratings.commands_report:judges_command",
    "report": "ratings.commands_report:report_command",
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
