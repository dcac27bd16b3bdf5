"""`bench capability`: what several benchmarks measure together, and what each adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from arena.errors import BadInput
from ratings.benchmarks.methods.capability import capability_report
from ratings.benchmarks.readers.delimited import text_rows
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import cell
from ratings.benchmarks.results.entries import Unusable
from ratings.benchmarks.results.results import ItemResults
from ratings.commands.inputs import as_option, emit, input_options, load
from ratings.commands.options import Names

Table = tuple[npt.NDArray[np.float64], tuple[str, ...], tuple[str, ...]]


@click.command()
@input_options
@click.option(
    "--benchmarks",
    type=Names(),
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


def columns(sources: Sequence[str], benchmarks: tuple[str, ...]) -> Table:
    """A table of models: the first column names them."""
    if len(sources) != 1:
        raise BadInput("--benchmarks takes one table")
    source = Source(Path(sources[0]))
    models, scores = [], []
    for row, record in text_rows(source):
        absent = [name for name in benchmarks if name not in record]
        if absent:
            raise refuse_whole(source, f"no column {absent[0]!r}; there are: {', '.join(record)}")
        models.append(next(iter(record.values())))
        try:
            scores.append([_number(record[name], name) for name in benchmarks])
        except Unusable as fault:
            raise refuse_whole(
                source, fault.reason, row=row, column=fault.column, value=str(fault.value)
            ) from None
    if not models:
        raise refuse_whole(source, "no rows in it")
    return np.array(scores), tuple(models), benchmarks


def _number(text: str, column: str) -> float:
    found = cell(text, column)
    return float("nan") if found is None else found


def _results(loaded: dict[str, ItemResults]) -> Table:
    if len(loaded) < 2:
        raise BadInput(
            "one benchmark has nothing in common with others; name several, or the columns of a table by --benchmarks"
        )
    models = tuple(sorted({model for results in loaded.values() for model in results.models}))
    scores = [[mean_score(results, model) for results in loaded.values()] for model in models]
    return np.array(scores), models, tuple(loaded)


def mean_score(results: ItemResults, model: str) -> float:
    """Mean over the items with a result, failed attempts as the lowest score; nan where there is none."""
    if model not in results.models:
        return float("nan")
    row = results.means("zero")[results.row(model)]
    known = row[~np.isnan(row)]
    return float(known.mean()) if len(known) else float("nan")
