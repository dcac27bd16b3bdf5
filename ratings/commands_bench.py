"""`python -m ratings bench`: the group of commands on per-item results, each loaded only when it is called."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ratings.lazy_commands import LazyGroup

# A new command is one line here and one function there.
COMMANDS: Mapping[str, str] = {
    "import": "ratings.commands_bench_shelf:import_",
    "list": "ratings.commands_bench_shelf:list_",
    "remove": "ratings.commands_bench_shelf:remove",
    "formats": "ratings.commands_bench_shelf:formats",
    "records": "ratings.commands_bench_results:records",
    "report": "ratings.commands_bench_results:report",
    "compare": "ratings.commands_bench_results:compare",
    "baselines": "ratings.commands_bench_results:baselines",
    "pass-k": "ratings.commands_bench_results:pass_k",
    "saturation": "ratings.commands_bench_results:saturation",
    "capability": "ratings.commands_bench_capability:capability",
    "plan": "ratings.commands_bench_plan:plan",
    "budget": "ratings.commands_bench_plan:budget",
    "ceiling": "ratings.commands_bench_plan:ceiling",
    "best-of": "ratings.commands_bench_plan:best_of",
    "ladder": "ratings.commands_bench_plan:ladder",
    "card": "ratings.commands_bench_card:card",
    "contamination": "ratings.commands_bench_leaks:contamination",
    "cutoff": "ratings.commands_bench_leaks:cutoff",
    "audit": "ratings.commands_bench_audit:audit",
    "agreement": "ratings.commands_bench_judge:agreement",
    "judge": "ratings.commands_bench_judge:judge",
}


@click.command("bench", cls=LazyGroup, places=COMMANDS)
def bench() -> None:
    """Per-item benchmark results: honest numbers, paired tests, and what the benchmark itself is worth.

    SOURCES are result files, folders or globs of any known format, or names of imported benchmarks.
    """
