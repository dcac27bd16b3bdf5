"""From a reading's entries to the results of benchmarks: variants kept apart, parts of one benchmark put together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from arena.errors import BadInput
from ratings.benchmarks.results.bulk import gather_plain
from ratings.benchmarks.results.dependence import UNUSED, Labels
from ratings.benchmarks.results.entries import Entry
from ratings.benchmarks.results.records import AttemptRecord
from ratings.benchmarks.results.results import ItemResults, by_benchmark, of_gathering

UNNAMED = "benchmark"
Part = tuple[str, frozenset[str]]  # a benchmark, and the names by which a claim may call its variant
Origins = Mapping[Part, Set[str]]


def records(entries: Sequence[Entry], benchmark: str | None = None) -> Iterator[AttemptRecord]:
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
        yield AttemptRecord(
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


def assemble(
    entries: Sequence[Entry], benchmark: str | None = None, labels: Labels = UNUSED
) -> dict[str, ItemResults]:
    """The results by benchmark, in order of name, their items taken together as `labels` say."""
    found = _gathered(entries, benchmark)
    shown = {name for entry in entries if (name := entry.benchmark)} if labels.tied else set()
    if benchmark is not None or len(found) == 1:
        dependence = labels.of(shown)
        return {name: replace(results, dependence=dependence) for name, results in found.items()}
    return {
        name: replace(results, dependence=labels.of(part for part in shown if name == part or name.startswith(f"{part}:")))
        for name, results in found.items()
    }  # fmt: skip


def origins(entries: Sequence[Entry], benchmark: str | None = None) -> dict[str, Origins]:
    """Where the items of each of the results come from: items by benchmark, as their file calls it, and variant."""
    found: dict[str, dict[Part, set[str]]] = {}
    for record, entry in zip(records(entries, benchmark), entries, strict=True):
        of = found.setdefault(record["benchmark"], {})
        of.setdefault((entry.benchmark, _names(entry)), set()).add(record["item"])
    return found  # type: ignore[return-value]


def _names(entry: Entry) -> frozenset[str]:
    """The variant's name; and the one thing that marks it (a scorer, a split), also where a lone one needed no name."""
    told = {value for _, value in entry.marks if value}
    return frozenset({entry.variant, *(told if len(told) == 1 else ())})


def _gathered(entries: Sequence[Entry], benchmark: str | None) -> dict[str, ItemResults]:
    gathered = {name: gather_plain(part, name) for name, part in _apart(entries, benchmark).items()}
    plain = [(name, found) for name, found in sorted(gathered.items()) if found is not None]
    if len(plain) < len(gathered) or not gathered:
        return by_benchmark(records(entries, benchmark))
    return {name: of_gathering(found) for name, found in plain}


def _apart(entries: Sequence[Entry], benchmark: str | None) -> dict[str, list[Entry]]:
    """The entries by the name of their results; empty where they are not named as simply as that (see `records`)."""
    parts: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        parts[entry.benchmark, entry.variant].append(entry)
    variants = Counter(name for name, _ in parts)
    if benchmark is not None and len(variants) > 1:
        return {}
    found = {}
    for (name, variant), part in parts.items():
        shown = benchmark or name or UNNAMED
        found[f"{shown}:{variant}" if variants[name] > 1 and variant else shown] = part
    return found if len(found) == len(parts) else {}


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
