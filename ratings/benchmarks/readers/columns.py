"""Which column of a generic table means what: by known names or by what the person says, never by a guess; and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.results.entries import Unusable

# Names under which the columns go, the best first; `--columns item=...,model=...,score=...` says others.
NAMES: Mapping[str, Sequence[str]] = {
    "item": ("item", "item_id", "example_id", "question_id", "instance_id", "task_id", "problem_id", "doc_id", "sample_id",
             "prompt_id", "uid", "instruction_index", "id", "index"),
    "model": ("model", "model_id", "model_name", "system", "generator_2", "folder"),
    "score": ("score", "correct", "resolved", "passed", "reward", "is_correct", "accuracy", "acc", "grade", "pass@1"),
    "repeat": ("repeat", "trial", "epoch", "attempt", "sample"),
    "run": ("run", "run_id", "eval_id", "seed"),  # any text: another run is a further attempt
    "status": ("status",),
    "count": ("count", "n_samples", "num_samples", "attempts", "n"),
    "benchmark": ("benchmark", "benchmark_id", "task"),
    "hash": ("hash", "item_hash", "doc_hash"),
    "date": ("date", "released", "release_date", "created_at", "timestamp"),  # no score, and not read here
}  # fmt: skip
# Columns that may say which items belong together. Never used by themselves: whoever asks names one (--group or --strata).
LABELS = ("group", "cluster", "subject", "category", "passage", "repo", "repository", "dataset", "subset", "topic", "domain", "section", "suite",
          "subtask", "language")  # fmt: skip
PART = "benchmark"  # label of entries that --benchmark makes one: what their files call it
GROUP, STRATA = "group", "strata"  # meanings of --columns that say the same as the two options
COUNTED = "correct"  # beside a count it tells how many attempts passed
IGNORE = "ignore"  # columns of a wide table that are no models
BETWEEN = "|"
# Columns in which a data frame wrote its row numbers: no item, no model.
ROW_NUMBERS = re.compile(r"|unnamed: \d+|__index_level_\d+__")
Text = Callable[[Mapping[str, Any]], str | None]


def places(source: Source, header: Sequence[str], asked: Mapping[str, str]) -> dict[str, str]:
    """Column by meaning. Raises `BadInput` for a column that is not there, and where several could be the score."""
    place: dict[str, str] = {}
    known_meanings = (*NAMES, GROUP, STRATA, IGNORE)
    for meaning, column in asked.items():
        if meaning not in known_meanings:
            raise refuse_whole(source, f"no such column; known: {', '.join(known_meanings)}", value=meaning)
        for name in column.split(BETWEEN) if meaning == IGNORE else [column]:
            if name not in header:
                raise _no_column(source, name, header)
        if meaning != IGNORE:
            place[meaning] = column
    aside = ignored(asked)
    lower = {column.strip().lower(): column for column in header if column not in aside}
    for meaning, known in NAMES.items():
        found = [lower[name] for name in known if name in lower and lower[name] not in place.values()]
        if meaning not in place and found:
            place[meaning] = _score(source, lower, found) if meaning == "score" else found[0]
    # A column `task` names the benchmark beside a column of items, and the items where there is none.
    task = place.get("benchmark", "")
    if "item" not in place and "benchmark" not in asked and task.strip().lower() == "task":
        place["item"] = place.pop("benchmark")
    return place


def row_numbers(header: Sequence[str]) -> list[str]:
    """The columns of `header` that hold a data frame's row numbers, by their names."""
    return [column for column in header if ROW_NUMBERS.fullmatch(column.strip().lower())]


def ignored(asked: Mapping[str, str]) -> set[str]:
    """The columns that the person wants left aside."""
    return set(asked[IGNORE].split(BETWEEN)) if IGNORE in asked else set()


def label(source: Source, header: Sequence[str], asked: str | None) -> str | None:
    """The column that groups the items, where one is asked for. The parts that files name need no column."""
    if asked is None or asked in header:
        return asked
    if asked == PART:
        return None
    raise _no_column(source, asked, header)


def idle_labels(header: Sequence[str], place: Mapping[str, str], asked: Mapping[str, str]) -> list[str]:
    """The columns with the name of a label that are neither read nor left aside."""
    taken = {*place.values(), *ignored(asked)}
    return [column for column in header if column.strip().lower() in LABELS and column not in taken]


def _score(source: Source, lower: Mapping[str, str], found: Sequence[str]) -> str:
    if len(found) == 1:
        return found[0]
    if COUNTED in lower and any(name in lower for name in NAMES["count"]):
        return lower[COUNTED]
    raise refuse_whole(
        source, f"columns {', '.join(found)} could each be the score; say which with --columns score=NAME"
    )


def _no_column(source: Source, name: str, header: Sequence[str]) -> Exception:
    return refuse_whole(source, f"no column {name!r}; there are: {', '.join(header[:20])}", column=name)


def text_of(place: Mapping[str, str], key: str) -> Text:
    """The reading of a column as text, None where it is blank. Equal texts become one object: a table repeats its names."""
    column = place.get(key)
    if column is None:
        return lambda record: None
    known: dict[str, str | None] = {}

    def text(record: Mapping[str, Any]) -> str | None:
        value = record.get(column)
        if type(value) is not str:
            return None if value is None else str(value).strip() or None
        if value not in known:
            known[value] = value.strip() or None
        return known[value]

    return text


def name_of(place: Mapping[str, str], key: str) -> Callable[[Mapping[str, Any]], str]:
    """The same where it must be there: a row without raises `Unusable`."""
    text = text_of(place, key)

    def named(record: Mapping[str, Any]) -> str:
        found = text(record)
        if found is None:
            raise Unusable(f"no {key}", column=place[key])
        return found

    return named


def repeat_of(place: Mapping[str, str]) -> Callable[[Mapping[str, Any]], int]:
    """The reading of the number of an attempt, 0 where none is given."""
    text = text_of(place, "repeat")

    def repeat(record: Mapping[str, Any]) -> int:
        found = text(record)
        if found is None:
            return 0
        if not found.isdecimal():
            raise Unusable("the repeat is not a whole number from 0", column=place["repeat"], value=found)
        return int(found)

    return repeat
