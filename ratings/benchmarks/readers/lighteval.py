"""lighteval (and the open LLM leaderboard): `details_<task>_<time>.parquet`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, fingerprint, graded, kind, share
from ratings.benchmarks.results.entries import Book, Entry, Unusable

DETAILS = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet")
METRICS = ("metrics", "metric")
# What is no literal of Python in metrics that were written as text: np.float64(0.5), and nan.
NUMPY = re.compile(r"\b(?:np|numpy)\.[a-z]+\d*_?\(([^()']*)\)")
NAN = re.compile(r"(?<=[ :])nan(?=[,}\s])")
HEADLINES = ("acc", "em", "qem", "exact_match", "acc_norm", "f1", "mc2", "mc1")
CONTENT = ("choices", "gold", "gold_index")  # what an item is, whatever the prompt around it


def _is_details(source: Source) -> bool:
    names = source.parquet().columns if source.is_parquet else ()
    return any(metric in names for metric in METRICS) and bool(
        {"predictions", "example", "full_prompt", "doc"} & set(names)
    )


@reader("lighteval", "lighteval details_*.parquet", _is_details)
def lighteval(source: Source, book: Book) -> Iterator[Entry]:
    """One record per row, named `task/row`: there is no id. The hash of choices and gold tells when two files are in different order.

    A run that could not be written with its types has text in every column; its metrics are then read from that text.
    """
    name = DETAILS.fullmatch(source.file)
    task = name["task"] if name else source.file.removesuffix(".parquet")
    model = book.ask.model or _model(source)
    benchmark, group = _task(task)
    run = name["time"] if name else ""
    content = source.parquet()
    metrics = next(metric for metric in METRICS if metric in content.columns)
    kept = [metrics, *(column for column in CONTENT if column in content.columns)]
    chosen = book.ask.metric

    def build(row: int, record: Any) -> list[Entry]:
        nonlocal chosen
        values = _metrics(record[metrics], metrics)
        if chosen is None:
            chosen = _headline(values, book)
        score = share(field(values, chosen), chosen, book.ask.scale)
        asked = [record.get(column) for column in CONTENT]
        identity = fingerprint(asked) if any(part is not None for part in asked) else None
        return [
            Entry(benchmark, model, f"{task}/{row - 1}", group=group, hash=identity, run=run, **graded(score))
        ]

    yield from book.each(source.name, enumerate(content.records(kept), start=1), build)


def _metrics(value: Any, column: str) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = ast.literal_eval(NAN.sub("None", NUMPY.sub(r"\1", value)))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise Unusable("metrics in text that is no object", column=column, value=value) from None
    if not isinstance(value, Mapping):
        raise Unusable(f"metrics is a {kind(value)}", column=column, value=value)
    return value


def _headline(values: Mapping[str, Any], book: Book) -> str:
    usable = [key for key, value in values.items() if isinstance(value, bool | int | float)]
    if not usable:
        raise Unusable(
            "no metric with one number per item; name one with --metric", column="metrics", value=list(values)
        )
    chosen = next((key for key in HEADLINES if key in usable), usable[0])
    others = [key for key in usable if key != chosen]
    if others:
        book.note(f"metric {chosen}; also there: {', '.join(others)} (--metric)")
    return chosen


def _model(source: Source) -> str:
    """`details/org__model/<time>/details_*.parquet` names the model by its folder."""
    for folder in list(source.path.resolve().parents)[:2]:
        if "__" in folder.name:
            return folder.name.removeprefix("details_").replace("__", "/", 1)
    parents = source.path.resolve().parents
    if len(parents) > 1 and re.match(r"\d{4}-\d\d-\d\dT", parents[0].name):
        return parents[1].name
    raise refuse_whole(source, "the model is named by a folder such as org__model; name it with --model")


def _task(task: str) -> tuple[str, tuple[str, ...]]:
    """`suite|mmlu:anatomy|5` is benchmark mmlu, group anatomy."""
    parts = task.split("|")
    full = parts[1] if len(parts) > 1 else parts[0]
    benchmark, colon, subset = full.partition(":")
    return benchmark or task, (subset,) if colon and subset else ()
