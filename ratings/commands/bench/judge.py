"""Bench commands on graders: agreement of two labels, and a judge against order, length and people's votes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.archive.archive import Archive
from arena.errors import BadInput, Problem
from arena.settings import settings
from arena.votes import Outcome
from ratings.benchmarks.methods.judge import judge_against_votes, length_report, order_report
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.commands.inputs import as_option, emit
from ratings.commands.options import NamesType
from ratings.stats.kappa import kappa_from_margins, kappa_of_labels
from ratings.stats.raters import Raters, label_counts, several_raters

# What judges' files call an outcome, seen from the answer that is shown first.
WORDS: Mapping[str, Outcome] = {
    **dict.fromkeys(("a", "1", "model_a", "model_1", "first", "left", "output_1"), Outcome.A),
    **dict.fromkeys(("b", "2", "model_b", "model_2", "second", "right", "output_2"), Outcome.B),
    **dict.fromkeys(("tie", "c", "0", "equal", "tie (inconsistent)"), Outcome.TIE),
}
NO_VERDICT = ("", "error", "none", "null", "nan")


@click.command()
@click.argument("file", type=click.Path(), required=False)
@click.option("--columns", type=NamesType(), help="Columns of labels, two or more: every two are compared.")
@click.option(
    "--weights",
    type=click.Choice(["none", "linear", "quadratic"]),
    default="none",
    show_default=True,
    help="For ordered labels.",
)
@click.option(
    "--by", metavar="COLUMN", help="Separately for each value of this column or columns, by commas."
)
@click.option(
    "--margins",
    nargs=3,
    type=float,
    metavar="HUMAN JUDGE AGREE",
    help="From two pass rates and the raw agreement instead of a file.",
)
@click.option(
    "--together",
    is_flag=True,
    help="All --columns at once: Fleiss' kappa and Krippendorff's alpha of several graders.",
)
@click.option(
    "--counts",
    type=NamesType(),
    help="Columns of labels that hold how many graders gave each: Fleiss' kappa and Krippendorff's alpha.",
)
@as_option
def agreement(
    file: str | None, columns: tuple[str, ...] | None, weights: Any, by: str | None, margins: tuple[float, float, float] | None,
    together: bool, counts: tuple[str, ...] | None, as_: str,
) -> None:  # fmt: skip
    """Cohen's kappa of two graders, Fleiss' kappa and Krippendorff's alpha of several, with intervals.

    Undefined, and said so, when only one label was used.
    """
    if margins:
        emit(kappa_from_margins(*margins), as_)
        return
    if counts is not None or together:
        emit(_several(file, columns, counts), as_)
        return
    if file is None or not columns or len(columns) < 2:
        raise click.UsageError("name a file and two --columns, or --margins")
    rows = _rows(file, (*columns, *(by.split(",") if by else ())))
    parts: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        parts.setdefault(" / ".join(row[key] for key in by.split(",")) if by else "", []).append(row)
    found = []
    for part, members in parts.items():
        for a, b in combinations(columns, 2):
            pairs = [(row[a], row[b]) for row in members if row[a] != "" and row[b] != ""]
            kappa = kappa_of_labels([x for x, _ in pairs], [y for _, y in pairs], weights=weights)
            found.append({
                **({"part": part} if by else {}), "a": a, "b": b, "n": kappa.n, "kappa": kappa.value, "low": kappa.low, "high": kappa.high,
                "agree": kappa.observed, "by chance": kappa.expected, "why": kappa.why,
            })  # fmt: skip
    emit(found, as_)


def _several(file: str | None, columns: tuple[str, ...] | None, counts: tuple[str, ...] | None) -> Raters:
    """Of all graders at once, from their labels or from counts of labels."""
    wanted = counts or columns
    if file is None or wanted is None or len(wanted) < 2:
        raise click.UsageError(
            "name a file and two columns or more, by --counts, or by --columns with --together"
        )
    rows = _rows(file, wanted)
    if counts is None:
        return several_raters(label_counts([[row[column] or None for column in wanted] for row in rows]))
    return several_raters(
        [[_count(file, number, row, column) for column in wanted] for number, row in enumerate(rows, 1)]
    )


def _count(file: str, number: int, row: Mapping[str, str], column: str) -> int:
    text = row[column].removesuffix(".0")
    if text and not text.isdecimal():
        problem = Problem(file, "not a count of graders", number, column=column, value=row[column])
        raise BadInput(str(problem), [problem])
    return int(text or 0)


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--shown",
    metavar="COLUMN",
    help="Verdicts with the answers in this order (a, b, tie): with --swapped, order consistency and position bias.",
)
@click.option(
    "--swapped",
    metavar="COLUMN",
    help="Verdicts with the answers changed round, a again meaning the one shown first.",
)
@click.option(
    "--mapped-back", is_flag=True, help="The swapped verdicts name the answers as in the first order."
)
@click.option(
    "--lengths", nargs=2, metavar="A B", help="Columns of both answers' lengths: length bias of --shown."
)
@click.option(
    "--people",
    metavar="COLUMN",
    help="People's verdicts on the same pairs, for the length bias beyond theirs.",
)
@click.option(
    "--models",
    nargs=2,
    default=("model_a", "model_b"),
    metavar="A B",
    help="Columns of the models, for --collection.",
)
@click.option(
    "--collection",
    "--into",
    "collection",
    metavar="NAME",
    help="Hold verdicts (columns prompt, --models and --shown) against the votes of this collection.",
)
@as_option
def judge(
    file: str, shown: str | None, swapped: str | None, mapped_back: bool, lengths: tuple[str, str] | None, people: str | None,
    models: tuple[str, str], collection: str | None, as_: str,
) -> None:  # fmt: skip
    """An automatic judge on trial: does it stand by its verdicts, does it like what comes first or is long, does it agree with people?"""
    if shown is None:
        raise click.UsageError("name the column of verdicts by --shown")
    keys = [key for key in (shown, swapped, people, *(lengths or ())) if key]
    rows = _rows(file, (*keys, *(("prompt", *models) if collection else ())))
    verdicts = [_outcome(file, row, shown) for row in rows]
    found: dict[str, Any] = {}
    if swapped is not None:
        other = [_outcome(file, row, swapped) for row in rows]
        found["order"] = order_report(
            verdicts, [v.mirrored if v is not None and mapped_back else v for v in other]
        )
    if lengths is not None:
        voters = None if people is None else [_outcome(file, row, people) for row in rows]
        found["length"] = length_report(
            verdicts, _lengths(file, rows, lengths[0]), _lengths(file, rows, lengths[1]), voters
        )
    if collection is not None:
        found["people"] = _against_votes(rows, verdicts, models, collection)
    if not found:
        raise click.UsageError("name --swapped, --lengths or --collection")
    emit(found, as_)


def _against_votes(
    rows: list[dict[str, str]], verdicts: list[Outcome | None], models: tuple[str, str], collection: str
) -> Any:
    archive = Archive.open(settings.load())
    there = [known.name for known in archive.collections()]
    if collection not in there:
        raise BadInput(f"no collection {collection!r}; there are: {', '.join(there) or 'none'}")
    given = {
        (row["prompt"], row[models[0]], row[models[1]]): v
        for row, v in zip(rows, verdicts, strict=True)
        if v is not None
    }
    return judge_against_votes(given, archive.read(collection))


def _rows(file: str, needed: tuple[str, ...]) -> list[dict[str, str]]:
    source = Source(Path(file))
    rows = list(source.rows() if source.first else source.text_rows())
    found = []
    for row, record in rows:
        missing = [key for key in needed if key not in record]
        if missing:
            raise refuse_whole(source, f"no column {missing[0]!r}; there are: {', '.join(record)}", row=row)
        found.append({key: "" if value is None else str(value).strip() for key, value in record.items()})
    if not found:
        raise refuse_whole(source, "no rows in it")
    return found


def _outcome(file: str, row: Mapping[str, str], column: str) -> Outcome | None:
    word = row[column].lower()
    if word in NO_VERDICT:
        return None
    if word not in WORDS:
        raise BadInput(f"{file}, column {column}: {row[column]!r} is no verdict; known: {', '.join(WORDS)}")
    return WORDS[word]


def _lengths(file: str, rows: list[dict[str, str]], column: str) -> Any:
    try:
        return np.array([float(row[column]) for row in rows])
    except ValueError as error:
        raise BadInput(f"{file}, column {column}: {error}") from None
