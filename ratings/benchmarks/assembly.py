"""From a reading's entries to the results of benchmarks: variants kept apart, parts of one benchmark put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from arena.errors import BadInput
from ratings.benchmarks.readers.entries import Entry
from ratings.benchmarks.records import Record
from ratings.benchmarks.results import ItemResults, by_benchmark

UNNAMED = "benchmark"


def records(entries: Sequence[Entry], benchmark: str | None = None) -> Iterator[Record]:
    """The neutral records of `entries`.

    With a name, all that was read is one benchmark: its parts (subjects, tasks) become groups, and their items get the part's name where two parts use
    one. Several variants (filters, scorers, test sets) are several benchmarks, `name:variant`; a single one needs no mention.
    """
    variants = {(entry.benchmark if benchmark is None else ""): set() for entry in entries}  # type: dict[str, set[str]]
    for entry in entries:
        variants[entry.benchmark if benchmark is None else ""].add(entry.variant)
    parts = {entry.benchmark for entry in entries}
    shared = _shared_items(entries) if benchmark is not None and len(parts) > 1 else frozenset()
    count: dict[tuple[str, str, str, str], int] = defaultdict(int)
    for entry in entries:
        name = benchmark or entry.benchmark or UNNAMED
        several = len(variants[entry.benchmark if benchmark is None else ""]) > 1
        key = (entry.benchmark, entry.model, entry.item, entry.variant)
        repeat = count[key] if entry.repeat is None else entry.repeat
        count[key] += entry.repeat is None
        lumped = benchmark is not None and len(parts) > 1 and bool(entry.benchmark)
        yield Record(
            benchmark=f"{name}:{entry.variant}" if several and entry.variant else name,
            model=entry.model,
            item=f"{entry.benchmark}/{entry.item}" if entry.item in shared else entry.item,
            repeat=repeat,
            score=entry.score,
            status=entry.status,
            group=entry.group or ((entry.benchmark,) if lumped else ()),
            source=entry.source,
            hash=entry.hash,
        )


def assemble(entries: Sequence[Entry], benchmark: str | None = None) -> dict[str, ItemResults]:
    """The results by benchmark, in order of name."""
    return by_benchmark(records(entries, benchmark))


def one(found: Mapping[str, ItemResults], variant: str | None = None) -> ItemResults:
    """The only benchmark of `found`; `BadInput` that names them where there are several."""
    if len(found) == 1:
        return next(iter(found.values()))
    raise BadInput(f"{len(found)} benchmarks: {', '.join(found)}; choose one with --benchmark or --variant")


def _shared_items(entries: Sequence[Entry]) -> frozenset[str]:
    """Items whose name more than one part uses."""
    owner: dict[str, str] = {}
    twice = {
        entry.item for entry in entries if owner.setdefault(entry.item, entry.benchmark) != entry.benchmark
    }
    return frozenset(twice)
