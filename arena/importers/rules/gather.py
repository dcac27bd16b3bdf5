"""Votes gathered into columns: names coded as they come, equal ids found at the end, one sorted VoteTable out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from arena.importers.rules.duplicates import Place, Repeats, find_repeats, questions
from arena.importers.values import arrow
from arena.votes import COLUMNS, UNKNOWN, IntColumn, Vote, VoteTable

pc: Any = pa.compute  # made when Arrow is imported; no checker of types sees its functions
FLUSHED_AT = 2_000  # votes kept as objects before they become columns
NAMED = {
    "models": ("a", "b"),
    "voters": ("voter",),
    "prompts": ("prompt",),
    "languages": ("language",),
    "reasons": ("reason",),
}


@dataclass(frozen=True)
class Chunk:
    """Some votes as columns with the gatherer's codes, and where each was read."""

    columns: dict[str, npt.NDArray[Any]]  # every name of arena.votes.COLUMNS -> (n,)
    ids: Any  # pyarrow string array (n,), null where a vote has none
    place: Place
    labels: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)
    traits: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns["a"])

    def take(self, kept: npt.NDArray[np.bool_]) -> Chunk:
        """Only the votes of a mask."""
        return Chunk(
            {name: column[kept] for name, column in self.columns.items()},
            self.ids.filter(arrow.mask(kept)),
            Place(self.place.file[kept], self.place.row[kept], self.place.line[kept]),
            {name: column[kept] for name, column in self.labels.items()},
            {name: column[kept] for name, column in self.traits.items()},
        )


class Gatherer:
    """Collects votes one by one (`take`) or in columns (`add`) and makes the table (`finish`)."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, int]] = {name: {} for name in NAMED}
        self._chunks: list[Chunk] = []
        self._votes: list[Vote] = []
        self._places: list[tuple[int, int, int]] = []
        self.by_question: set[int] = set()  # files whose ids stand in `question_id`

    def code(self, kind: str, name: str | None) -> int:
        """The code of a name; names get codes in the order in which they come."""
        if name is None:
            return UNKNOWN
        known = self.codes[kind]
        return known.setdefault(name, len(known))

    def take(self, vote: Vote, file: int, number: int, line: int | None) -> None:
        self._votes.append(vote)
        self._places.append((file, number, UNKNOWN if line is None else line))
        if len(self._votes) >= FLUSHED_AT:
            self._flush()

    def add(self, chunk: Chunk) -> None:
        self._flush()
        if len(chunk):
            self._chunks.append(chunk)

    def finish(self, extra_models: Iterable[str] = ()) -> tuple[VoteTable, Repeats]:
        """The table without repeated votes, names sorted, and what was repeated. Call once."""
        self._flush()
        named_only = [self.code("models", name) for name in sorted(extra_models)]
        columns, traits = self._categories(), self._traits()
        for name in COLUMNS:  # each column leaves the chunks as it is joined: the votes are not held twice
            columns[name] = _joined([chunk.columns.pop(name) for chunk in self._chunks], name)
        ids, places = [c.ids for c in self._chunks], [c.place for c in self._chunks]
        prompts = questions(ids, places, columns, self.by_question) if self.by_question and ids else None
        if prompts is not None:
            ids = self._as_prompts(ids, prompts, columns)
        repeats = replace(find_repeats(ids, places, columns, traits), questions=prompts is not None)
        self._chunks.clear()
        if repeats.count:
            columns = {name: column[repeats.kept] for name, column in columns.items()}
            traits = {name: column[repeats.kept] for name, column in traits.items()}
        named = {kind: self._sorted(kind, columns, named_only if kind == "models" else ()) for kind in NAMED}
        # What only rejected or repeated votes had is not in the table.
        labels = {name[1:]: flags for name, flags in columns.items() if name.startswith("#") and flags.any()}
        traits = {name: pairs for name, pairs in traits.items() if not np.isnan(pairs).all()}
        plain = {name: columns[name] for name in COLUMNS}
        return VoteTable(**named, **plain, labels=labels, traits=traits), repeats  # type: ignore[arg-type]

    def _as_prompts(
        self, ids: Sequence[Any], rows: npt.NDArray[np.bool_], columns: dict[str, npt.NDArray[Any]]
    ) -> list[Any]:
        """The ids without those of `rows`, which become prompts where no other is known."""
        together = pa.concat_arrays(ids)
        unknown = rows & (columns["prompt"] == UNKNOWN)
        named = together.filter(arrow.mask(unknown)).to_pylist()
        columns["prompt"][unknown] = [self.code("prompts", name) for name in named]
        return [pc.if_else(arrow.mask(rows), pa.nulls(len(rows), pa.string()), together)]

    def _flush(self) -> None:
        if self._votes:
            self._chunks.append(self._chunk(self._votes, self._places))
            self._votes, self._places = [], []

    def _chunk(self, votes: Sequence[Vote], places: Sequence[tuple[int, int, int]]) -> Chunk:
        missing = (np.nan, np.nan)
        columns: dict[str, npt.NDArray[Any]] = {
            "a": _ints([self.code("models", v.model_a) for v in votes]),
            "b": _ints([self.code("models", v.model_b) for v in votes]),
            "outcome": np.array([v.outcome for v in votes], dtype=np.int8),
            "voter": _ints([self.code("voters", v.voter) for v in votes]),
            "prompt": _ints([self.code("prompts", v.prompt) for v in votes]),
            "language": _ints([self.code("languages", v.language) for v in votes]),
            "reason": _ints([self.code("reasons", v.reason) for v in votes]),
            "count": np.array([v.count for v in votes], dtype=np.int64),
            "weight": np.array([v.weight for v in votes], dtype=np.float64),
            "at": _floats([v.at for v in votes]),
            "drawn_p": _floats([v.drawn_p for v in votes]),
            "side_known": np.array([v.side_known for v in votes], dtype=np.bool_),
        }
        labels = {name for v in votes for name in v.categories}
        traits = {name for v in votes for name in v.traits}
        return Chunk(
            columns,
            arrow.strings([v.vote_id or None for v in votes]),
            Place.of(places),
            {name: np.array([name in v.categories for v in votes], dtype=np.bool_) for name in labels},
            {
                name: np.array([v.traits.get(name, missing) for v in votes], dtype=np.float64)
                for name in traits
            },
        )

    def _categories(self) -> dict[str, npt.NDArray[Any]]:
        """Label columns under `#name`, so that they never meet a column of the table."""
        names = sorted({name for chunk in self._chunks for name in chunk.labels})
        return {
            f"#{name}": np.concatenate(
                [c.labels.get(name, np.zeros(len(c), dtype=np.bool_)) for c in self._chunks]
            )
            for name in names
        }

    def _traits(self) -> dict[str, npt.NDArray[np.float64]]:
        names = sorted({name for chunk in self._chunks for name in chunk.traits})
        return {
            name: np.concatenate([c.traits.get(name, np.full((len(c), 2), np.nan)) for c in self._chunks])
            for name in names
        }

    def _sorted(
        self, kind: str, columns: dict[str, npt.NDArray[Any]], also: Sequence[int]
    ) -> tuple[str, ...]:
        """Names in order, the columns recoded to it. Names that no vote holds go, save those with codes `also`."""
        known = list(self.codes[kind])
        if not known:
            return ()
        used = np.zeros(len(known) + 1, dtype=np.bool_)
        for name in NAMED[kind]:
            used[columns[name]] = True
        used[list(also)] = True
        kept = sorted(known[code] for code in np.flatnonzero(used[:-1]))
        lookup = np.full(len(known) + 1, UNKNOWN, dtype=np.int32)  # the last entry keeps -1 as it is
        lookup[[self.codes[kind][name] for name in kept]] = np.arange(len(kept), dtype=np.int32)
        for name in NAMED[kind]:
            columns[name] = lookup[columns[name]]
        return tuple(kept)


def _joined(parts: Sequence[npt.NDArray[Any]], name: str) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else getattr(VoteTable.of([]), name)


def _ints(codes: Sequence[int]) -> IntColumn:
    return np.array(codes, dtype=np.int32)


def _floats(values: Sequence[float | None]) -> npt.NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
