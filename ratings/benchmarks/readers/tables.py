"""Generic tables in CSV, TSV, JSON lines or Parquet: long (one attempt a row) or wide (one item a row, one model a column)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from arena.errors import BadInput
from ratings.benchmarks.readers import columns
from ratings.benchmarks.readers.aggregates import explained
from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.values import NOT_ATTEMPTED, cell, graded, number, onto, worded
from ratings.benchmarks.results.entries import Book, Entry, RowNumber, Unusable
from ratings.benchmarks.results.records import STATUSES

MANY = 1_000  # rows that are looked at to tell what a column holds
GLANCE = 50  # rows that are looked at in a file that was merely found
MOST = 100_000  # attempts at one item
ANSWERS = ("prediction", "pred", "model_answer", "predicted", "response", "output", "parsed_pred")
KEYS = ("answer", "target", "gold", "label", "key", "reference", "ground_truth", "correct_answer")
RESULT = re.compile(r"\d{1,6} ?[-:/–] ?\d{1,6}")  # such as 4-1
Row = tuple[int, Mapping[str, Any]]


def _is_table(source: Source) -> bool:
    if explained(source):
        return False
    try:
        header = _header(source)
    except Unusable:
        return False
    return len(header) > 1 and (source.named or _holds_numbers(source, header))


def _holds_numbers(source: Source, header: Sequence[str]) -> bool:
    """A table of a folder without a number (prompts, notes) holds no results; one that a person names is refused with the reason."""
    first = list(islice(_rows(source, Book()), GLANCE))
    return any(_numbers(first, column) for column in header)


@reader("table", "a table of item, model and score, or of items by models", _is_table)
def table(source: Source, book: Book) -> Iterator[Entry]:
    """A long table where there is a column of scores, else a wide one with a column for each model.

    Nothing is guessed: a table with a column of models and none of scores (or with several that could be it) is refused with
    what to say. With a column of counts beside a column of what was correct, a row stands for that many attempts. A blank score of a long
    table is unscored, a blank cell of a wide one was not run; neither is 0. Scores on another scale by `--scale`.
    """
    try:
        header = _header(source)
    except Unusable as fault:
        raise refuse_whole(source, fault.reason) from None
    place = columns.places(source, header, book.ask.columns)
    rows = _rows(source, book)
    first = list(islice(rows, MANY))
    label = columns.label(source, header, book.ask.label)
    if label is not None:
        place["group"] = label
    else:
        _note_labels(header, first, place, book)
    if "score" in place:
        yield from _long(source, book, chain(first, rows), place)
    elif "model" in place:
        raise _no_score(source, header, first, place)
    else:
        yield from _wide(source, book, first, rows, place, header)


def _note_labels(header: Sequence[str], first: Sequence[Row], place: Mapping[str, str], book: Book) -> None:
    """Name the columns that look like groups: by their name, or by few texts that items share and keep."""
    known = columns.idle_labels(header, place, book.ask.columns)
    taken = {*place.values(), *columns.ignored(book.ask.columns), *known}
    item = place.get("item")
    alike = [column for column in header if column not in taken and item and _shared(first, item, column)]
    for column in [*known, *alike]:
        book.labels[column] = False


def _shared(first: Sequence[Row], item: str, column: str) -> bool:
    """Two texts or more that say the same of an item in each of its rows, and of several items."""
    said: dict[Any, Any] = {}
    for _, record in first:
        value = record.get(column)
        if not isinstance(value, str) or not value.strip() or _number(value) is not None:
            return False
        if said.setdefault(record.get(item), value) != value:
            return False
    return 2 <= len(set(said.values())) <= len(said) / 2


def _no_score(
    source: Source, header: Sequence[str], first: Sequence[Row], place: Mapping[str, str]
) -> BadInput:
    numbers = [column for column in header if column not in place.values() and _numbers(first, column)]
    there = f" (columns of numbers: {', '.join(numbers[:10])})" if numbers else ""
    answer, key = (
        next((column for column in header if column.strip().lower() in names), None)
        for names in (ANSWERS, KEYS)
    )
    if answer and key:
        return refuse_whole(
            source,
            f"{answer} and {key} look like an answer and its key, and no column says whether they agree (letters against numbers, "
            "an answer in other words: that is for the grader to say); add a column `correct` of 0 and 1",
        )
    return refuse_whole(
        source,
        f"no column of scores ({', '.join(columns.NAMES['score'])}); name it with --columns score=NAME, and its ends with --scale LOW,HIGH{there}",
    )


def _long(source: Source, book: Book, rows: Iterable[Row], place: Mapping[str, str]) -> Iterator[Entry]:
    if "item" not in place:
        raise refuse_whole(source, "no column of items; name it with --columns item=NAME")
    if "model" not in place and not book.ask.model:
        raise refuse_whole(
            source, "no column of models; name it with --columns model=NAME, or the model with --model"
        )
    model, item, status = (
        columns.name_of(place, "model"),
        columns.name_of(place, "item"),
        columns.text_of(place, "status"),
    )
    group, benchmark, hash_ = (columns.text_of(place, key) for key in ("group", "benchmark", "hash"))
    repeat, column, run = columns.repeat_of(place), place["score"], columns.text_of(place, "run")
    attempts, score_of = _attempts(place), _scores(source, column, book.ask.scale, words=True)
    paths: dict[str | None, tuple[str, ...]] = {None: ()}

    def build(row: int, record: Mapping[str, Any]) -> list[Entry]:
        ended = status(record)
        if ended is not None and ended not in STATUSES:
            raise Unusable(
                f"unknown status; known: {', '.join(STATUSES)}", column=place["status"], value=ended
            )
        count = attempts(record) if attempts else None
        if str(record.get(column)).strip().lower() in NOT_ATTEMPTED:
            book.note(f"{source.file}: not attempted counts as not correct")
        score = (
            score_of(record.get(column)) if count is None
            else _scores(source, column, (0.0, float(count)))(record.get(column))
        )  # fmt: skip
        given: dict[str, Any] = graded(score) if ended in (None, "ok") else {"score": score, "status": ended}
        path = paths.setdefault(found := group(record), (found,) if found else ())
        entry = Entry(
            benchmark(record) or "", book.ask.model or model(record), item(record), repeat=repeat(record), group=path,
            hash=hash_(record), run=run(record) or "", **given,
        )  # fmt: skip
        return [entry] if count is None else _apart(entry, count, column)

    yield from book.each(source.name, rows, build)


def _attempts(place: Mapping[str, str]) -> Callable[[Mapping[str, Any]], int] | None:
    """How many attempts a row of counts stands for; None where a row is one attempt."""
    if "count" not in place or place["score"].strip().lower() != columns.COUNTED:
        return None
    counts = columns.text_of(place, "count")

    def attempts(record: Mapping[str, Any]) -> int:
        text = counts(record) or ""
        if not text.isdecimal() or not 0 < int(text) <= MOST:
            raise Unusable("the count is not a whole number from 1", column=place["count"], value=text)
        return int(text)

    return attempts


def _apart(entry: Entry, attempts: int, column: str) -> list[Entry]:
    if entry.score is None:
        return [entry]
    passed = round(entry.score * attempts)
    if abs(passed - entry.score * attempts) > 1e-6:
        raise Unusable("not a whole number of passes", column=column, value=entry.score * attempts)
    return [replace(entry, score=float(place < passed), repeat=place) for place in range(attempts)]


def _wide(
    source: Source, book: Book, first: Sequence[Row], rest: Iterable[Row], place: Mapping[str, str], header: Sequence[str]
) -> Iterator[Entry]:  # fmt: skip
    item = _items(source, first, place, header)
    special = {place[key] for key in ("group", "benchmark", "hash", "repeat", "run", "date") if key in place}
    special |= {item, *columns.row_numbers(header), *columns.idle_labels(header, place, book.ask.columns)}
    others = [column for column in header if column not in special | columns.ignored(book.ask.columns)]
    models = [column for column in others if _numbers(first, column)]
    texts = [column for column in others if column not in models]
    if texts:
        book.note(f"{source.file}: columns without a number are no models: {', '.join(texts)}")
    if not models:
        raise _no_models(source, first, texts)
    if book.ask.scale == (0.0, 1.0) and _are_label_counts(first, models):
        raise refuse_whole(
            source,
            f"columns {', '.join(models[:10])} look like counts of several graders' labels, not like models: "
            f"`bench agreement FILE --counts {','.join(models[:10])}` gives their agreement; if they are models, give their --scale",
        )
    low, high = book.ask.scale
    strange = [column for column in models if _mostly_off(first, column, low, high)]
    if strange:
        raise refuse_whole(
            source,
            f"columns off the scale {low:g} to {high:g}: {', '.join(strange[:10])}; if they are no models, leave them out with "
            f"--columns ignore={columns.BETWEEN.join(strange[:10])}, else give their --scale",
        )
    named, group, benchmark = (
        columns.name_of({"item": item}, "item"),
        columns.text_of(place, "group"),
        columns.text_of(place, "benchmark"),
    )
    run = columns.text_of(place, "run")
    repeat, verdicts = (
        columns.repeat_of(place),
        {model: _scores(source, model, book.ask.scale) for model in models},
    )

    def build(row: int, record: Mapping[str, Any]) -> list[Entry]:
        asked, part, path, time = named(record), benchmark(record) or "", group(record), repeat(record)
        found = []
        for model, verdict in verdicts.items():
            score = verdict(record.get(model))
            given: dict[str, Any] = (
                {"score": score} if score is not None
                else {"score": None, "status": "not_run", "reason": "blank cell"}
            )  # fmt: skip
            found.append(
                Entry(
                    part,
                    model,
                    asked,
                    repeat=time,
                    group=(path,) if path else (),
                    run=run(record) or "",
                    **given,
                )
            )
        return found

    yield from book.each(source.name, chain(first, rest), build)


def _no_models(source: Source, first: Sequence[Row], texts: Sequence[str]) -> BadInput:
    """Why no column holds scores; results like 4-1 are two numbers, and which is whose the file does not say."""
    for column in texts:
        value = next((str(record.get(column)) for _, record in first if record.get(column)), "")
        if RESULT.fullmatch(value.strip()):
            return refuse_whole(
                source,
                "two numbers in one cell are no score: write passes and attempts into columns named correct and count, "
                "one row an item and model; games of two models against each other are votes (`rank`)",
                column=column,
                value=value,
            )
    return refuse_whole(source, "no column of scores and no columns of models")


def _items(source: Source, first: Sequence[Row], place: Mapping[str, str], header: Sequence[str]) -> str:
    """The column of items: the one with its name, else the first if it names every row."""
    if "item" in place:
        return place["item"]
    column = next((name for name in header if name not in columns.row_numbers(header)), header[0])
    # A first column of scores is a model: the row numbers before it are then all that names the items.
    column = header[0] if _numbers(first, column) and header[0] in columns.row_numbers(header) else column
    names = [str(record.get(column)) for _, record in first]
    if len(set(names)) < len(names):
        raise refuse_whole(source, "no column of items; name it with --columns item=NAME")
    return column


def _numbers(first: Sequence[Row], column: str) -> list[float]:
    """The numbers in a column of the first rows."""
    return [found for _, record in first if (found := _number(record.get(column))) is not None]


def _number(value: Any) -> float | None:
    try:
        return cell(value, "") if isinstance(value, str) else number(value, "")
    except Unusable:
        return None


def _mostly_off(first: Sequence[Row], column: str, low: float, high: float) -> bool:
    numbers = _numbers(first, column)
    return sum(not low <= value <= high for value in numbers) > len(numbers) / 2


def _are_label_counts(first: Sequence[Row], models: Sequence[str]) -> bool:
    """Whole numbers, beyond 1 somewhere, with one sum in every row."""
    rows = [[_number(record.get(column)) for column in models] for _, record in first]
    known = [[value for value in row if value is not None] for row in rows]
    whole = all(len(row) == len(models) > 1 and all(value == int(value) for value in row) for row in known)
    return whole and len({sum(row) for row in known}) == 1 and max(map(max, known)) > 1


def _scores(
    source: Source, column: str, scale: tuple[float, float], *, words: bool = False
) -> Callable[[Any], float | None]:
    """The reading of one column of scores. A file that knows only text has numbers as text; in JSON that would be a mistake."""
    parse = cell if _is_delimited(source) else number
    known: dict[str, float | None] = {}

    def score(value: Any) -> float | None:
        if type(value) is str and value in known:
            return known[value]
        found = onto(worded(value, parse, column) if words else parse(value, column), column, scale, value)
        if type(value) is str and len(known) < MANY:
            known[value] = found
        return found

    return score


def _is_delimited(source: Source) -> bool:
    return not source.is_parquet and not source.first


def _header(source: Source) -> list[str]:
    """The names of the columns; none where it is no table. Raises `Unusable` where two have one name."""
    if source.is_parquet:
        return list(source.parquet().columns)
    if not source.is_text:
        return []
    if source.first:
        return [str(key) for key in source.first] if not _nested(source.first) else []
    if source.text.lstrip()[:1] in ("", "{", "[", "<"):
        return []
    found = list(source.delimited().columns)
    if len(set(found)) < len(found):
        raise Unusable("two columns have one name")
    return found


def _nested(record: Mapping[str, Any]) -> bool:
    return any(isinstance(value, list | dict) for value in record.values())


def _rows(source: Source, book: Book) -> Iterator[Row]:
    if source.first:
        for row, record in source.rows():
            if isinstance(record, dict):
                yield row, record
            else:
                book.refuse(source.name, Unusable("not an object", value=record), row)
        return
    if source.is_parquet:
        yield from enumerate(source.parquet().records(), start=1)
        return
    for each in source.delimited_rows():
        row = RowNumber(each.number)
        row.line = each.line
        if each.fault is None:
            yield row, each.values
        else:
            fault = Unusable(each.fault.reason, column=each.fault.column, value=each.fault.value)
            book.refuse(source.name, fault, row)
