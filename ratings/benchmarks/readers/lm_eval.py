"""lm-evaluation-harness: `samples_<task>_<time>.jsonl`, with the model's name in `results_<time>.json` beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import field, graded, section, share, whole
from ratings.benchmarks.results.entries import Book, Claim, Entry, Unusable

SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl")
OF_LMMS_EVAL = re.compile(r"\d{8}_\d{6}_samples_.+\.jsonl")  # the same fields, other metrics
RESULTS = re.compile(r"results(_.*)?\.json")
# Every key of a record that is no metric; the harness itself writes the metrics' names since 0.4.8.
NO_METRICS = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    ]
)


def _is_samples(source: Source) -> bool:
    if OF_LMMS_EVAL.fullmatch(source.file):
        return False
    return {"doc_id", "doc", "resps", "filtered_resps"} <= source.first.keys()


def _is_results(source: Source) -> bool:
    found = source.document
    return isinstance(found, dict) and {"results", "configs", "versions"} <= found.keys()


@reader("lm-eval", "lm-evaluation-harness samples_*.jsonl", _is_samples, companion=_is_results)
def lm_eval(source: Source, book: Book) -> Iterator[Entry]:
    """One record per item and filter; each filter is a variant of its own.

    The first metric that is a number counts, others by `--metric`. Items are `task/doc_id` and carry `doc_hash`, which tells
    when two files number their items differently.
    """
    results = _results(source)
    name = SAMPLES.fullmatch(source.file)
    task = name["task"] if name else _only_task(source, results, book)
    model = book.ask.model or _model(source, results, book)
    parent = next(
        (group for group, tasks in section(results, "group_subtasks").items() if task in (tasks or ())), None
    )
    group = (task,) if parent and parent != task else ()
    metric = _Metric(book, section(results, "higher_is_better", task))
    benchmark = parent or task
    _say_limit(task, results, book)
    seen: dict[str, None] = {}
    items: set[str] = set()
    run = str((name and name["time"]) or "")

    def build(row: int, record: Any) -> list[Entry]:
        chosen = metric.of(record)
        score = share(field(record, chosen), chosen, book.ask.scale)
        variant = str(record.get("filter") or "none")
        seen[variant] = None
        item = f"{task}/{whole(record, 'doc_id')}"
        items.add(item)
        entry = Entry(
            benchmark, model, item, group=group, hash=record.get("doc_hash"), variant="" if variant == "none" else variant,
            run=run, **graded(score),
        )  # fmt: skip
        return [entry]

    yield from book.each(source.name, source.rows(), build)
    _say_count(task, len(items), results, book)
    _claim(source, book, results, task, benchmark, model, metric.chosen, seen)


class _Metric:
    """The metric of a file: as asked, else the first of its first record that is a number and better when higher."""

    def __init__(self, book: Book, higher: Mapping[str, Any]) -> None:
        self.book, self.higher = book, higher
        self.chosen: str | None = book.ask.metric

    def of(self, record: Any) -> str:
        if self.chosen is None:
            self.chosen = self._choose(record)
        return self.chosen

    def _choose(self, record: Any) -> str:
        listed = field(record, "metrics") if isinstance(record, Mapping) and "metrics" in record else None
        found = listed if isinstance(listed, list) else [key for key in record if key not in NO_METRICS]
        usable = [
            key
            for key in found
            if isinstance(record.get(key), bool | int | float) and self.higher.get(key) is not False
        ]
        if not usable:
            lists = [key for key in found if isinstance(record.get(key), list)]
            reason = (
                f"no metric with one number per item{' (lists: ' + ', '.join(lists) + ')' if lists else ''}"
            )
            raise Unusable(f"{reason}; name one with --metric", column="metrics", value=found)
        if len(usable) > 1:
            self.book.note(f"metric {usable[0]}; also there: {', '.join(map(str, usable[1:]))} (--metric)")
        return str(usable[0])


def _results(source: Source) -> Mapping[str, Any]:
    """The results file of the same run: of the same time, else the only one in the folder."""
    name = SAMPLES.fullmatch(source.file)
    folder = source.path.parent
    if name and name["time"] and (folder / f"results_{name['time']}.json").is_file():
        return _load(str(folder / f"results_{name['time']}.json"))
    others = sorted(path for path in folder.iterdir() if RESULTS.fullmatch(path.name))
    return _load(str(others[0])) if len(others) == 1 else {}


@lru_cache(maxsize=64)
def _load(path: str) -> Mapping[str, Any]:
    found = Source(Path(path), named=False).document
    return found if isinstance(found, dict) else {}


def _model(source: Source, results: Mapping[str, Any], book: Book) -> str:
    model = results.get("model_name")
    if isinstance(model, str) and model.strip():
        return model
    folder = source.path.parent.name
    if "__" in folder:  # the harness writes org__model for org/model
        book.note("model named after its folder: no results file beside the samples")
        return folder.replace("__", "/", 1)
    raise refuse_whole(
        source, "the model's name is in results_*.json, which is not beside it; name it with --model"
    )


def _only_task(source: Source, results: Mapping[str, Any], book: Book) -> str:
    tasks = list(section(results, "results"))
    if len(tasks) == 1:
        return str(tasks[0])
    if book.ask.benchmark:
        return book.ask.benchmark
    raise refuse_whole(
        source,
        "the task's name is in the file's name (samples_<task>_<time>.jsonl); name it with --benchmark",
    )


def _say_limit(task: str, results: Mapping[str, Any], book: Book) -> None:
    counts = section(results, "n-samples", task)
    original, effective = counts.get("original"), counts.get("effective")
    if isinstance(original, int) and isinstance(effective, int) and effective < original:
        book.note(f"{task}: only {effective} of {original} items were run (limit)")


def _say_count(task: str, here: int, results: Mapping[str, Any], book: Book) -> None:
    stated = section(results, "n-samples", task).get("effective")
    if isinstance(stated, int) and 0 < here < stated:
        book.note(f"{task}: {here:,} of {stated:,} samples that its results file counts are in the file")


def _claim(
    source: Source, book: Book, results: Mapping[str, Any], task: str, benchmark: str, model: str,
    metric: str | None, filters: Mapping[str, None],
) -> None:  # fmt: skip
    if benchmark != task:
        return  # of a subtask: nothing to hold against the whole
    for name in filters:
        value = section(results, "results", task).get(f"{metric},{name}")
        if isinstance(value, int | float) and 0 <= value <= 1:
            count = section(results, "n-samples", task).get("effective")
            book.claims.append(
                Claim(
                    model,
                    float(value),
                    source.name,
                    benchmark,
                    "" if name == "none" else name,
                    count,
                    what=f"{metric},{name}",
                )
            )
