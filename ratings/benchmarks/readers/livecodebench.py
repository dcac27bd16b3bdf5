"""LiveCodeBench: the file of its leaderboard, `performances` of models on problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ratings.benchmarks.readers.formats import reader
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.readers.values import graded, name, section, share
from ratings.benchmarks.results.entries import Book, Entry, Unusable

BENCHMARK = "livecodebench"
PASS = "pass@1"
PERCENT = (0.0, 100.0)
SAMPLES = re.compile(r"\(n=(\d+)\)")  # in a model's name, where it had another number of samples


def _is_performances(source: Source) -> bool:
    found = source.document
    rows = found.get("performances") if isinstance(found, dict) else None
    return isinstance(rows, list) and bool(rows) and {"question_id", "model", PASS} <= section(rows[0]).keys()


@reader("livecodebench", "LiveCodeBench performances_*.json", _is_performances)
def livecodebench(source: Source, book: Book) -> Iterator[Entry]:
    """A problem's share of passing samples, in percent; of how many samples the file does not say.

    With `--repeats N` a share becomes N attempts, of which that many passed (a model with `(n=K)` in its name has K);
    without, it is one graded score.
    """
    samples = book.ask.repeats
    if samples is None:
        book.note(
            f"{source.file}: shares of an unknown number of samples; --repeats N takes them as N attempts"
        )

    def build(row: int, record: Any) -> list[Entry]:
        model = name(record, "model")
        at = (BENCHMARK, book.ask.model or model, name(record, "question_id"))
        passed = share(record.get(PASS), PASS, PERCENT)
        if samples is None or passed is None:
            return [Entry(*at, **graded(passed))]
        own = SAMPLES.search(model)
        count = int(own[1]) if own else samples
        if abs(passed * count - round(passed * count)) > 1e-6:
            raise Unusable(f"no whole number of {count} samples", column=PASS, value=record.get(PASS))
        return [Entry(*at, float(place < round(passed * count)), place) for place in range(count)]

    yield from book.each(source.name, enumerate(source.document["performances"], start=1), build)
