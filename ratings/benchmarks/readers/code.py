"""Code benchmarks: EvalPlus results (two test sets in one file), BigCodeBench's, and HumanEval's result lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.readers.values import field, kind, name, section
from ratings.benchmarks.results.entries import Book, Entry, Unusable

ENDINGS = re.compile(r"([-_.]?eval_results)?\.json$")
TEMPERATURE = re.compile(r"[-_]temp[-_][\d.]+$")
FAILURES = ("fail", "failed", "timeout", "error")
HUMANEVAL = re.compile(r"\.jsonl_results\.jsonl$|_results\.jsonl$|\.jsonl$")


def _first_sample(source: Source) -> Mapping[str, Any]:
    """The first sample of the first task below `eval`; empty where there is none."""
    tasks = section(source.document, "eval") if isinstance(source.document, dict) else {}
    first = next(iter(tasks.values()), None)
    return section(first[0]) if isinstance(first, list) and first else {}


def _is_evalplus(source: Source) -> bool:
    return "base_status" in _first_sample(source)


@reader("evalplus", "EvalPlus *_eval_results.json", _is_evalplus)
def evalplus(source: Source, book: Book) -> Iterator[Entry]:
    """Each sample under two test sets: `base`, and `plus` which asks for both. A timeout is a failure; null was not run (`--base-only`)."""
    yield from _samples(source, book, _verdicts)


def _is_bigcodebench(source: Source) -> bool:
    return {"task_id", "solution", "status"} <= _first_sample(source).keys()


@reader("bigcodebench", "BigCodeBench *_eval_results.json", _is_bigcodebench)
def bigcodebench(source: Source, book: Book) -> Iterator[Entry]:
    """Each sample under its one test set; `status` is pass, fail or timeout, and a timeout is a failure.

    The file's name is `<model>--bigcodebench-<split>--<backend>-...`: split and subset stay in the benchmark's name.
    """
    yield from _samples(
        source, book, lambda sample: {"": _record(_passed(sample, "status"), sample, "status")}
    )


def _samples(
    source: Source, book: Book, verdicts: Callable[[Any], dict[str, dict[str, Any]]]
) -> Iterator[Entry]:
    """The samples of each task as attempts, under each test set of `verdicts`."""
    stem, _, split = TEMPERATURE.sub("", ENDINGS.sub("", source.file)).partition("--bigcodebench-")
    model = book.ask.model or stem or TEMPERATURE.sub("", source.path.resolve().parent.name)
    split = split.partition("--")[0]

    run = str(source.document.get("date") or "")

    def build(row: int, pair: Any) -> list[Entry]:
        task, samples = pair
        if not isinstance(samples, list):
            raise Unusable(f"{task} is not a list of samples but a {kind(samples)}", column=task)
        benchmark = "-".join(part for part in (task.partition("/")[0].lower(), split) if part)
        return [
            Entry(benchmark, model, task, repeat=place, variant=variant, run=run, **verdict)
            for place, sample in enumerate(samples)
            for variant, verdict in verdicts(sample).items()
        ]

    yield from book.each(source.name, enumerate(source.document["eval"].items(), start=1), build)


def _verdicts(sample: Any) -> dict[str, dict[str, Any]]:
    base, plus = _passed(sample, "base_status"), _passed(sample, "plus_status")
    both = None if base is None or plus is None else base and plus
    return {"base": _record(base, sample, "base_status"), "plus": _record(both, sample, "plus_status")}


def _record(passed: bool | None, sample: Mapping[str, Any], column: str) -> dict[str, Any]:
    if passed is None:
        return {"score": None, "status": "unscored", "reason": "test set not run"}
    timeout = sample.get(column) == "timeout"
    return {"score": float(passed), "reason": "timeout" if timeout else None}


def _passed(sample: Any, column: str) -> bool | None:
    status = field(sample, column)
    if status is None:
        return None
    if status == "pass":
        return True
    if status in FAILURES:
        return False
    raise Unusable(f"status is none of pass, {', '.join(FAILURES)}, null", column=column, value=status)


def _is_humaneval(source: Source) -> bool:
    return {"task_id", "passed"} <= source.first.keys() and bool(
        {"completion", "result"} & source.first.keys()
    )


@reader("humaneval", "HumanEval samples.jsonl_results.jsonl", _is_humaneval)
def humaneval(source: Source, book: Book) -> Iterator[Entry]:
    """Passed or not per line; the lines of one task are its attempts, in order. The file names no model."""
    model = book.ask.model or HUMANEVAL.sub("", source.file)
    if not book.ask.model:
        book.note(f"{source.name}: the model is named after the file; name it with --model")

    def build(row: int, record: Any) -> list[Entry]:
        task, passed = name(record, "task_id"), field(record, "passed")
        if not isinstance(passed, bool):
            raise Unusable("passed is neither true nor false", column="passed", value=passed)
        reason = record.get("result") if not passed and record.get("result") == "timed out" else None
        return [Entry(task.partition("/")[0].lower(), model, task, float(passed), None, reason=reason)]

    yield from book.each(source.name, source.rows(), build)
