"""LMSYS's pair counts by category: the whole under `All`, and selections of the same votes beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from arena.importers.files.json_rows import LONE_SURROGATE
from arena.importers.files.rows import Row
from arena.importers.formats.counts import counted, names_of, numbers_of, unfold
from arena.importers.formats.registry import Sample, reader
from arena.importers.rules.checks import Checks
from arena.importers.values.values import Reject, shown
from arena.votes import Vote

ALL = "All"  # the name of the whole
Cells = dict[tuple[str, str], list[Any]]  # (model, model) -> wins, wins of the other, ties, both bad


def _is_categories(document_columns: Sequence[str], sample: Sample) -> bool:
    return all(isinstance(value, Mapping) and "data" in value for value in sample[0].values())


def _unfold(document: Mapping[str, Any], checks: Checks) -> Iterator[Mapping[str, Any]]:
    """One record for each pair of `All`, with the counts of each category beside its own."""
    data = {name: part["data"] for name, part in document.items() if _is_part(name, part)}
    for name in sorted(document.keys() - data.keys()):
        yield {"fault": f"{shown(name)}: must be a category with data that hold models, X and Y"}
    categories: dict[str, Cells] = {}
    for name in sorted(data.keys() - {ALL}):
        categories[name] = {}
        for record in unfold(data[name], checks):
            cell = _cell(record)
            if cell is None or cell[0] in categories[name]:
                yield {
                    "fault": f"{name}: {record.get('fault', 'a pair that cannot be read, or stands twice')}"
                }
            else:
                categories[name][cell[0]] = cell[1]
    if categories:
        checks.note(
            f"{', '.join(categories)} overlap as the file does not tell: take one --category at a time"
        )
    for record in unfold(data.get(ALL, {}), checks):
        cell = _cell(record)
        yield record if cell is None else {**record, "categories": _taken(cell[0], categories)}
    for name, cells in categories.items():
        for pair, numbers in cells.items():
            if any(numbers):
                yield {"fault": f"{name}: the pair {pair[0]!r} and {pair[1]!r} is not in {ALL}"}


def _is_part(name: str, part: Any) -> bool:
    named = bool(name.strip()) and not LONE_SURROGATE.search(name)
    return named and isinstance(part, Mapping) and isinstance(part.get("data"), Mapping)


def _cell(record: Mapping[str, Any]) -> tuple[tuple[str, str], list[Any]] | None:
    """The names and the counts of one record; None if it is not in order."""
    models, pair, numbers = (record.get(key) for key in ("models", "pair", "numbers"))
    if not (isinstance(models, list) and isinstance(pair, list) and isinstance(numbers, list)):
        return None
    if len(pair) != 2 or not all(type(at) is int and 0 <= at < len(models) for at in pair):
        return None
    names = models[pair[0]], models[pair[1]]
    return (names, numbers) if all(isinstance(name, str) for name in names) else None


def _taken(pair: tuple[str, str], categories: Mapping[str, Cells]) -> dict[str, list[Any]]:
    """The counts of one pair in each category, taken out of it; in the order of `pair`."""
    found = {}
    for name, cells in categories.items():
        if pair in cells:
            found[name] = cells.pop(pair)
        elif pair[::-1] in cells:
            numbers = cells.pop(pair[::-1])
            found[name] = numbers[1::-1] + numbers[2:]
    return found


@reader(
    "pair_counts_categories",
    "LMSYS's pair counts by category",
    (ALL,),
    unfold=_unfold,
    fits=_is_categories,
)
def pair_counts_categories(row: Row, checks: Checks) -> Iterator[Vote]:
    """Votes of `All`, each marked with its categories. Which votes two categories share is not known, only how many
    each has: they are laid over the votes of a cell one after the other, so that each category alone is right."""
    names, numbers = names_of(row, checks), numbers_of(row.get("numbers"))
    parts = {name: numbers_of(each, name) for name, each in (row.get("categories") or {}).items()}
    for name, each in parts.items():
        if len(each) != len(numbers) or any((m or 0) > (n or 0) for m, n in zip(each, numbers, strict=True)):
            raise Reject(name, each, f"has other or more counts than {ALL} ({numbers})")
    yield from counted(names, numbers, spans=[spans(n or 0, parts, at) for at, n in enumerate(numbers)])


def spans(
    votes: int, parts: Mapping[str, Sequence[int | None]], at: int
) -> list[tuple[int, tuple[str, ...]]]:
    """(how many, their categories) of the `votes` of outcome `at`: category after category laid round a circle."""
    laid: list[tuple[int, int, str]] = []
    start = 0
    for name, numbers in parts.items():
        end = start + (numbers[at] or 0)
        laid += [(start, min(end, votes), name), (0, max(end - votes, 0), name)]
        start = end % votes if votes else 0
    cuts = sorted({0, votes, *(edge for begin, end, _ in laid for edge in (begin, end))})
    return [
        (high - low, tuple(name for begin, end, name in laid if begin <= low < end))
        for low, high in pairwise(cuts)
    ]
