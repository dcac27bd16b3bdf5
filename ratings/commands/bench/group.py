"""`python -m ratings bench`: the group of commands on per-item results, each loaded only when it is called."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ratings.commands.console import LazyGroup

# A new command is one line here and one function there.
COMMANDS: Mapping[str, str] = {
    "import": "ratings.commands.bench.library:import_",
    "list": "ratings.commands.bench.library:list_",
    "remove": "ratings.commands.bench.library:remove",
    "formats": "ratings.commands.bench.library:formats",
    "records": "ratings.commands.bench.scores:records",
    "report": "ratings.commands.bench.scores:report",
    "compare": "ratings.commands.bench.scores:compare",
    "baselines": "ratings.commands.bench.scores:baselines",
    "pass-k": "ratings.commands.bench.scores:pass_k",
    "saturation": "ratings.commands.bench.scores:saturation",
    "capability": "ratings.commands.bench.capability:capability",
    "plan": "ratings.commands.bench.planning:plan",
    "budget": "ratings.commands.bench.planning:budget",
    "ceiling": "ratings.commands.bench.planning:ceiling",
    "best-of": "ratings.commands.bench.planning:best_of",
    "ladder": "ratings.commands.bench.planning:ladder",
    "card": "ratings.commands.bench.library:card",
    "contamination": "ratings.commands.bench.contamination:contamination",
    "cutoff": "ratings.commands.bench.contamination:cutoff",
    "audit": "ratings.commands.bench.audit:audit",
    "agreement": "ratings.commands.bench.judge:agreement",
    "judge": "ratings.commands.bench.judge:judge",
}


@click.command("bench", cls=LazyGroup, places=COMMANDS)
def bench() -> None:
    """Per-item benchmark results: honest numbers, paired tests, and what the benchmark itself is worth.

    SOURCES are result files, folders or globs of any known format, or names of imported benchmarks.
    """
