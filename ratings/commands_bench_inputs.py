"""What the bench commands share: the options that say which results to read, and how results are shown."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import click

from arena import settings
from arena.errors import BadInput
from ratings import console
from ratings.benchmarks.assembly import assemble, one
from ratings.benchmarks.card import Card, read_card
from ratings.benchmarks.claims import read_published
from ratings.benchmarks.readers import Ask, Claim, Figure, Reading, read
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.results import ItemResults
from ratings.benchmarks.shelf import BenchmarkShelf
from ratings.options import Pairs, stack

FOLDER = "benchmarks"  # under ARENA_HOME
NAMES = ("instance_id", "item", "item_id", "task_id", "id")


class Scale(click.ParamType[tuple[float, float]]):
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


# Which results: to be handed to `load` as they come.
input_options = stack(
    click.argument("sources", nargs=-1, required=True),
    click.option("--format", default="auto", show_default=True, metavar="auto|NAME", help="Format of the files."),
    click.option("--benchmark", metavar="NAME", help="Take everything that is read as one benchmark of this name."),
    click.option("--variant", metavar="NAME", help="Only this filter, scorer or test set."),
    click.option("--metric", metavar="NAME", help="Which metric is the score, where a file has several."),
    click.option("--model", metavar="NAME", help="The model, where the files do not name it."),
    click.option("--group", metavar="KEY", help="Metadata key by which items belong together."),
    click.option("--repeats", type=click.IntRange(1), metavar="N", help="Attempts per item that a file writes one after the other."),
    click.option("--items", type=click.Path(), help="File with every item of the data set, one a line (or the first column of a CSV)."),
    click.option("--scale", type=Scale(), default=(0.0, 1.0), help="Lowest and highest score; taken to 0 and 1."),
    click.option("--columns", type=Pairs(), help="Columns of a table, such as item=question,model=system,score=points."),
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

    @property
    def only(self) -> ItemResults:
        return one(self.results)


def load(
    sources: Sequence[str], *, card: str | None = None, published: str | None = None, **options: Any
) -> Loaded:
    """The results in files or of imported benchmarks; the account of files goes to standard error."""
    kept = None if any(_is_path(source) for source in sources) else _from_shelf(sources)
    claims = () if published is None else read_published(published)
    own_card = None if card is None else read_card(Source(Path(card)).text, card)
    if kept is not None:
        results, known_card, known_claims, figures, account = kept
        chosen = _chosen(results, options.get("benchmark"), options.get("variant"))
        return Loaded(chosen, own_card or known_card, (*known_claims, *claims), figures, account)
    reading = read_files(sources, **options)
    results = assemble(reading.entries, options.get("benchmark"))
    return Loaded(
        results,
        own_card,
        (*reading.account.claims, *claims),
        reading.account.figures,
        tuple(reading.account.lines()),
    )


def read_files(
    sources: Sequence[str], *, format: str, skip_bad: bool, aliases: str | None, **options: Any
) -> Reading:
    """The reading of files under `input_options`, its account on standard error."""
    with console.progress("reading") as progress:
        reading = read(
            sources, format=format, ask=ask_of(options), skip_bad=skip_bad, aliases=aliases, progress=progress
        )
    for line in reading.account.lines():
        console.say(line)
    console.say_problems(reading.account.problems, reading.account.refused)
    return reading


def ask_of(options: dict[str, Any]) -> Ask:
    items = options.get("items")
    return Ask(
        model=options.get("model"),
        benchmark=options.get("benchmark"),
        metric=options.get("metric"),
        variant=options.get("variant"),
        group=options.get("group"),
        repeats=options.get("repeats"),
        items=None if items is None else read_items(items),
        scale=options.get("scale") or (0.0, 1.0),
        columns=options.get("columns") or {},
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


def _from_shelf(
    names: Sequence[str],
) -> tuple[dict[str, ItemResults], Card | None, tuple[Claim, ...], tuple[Figure, ...], tuple[str, ...]]:
    found = shelf()
    results: dict[str, ItemResults] = {}
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    account: tuple[str, ...] = ()
    card = None
    for name in names:
        kept = found.load(name)
        if kept is None:
            there = found.names()
            raise BadInput(
                f"{name}: no such file, and no imported benchmark of this name; imported: {', '.join(there) or 'none'}"
            )
        results |= assemble(kept.entries, name)
        card = kept.card or card
        claims, figures, account = claims + kept.claims, figures + kept.figures, account + kept.account
    return results, card, claims, figures, account


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
    text = (
        json.dumps(plain, allow_nan=False, ensure_ascii=False, indent=1)
        if as_ == "json"
        else "\n".join(_lines(plain))
    )
    console.write((text + "\n").encode(), out)


def to_plain(value: Any) -> Any:
    """JSON's types; what is not finite is null, infinity is text."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): to_plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return to_plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


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
    head = list(rows[0])
    cells = [head, *([_word(row.get(key)) for key in head] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    return [
        indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _word(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(_word(part) for part in value) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_word(part)}" for key, part in value.items()) or "-"
    return " ".join(str(value).split())
