"""Inspect: logs as `.eval` (a zip of JSON files) or as one `.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ratings.benchmarks.readers.archive import ZipMembers
from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import graded, kind, name, section, share, whole
from ratings.benchmarks.results.entries import EVERY, Book, Claim, Entry, Marks, Unusable

# Inspect's own reading of a verdict (value_to_float): correct, incorrect, partial, no answer, and yes or no.
VERDICTS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

MOST_EPOCHS = 10_000


def _is_eval(source: Source) -> bool:
    if not source.content.startswith(b"PK"):
        return False
    names = ZipMembers(source).names
    return "header.json" in names or "_journal/start.json" in names


def _is_json(source: Source) -> bool:
    found = source.document
    return isinstance(found, dict) and {"task", "model"} <= section(found, "eval").keys()


@reader("inspect", "Inspect log, .eval or .json", lambda source: _is_eval(source) or _is_json(source))
def inspect_log(source: Source, book: Book) -> Iterator[Entry]:
    """One record per sample, epoch and scorer; each scorer (and each part of a verdict that has several) is a variant. Another run's samples are further attempts.

    A sample that ended in an error has no score and is no wrong answer; a verdict of NaN is unscored. Items belong together by the key
    that the log's own clustered error names, or by `--group` or `--strata`. Items of the data set, and epochs, that the log lacks were not run. `--scale` holds for numbers.
    """
    header, samples = _unzipped(source) if source.content.startswith(b"PK") else _plain(source)
    spec = section(header, "eval")
    task, model = name(spec, "task"), book.ask.model or name(spec, "model")
    status = header.get("status")
    if status not in (None, "success"):
        book.note(f"{source.name}: the run ended as {status!r}")
    key = book.ask.label or _cluster_key(header)
    if key is not None and book.ask.label is None:
        book.labels[key] = True
        book.tied.add(task)
    run = str(spec.get("run_id") or "")
    seen: set[tuple[str, int]] = set()

    def build(row: int, sample: Any) -> list[Entry]:
        item, epoch = name(sample, "id"), whole(sample, "epoch", 1)
        seen.add((item, epoch))
        at: dict[str, Any] = {
            "benchmark": task,
            "model": model,
            "item": item,
            "repeat": epoch,
            "group": _group(sample, key),
            "run": run,
        }
        error = section(sample, "error").get("message") or sample.get("error")
        scores = _scores(sample, book.ask.scale)
        if scores:
            return [
                Entry(**at, marks=_mark(scorer), **_graded(value, error)) for scorer, value in scores.items()
            ]
        if error:
            return [Entry(**at, score=None, status="error", reason="error")]
        return [Entry(**at, score=None, status="unscored", reason="no score")]

    entries = list(book.each(source.name, samples, build))
    _say_count(spec, task, seen, book)
    entries += _not_run(spec, task, model, run, seen)
    yield from _shared(entries, _stated_scorers(header))
    _claim(source, book, header, task, model)


def _mark(scorer: str) -> Marks:
    return (("scorer", scorer),)


def _shared(entries: list[Entry], stated: list[str]) -> Iterator[Entry]:
    """An attempt without any score belongs to every scorer: of its log, or of the other logs where this one has none."""
    scorers = list(dict.fromkeys(entry.marks for entry in entries if entry.marks)) or [
        _mark(name) for name in stated
    ]
    for entry in entries:
        for marks in [entry.marks] if entry.marks else scorers or [_mark(EVERY)]:
            yield replace(entry, marks=marks)


def _stated_scorers(header: Mapping[str, Any]) -> list[str]:
    scores = section(header, "results").get("scores")
    names = [section(score).get("name") for score in (scores if isinstance(scores, list) else ())]
    return [name for name in names if isinstance(name, str)]


def _unzipped(source: Source) -> tuple[Mapping[str, Any], list[tuple[int, Any]]]:
    archive = ZipMembers(source)
    first = next((part for part in ("header.json", "_journal/start.json") if part in archive.names), None)
    if first is None:
        raise refuse_whole(source, "no header.json in it: not an Inspect log")
    members = [part for part in archive if part.startswith("samples/") and part.endswith(".json")]
    samples = [(row, _parsed(source, part, archive.read(part))) for row, part in enumerate(members, start=1)]
    return _parsed(source, first, archive.read(first)), samples


def _plain(source: Source) -> tuple[Mapping[str, Any], list[tuple[int, Any]]]:
    header = source.document
    if not isinstance(header, dict):
        raise refuse_whole(source, "not an Inspect log")
    samples = header.get("samples")
    if not isinstance(samples, list):
        raise refuse_whole(source, "the log holds no samples (written with headers only)", column="samples")
    return header, list(enumerate(samples, start=1))


def _parsed(source: Source, part: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise refuse_whole(source, f"{part} is not JSON: {error}") from None


def _graded(value: float | None, error: Any) -> dict[str, Any]:
    """A sample that was scored although it ended in an error is still one that failed."""
    return {"score": value, "status": "error", "reason": "error"} if error else graded(value)


def _scores(sample: Mapping[str, Any], scale: tuple[float, float]) -> dict[str, float | None]:
    found = section(sample, "scores")
    if not found and isinstance(sample.get("score"), Mapping):  # the first versions had one scorer
        found = {"": sample["score"]}
    values: dict[str, float | None] = {}
    for scorer, score in found.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        parts = value if isinstance(value, Mapping) else None
        if parts is None:
            values[str(scorer)] = _verdict(value, str(scorer), scale)
            continue
        for part, verdict in parts.items():
            values[f"{scorer}/{part}"] = _verdict(verdict, f"{scorer}/{part}", scale)
    return values


def _verdict(value: Any, scorer: str, scale: tuple[float, float]) -> float | None:
    if isinstance(value, str):
        if value in VERDICTS:
            return VERDICTS[value]
        try:
            value = float(value)
        except ValueError:
            raise Unusable(
                "a verdict that is none of C, I, P, N, yes, no or a number", column=scorer, value=value
            ) from None
    if isinstance(value, list):
        raise Unusable(f"a verdict that is a {kind(value)}", column=scorer, value=value)
    return share(value, scorer, (0.0, 1.0) if isinstance(value, bool) else scale)


def _cluster_key(header: Mapping[str, Any]) -> str | None:
    """The metadata key by which the log's own standard error is clustered."""
    for score in section(header, "results").get("scores") or ():
        for metric in section(score, "metrics").values():
            key = section(metric, "params").get("cluster")
            if isinstance(key, str):
                return key
    return None


def _group(sample: Mapping[str, Any], key: str | None) -> tuple[str, ...]:
    value = section(sample, "metadata").get(key) if key else None
    return () if value is None else (str(value),)


def _say_count(spec: Mapping[str, Any], task: str, seen: set[tuple[str, int]], book: Book) -> None:
    stated, here = section(spec, "dataset").get("samples"), len({item for item, _ in seen})
    if isinstance(stated, int) and 0 < here < stated:
        book.note(f"{task}: {here:,} of {stated:,} samples of the data set are in the log")


def _not_run(
    spec: Mapping[str, Any], task: str, model: str, run: str, seen: set[tuple[str, int]]
) -> Iterator[Entry]:
    """Items that the log's header lists, and epochs of them, that have no sample."""
    listed = section(spec, "dataset").get("sample_ids")
    if not isinstance(listed, list):
        return
    epochs = whole(section(spec, "config"), "epochs", 1)
    expected = range(1, min(epochs, MOST_EPOCHS) + 1) if epochs else (1,)
    for item in listed:
        for epoch in expected:
            if (str(item), epoch) not in seen:
                yield Entry(task, model, str(item), None, epoch, "not_run", reason="not in the log", run=run)


def _claim(source: Source, book: Book, header: Mapping[str, Any], task: str, model: str) -> None:
    scores = section(header, "results").get("scores") or []
    for score in scores:
        found = section(score, "metrics", "accuracy").get("value")
        if isinstance(found, int | float) and 0 <= found <= 1:
            scorer = str(score.get("name") or "")
            book.claims.append(
                Claim(
                    model,
                    float(found),
                    source.name,
                    task,
                    scorer,
                    score.get("scored_samples"),
                    what="accuracy",
                )
            )
