"""Simulate how often a gap is found that a report says so many items show with 80 % power.

    python tests/bench/power.py                     # every cell, 4,000 replicates
    python tests/bench/power.py --replicates 20000

A cell draws many data sets of one model and takes the mean of the gaps that the reports state. Then two models that truly differ by that
gap answer different items, each with the cell's own spread, and a two-sided z test of their means at 5 % is counted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

import numpy as np  # noqa: E402

from ratings.benchmarks.reports.report import report  # noqa: E402
from ratings.benchmarks.results.results import ItemResults  # noqa: E402

Float = np.ndarray
Z = 1.959963985
REPORTS = 40  # whose stated gaps are averaged


@dataclass(frozen=True)
class Cell:
    """One kind of scores: `draw(rng, sets)` gives (sets, items, attempts) in [0, 1]."""

    name: str
    draw: Callable[[np.random.Generator, int], Float]
    group: int | None = None  # items that go together


def _passes(rng: np.random.Generator, sets: int) -> Float:
    return (rng.random((sets, 100, 1)) < 0.6).astype(float)


def _partial(rng: np.random.Generator, sets: int) -> Float:
    return rng.beta(2.5, 2.5, (sets, 60, 1))


def _attempts(rng: np.random.Generator, sets: int) -> Float:
    rates = rng.beta(1, 1, (sets, 60, 1))
    return (rng.random((sets, 60, 4)) < rates).astype(float)


def _grouped(rng: np.random.Generator, sets: int) -> Float:
    rates = np.repeat(rng.beta(2, 2, (sets, 60, 1)), 5, axis=1)
    return (rng.random((sets, 300, 1)) < rates).astype(float)


CELLS = (Cell("100 passes", _passes), Cell("60 partial", _partial), Cell("60 x 4 attempts", _attempts), Cell("60 groups of 5", _grouped, 5))  # fmt: skip


def stated_gap(cell: Cell, rng: np.random.Generator) -> float:
    """The mean gap that reports on such data state, as a share."""
    found = [report(_results(cell, scores)).power for scores in cell.draw(rng, REPORTS)]
    return float(np.mean([power.detectable for power in found if power and power.detectable is not None]))


def _results(cell: Cell, scores: Float) -> ItemResults:
    items = [f"i{n:04d}" for n in range(len(scores))]
    groups = None if cell.group is None else [f"g{n // cell.group}" for n in range(len(items))]
    return ItemResults.from_matrix("b", ["m"], items, scores[None], groups=groups)


def found_share(cell: Cell, replicates: int, rng: np.random.Generator) -> float:
    """How often the test finds the stated gap."""
    gap = stated_gap(cell, rng)
    a, b = (cell.draw(rng, replicates).mean(axis=2) for _ in range(2))
    difference = a.mean(axis=1) + gap - b.mean(axis=1)
    se = np.sqrt(_variance(a, cell.group) + _variance(b, cell.group))
    return float((np.abs(difference) > Z * se).mean())


def _variance(means: Float, group: int | None) -> Float:
    """Of the mean over items, or over groups of equal size."""
    units = means if group is None else means.reshape(len(means), -1, group).mean(axis=2)
    found: Float = units.var(axis=1, ddof=1) / units.shape[1]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replicates", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    for cell in CELLS:
        gap = stated_gap(cell, rng)
        print(
            f"{cell.name:>16}: {100 * gap:5.1f} points, found {found_share(cell, asked.replicates, rng):.3f}"
        )


if __name__ == "__main__":
    main()
