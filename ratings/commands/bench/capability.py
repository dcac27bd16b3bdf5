"""`bench capability`: what several benchmarks measure together, and what each adds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
import numpy as np

from arena.errors import BadInput
from ratings.benchmarks.methods.capability import capability_report
from ratings.benchmarks.results.results import ItemResults
from ratings.commands.inputs import Table, as_option, columns, emit, input_options, load, mean_score
from ratings.commands.options import NamesType


@click.command()
@input_options
@click.option(
    "--benchmarks",
    type=NamesType(),
    metavar="NAME,...",
    help="SOURCES is one CSV of models; these columns of it are the benchmarks.",
)
@click.option(
    "--missing",
    type=click.Choice(["drop", "fill"]),
    default="drop",
    show_default=True,
    help="Models with a gap: left out, or filled.",
)
@as_option
def capability(
    sources: tuple[str, ...], benchmarks: tuple[str, ...] | None, missing: Any, as_: str, **options: Any
) -> None:  # fmt: skip
    """What several benchmarks measure together: each model's capability, and each benchmark's correlation with the others' with its interval.

    SOURCES are results of several benchmarks, or with --benchmarks a table with a row for each model.
    """
    loaded = {} if benchmarks else load(sources, **options).results
    scores, models, names = columns(sources, benchmarks) if benchmarks else _results(loaded)
    found = capability_report(scores, models, names, missing=missing)
    value = asdict(found)
    value["scores"] = dict(zip(found.models, found.scores.tolist(), strict=True))
    value["dependence"] = {name: results.dependence for name, results in loaded.items()}
    emit({key: part for key, part in value.items() if key != "models"}, as_)


def _results(loaded: dict[str, ItemResults]) -> Table:
    if len(loaded) < 2:
        raise BadInput(
            "one benchmark has nothing in common with others; name several, or the columns of a table by --benchmarks"
        )
    models = tuple(sorted({model for results in loaded.values() for model in results.models}))
    scores = [[mean_score(results, model) for results in loaded.values()] for model in models]
    return np.array(scores), models, tuple(loaded)
