"""lmms-eval: one JSON file a task with its `logs`, or `<time>_samples_<task>.jsonl` beside `<time>_results.json`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.lm_eval import NO_METRICS
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, graded, section, share, whole
from ratings.benchmarks.results.entries import Book, Entry, Unusable

SAMPLES = re.compile(r"(?P<time>\d{8}_\d{6})_samples_(?P<task>.+)\.jsonl")
RESULTS = re.compile(r"\d{8}_\d{6}_results\.json")
NOT_METRICS = NO_METRICS | {"input", "submission"}
SCORES = ("score", "acc", "accuracy", "correct", "exact_match", "hit")  # keys of a metric that is an object
PRETRAINED = re.compile(r"(?:pretrained|model|model_version)=([^,]+)")


def _is_log(source: Source) -> bool:
    found = source.document
    return (
        isinstance(found, dict)
        and isinstance(found.get("logs"), list)
        and {"args", "model_configs"} <= found.keys()
    )


@reader("lmms-eval-log", "lmms-eval <task>.json with its logs", _is_log)
def log(source: Source, book: Book) -> Iterator[Entry]:
    """One record an item; a metric may be an object, of which `score` (or acc, correct, ...) counts."""
    task = str(section(source.document, "model_configs").get("task") or source.file.removesuffix(".json"))
    yield from _entries(
        source, book, enumerate(source.document["logs"], start=1), task, _model(source.document, source, book)
    )


def _is_samples(source: Source) -> bool:
    return (
        SAMPLES.fullmatch(source.file) is not None
        and {"doc_id", "target", "filtered_resps"} <= source.first.keys()
    )


def _is_results(source: Source) -> bool:
    return RESULTS.fullmatch(source.file) is not None and isinstance(source.document, dict)


@reader("lmms-eval", "lmms-eval <time>_samples_<task>.jsonl", _is_samples, companion=_is_results)
def samples(source: Source, book: Book) -> Iterator[Entry]:
    """The same, a line each; the model is named in the results file of the same time."""
    name = SAMPLES.fullmatch(source.file)
    if name is None:
        raise refuse_whole(source, "the task's name is in the file's name (<time>_samples_<task>.jsonl)")
    results = source.beside(f"{name['time']}_results.json")
    model = _model(results if isinstance(results, Mapping) else {}, source, book)
    yield from _entries(source, book, source.rows(), name["task"], model, run=name["time"])


def _entries(
    source: Source, book: Book, rows: Iterable[tuple[int, Any]], task: str, model: str, *, run: str = ""
) -> Iterator[Entry]:
    chosen: list[str] = [book.ask.metric] if book.ask.metric else []

    def build(row: int, record: Any) -> list[Entry]:
        item = f"{task}/{whole(record, 'doc_id')}"
        metric = chosen[0] if chosen else _choose(record, book)
        chosen[:] = [metric]
        score = share(_number(field(record, metric), metric), metric, book.ask.scale)
        return [Entry(task, model, item, hash=record.get("doc_hash"), run=run, **graded(score))]

    yield from book.each(source.name, rows, build)


def _choose(record: Mapping[str, Any], book: Book) -> str:
    """The first metric that is a number or holds one."""
    usable = [key for key in record if key not in NOT_METRICS and _holds_number(record[key])]
    if not usable:
        raise Unusable("no metric with one number per item; name one with --metric", value=[*record])
    if len(usable) > 1:
        book.note(f"metric {usable[0]}; also there: {', '.join(usable[1:])} (--metric)")
    return usable[0]


def _holds_number(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(isinstance(value.get(key), bool | int | float) for key in SCORES)
    return isinstance(value, bool | int | float)


def _number(value: Any, metric: str) -> Any:
    """The number of a metric: itself, or the one that its object holds."""
    if not isinstance(value, Mapping):
        return value
    found = [key for key in SCORES if isinstance(value.get(key), bool | int | float)]
    if not found:
        raise Unusable(
            f"{metric} holds no score ({', '.join(SCORES)}); name another with --metric",
            column=metric,
            value=value,
        )
    return value[found[0]]


def _model(results: Mapping[str, Any], source: Source, book: Book) -> str:
    """As asked; else what was loaded (`pretrained=...`), else the harness's own name for the kind of model."""
    about = section(results, "args") or section(results, "config")
    loaded = PRETRAINED.search(str(about.get("model_args") or ""))
    name = (
        book.ask.model or (loaded[1] if loaded else None) or results.get("model_name") or about.get("model")
    )
    if not isinstance(name, str) or not name.strip():
        raise refuse_whole(
            source, "the model's name is in <time>_results.json, which is not beside it; name it with --model"
        )
    return name
