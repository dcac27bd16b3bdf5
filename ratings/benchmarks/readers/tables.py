"""Generic tables in CSV, TSV, JSON lines or Parquet: long (one attempt a row) or wide (one item a row, one model a column)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ratings.benchmarks.readers.entries import Book, Entry, Unusable
from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.lighteval import columns as parquet_columns
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import cell, graded, number, onto
from ratings.benchmarks.records import STATUSES

# Names under which the columns go, the best first; `--columns item=...,model=...,score=...` says others.
NAMES: Mapping[str, Sequence[str]] = {
    "item": ("item", "item_id", "example_id", "question_id", "instance_id", "task_id", "problem_id", "doc_id", "sample_id",
             "prompt_id", "uid", "instruction_index", "id", "index"),
    "model": ("model", "model_id", "model_name", "system", "generator_2", "folder"),
    "score": ("score", "correct", "resolved", "passed", "reward", "is_correct", "accuracy", "acc", "value", "label"),
    "repeat": ("repeat", "trial", "epoch", "attempt", "run", "sample", "seed"),
    "group": ("group", "cluster", "subject", "category", "passage", "repo", "dataset"),
    "status": ("status",),
    "count": ("count", "n_samples", "num_samples", "attempts", "n"),
    "benchmark": ("benchmark", "benchmark_id", "task"),
    "hash": ("hash", "item_hash", "doc_hash"),
    "date": ("date", "released", "release_date", "created_at", "timestamp"),  # no score, and not read here
}  # fmt: skip
DELIMITERS = ",;\t"
COUNTED = "correct"  # beside a count it tells how many attempts passed
MANY = 1_000  # rows in which a model has at least one number
MOST = 100_000  # attempts at one item
Row = tuple[int, dict[str, Any]]


def _is_table(source: Source) -> bool:
    try:
        header = _header(source)
    except Unusable:
        return False
    return len(header) > 1


@reader("table", "a table of item, model and score, or of items by models", _is_table)
def table(source: Source, book: Book) -> Iterator[Entry]:
    """A long table where there is a column of scores, else a wide one with a column for each model.

    With a column of counts beside a column of what was correct, a row stands for that many attempts. A blank score of a long table is unscored, a blank cell of a wide one was not run; neither is 0. Scores on another scale by `--scale`.
    """
    try:
        header = _header(source)
    except Unusable as fault:
        raise refuse_whole(source, fault.reason) from None
    place = _places(source, header, book.ask.columns)
    rows = list(_rows(source, book))
    if "score" in place and ("model" in place or book.ask.model or not _looks_wide(header, rows)):
        yield from _long(source, book, rows, place)
    else:
        yield from _wide(source, book, rows, place, header)


def _long(source: Source, book: Book, rows: Sequence[Row], place: Mapping[str, str]) -> Iterator[Entry]:
    if "item" not in place:
        raise refuse_whole(source, "no column of items; name it with --columns item=NAME")
    if "model" not in place and not book.ask.model:
        raise refuse_whole(
            source, "no column of models; name it with --columns model=NAME, or the model with --model"
        )

    def build(row: int, record: Mapping[str, Any]) -> list[Entry]:
        status = _text(record, place, "status")
        if status is not None and status not in STATUSES:
            raise Unusable(
                f"unknown status; known: {', '.join(STATUSES)}", column=place["status"], value=status
            )
        attempts = _attempts(record, place)
        scale = (0.0, float(attempts)) if attempts else book.ask.scale
        score = _score(record.get(place["score"]), place["score"], scale)
        given: dict[str, Any] = (
            graded(score) if status in (None, "ok") else {"score": score, "status": status}
        )
        group = _text(record, place, "group")
        entry = Entry(
            _text(record, place, "benchmark") or "", book.ask.model or _name(record, place, "model"), _name(record, place, "item"),
            repeat=_repeat(record, place), group=(group,) if group else (), hash=_text(record, place, "hash"), **given,
        )  # fmt: skip
        return [entry] if attempts is None else _apart(entry, attempts, place["score"])

    yield from book.each(source.name, rows, build)


def _attempts(record: Mapping[str, Any], place: Mapping[str, str]) -> int | None:
    """How many attempts a row of counts stands for; None where a row is one attempt."""
    if "count" not in place or place["score"].strip().lower() != COUNTED:
        return None
    text = _text(record, place, "count") or ""
    if not text.isdecimal() or not 0 < int(text) <= MOST:
        raise Unusable("the count is not a whole number from 1", column=place["count"], value=text)
    return int(text)


def _apart(entry: Entry, attempts: int, column: str) -> list[Entry]:
    if entry.score is None:
        return [entry]
    passed = round(entry.score * attempts)
    if abs(passed - entry.score * attempts) > 1e-6:
        raise Unusable("not a whole number of passes", column=column, value=entry.score * attempts)
    return [replace(entry, score=float(place < passed), repeat=place) for place in range(attempts)]


def _wide(
    source: Source, book: Book, rows: Sequence[Row], place: Mapping[str, str], header: Sequence[str]
) -> Iterator[Entry]:
    item = place.get("item") or header[0]
    special = {
        place[key] for key in ("item", "group", "benchmark", "hash", "repeat", "date") if key in place
    } | {item}
    others = [column for column in header if column not in special]
    models = [column for column in others if any(_is_number(record.get(column)) for _, record in rows[:MANY])]
    texts = [column for column in others if column not in models]
    if texts:
        book.note(f"{source.file}: columns without a number are no models: {', '.join(texts)}")
    if not models:
        raise refuse_whole(source, "no column of scores and no columns of models")

    def build(row: int, record: Mapping[str, Any]) -> list[Entry]:
        named, group = _name(record, {"item": item}, "item"), _text(record, place, "group")
        found = []
        for model in models:
            score = _score(record.get(model), model, book.ask.scale)
            given = (
                {"score": score}
                if score is not None
                else {"score": None, "status": "not_run", "reason": "blank cell"}
            )
            found.append(
                Entry(_text(record, place, "benchmark") or "", model, named, repeat=_repeat(record, place), group=(group,) if group else (), **given)
            )  # fmt: skip
        return found

    yield from book.each(source.name, rows, build)


def _places(source: Source, header: Sequence[str], asked: Mapping[str, str]) -> dict[str, str]:
    place: dict[str, str] = {}
    for meaning, column in asked.items():
        if meaning not in NAMES:
            raise refuse_whole(source, f"no such column; known: {', '.join(NAMES)}", value=meaning)
        if column not in header:
            raise refuse_whole(
                source, f"no column {column!r}; there are: {', '.join(header[:20])}", column=column
            )
        place[meaning] = column
    lower = {column.strip().lower(): column for column in header}
    for meaning, known in NAMES.items():
        found = next(
            (lower[name] for name in known if name in lower and lower[name] not in place.values()), None
        )
        if meaning not in place and found is not None:
            place[meaning] = found
    return place


def _looks_wide(header: Sequence[str], rows: Sequence[Row]) -> bool:
    """Several columns hold numbers, so that `score` may be the name of a model."""
    first = rows[0][1] if rows else {}
    return sum(_is_number(first.get(column)) for column in header[1:]) > 2


def _is_number(value: Any) -> bool:
    try:
        return _score(value, "", (float("-inf"), float("inf"))) is not None
    except Unusable:
        return False


def _score(value: Any, column: str, scale: tuple[float, float]) -> float | None:
    found = cell(value, column) if isinstance(value, _Cell) else number(value, column)
    return onto(found, column, scale, value)


class _Cell(str):
    """Text of a file that knows only text, so that "1" is a number; in JSON it would be a mistake."""


def _header(source: Source) -> list[str]:
    if source.content[:4] == b"PAR1":
        return parquet_columns(source)
    if not source.is_text:
        return []
    if source.first:
        return [str(key) for key in source.first] if not _nested(source.first) else []
    if source.text.lstrip()[:1] in ("{", "[", "<"):
        return []
    row = next(_cells(source), None)
    header = row[1] if row else []
    if len(set(header)) < len(header):
        raise Unusable("two columns have one name")
    return header


def _nested(record: Mapping[str, Any]) -> bool:
    return any(isinstance(value, list | dict) for value in record.values())


def _rows(source: Source, book: Book) -> Iterator[Row]:
    if source.content[:4] == b"PAR1":
        try:
            yield from enumerate(pq.read_table(io.BytesIO(source.content)).to_pylist(), start=1)
        except pa.ArrowException as error:
            raise refuse_whole(source, f"not a Parquet file, or cut off: {error}") from None
        return
    if source.first:
        for row, record in source.rows():
            if isinstance(record, dict):
                yield row, record
            else:
                book.refuse(source.name, Unusable("not an object", value=record), row)
        return
    cells = _cells(source)
    _, header = next(cells)
    for number_, (line, values) in enumerate(cells, start=1):
        if len(values) != len(header):
            fault = Unusable(f"{len(values)} cells under {len(header)} columns", value=",".join(values))
            book.refuse(source.name, fault, number_, line)
            continue
        yield number_, {column: _Cell(value) for column, value in zip(header, values, strict=True)}


def text_rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a delimited text file as texts by column; a row of another length raises `BadInput`."""
    cells = _cells(source)
    _, header = next(cells, (1, []))
    for row, (line, values) in enumerate(cells, start=1):
        if len(values) != len(header):
            raise refuse_whole(source, f"{len(values)} cells under {len(header)} columns", row=row, line=line)
        yield row, dict(zip(header, values, strict=True))


def _cells(source: Source) -> Iterator[tuple[int, list[str]]]:
    head = source.text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=head.count)
    lines = csv.reader(io.StringIO(source.text, newline=""), delimiter=delimiter, strict=True)
    try:
        for values in lines:
            if values:
                yield lines.line_num, values
    except csv.Error as error:
        raise refuse_whole(source, f"not CSV: {error}", line=lines.line_num) from None


def _text(record: Mapping[str, Any], place: Mapping[str, str], key: str) -> str | None:
    value = record.get(place[key]) if key in place else None
    return None if value is None or str(value).strip() == "" else str(value).strip()


def _name(record: Mapping[str, Any], place: Mapping[str, str], key: str) -> str:
    found = _text(record, place, key)
    if found is None:
        raise Unusable(f"no {key}", column=place[key])
    return found


def _repeat(record: Mapping[str, Any], place: Mapping[str, str]) -> int:
    text = _text(record, place, "repeat")
    if text is None:
        return 0
    if not text.isdecimal():
        raise Unusable("the repeat is not a whole number from 0", column=place["repeat"], value=text)
    return int(text)
