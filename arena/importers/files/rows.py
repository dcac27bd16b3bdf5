"""Records of a file with their place, one by one or as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.importers.values.values import Reject


@dataclass(slots=True)
class Row:
    """One record: its number from 1, the physical line where it begins, its values, or why it cannot be read."""

    number: int
    line: int | None
    values: Mapping[str, Any]
    fault: Reject | None = None
    asked: set[str] = field(default_factory=set, compare=False)  # columns that a reader looked at

    def get(self, column: str) -> Any:
        self.asked.add(column)
        return self.values.get(column)

    def first(self, columns: Sequence[str]) -> tuple[str, Any]:
        """The first of `columns` that the record has, and its value; (last, None) if it has none."""
        for column in columns:
            if column in self.values:
                return column, self.get(column)
        return columns[-1], None


@dataclass(frozen=True)
class Block:
    """Many records as columns of text (or of the file's own types), for rules that work on whole columns."""

    columns: Mapping[str, Any]  # name -> pyarrow array (n,)
    number: npt.NDArray[np.int64]  # (n,) row numbers
    line: npt.NDArray[np.int64]  # (n,) physical lines; -1 where a file has none
    faults: tuple[Row, ...] = ()  # records between them that cannot be read
