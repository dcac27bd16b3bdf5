"""Redundancy: does the benchmark say more of people's ratings than general capability, as other benchmarks measure it, does?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ratings.benchmarks.methods.capability import capability_correlation, null_sd
from ratings.crossref.measures import Measure
from ratings.stats.arguments import BadNumber, Float, Undefined
from ratings.stats.correlation import constant, correlation, fisher_interval

Table = Mapping[str, Mapping[str, float]]  # benchmark -> model -> score
FEWEST = 5  # shared models that have every other benchmark


@dataclass(frozen=True)
class Correlated:
    """A correlation with Fisher's limits, and the two-sided p of none."""

    r: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class RatingsGivenCapability:
    """Benchmark, ratings and the capability that the OTHER benchmarks measure, over n models that have all of them."""

    others: tuple[str, ...]
    n: int
    capability_models: int  # with every other benchmark, on the board or not: they make the component
    share: float  # of the others' variance on the first component
    null_sd: float  # of a correlation that is truly 0 over n models
    benchmark_capability: Correlated | None  # near 1: the benchmark repeats the others
    arena_capability: Correlated | None
    arena_benchmark: Correlated | None  # over the same n models
    partial: Correlated | None  # ratings with benchmark, capability given
    left_out: tuple[str, ...]  # shared models that lack one of the others
    notes: tuple[str, ...]


def redundancy(ratings: Measure, scores: Measure, others: Table) -> RatingsGivenCapability:
    """What the benchmark adds to the others. `others` goes by the benchmark's model names, itself not among them.

        r_RS.C = (r_RS - r_RC r_SC)/sqrt((1 - r_RC^2)(1 - r_SC^2)),  Fisher's limits with n - 1 for n

    The capability is the first principal component (`capability_correlation`) of the others, one of them alone where there is one.
    Its noise is not taken out: a noisy capability leaves some of itself in the partial correlation.
    Raises `Undefined` below five models, and where the others have no common direction.
    """
    names = tuple(others)
    complete = sorted(set.intersection(*(set(column) for column in others.values()))) if names else []
    kept = [at for at, name in enumerate(scores.models) if name in set(complete)]
    if len(kept) < FEWEST:
        raise Undefined(f"{len(kept)} shared models have every other benchmark, {FEWEST} are needed")
    table = np.array([[others[name][model] for name in names] for model in complete])
    varied = [j for j in range(len(names)) if not constant(table[:, j])]
    capability, share = _capability(table[:, varied])
    at = {model: row for row, model in enumerate(complete)}
    c = capability[[at[scores.models[row]] for row in kept]]
    r, s = ratings.values[kept], scores.values[kept]
    return RatingsGivenCapability(
        others=tuple(names[j] for j in varied),
        n=len(kept),
        capability_models=len(complete),
        share=share,
        null_sd=null_sd(len(kept)),
        benchmark_capability=_correlated(correlation(s, c), len(kept)),
        arena_capability=_correlated(correlation(r, c), len(kept)),
        arena_benchmark=_correlated(correlation(r, s), len(kept)),
        partial=_correlated(partial(r, s, c), len(kept) - 1),
        left_out=tuple(name for name in ratings.models if name not in {ratings.models[row] for row in kept}),
        notes=_notes(names, varied),
    )


def partial(x: Float, y: Float, given: Float) -> float | None:
    """Pearson's r of x and y (n,) with `given` (n,) held fixed; None where one of them does not vary beside it."""
    xy, xz, yz = correlation(x, y), correlation(x, given), correlation(y, given)
    if xy is None or xz is None or yz is None:
        return xy if xz is None and xy is not None else None
    left = (1 - xz**2) * (1 - yz**2)
    return None if left <= 1e-12 else min(1.0, max(-1.0, (xy - xz * yz) / math.sqrt(left)))


def _capability(table: Float) -> tuple[Float, float]:
    if table.shape[1] == 0:
        raise Undefined("no other benchmark tells models apart")
    if table.shape[1] == 1:
        only: Float = (table[:, 0] - table[:, 0].mean()) / table[:, 0].std()
        return only, 1.0
    try:
        found = capability_correlation(table)
    except Undefined:
        raise
    except BadNumber as fault:
        raise Undefined(str(fault)) from None
    return found.scores, found.share


def _correlated(r: float | None, n: int) -> Correlated | None:
    if r is None or abs(r) == 1 or n <= 3:
        return None
    low, high = fisher_interval(r, n)
    return Correlated(r, low, high, float(2 * ndtr(-abs(math.atanh(r)) * math.sqrt(n - 3))))


def _notes(names: tuple[str, ...], varied: list[int]) -> tuple[str, ...]:
    flat = [name for j, name in enumerate(names) if j not in varied]
    found = [f"other benchmarks on which all models score alike, left out: {', '.join(flat)}"] if flat else []
    if len(varied) == 1:
        found.append("one other benchmark alone stands for capability")
    return tuple(found)
