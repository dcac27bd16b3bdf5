"""`crossref`: a benchmark beside a board, from files or an imported benchmark; `report` reads it through the same door."""

from __future__ import annotations

from typing import Any

import click

from arena.votes import VoteTable
from ratings.analysis import Analysis
from ratings.benchmarks.readers.aliases import read_aliases
from ratings.commands_bench_inputs import load, to_plain
from ratings.commands_questions import show, source_options, votes_and_plan
from ratings.crossref import findings, measures
from ratings.crossref.findings import CrossReference
from ratings.options import stack
from ratings.ranking import analyse

RESULTS: dict[str, Any] = {
    "format": "auto", "benchmark": None, "variant": None, "metric": None, "model": None, "group": None,
    "repeats": None, "items": None, "scale": (0.0, 1.0), "columns": None, "aliases": None, "skip_bad": False,
}  # fmt: skip

ASKED = ("names", "results_format")

# What `cross_reference` takes beside the results: `asked_of` takes it out of a command's options.
crossref_options = stack(
    click.option(
        "--names",
        type=click.Path(),
        help="Names of one model: CSV with columns alias (the benchmark's) and canonical (the board's).",
    ),
    click.option(
        "--results-format", default="auto", show_default=True, help="Format of the benchmark's files."
    ),
)


@click.command()
@click.argument("results", nargs=-1, required=True)
@crossref_options
@source_options
def crossref(results: tuple[str, ...], as_: str, out: str | None, **options: Any) -> None:
    """Does a benchmark foretell what people prefer? RESULTS (files or an imported benchmark) beside a board."""
    asked = asked_of(options)
    table, plan = votes_and_plan(options)
    found = cross_reference(table, analyse(table, plan), results, **asked)
    show(findings.sheet(found), to_plain(found), as_, out)


def asked_of(options: dict[str, Any]) -> dict[str, Any]:
    """What `crossref_options` added to a command's options, taken out of them."""
    return {name: options.pop(name) for name in ASKED}


def cross_reference(
    table: VoteTable, analysis: Analysis, results: tuple[str, ...], *, names: str | None, results_format: str
) -> CrossReference:
    """The cross-reference of the board of `analysis`, fitted on `table`, with RESULTS under `crossref_options`."""
    aliases = None if names is None else read_aliases(names)
    loaded = load(results, **RESULTS | {"format": results_format})
    return findings.of_items(measures.arena(analysis), loaded.only, aliases, seed=analysis.plan.seed)
