"""What the bench commands share: the options that say which results to read, and how results are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from arena.errors import BadInput
from arena.settings import settings
from ratings.benchmarks.library.claims import PUBLISHED, is_about, read_published
from ratings.benchmarks.library.store import FOLDER, BenchmarkShelf, Kept
from ratings.benchmarks.readers import Ask, Claim, Figure, Reading, read
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import cell
from ratings.benchmarks.results.assembly import Origins, assemble, one, origins
from ratings.benchmarks.results.card import Card, read_card
from ratings.benchmarks.results.dependence import Labels
from ratings.benchmarks.results.entries import Unusable
from ratings.benchmarks.results.results import ItemResults
from ratings.commands import console
from ratings.commands.options import PairsType, stack
from ratings.tables import DASH, json_text, plain_lines, to_plain

Table = tuple[npt.NDArray[np.float64], tuple[str, ...], tuple[str, ...]]

NAMES = ("instance_id", "item", "item_id", "task_id", "id")


class ScaleType(click.ParamType[tuple[float, float]]):
    """`LOW,HIGH`."""

    name = "LOW,HIGH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        try:
            low, high = (float(part) for part in value.split(","))
        except ValueError:
            low = high = math.nan
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            self.fail(f"{value!r} is not of the form LOW,HIGH", param, ctx)
        return low, high


# How items hang together.
group_options = stack(
    click.option("--group", metavar="COLUMN", help="Column (or key of metadata) whose values are clusters: items of one go right or wrong together."),
    click.option("--strata", metavar="COLUMN", help="Column (or key) whose values are fixed parts: subjects, repositories, sub-datasets."),
    click.option("--columns", type=PairsType(), help="Columns of a table, such as item=question,model=system,score=points; ignore=X leaves X aside."),
)  # fmt: skip

# Which results: to be handed to `load` as they come.
input_options = stack(
    click.argument("sources", nargs=-1, required=True),
    click.option("--format", default="auto", show_default=True, metavar="auto|NAME", help="Format of the files."),
    click.option("--benchmark", metavar="NAME", help="Take everything that is read as one benchmark of this name."),
    click.option("--variant", metavar="NAME", help="Only this filter, scorer or test set."),
    click.option("--metric", metavar="NAME", help="Which metric is the score, where a file has several."),
    group_options,
    click.option("--model", metavar="NAME", help="The model, where the files do not name it."),
    click.option("--repeats", type=click.IntRange(1), metavar="N", help="Attempts per item that a file writes one after the other."),
    click.option("--items", type=click.Path(), help="File with every item of the data set, one a line (or the first column of a CSV)."),
    click.option("--scale", type=ScaleType(), default=(0.0, 1.0), help="Lowest and highest score; taken to 0 and 1."),
    click.option("--attempts", type=click.Choice(["repeat", "refuse"]), default="repeat", show_default=True,
                 help="Rows that tell a model's result on an item once more and differ, without a column of runs: further attempts, or refused."),
    click.option("--aliases", type=click.Path(), help="File of names to merge: two columns, alias and canonical."),
    click.option("--skip-bad", is_flag=True, help="Leave records out that cannot be used, and count them."),
)  # fmt: skip

policy_options = stack(
    click.option("--errors", type=click.Choice(["zero", "exclude"]), default="zero", show_default=True,
                 help="Attempts that failed: as the lowest score, or left out."),
    click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
                 help="Level of intervals; 1 - level is the size of tests."),
)  # fmt: skip

out_option = click.option(
    "--out", type=click.Path(), help="File to write, whole or not at all; else standard output."
)
as_option = click.option(
    "--as",
    "as_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the result.",
)


@dataclass(frozen=True)
class Loaded:
    """Results by benchmark, with what else is known of them."""

    results: dict[str, ItemResults]
    card: Card | None
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    account: tuple[str, ...]
    origins: Mapping[str, Origins] = field(default_factory=dict)  # of each of the results

    @property
    def only(self) -> ItemResults:
        return one(self.results)


def load(
    sources: Sequence[str], *, card: str | None = None, published: str | None = None, **options: Any
) -> Loaded:
    """The results in files or of imported benchmarks; the account of files goes to standard error."""
    kept = None if any(_is_path(source) for source in sources) else _from_shelf(sources, ask_of(options))
    claims = () if published is None else read_published(published)
    own_card = None if card is None else read_card(Source(Path(card)).text, card)
    if kept is not None:
        chosen = _chosen(kept.results, options.get("benchmark"), options.get("variant"))
        loaded = replace(kept, results=chosen, card=own_card or kept.card)
        return replace(loaded, claims=(*kept.claims, *_placed(claims, loaded)))
    reading = read_files(sources, **options)
    results = assemble(reading.entries, options.get("benchmark"), reading.labels)
    account, variant = reading.account, options.get("variant")
    places = origins(reading.entries, options.get("benchmark")) if claims or account.claims else {}
    loaded = Loaded(results, own_card, (), account.figures, tuple(account.lines()), places)
    if variant is not None:
        marked = any(entry.marks for entry in reading.entries)
        return replace(loaded, claims=tuple(_of_variant((*account.claims, *claims), variant, marked)))
    return replace(loaded, claims=(*account.claims, *_placed(claims, loaded)))


def _placed(claims: Sequence[Claim], loaded: Loaded) -> Sequence[Claim]:
    """Stated scores of a file, which must say of which benchmark they are where there are several."""
    there = ", ".join(loaded.results)
    for claim in claims:
        if not claim.benchmark and len(loaded.results) > 1:
            raise BadInput(
                f"{claim.source}: the score of {claim.model} names no benchmark, and there are {there}; add a column benchmark (and "
                "variant), or choose one by --benchmark or --variant"
            )
        if not any(
            is_about(claim, results, part)
            for name, results in loaded.results.items()
            for part in loaded.origins.get(name, ())
        ):
            what = ":".join(part for part in (claim.benchmark, claim.variant) if part)
            raise BadInput(f"{claim.source}: the score of {claim.model} is of {what}; there are {there}")
    return claims


def _of_variant(claims: Sequence[Claim], variant: str, marked: bool) -> Sequence[Claim]:
    """The claims about the variant that alone was read and so has no name now. Where marks tell variants, its claims lost theirs too."""
    return [
        replace(claim, variant="") if claim.variant == variant else claim
        for claim in claims
        if claim.variant == variant or marked or (claim.what == PUBLISHED and not claim.variant)
    ]


def read_files(
    sources: Sequence[str],
    *,
    format: str,
    skip_bad: bool,
    aliases: str | None,
    attempts: Any = "repeat",
    **options: Any,
) -> Reading:
    """The reading of files under `input_options`, its account on standard error."""
    with console.progress("reading") as progress:
        reading = read(
            sources,
            format=format,
            ask=ask_of(options),
            skip_bad=skip_bad,
            aliases=aliases,
            progress=progress,
            attempts=attempts,
        )
    for line in reading.account.lines():
        console.say(line)
    console.say_problems(reading.account.problems, reading.account.refused)
    return reading


def ask_of(options: dict[str, Any]) -> Ask:
    items = options.get("items")
    columns = dict(options.get("columns") or {})
    group, strata = (options.get(key) or columns.pop(key, None) for key in ("group", "strata"))
    if group is not None and strata is not None:
        raise BadInput("--group and --strata exclude each other: clusters are drawn, strata are fixed")
    return Ask(
        model=options.get("model"),
        benchmark=options.get("benchmark"),
        metric=options.get("metric"),
        variant=options.get("variant"),
        group=group,
        strata=strata,
        repeats=options.get("repeats"),
        items=None if items is None else read_items(items),
        scale=options.get("scale") or (0.0, 1.0),
        columns=columns,
    )


def read_items(path: str) -> tuple[str, ...]:
    """Names of items: one a line, the first column (or a column of items) of a CSV, or a JSON list."""
    source = Source(Path(path))
    found = (
        [_item(record) for _, record in source.rows()]
        if source.first or isinstance(source.document, list)
        else source.text.splitlines()
    )
    names = [line.split(",")[0].strip().strip('"') for line in found if line.strip()]
    if names and names[0].lower() in NAMES:
        names = names[1:]
    if not names:
        raise BadInput(f"{path}: no items in it")
    return tuple(dict.fromkeys(names))


def _item(record: Any) -> str:
    if isinstance(record, dict):
        record = next((record[key] for key in NAMES if key in record), "")
    return str(record)


def shelf() -> BenchmarkShelf:
    """The shelf of this arena's home."""
    return BenchmarkShelf(settings.load().home / FOLDER)


def _is_path(source: str) -> bool:
    return any(mark in source for mark in "*?[/") or Path(source).exists()


def _from_shelf(names: Sequence[str], ask: Ask) -> Loaded:
    found = shelf()
    results: dict[str, ItemResults] = {}
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    account: tuple[str, ...] = ()
    card = None
    places: dict[str, Origins] = {}
    for name in names:
        kept = found.load(name)
        if kept is None:
            there = found.names()
            raise BadInput(
                f"{name}: no such file, and no imported benchmark of this name; imported: {', '.join(there) or 'none'}"
            )
        results |= assemble(kept.settled, name, _labels(kept, ask))
        card = kept.card or card
        places |= origins(kept.settled, name)
        claims, figures, account = claims + kept.claims, figures + kept.figures, account + kept.account
    return Loaded(results, card, claims, figures, account, places)


def _labels(kept: Kept, ask: Ask) -> Labels:
    """What labels of an imported benchmark are for: as asked now, else as when it was imported."""
    if ask.label is None:
        return kept.labels
    if ask.label not in kept.labels.names:
        there = ", ".join(kept.labels.names) or "none"
        raise BadInput(
            f"{kept.name}: imported without labels {ask.label!r} (there are: {there}); import it again with the same option"
        )
    return Labels(ask.dependence, (ask.label,))


def _chosen(
    results: dict[str, ItemResults], benchmark: str | None, variant: str | None
) -> dict[str, ItemResults]:
    if variant is not None:
        results = {name: found for name, found in results.items() if name.endswith(f":{variant}")}
    if benchmark is not None:
        results = {
            name: found for name, found in results.items() if name in (benchmark, f"{benchmark}:{variant}")
        }
    if not results:
        raise BadInput("no benchmark of that name and variant")
    return results


def emit(value: Any, as_: str, out: str | None = None) -> None:
    """A result as JSON, or as lines `name: value` with rows of equal shape as a table."""
    plain = to_plain(value)
    text = json_text(plain) if as_ == "json" else "\n".join(_lines(plain))
    console.write((text + "\n").encode(), out)


def _lines(value: Any, indent: str = "") -> list[str]:
    if not isinstance(value, dict):
        return _table(value, indent) if isinstance(value, list) else [f"{indent}{_word(value)}"]
    found = []
    for key, part in value.items():
        if isinstance(part, dict) or (isinstance(part, list) and part and isinstance(part[0], dict)):
            found += [f"{indent}{key}:", *_lines(part, indent + "  ")]
        else:
            found.append(f"{indent}{key}: {_word(part)}")
    return found


def _table(rows: list[Any], indent: str) -> list[str]:
    if not rows or not all(isinstance(row, dict) for row in rows):
        return [f"{indent}{_word(row)}" for row in rows]
    head = tuple(rows[0])
    cells = tuple(tuple(_word(row.get(key)) for key in head) for row in rows)
    return [indent + line for line in plain_lines((head, cells))]


def _word(value: Any) -> str:
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(_word(part) for part in value) or DASH
    if isinstance(value, dict):
        return ", ".join(f"{key} {_word(part)}" for key, part in value.items()) or DASH
    return " ".join(str(value).split())


def columns(sources: Sequence[str], benchmarks: tuple[str, ...]) -> Table:
    """A table of models: the first column names them."""
    if len(sources) != 1:
        raise BadInput("--benchmarks takes one table")
    source = Source(Path(sources[0]))
    models, scores = [], []
    for row, record in source.text_rows():
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


def mean_score(results: ItemResults, model: str) -> float:
    """Mean over the items with a result, failed attempts as the lowest score; nan where there is none."""
    if model not in results.models:
        return float("nan")
    row = results.means("zero")[results.row(model)]
    known = row[~np.isnan(row)]
    return float(known.mean()) if len(known) else float("nan")
