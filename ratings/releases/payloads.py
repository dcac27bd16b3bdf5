"""Answers that a release carries beside its rankings: kept packed, parsed when they are first asked for. Values only."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

LEVEL = 6  # of gzip: one more costs more time than it saves room


@dataclass(frozen=True)
class Packed:
    """One JSON object as gzipped bytes."""

    packed: bytes

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """The object `value`; a NaN or an infinity in it raises `ValueError`. The same content gives the same bytes."""
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return cls(gzip.compress(text.encode(), LEVEL, mtime=0))

    @cached_property
    def content(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads(gzip.decompress(self.packed))
        return found


class Findings(Packed):
    """What `ratings.diagnostics.diagnosis` found of a board, under the names of its fields."""


class ReportData(Packed):
    """The report of a board as a page shows it: sections of its own (`board`) and of what was asked of it (`told`)."""

    @property
    def sections(self) -> Sequence[Mapping[str, Any]]:
        """Each with title, tables, notes, and names and captions of its pictures."""
        return [*self.content.get("board", ()), *self.content.get("told", ())]

    def picture(self, name: str) -> Mapping[str, Any] | None:
        """SVG and Vega-Lite specification of a picture."""
        for part in ("board_pictures", "told_pictures"):
            found: Mapping[str, Any] | None = self.content.get(part, {}).get(name)
            if found is not None:
                return found
        return None


@dataclass(frozen=True)
class PairGap:
    """`a` against `b`, as `compare` gives it. None where the votes give no number, with `why`."""

    a: str
    b: str
    gap: float | None  # Elo, rating of a minus rating of b
    low: float | None
    high: float | None
    se: float | None
    win_probability: float | None  # share of a, a tie counting half
    win_low: float | None
    win_high: float | None
    effective_voters: float | None  # the fewer of the two models'
    p: float | None  # two-sided, no gap at all
    p_adjusted: float | None  # Holm over all `tested` pairs of the board
    more_votes: (
        int | None
    )  # on the whole board, two digits of it; None: told apart already, or not in practice
    why: str | None

    @property
    def told_apart(self) -> bool | None:
        """Whether the pair's own 95 % interval leaves out zero; None without an interval."""
        return None if self.low is None or self.high is None else not self.low <= 0 <= self.high

    def turned(self) -> PairGap:
        """The same as seen from `b`."""
        return PairGap(
            self.b, self.a, _less(self.gap), _less(self.high), _less(self.low), self.se,
            _rest(self.win_probability), _rest(self.win_high), _rest(self.win_low), self.effective_voters, self.p,
            self.p_adjusted, self.more_votes, self.why,
        )  # fmt: skip


def _less(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _rest(value: float | None) -> float | None:
    return None if value is None else round(1.0 - value, 7)


NUMBERS = (
    "gap", "low", "high", "se", "win_probability", "win_low", "win_high", "effective_voters", "p", "p_adjusted",
    "more_votes",
)  # fmt: skip


class GapTable(Packed):
    """Every pair of models with a common scale. Names and reasons once, then columns: 130 models have 8,385 pairs."""

    @classmethod
    def of_columns(
        cls,
        models: Sequence[str],
        reasons: Sequence[str],
        columns: Mapping[str, Sequence[Any]],
        **settings: Any,
    ) -> Self:
        """`columns`: a and b as places in `models`, why as a place in `reasons` or None, and one of each of `NUMBERS`.

        `settings` say what the numbers rest on; `tested` among them, how many P values Holm's correction is for.
        """
        named = {name: columns[name] for name in ("a", "b", "why", *NUMBERS)}
        return cls.of({**settings, "models": list(models), "reasons": list(reasons), **named})

    @property
    def tested(self) -> int:
        """How many pairs `p_adjusted` is adjusted for."""
        return int(self.content["tested"])

    def find(self, a: str, b: str) -> PairGap | None:
        """The pair as seen from `a`; None when the two have no common scale."""
        for first, second in ((a, b), (b, a)):
            row = self._rows.get((first, second))
            if row is not None:
                return self._pair(row) if first == a else self._pair(row).turned()
        return None

    def against(self, model: str) -> Mapping[str, PairGap]:
        """Every pair of `model` as seen from it, by the other's name."""
        found = (self._pair(row) for names, row in self._rows.items() if model in names)
        seen = (pair if pair.a == model else pair.turned() for pair in found)
        return {pair.b: pair for pair in seen}

    def __iter__(self) -> Iterator[PairGap]:
        return (self._pair(row) for row in range(len(self.content["a"])))

    @cached_property
    def _rows(self) -> Mapping[tuple[str, str], int]:
        models = self.content["models"]
        sides = zip(self.content["a"], self.content["b"], strict=True)
        return {(models[a], models[b]): row for row, (a, b) in enumerate(sides)}

    def _pair(self, row: int) -> PairGap:
        content = self.content
        a, b = (content["models"][content[side][row]] for side in ("a", "b"))
        why = content["why"][row]
        numbers = {name: content[name][row] for name in NUMBERS}
        return PairGap(a=a, b=b, **numbers, why=None if why is None else content["reasons"][why])
