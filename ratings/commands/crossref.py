"""`crossref`: a benchmark beside a board, from files or an imported benchmark; `report` reads it through the same door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.errors import BadInput
from arena.votes import VoteTable
from ratings.benchmarks.readers.aliases import read_aliases
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.results.results import ItemResults
from ratings.commands.inputs import columns, load, mean_score
from ratings.commands.options import NamesType, stack
from ratings.commands.texts import read_bank, read_texts
from ratings.commands.votes import show, source_options, votes_and_plan
from ratings.crossref import findings, measures, writing
from ratings.crossref.prompts import shared_texts
from ratings.crossref.redundancy import Table
from ratings.crossref.result import CrossReference, Known
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse
from ratings.tables import to_plain

RESULTS: dict[str, Any] = {
    "format": "auto", "benchmark": None, "variant": None, "metric": None, "model": None, "group": None, "strata": None,
    "repeats": None, "items": None, "scale": (0.0, 1.0), "columns": None, "aliases": None, "skip_bad": False, "attempts": "repeat",
}  # fmt: skip
ASKED = (
    "names", "results_format", "pick", "group", "strata", "scores", "others", "families", "errors", "card", "tries", "prompts", "texts",
)  # fmt: skip

# What `cross_reference` takes beside the results: `asked_of` takes it out of a command's options.
crossref_options = stack(
    click.option(
        "--names",
        type=click.Path(),
        help="Names of one model: CSV with columns alias (the benchmark's) and canonical (the board's).",
    ),
    click.option("--results-format", default="auto", show_default=True, help="Format of the benchmark's files."),
    click.option("--pick", metavar="NAME", help="Which benchmark, where RESULTS hold several; the rest say what it adds to them."),
    click.option("--group", metavar="COLUMN", help="Column or key of RESULTS whose values are clusters of items."),
    click.option("--strata", metavar="COLUMN", help="Column or key of RESULTS whose values are fixed parts: subjects, repositories."),
    click.option(
        "--scores",
        type=NamesType(),
        metavar="NAME,...",
        help="RESULTS is one CSV of models without items, and these columns are benchmarks: the first is set beside the board, "
        "the rest say what it adds to them. With --others, columns of that file.",
    ),
    click.option("--others", metavar="SOURCE", multiple=True, help="Further benchmarks, to say what this one adds: results, or a CSV with --scores."),
    click.option("--families", type=click.Path(), help="Families of models: CSV with columns model (the board's) and family."),
    click.option("--errors", type=click.Choice(["zero", "exclude"]), default="zero", show_default=True,
                 help="Attempts that failed: as the lowest score, or left out."),
    click.option("--card", type=click.Path(), help="Benchmark card (TOML): label errors, human score, tries."),
    click.option("--tries", type=click.IntRange(1), metavar="N", help="Configurations tried before the best was reported, private ones too."),
    click.option("--prompts", type=click.Path(), help="The arena's prompts, to find items among them: JSON lines or their folder; with --texts."),
    click.option("--texts", type=click.Path(), help="The benchmark's items: JSON, JSON lines or CSV with an id and a text."),
)  # fmt: skip


@click.command()
@click.argument("results", nargs=-1, required=True)
@crossref_options
@source_options
def crossref(results: tuple[str, ...], as_: str, out: str | None, **options: Any) -> None:
    """Does a benchmark foretell what people prefer? RESULTS (files or an imported benchmark) beside a board."""
    asked = asked_of(options)
    table, plan = votes_and_plan(options)
    found = cross_reference(table, analyse(table, plan), results, **asked)
    show(writing.section(found), to_plain(found), as_, out)


def asked_of(options: dict[str, Any]) -> dict[str, Any]:
    """What `crossref_options` added to a command's options, taken out of them; and --skip-bad, which votes share."""
    return {name: options.pop(name) for name in ASKED} | {"skip_bad": options["skip_bad"]}


@dataclass(frozen=True)
class _Read:
    """One benchmark, by items or by scores, and the others."""

    name: str
    items: ItemResults | None
    scores: Mapping[str, float]
    others: Table
    card: Any = None


def cross_reference(
    table: VoteTable,
    analysis: Analysis,
    results: tuple[str, ...],
    *,
    names: str | None,
    families: str | None,
    errors: Any,
    tries: int | None,
    prompts: str | None,
    texts: str | None,
    **where: Any,
) -> CrossReference:
    """The cross-reference of the board of `analysis`, fitted on `table`, with RESULTS under `crossref_options`."""
    if (prompts is None) != (texts is None):
        raise click.UsageError("--prompts and --texts go together: both texts are needed")
    read = _read(results, **where)
    known = Known(
        aliases={} if names is None else read_aliases(names),
        families=None if families is None else read_families(families),
        errors=errors,
        votes=(table, analysis.plan),
        others=read.others,
        card=read.card,
        tries=tries,
        texts=None
        if prompts is None or texts is None
        else shared_texts(read_bank(prompts), read_texts(texts, None), table),
        seed=analysis.plan.seed,
    )
    board = measures.arena(analysis)
    if read.items is None:
        return findings.of_scores(board, read.name, read.scores, known)
    return findings.of_items(board, read.items, known)


def read_families(path: str) -> dict[str, str]:
    """model -> family of a CSV. Raises `BadInput` for a model of two families."""
    source = Source(Path(path))
    found: dict[str, str] = {}
    problems = []
    for row, record in source.text_rows():
        model, family = (record.get(key, "").strip() for key in ("model", "family"))
        if not model or not family:
            problems.append(source.problem("needs the columns model and family", row=row))
        elif found.setdefault(model, family) != family:
            problems.append(source.problem("is of two families", row=row, column="model", value=model))
    if problems:
        raise BadInput(str(problems[0]), problems)
    return found


def _read(
    results: tuple[str, ...], *, results_format: str, pick: str | None, scores: tuple[str, ...] | None,
    others: tuple[str, ...], card: str | None, skip_bad: bool, group: str | None, strata: str | None,
) -> _Read:  # fmt: skip
    if scores and not others:
        if pick is not None or card is not None or group is not None or strata is not None:
            raise click.UsageError("--pick, --card, --group and --strata need item results, not --scores")
        first, *rest = (read := _table(results, scores))
        return _Read(first, None, read[first], {name: read[name] for name in rest})
    how = RESULTS | {"format": results_format, "skip_bad": skip_bad}
    loaded = load(results, card=card, **(how | {"group": group, "strata": strata}))
    several = loaded.results
    chosen = pick if pick is not None or len(several) > 1 else next(iter(several))
    if chosen not in several:
        raise BadInput(f"which benchmark (--pick)? There are {', '.join(several)}")
    more = {name: _means(found) for name, found in several.items() if name != chosen}
    if others and scores:
        more |= _table(others, scores)
    elif others:
        added = load(others, **how).results
        more |= {name: _means(found) for name, found in added.items() if name != chosen}
    return _Read(chosen, several[chosen], {}, more, loaded.card)


def _table(sources: Sequence[str], names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    values, models, titles = columns(sources, names)
    twice = sorted({name for name in models if models.count(name) > 1})
    if twice:
        raise BadInput(f"{sources[0]}: two rows of {twice[0]!r}")
    return {
        title: {model: float(v) for model, v in zip(models, column, strict=True) if np.isfinite(v)}
        for title, column in zip(titles, values.T, strict=True)
    }


def _means(found: ItemResults) -> dict[str, float]:
    means = {model: mean_score(found, model) for model in found.models}
    return {model: value for model, value in means.items() if np.isfinite(value)}
