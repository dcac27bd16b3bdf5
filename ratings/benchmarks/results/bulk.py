"""Many entries of one benchmark gathered at once, by columns, where nothing about them is odd."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ratings.benchmarks.results.entries import Entry
from ratings.benchmarks.results.records import CODE_OF, OK, Gathering

Codes = npt.NDArray[np.int64]
LOW, HIGH = 0.0, 1.0  # the scale of every entry


def gather_plain(entries: Sequence[Entry], name: str) -> Gathering | None:
    """What `records.gather` makes of these entries, several times as fast; None where there is something to say of one of them.

    Odd is: a value of another type than `Entry` says, a score off the scale, an attempt told twice, an item in two groups or of two contents.
    """
    scores, statuses = [entry.score for entry in entries], [entry.status for entry in entries]
    repeats, groups = [entry.repeat for entry in entries], [entry.group for entry in entries]
    hashes, sources = [entry.hash for entry in entries], [entry.source for entry in entries]
    if not (
        _only(scores, float, type(None)) and _only(repeats, int) and _only(groups, tuple) and _only(statuses, str)
        and _only(hashes, str, type(None)) and _only(sources, str, type(None))
    ):  # fmt: skip
        return None
    model, models = _coded([entry.model for entry in entries])
    item, items = _coded([entry.item for entry in entries])
    repeat, labels = _coded(repeats)
    source, named = _coded(sources, -1)
    score = np.array(scores, dtype=np.float64)
    if not set(statuses) <= CODE_OF.keys() or not _names(models) or not _names(items) or min(labels) < 0:
        return None
    status = np.fromiter(map(CODE_OF.__getitem__, statuses), np.int8, len(statuses))
    if not _graded(score, status, scores.count(None)) or _repeated(model, item, repeat):
        return None
    path, content = _described(entries, groups), _described(entries, hashes)
    if path is None or content is None:
        return None
    return Gathering(
        (LOW, HIGH), models, items, labels, named, model=array("q", model.tobytes()), item=array("q", item.tobytes()),
        repeat=array("q", repeat.tobytes()), score=array("d", score.tobytes()), status=array("b", status.tobytes()),
        source=array("q", source.tobytes()), groups=path, hashes=content, benchmarks={name}, rows=len(entries),
    )  # fmt: skip


def _only(values: Iterable[Any], *types: type) -> bool:
    return set(map(type, values)) <= set(types)


def _coded(values: Sequence[Any], none: int | None = None) -> tuple[Codes, dict[Any, int]]:
    """(n,) number of each value in order of appearance, and the numbers; None is `none` where that is given."""
    found = dict.fromkeys(values)
    if none is not None:
        found.pop(None, None)
    codes = {value: code for code, value in enumerate(found)}
    lookup = codes if none is None else {**codes, None: none}
    return np.fromiter(map(lookup.__getitem__, values), np.int64, len(values)), codes


def _names(found: Mapping[Any, int]) -> bool:
    return all(isinstance(name, str) and bool(name.strip()) for name in found)


def _graded(score: npt.NDArray[np.float64], status: npt.NDArray[np.int8], missing: int) -> bool:
    """Every score is on the scale, or missing where the status allows it."""
    none = np.isnan(score)
    off = (score < LOW) | (score > HIGH)
    return int(none.sum()) == missing and not off.any() and not (none & (status == OK)).any()


def _repeated(model: Codes, item: Codes, repeat: Codes) -> bool:
    cell = (model * (int(item.max()) + 1) + item) * (int(repeat.max()) + 1) + repeat
    return len(np.unique(cell)) < len(cell)


def _described(entries: Sequence[Entry], values: Sequence[Any]) -> dict[str, Any] | None:
    """The one value of each item that has any; None where an item has two, or a path of other things than names."""
    found: dict[str, Any] = {}
    if not any(set(values)):
        return found
    for item, value in set(zip((entry.item for entry in entries), values, strict=True)):
        if value and (found.setdefault(item, value) != value or not _only(value, str)):
            return None
    return found
