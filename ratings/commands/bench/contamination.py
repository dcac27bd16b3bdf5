"""Bench commands against leaks: items in a body of text or among battle prompts, scores that fall after a cut-off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.errors import BadInput
from ratings.benchmarks.methods import contamination as leaks
from ratings.benchmarks.methods.cutoff import cutoff_report
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.results.results import ItemResults
from ratings.commands.inputs import ScaleType, as_option, emit, group_options, input_options, load
from ratings.commands.texts import IDS, PATCHES, read_bank, read_texts

MILLISECONDS = 1e11  # epoch numbers above it are milliseconds
NOT_BY_GROUPS = "items before and after a cutoff are compared one by one: their groups are not used"


@click.command()
@click.option(
    "--items",
    type=click.Path(),
    help="The benchmark's items: JSON, JSON lines or CSV with an id and a text.",
)
@click.option(
    "--corpus",
    multiple=True,
    type=click.Path(),
    help="Text to look in: files or folders of texts, or JSON lines with texts. May be repeated.",
)
@click.option(
    "--prompts",
    type=click.Path(),
    help="Battle prompts of an arena (a bank's JSON lines, or their folder): which of them are benchmark items?",
)
@click.option("--text", "text_field", metavar="FIELD", help="Field that holds an item's text.")
@click.option("--patches", is_flag=True, help="Look for the items' gold patches as well.")
@click.option(
    "-n",
    "--n",
    "n",
    type=click.IntRange(1, 1000),
    default=leaks.WORDS,
    show_default=True,
    help="Words in a row that make a match.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    help="Share from which an item is flagged.  [default: 0.2 in a corpus, 0.5 in prompts]",
)
@click.option("--all", "show_all", is_flag=True, help="Show clean items too.")
@click.option(
    "--results",
    multiple=True,
    metavar="SOURCE",
    help="Results, for models that fall after their cut-off: with --dates and --cutoffs.",
)
@click.option("--dates", type=click.Path(), help="When each item appeared: columns item and date.")
@click.option(
    "--cutoffs", type=click.Path(), help="When each model's training ended: columns model and date."
)
@click.option(
    "--scale", type=ScaleType(), default=(0.0, 1.0), help="Lowest and highest score of the results."
)
@group_options
@as_option
def contamination(
    items: str | None, corpus: tuple[str, ...], prompts: str | None, text_field: str | None, patches: bool, n: int,
    threshold: float | None, show_all: bool, results: tuple[str, ...], dates: str | None, cutoffs: str | None,
    scale: tuple[float, float], as_: str, **how: Any,
) -> None:  # fmt: skip
    """How much of each item occurs word for word in a body of text, or among the prompts of an arena.

    It does not see a paraphrase or a translation: a clean report is no proof. With dated items and results it also names the models that do
    worse on what appeared after their training (as `cutoff` does).
    """
    found: dict[str, Any] = {}
    if results:
        if dates is None or cutoffs is None:
            raise click.UsageError("results need --dates and --cutoffs")
        loaded = load(
            results, format="auto", skip_bad=False, aliases=None, benchmark=None, scale=scale, **how
        )
        found["after the cut-off"] = _falls(loaded.only, dates, cutoffs, 0.95)
    if items is not None and (corpus or prompts is not None):
        found |= _copies(
            read_texts(items, text_field), items, corpus, prompts, patches, n, threshold, show_all
        )
    if not found:
        raise click.UsageError(
            "name --items with a --corpus or the --prompts of an arena, or --results with dates"
        )
    emit(found, as_)


def _copies(
    texts: dict[str, str], items: str, corpus: tuple[str, ...], prompts: str | None, patches: bool, n: int, threshold: float | None,
    show_all: bool,
) -> dict[str, Any]:  # fmt: skip
    found: dict[str, Any] = {"items": len(texts), "n": n}
    if corpus:
        if patches:
            texts |= leaks.gold_patches(read_texts(items, None, PATCHES))
        index = leaks.Index([pair for path in corpus for pair in _documents(path)], n)
        rows = leaks.contamination_report(texts, index, threshold or leaks.THRESHOLD)
        found |= {
            flag: sum(row.flag == flag for row in rows) for flag in ("CONTAMINATED?", "clean", "too short")
        }
        found["rows"] = [
            {
                "item": row.item,
                "flag": row.flag,
                "fraction": row.fraction,
                "exact": row.exact,
                "sources": list(row.sources),
            }
            for row in rows
            if show_all or row.flag != "clean"
        ]
    if prompts is not None:
        hits = leaks.items_among_prompts(read_bank(prompts), texts, n, threshold or 0.5)
        found["prompts that are items"] = [vars(hit) for hit in hits]
    return found


def _documents(path: str) -> list[tuple[str, str]]:
    here = Path(path)
    if here.is_dir():
        return [pair for file in sorted(here.rglob("*")) if file.is_file() for pair in _documents(str(file))]
    source = Source(here)
    if source.first:
        return [(f"{here.name}:{key}", text) for key, text in _all_texts(source).items()]
    return [(here.name, source.text)]


def _all_texts(source: Source) -> dict[str, str]:
    rows = source.rows() if not isinstance(source.document, dict) else [(1, source.document)]
    return {
        str(row): " ".join(str(value) for value in record.values() if isinstance(value, str))
        for row, record in rows
        if isinstance(record, Mapping)
    }


@click.command()
@input_options
@click.option(
    "--dates", required=True, type=click.Path(), help="When each item appeared: columns item and date."
)
@click.option(
    "--cutoffs",
    required=True,
    type=click.Path(),
    help="When each model's training ended: columns model and date.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="1 - level is the size of the tests.",
)
@as_option
def cutoff(
    sources: tuple[str, ...], dates: str, cutoffs: str, level: float, as_: str, **options: Any
) -> None:
    """Which models do worse on items that appeared after their training ended, beyond what their peers do.

    A model is named (flagged) where its score falls more than that of the others, after Holm's correction.
    """
    emit(_falls(load(sources, **options).only, dates, cutoffs, level), as_)


def _falls(results: ItemResults, dates: str, cutoffs: str, level: float) -> dict[str, Any]:
    when = _dates(dates, ("item", *IDS))
    ends = {model: at for model, at in _dates(cutoffs, ("model", "name")).items() if model in results.models}
    if not ends:
        raise BadInput(f"{cutoffs}: names none of the models")
    known = [when.get(item, np.nan) for item in results.items]
    rows = cutoff_report(results.means("zero"), known, results.models, ends, level)
    return {
        "items": len(results.items), "dated": int((~np.isnan(known)).sum()), "flagged": [row.model for row in rows if row.flagged],
        "dependence": "independent", "dependence_why": None if results.dependence == "independent" else NOT_BY_GROUPS,
        "models": [
            {"model": row.model, "cutoff": datetime.fromtimestamp(row.cutoff, UTC).date().isoformat(), "before": row.plain.before,
             "after": row.plain.after, "n_before": row.plain.n_before, "n_after": row.plain.n_after, "drop": row.plain.drop,
             "low": row.plain.low, "high": row.plain.high, "p": row.plain.p, "beyond_peers": row.beyond_peers.drop,
             "p_holm": row.p_holm, "flagged": row.flagged}
            for row in rows
        ],
    }  # fmt: skip


def _dates(path: str, keys: Sequence[str]) -> dict[str, float]:
    source = Source(Path(path))
    rows = source.rows() if source.first else source.text_rows()
    found: dict[str, float] = {}
    for row, record in rows:
        name = next((record[key] for key in keys if record.get(key) not in (None, "")), None)
        text = next(
            (
                record[key]
                for key in ("date", "released", "cutoff", "release_date")
                if record.get(key) not in (None, "")
            ),
            None,
        )
        if name is None or text is None:
            raise refuse_whole(source, f"needs the columns {keys[0]} and date", row=row)
        found[str(name)] = _instant(source, row, text)
    return found


def _instant(source: Source, row: int, value: Any) -> float:
    try:
        number = float(value)
        return number / 1000 if number > MILLISECONDS else number
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        raise refuse_whole(
            source, "not a date such as 2025-01-31", row=row, column="date", value=str(value)
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
