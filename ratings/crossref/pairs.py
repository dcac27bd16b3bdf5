"""Every pair of shared models: who is ahead by votes, who by the benchmark, and how well one foretells the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtr

from ratings.crossref.measures import Measure
from ratings.stats.arguments import BadNumber
from ratings.stats.multiplicity import adjusted

Cell = Literal["agree", "benchmark silent", "arena silent", "both silent", "conflict"]
Bounds = Mapping[str, Sequence[float]]  # model -> (score, low, high)
CELLS: tuple[Cell, ...] = ("agree", "conflict", "benchmark silent", "arena silent", "both silent")
Z95 = 1.959963984540054


@dataclass(frozen=True)
class PairComparison:
    """One pair; gaps are a minus b, probabilities that a is truly above b given its gap and error."""

    a: str
    b: str
    arena_gap: float
    arena_p_above: float
    arena_p_holm: float
    benchmark_gap: float
    benchmark_p_above: float | None
    benchmark_p_holm: float | None
    cell: Cell


@dataclass(frozen=True)
class Brier:
    """Mean squared error of the benchmark's P(a > b)."""

    hard: float  # the arena's order taken as the truth: Pair Rank Brier of Li et al. 2024
    soft: float  # the arena's order true with probability q: mean q(1 - P)^2 + (1 - q) P^2
    floor: float  # mean q(1 - q): the best that any P can reach


@dataclass(frozen=True)
class PairTable:
    """All pairs, and the published summaries of them."""

    pairs: tuple[PairComparison, ...]
    counts: Mapping[str, int]  # by cell
    agreement_paper: float | None  # Li et al. 2024, section 3: mean of +1/-1/0 over ALL pairs
    agreement_code: float | None  # its published code: 1/0.5/0 over pairs that the arena separates
    separability_arena: float  # share of pairs whose 95 % intervals do not overlap
    separability_benchmark: float | None
    brier: Brier | None


def pair_table(ratings: Measure, scores: Measure, level: float = 0.95) -> PairTable:
    """The pairs of two measures of the same models, tested by their own paired errors, Holm's correction on each side.

    Tests of contrasts by t with each pair's degrees of freedom (effective voters; clusters of items - 1). The published summaries use each model's own 95 % interval, as they were defined.
    """
    place = np.argsort(np.argsort(-ratings.values, kind="stable"))
    # The leader's pairs first, then those of the second.
    at = sorted(
        combinations(range(len(ratings.models)), 2), key=lambda pair: sorted(place[list(pair)].tolist())
    )
    above_r, holm_r = _tests(ratings, at)
    above_s, holm_s = _tests(scores, at) if scores.covariance is not None else (None, None)
    rows = []
    for row, (a, b) in enumerate(at):
        gap_r, gap_s = ratings.gap(a, b)[0], scores.gap(a, b)[0]
        told_s = holm_s is not None and holm_s[row] <= 1 - level
        rows.append(
            PairComparison(
                ratings.models[a], ratings.models[b], gap_r, float(above_r[row]), float(holm_r[row]),
                gap_s, None if above_s is None else float(above_s[row]), None if holm_s is None else float(holm_s[row]),
                _cell(gap_r, holm_r[row] <= 1 - level, gap_s, told_s),
            )
        )  # fmt: skip
    arena, bench = bounds(ratings), None if scores.covariance is None else bounds(scores, ratings.models)
    return PairTable(
        pairs=tuple(rows),
        counts={cell: sum(row.cell == cell for row in rows) for cell in CELLS},
        agreement_paper=None if bench is None else agreement_paper(arena, bench),
        agreement_code=None if bench is None else agreement_code(arena, bench),
        separability_arena=separability(arena),
        separability_benchmark=None if bench is None else separability(bench),
        brier=None if above_s is None else brier(above_r, above_s),
    )


def bounds(measure: Measure, names: Sequence[str] | None = None) -> dict[str, tuple[float, float, float]]:
    """Each model's value with its own 95 % interval."""
    assert measure.covariance is not None
    half = Z95 * np.sqrt(np.maximum(np.diag(measure.covariance), 0.0))
    rows = zip(measure.values.tolist(), half.tolist(), strict=True)
    return {name: (v, v - h, v + h) for name, (v, h) in zip(names or measure.models, rows, strict=True)}


def separability(measure: Bounds) -> float:
    """Share of pairs whose intervals do not overlap; intervals that touch count as apart. Li et al. 2024."""
    found = [_order(measure, a, b) != 0 for a, b in combinations(measure, 2)]
    return float(np.mean(found))


def agreement_paper(arena: Bounds, benchmark: Bounds) -> float:
    """Agreement with Confidence as the paper defines it: over all pairs +1 both separate alike, -1 oppositely, else 0."""
    _same(arena, benchmark)
    return float(np.mean([_order(arena, a, b) * _order(benchmark, a, b) for a, b in combinations(arena, 2)]))


def agreement_code(arena: Bounds, benchmark: Bounds) -> float | None:
    """The same name in the published code: over pairs that the ARENA separates 1 alike, 0.5 benchmark silent, 0 opposed."""
    _same(arena, benchmark)
    found = [
        (1 + _order(arena, a, b) * _order(benchmark, a, b)) / 2
        for a, b in combinations(arena, 2)
        if _order(arena, a, b)
    ]
    return float(np.mean(found)) if found else None


def brier(arena_above: Sequence[float] | np.ndarray, benchmark_above: Sequence[float] | np.ndarray) -> Brier:
    """Hard, soft and least Brier score of the benchmark's probabilities, given the arena's."""
    q, p = np.asarray(arena_above, np.float64), np.asarray(benchmark_above, np.float64)
    truth = np.where(q == 0.5, 0.5, q > 0.5)
    return Brier(
        hard=float(((p - truth) ** 2).mean()),
        soft=float((q * (1 - p) ** 2 + (1 - q) * p**2).mean()),
        floor=float((q * (1 - q)).mean()),
    )


def _tests(measure: Measure, at: Sequence[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """P(a above b), and Holm's two-sided p, of each pair."""
    gaps = [measure.gap(a, b) for a, b in at]
    z = np.array([_z(gap, se or 0.0) for gap, se in gaps])
    freedom = np.array([measure.gap_freedom(a, b) for a, b in at])
    return below(z, freedom), adjusted(np.minimum(1.0, 2 * below(-np.abs(z), freedom)))


def below(t: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """P(T < t) of Student's t; the normal where `freedom` is endless."""
    endless = np.isinf(freedom)
    return np.where(endless, ndtr(t), stdtr(np.where(endless, 1.0, freedom), t))


def _z(gap: float, se: float) -> float:
    if se > 0:
        return gap / se
    return 0.0 if gap == 0 else float(np.copysign(np.inf, gap))


def _cell(gap_r: float, told_r: bool, gap_s: float, told_s: bool) -> Cell:
    if told_r and told_s:
        return "agree" if gap_r * gap_s > 0 else "conflict"
    if told_r:
        return "benchmark silent"
    return "arena silent" if told_s else "both silent"


def _order(measure: Bounds, a: str, b: str) -> int:
    """1: a's interval lies above b's; -1: below; 0: they overlap."""
    (_, low_a, high_a), (_, low_b, high_b) = measure[a], measure[b]
    return int(low_a >= high_b) - int(low_b >= high_a)


def _same(arena: Bounds, benchmark: Bounds) -> None:
    if set(arena) != set(benchmark) or len(arena) < 2:
        raise BadNumber("arena and benchmark need the same two models or more")
