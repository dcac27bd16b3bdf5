"""Item results: one benchmark's scores by model, item and repeat, each cell with its status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arena.errors import BadInput, Problem
from ratings.benchmarks.results.dependence import Dependence
from ratings.benchmarks.results.records import (
    ERROR,
    INFRA,
    NOT_RUN,
    OK,
    STATUSES,
    AttemptRecord,
    Gathering,
    Scale,
    gather,
    natural,
)

__all__ = ["STATUSES", "AttemptRecord", "ItemResults", "Policy", "by_benchmark", "of_gathering"]

Policy = Literal["zero", "exclude"]  # how `error` and `infra` enter a mean; unscored and not_run never do
Float = npt.NDArray[np.float64]
Bool = npt.NDArray[np.bool_]
Int = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ItemResults:
    """Results of M models on N items with up to K repeats. A cell that no record names is `not_run`, score nan."""

    benchmark: str
    models: tuple[str, ...]  # (M,), sorted
    items: tuple[str, ...]  # (N,), in natural order ("q2" before "q10")
    repeats: tuple[int, ...]  # (K,), the labels found, sorted
    groups: tuple[tuple[str, ...], ...]  # (N,), from coarse to fine; () where unknown
    sources: tuple[str, ...]  # distinct files or runs
    hashes: tuple[str | None, ...]  # (N,), first content hash of each item
    score: Float  # (M, N, K), nan where there is none
    status: npt.NDArray[np.int8]  # (M, N, K), index into STATUSES
    source: npt.NDArray[np.int32]  # (M, N, K), index into sources, -1 unknown
    clashing: Bool  # (N,), the models' files disagree about what this item is
    scale: Scale = (0.0, 1.0)
    duplicates: int = 0  # records that repeat an earlier one
    problems: tuple[Problem, ...] = ()  # records that differ from another of the same attempt or item
    dependence: Dependence = "clustered"  # what groups are for: clusters, fixed strata, or mere labels

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]], *, scale: Scale = (0.0, 1.0)) -> ItemResults:
        """The results in `records` (see `AttemptRecord`), which must be of one benchmark.

        Order does not matter, except that of two records of one attempt that differ the second is a further attempt and a `Problem`
        says so. Equal records count once (`duplicates`). Raises `BadInput` with every fault (the first
        hundred in full): unknown status, no name, a score that is text, NaN, infinite or off `scale`, `ok` without
        a score, two benchmarks.
        """
        return of_gathering(gather(records, scale))

    @classmethod
    def from_matrix(
        cls,
        benchmark: str,
        models: Sequence[str],
        items: Sequence[str],
        scores: npt.ArrayLike,
        *,
        groups: Sequence[str] | None = None,
        scale: Scale = (0.0, 1.0),
    ) -> ItemResults:
        """The same from an array (M, N) or (M, N, K); nan is a cell that was not run."""
        score = np.asarray(scores, dtype=np.float64)
        score = score[:, :, None] if score.ndim == 2 else score
        if score.shape[:2] != (len(models), len(items)) or score.ndim != 3:
            raise BadInput(f"scores of shape {score.shape} for {len(models)} models and {len(items)} items")
        if len(set(models)) < len(models) or len(set(items)) < len(items):
            raise BadInput("a model or an item is named twice")
        _check_matrix(score, scale)
        by_name = np.array(sorted(range(len(models)), key=lambda i: models[i]), dtype=np.intp)
        by_item = np.array(sorted(range(len(items)), key=lambda i: natural(items[i])), dtype=np.intp)
        score = score[by_name][:, by_item]
        return cls(
            benchmark=benchmark,
            models=tuple(models[i] for i in by_name),
            items=tuple(items[i] for i in by_item),
            repeats=tuple(range(score.shape[2])),
            groups=tuple((groups[i],) if groups is not None else () for i in by_item),
            sources=(),
            hashes=(None,) * len(items),
            score=score,
            status=np.where(np.isnan(score), NOT_RUN, OK).astype(np.int8),
            source=np.full(score.shape, -1, dtype=np.int32),
            clashing=np.zeros(len(items), dtype=np.bool_),
            scale=scale,
        )

    def counted(self, errors: Policy = "exclude") -> Float:
        """(M, N, K) the scores that count, nan elsewhere. `zero`: error and infra count as the scale's lowest score."""
        scores = np.where(self.status == OK, self.score, np.nan)
        if errors == "zero":
            failed = (self.status == ERROR) | (self.status == INFRA)
            scores[failed] = 0.0 if self.scale is None else self.scale[0]
        elif errors != "exclude":
            raise BadInput(f"errors is {errors!r}; known: zero, exclude")
        return scores

    def attempts(self, errors: Policy = "exclude") -> Int:
        """(M, N) how many repeats of each cell count."""
        found: Int = np.count_nonzero(~np.isnan(self.counted(errors)), axis=2)
        return found

    def means(self, errors: Policy = "exclude") -> Float:
        """(M, N) the mean over the repeats that count, nan where none does."""
        scores = self.counted(errors)
        n = np.count_nonzero(~np.isnan(scores), axis=2)
        total = np.nansum(scores, axis=2)
        means: Float = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
        return means

    def tally(self, model: str) -> dict[str, int]:
        """How many cells (items x repeats) of `model` have each status."""
        found = np.bincount(self.status[self.row(model)].ravel(), minlength=len(STATUSES))
        return {name: int(found[code]) for code, name in enumerate(STATUSES)}

    def clusters(self, level: int = 0) -> npt.NDArray[np.int64]:
        """(N,) cluster number of each item: its group at `level` (with all coarser ones); alone where unknown."""
        if level == 0:
            return self._coarsest
        return _numbers(self.groups, self.items, level)

    @cached_property
    def _coarsest(self) -> npt.NDArray[np.int64]:
        codes = _numbers(self.groups, self.items, 0)
        codes.flags.writeable = False
        return codes

    @cached_property
    def grouped(self) -> bool:
        """Items come in clusters: some group holds two or more, and groups are meant so."""
        known = self.dependence == "clustered" and len(self.items) > 0
        return bool(known and self.clusters().max() + 1 < len(self.items))

    def row(self, model: str) -> int:
        """Index of `model`; `BadInput` when it is not there."""
        try:
            return self.models.index(model)
        except ValueError:
            raise BadInput(f"no model {model!r} in {self.benchmark!r}") from None

    def take(self, models: Sequence[str] | None = None, items: Bool | None = None) -> ItemResults:
        """Only these models (in order of name) and the items under the mask."""
        keep = sorted(set(self.models if models is None else models))
        rows = np.array([self.row(model) for model in keep], dtype=np.intp)
        mask = np.ones(len(self.items), dtype=np.bool_) if items is None else items
        chosen = np.flatnonzero(mask)
        return replace(
            self,
            models=tuple(keep),
            items=tuple(self.items[i] for i in chosen),
            groups=tuple(self.groups[i] for i in chosen),
            hashes=tuple(self.hashes[i] for i in chosen),
            score=self.score[rows][:, chosen],
            status=self.status[rows][:, chosen],
            source=self.source[rows][:, chosen],
            clashing=self.clashing[chosen],
        )

    def alone(self, model: str) -> ItemResults:
        """Only `model`, on the same items."""
        at = slice(row := self.row(model), row + 1)
        return replace(
            self, models=(model,), score=self.score[at], status=self.status[at], source=self.source[at]
        )

    def renamed(self, aliases: Mapping[str, str]) -> ItemResults:
        """The models under other names; two names of one model are merged, and results that differ are further attempts, reported."""
        records = (
            {**record, "model": aliases.get(record["model"], record["model"])} for record in self.records()
        )
        merged = type(self).of(records, scale=self.scale)
        return replace(
            merged,
            duplicates=self.duplicates + merged.duplicates,
            problems=self.problems + merged.problems,
            clashing=merged.clashing | self.clashing,
            dependence=self.dependence,
        )

    def records(self) -> Iterator[AttemptRecord]:
        """The neutral records again, by model, item and repeat; of an untried item one `not_run`."""
        named = self.status != NOT_RUN
        named[:, :, :1] |= ~named.any(axis=2, keepdims=True)
        for m, n, k in zip(*np.nonzero(named), strict=True):
            value, source = float(self.score[m, n, k]), int(self.source[m, n, k])
            yield AttemptRecord(
                benchmark=self.benchmark,
                model=self.models[m],
                item=self.items[n],
                repeat=self.repeats[k],
                score=None if np.isnan(value) else value,
                status=STATUSES[self.status[m, n, k]],
                group=list(self.groups[n]),
                source=self.sources[source] if source >= 0 else None,
                hash=self.hashes[n],
            )


def by_benchmark(
    records: Iterable[Mapping[str, Any]], *, scale: Scale = (0.0, 1.0)
) -> dict[str, ItemResults]:
    """The results of each benchmark named in `records`, in order of name."""
    found: dict[str, Gathering] = {}
    for record in records:
        name = str(record.get("benchmark"))
        if name not in found:
            found[name] = Gathering(scale)
        found[name].take(record)
    return {name: of_gathering(found[name].whole()) for name in sorted(found)}


def of_gathering(found: Gathering) -> ItemResults:
    """The results of one benchmark's gathered attempts."""
    models, model = _ordered(found.models, found.model, sorted(found.models))
    items, item = _ordered(found.items, found.item, sorted(found.items, key=natural))
    repeats, repeat = _ordered(found.repeats, found.repeat, sorted(found.repeats) or [0])
    used = {code for code in set(found.source) if code >= 0}
    sources, source_of = _ordered(
        found.sources, found.source, sorted(name for name, code in found.sources.items() if code in used)
    )
    shape = (len(models), len(items), len(repeats))
    score, status = np.full(shape, np.nan), np.full(shape, NOT_RUN, dtype=np.int8)
    source = np.full(shape, -1, dtype=np.int32)
    score[model, item, repeat] = found.score
    status[model, item, repeat] = found.status
    source[model, item, repeat] = source_of
    return ItemResults(
        benchmark=next(iter(found.benchmarks), ""),
        models=models,
        items=items,
        repeats=repeats,
        groups=tuple(found.groups.get(item, ()) for item in items),
        sources=sources,
        hashes=tuple(found.hashes.get(item) for item in items),
        score=score,
        status=status,
        source=source,
        clashing=np.array([item in found.clashing for item in items], dtype=np.bool_),
        scale=found.scale,
        duplicates=found.duplicates,
        problems=tuple(found.problems),
    )


def _ordered(
    codes: Mapping[Any, int], column: Sequence[int], names: Sequence[Any]
) -> tuple[tuple[Any, ...], npt.NDArray[np.intp]]:
    """The names, and the column of codes as places among them; -1 stays -1."""
    place = np.full(len(codes) + 1, -1, dtype=np.intp)
    for number, name in enumerate(names):
        place[codes.get(name, -1)] = number
    place[-1] = -1
    return tuple(names), place[np.asarray(column, dtype=np.intp)]


def _numbers(groups: Sequence[tuple[str, ...]], items: Sequence[str], level: int) -> npt.NDArray[np.int64]:
    keys = [
        ("group", *path[: level + 1]) if len(path) > level else ("item", item)
        for path, item in zip(groups, items, strict=True)
    ]
    number = _index(list(dict.fromkeys(keys)))
    return np.array([number[key] for key in keys], dtype=np.int64)


def _index(names: Sequence[Any]) -> dict[Any, int]:
    return {name: code for code, name in enumerate(names)}


def _check_matrix(score: Float, scale: Scale) -> None:
    if np.isinf(score).any():
        raise BadInput("a score is infinite")
    if scale is not None and ((score < scale[0]) | (score > scale[1])).any():
        raise BadInput(f"a score is off the scale {scale[0]:g} to {scale[1]:g}")
