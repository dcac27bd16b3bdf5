"""The rules of `battle_rows` on whole columns: each distinct value is judged once, by the same functions.

A row is looked at alone only where its value is odd. Reading by rows or by columns gives the same table and account.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from arena.importers.files.rows import Block
from arena.importers.formats.battle_rows import (
    QUESTION,
    WEIGHED,
    Layout,
    categories_value,
    is_blind,
    outcome_value,
    prompt_value,
    voter_value,
)
from arena.importers.rules.checks import Checks
from arena.importers.rules.duplicates import Place
from arena.importers.rules.gather import Chunk, Gatherer
from arena.importers.values import arrow
from arena.importers.values.time_columns import read_times
from arena.importers.values.values import NotVote, Reject, count, identifier, weight
from arena.votes import UNKNOWN

pc: Any = pa.compute  # made when Arrow is imported; no checker of types sees its functions
Verdict = Reject | NotVote
Codes = npt.NDArray[np.int32]


@dataclass
class Judged:
    """Rules applied so far to one block: the first verdict on each row that is no vote."""

    size: int
    verdicts: dict[int, Verdict] = field(default_factory=dict)

    def codes(self, column: Any, rule: Callable[[Any], int], known: dict[Any, int] | None = None) -> Codes:
        """(n,) `rule` of each value of a dictionary column; a value that it refuses is a verdict on its rows.

        `known`: what `rule` said of values of blocks before.
        """
        known = {} if known is None else known
        values = [*column.dictionary.to_pylist(), None]
        indices = arrow.numbers_of(column.indices, len(values) - 1)
        lookup = np.full(len(values), UNKNOWN, dtype=np.int32)
        refused: dict[int, Verdict] = {}
        used = np.zeros(len(values), dtype=np.bool_)
        used[indices[self.sound] if self.verdicts else indices] = True
        for index in np.flatnonzero(used).tolist():
            value = values[index]
            code = known.get(value)
            if code is None:
                try:
                    code = known[value] = rule(value)
                except (Reject, NotVote) as verdict:
                    refused[index] = verdict
                    continue
            lookup[index] = code
        if refused:
            flags = np.zeros(len(values), dtype=np.bool_)
            flags[list(refused)] = True
            for row in np.flatnonzero(flags[indices]):
                self.verdicts.setdefault(int(row), refused[int(indices[row])])
        codes: Codes = lookup[indices]
        return codes

    @property
    def sound(self) -> npt.NDArray[np.bool_]:
        kept = np.ones(self.size, dtype=np.bool_)
        kept[list(self.verdicts)] = False
        return kept


class ColumnRules:
    """Reads blocks of one file with one layout into the gatherer."""

    def __init__(self, layout: Layout, columns: Sequence[str], checks: Checks, gatherer: Gatherer) -> None:
        self._layout = layout
        self._checks = checks
        self._gatherer = gatherer
        has = set(columns)
        self._id, self._at, self._voter, self._prompt, self._language = (
            next((name for name in names if name in has), None)
            for names in (
                layout.vote_id,
                layout.at,
                layout.voter,
                layout.prompt_columns(has),
                layout.language,
            )
        )
        self._category = next((name for name in layout.category if name in has), None)
        self._blind = layout.blind if layout.blind in has else None
        self._count, self._weight = (
            ("count" if "count" in has else None),
            ("weight" if "weight" in has else None),
        )
        checks.by_question |= self._id == QUESTION
        if self._weight:
            checks.note(WEIGHED)
        self._tags: dict[tuple[str, ...], int] = {}
        self._known: dict[str, dict[Any, int]] = {}  # column -> value met before -> its code

    @property
    def coded(self) -> list[str]:
        """Columns wanted as dictionaries."""
        maybe = [
            self._voter,
            self._prompt,
            self._language,
            self._category,
            self._blind,
            self._count,
            self._weight,
        ]
        return ["model_a", "model_b", self._layout.outcome, *(name for name in maybe if name is not None)]

    @property
    def plain(self) -> list[str]:
        """Columns wanted as they are: nearly every value of them is another one."""
        return [name for name in (self._id, self._at) if name is not None]

    def read(self, block: Block, file: int) -> dict[int, Verdict]:
        """Add the votes of `block`; give back the verdict on each other row, by its place in the block."""
        judged = Judged(len(block.number))
        columns, ids, tags = self._columns(block, judged)
        self._name_models(judged, columns)
        place = Place(np.full(judged.size, file, dtype=np.int32), block.number, block.line)
        ids = pa.nulls(judged.size, pa.string()) if ids is None else ids
        chunk = Chunk(columns, ids, place, self._labels(tags))
        self._gatherer.add(chunk if not judged.verdicts else chunk.take(judged.sound))
        return judged.verdicts

    def _labels(self, tags: Codes) -> dict[str, npt.NDArray[np.bool_]]:
        found = {}
        for name in sorted({name for names in self._tags for name in names}):
            codes = [code for names, code in self._tags.items() if name in names]
            found[name] = np.isin(tags, codes)
        return found

    def _columns(self, block: Block, judged: Judged) -> tuple[dict[str, npt.NDArray[Any]], Any, Codes]:
        """The columns in the order in which `battle_rows` looks at them, so that the first fault is the same."""
        checks, layout, n = self._checks, self._layout, judged.size
        found: dict[str, npt.NDArray[Any]] = {
            "a": judged.codes(block.columns["model_a"], lambda v: self._model(v, "model_a")),
            "b": judged.codes(block.columns["model_b"], lambda v: self._model(v, "model_b")),
        }
        models = self._gatherer.codes["models"]
        outcome = judged.codes(
            block.columns[layout.outcome], lambda v: outcome_value(v, checks, layout, models)
        )
        found["outcome"] = outcome.astype(np.int8)
        ids = self._ids(block, judged)
        found["at"] = self._times(block, judged)
        found["voter"] = self._coded(block, judged, self._voter, "voters", voter_value)
        found["prompt"] = self._coded(block, judged, self._prompt, "prompts", prompt_value)
        found["language"] = self._coded(
            block, judged, self._language, "languages", lambda value, column: checks.languages.read(value)
        )
        tags = self._tag_codes(block, judged)
        blind = self._plain(block, judged, self._blind, is_blind, 1) != 0
        found["count"] = np.array(self._numbers(block, judged, self._count, count), dtype=np.int64)
        weights = np.array(self._numbers(block, judged, self._weight, weight), dtype=np.float64)
        found["reason"] = np.full(n, UNKNOWN, dtype=np.int32)
        self._exclude(found, found["a"] == found["b"], "self_battle", judged)
        self._exclude(found, ~blind, "not_blind", judged)
        found["weight"] = weights
        found["drawn_p"] = np.full(n, np.nan)
        found["side_known"] = np.ones(n, dtype=np.bool_)
        return found, ids, tags

    def _model(self, value: Any, column: str) -> int:
        return self._gatherer.code("models", self._checks.names.read(value, column))

    def _coded(
        self,
        block: Block,
        judged: Judged,
        column: str | None,
        kind: str,
        rule: Callable[[Any, str], str | None],
    ) -> Codes:
        if column is None:
            return np.full(judged.size, UNKNOWN, dtype=np.int32)
        known = self._known.setdefault(column, {})
        return judged.codes(
            block.columns[column], lambda value: self._gatherer.code(kind, rule(value, column)), known
        )

    def _plain(
        self, block: Block, judged: Judged, column: str | None, rule: Callable[[Any, str], int], default: int
    ) -> Codes:
        if column is None:
            return np.full(judged.size, default, dtype=np.int32)
        return judged.codes(block.columns[column], lambda value: rule(value, column))

    def _tag_codes(self, block: Block, judged: Judged) -> Codes:
        """(n,) code of the row's categories together; -1 for none."""
        return self._plain(block, judged, self._category, self._tag, UNKNOWN)

    def _tag(self, value: Any, column: str) -> int:
        names = categories_value(value, column)
        return self._tags.setdefault(names, len(self._tags)) if names else UNKNOWN

    def _numbers(
        self, block: Block, judged: Judged, column: str | None, rule: Callable[[Any, str], float]
    ) -> npt.NDArray[Any]:
        """(n,) a number for each row, 1 without the column. Coded too, since one may be larger than a code can be."""
        if column is None:
            return np.ones(judged.size, dtype=np.int64)
        values: dict[float, int] = {}
        codes = judged.codes(
            block.columns[column], lambda value: values.setdefault(rule(value, column), len(values))
        )
        return np.array([*values, 1])[codes]

    def _ids(self, block: Block, judged: Judged) -> Any:
        if self._id is None:
            return None
        column = block.columns[self._id]
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if pa.types.is_integer(column.type):
            return column.cast(pa.string())
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            texts = column.cast(pa.string())
            blank = arrow.mask(arrow.numbers_of(pc.binary_length(texts), 0) == 0)
            return pc.if_else(blank, pa.nulls(len(texts), pa.string()), texts)
        found: list[str | None] = []
        for row, value in enumerate(column.to_pylist()):
            try:
                found.append(identifier(value, self._id))
            except Reject as verdict:
                judged.verdicts.setdefault(row, verdict)
                found.append(None)
        return arrow.strings(found)

    def _times(self, block: Block, judged: Judged) -> npt.NDArray[np.float64]:
        if self._at is None:
            return np.full(judged.size, np.nan)
        times, faults = read_times(block.columns[self._at], self._at, self._checks.times, judged.sound)
        for row, fault in faults.items():
            judged.verdicts.setdefault(row, fault)
        return times

    def _exclude(
        self, columns: dict[str, npt.NDArray[Any]], rows: npt.NDArray[np.bool_], reason: str, judged: Judged
    ) -> None:
        rows = rows & judged.sound
        if rows.any():
            columns["reason"][rows] = self._gatherer.code("reasons", reason)

    def _name_models(self, judged: Judged, columns: dict[str, npt.NDArray[Any]]) -> None:
        """Models of records that hold no vote are models of the input; those of rejected rows are not."""
        rows = [row for row, verdict in judged.verdicts.items() if isinstance(verdict, NotVote)]
        if rows:
            names = list(self._gatherer.codes["models"])
            self._checks.named.update(names[columns[side][row]] for side in "ab" for row in rows)
