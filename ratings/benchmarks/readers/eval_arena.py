"""eval-arena: one line per benchmark, model and example, with how many of how many attempts passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.readers.values import graded, name, share, whole
from ratings.benchmarks.results.entries import Book, Entry, Unusable

MOST = 100_000  # attempts at one item
ROUNDING = 5e-3


def _is_eval_arena(source: Source) -> bool:
    return {"benchmark_id", "model", "example_id"} <= source.first.keys() and bool(
        {"pass1", "correct"} & source.first.keys()
    )


@reader("eval-arena", "eval-arena jsonl", _is_eval_arena)
def eval_arena(source: Source, book: Book) -> Iterator[Entry]:
    """correct of count attempts, taken apart again into attempts (which of them passed is lost, and does not matter); pass1 alone is one attempt."""
    seen: set[tuple[str, str, str]] = set()

    def build(row: int, record: Any) -> list[Entry]:
        key = (name(record, "benchmark_id"), name(record, "model"), name(record, "example_id"))
        benchmark, model, item = key
        if key in seen:
            raise Unusable("this model and example were there before", column="example_id", value=item)
        seen.add(key)
        mean = share(record.get("pass1"), "pass1")
        if record.get("count") is None:
            return [Entry(benchmark, model, item, **graded(mean))]
        correct, count = whole(record, "correct"), whole(record, "count")
        if correct > count or count > MOST:
            raise Unusable(f"correct {correct} of count {count}", column="correct", value=correct)
        if count == 0:
            return [Entry(benchmark, model, item, **graded(None))]
        if mean is not None and abs(mean - correct / count) > ROUNDING:
            raise Unusable(f"pass1 is not {correct}/{count}", column="pass1", value=mean)
        return [Entry(benchmark, model, item, float(place < correct), place) for place in range(count)]

    yield from book.each(source.name, source.rows(), build)
