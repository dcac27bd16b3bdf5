"""General capability: the first principal component of many benchmarks, and how far one benchmark repeats it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ratings.stats.arguments import BadNumber, Float, Undefined, matrix, vector, whole
from ratings.stats.correlation import constant, correlation, fisher_interval

NO_SIDE = 1e-8  # |sum v| below it: as many benchmarks point up as down
TIED = 1e-9  # of the largest eigenvalue: closer ones have no first direction
ROUNDS = 500  # of the imputation, at most


@dataclass(frozen=True)
class Capability:
    """First principal component of N models x J benchmarks, and each benchmark's correlation with the others' one."""

    scores: Float  # (N,)
    share: float  # of variance, lambda_1/J
    r: tuple[float | None, ...]  # (J,), leave-one-benchmark-out; None where the rest has no direction


def capability_correlation(scores: npt.ArrayLike) -> Capability:
    """The capabilities score of each model and each benchmark's correlation with it.

    Columns of `scores` (N, J) are standardised with divisor N; v is the unit eigenvector of the largest eigenvalue of their correlation
    matrix, oriented so that its entries sum to a positive number; the score is Z v. Benchmark j is correlated with the
    score made without it. Ren et al. 2024; Ruan et al. 2024. Read r against an interval: by chance alone its
    standard deviation is 1/sqrt(N - 1).
    Raises `BadNumber` below two models or benchmarks, for missing cells and constant columns; `Undefined` without a direction.
    """
    x = matrix("scores", scores, least=2)
    if x.shape[1] < 2:
        raise BadNumber("one benchmark has no others to be compared with")
    flat = [j for j, column in enumerate(x.T) if constant(column)]
    if flat:
        raise BadNumber(f"column {flat[0]} is constant")
    z = _standardised(x)
    direction, share = _first_direction(z)
    return Capability(z @ direction, share, tuple(_without(z, j) for j in range(z.shape[1])))


@dataclass(frozen=True)
class Component:
    """Eigenvalues of a correlation matrix (falling), the first one's share, and one model's score along it."""

    eigenvalues: tuple[float, ...]
    share: float
    score: float


def component_score(correlations: npt.ArrayLike, z: Sequence[float] | Float) -> Component:
    """The capabilities score of one model with standardised results `z` (J,), given the correlation matrix (J, J)."""
    c, values = matrix("correlations", correlations), vector("z", z)
    if c.shape != (len(values), len(values)):
        raise BadNumber(f"{len(values)} results for a {c.shape[0]} x {c.shape[1]} matrix")
    if not (np.allclose(c, c.T, atol=1e-9) and np.allclose(np.diag(c), 1.0, atol=1e-9)):
        raise BadNumber("a correlation matrix is symmetric with ones on its diagonal")
    found, vectors = np.linalg.eigh(c)
    if found[0] < -1e-9:
        raise BadNumber("not a correlation matrix: it has a negative eigenvalue")
    falling = found[::-1]
    direction = _oriented(vectors[:, -1], falling)
    return Component(tuple(map(float, falling)), float(falling[0] / falling.sum()), float(direction @ values))


def null_sd(n: int) -> float:
    """Standard deviation of a correlation over n models that is truly 0: 1/sqrt(n - 1)."""
    return 1 / math.sqrt(whole("n", n, 2) - 1)


@dataclass(frozen=True)
class Redundancy:
    """One benchmark's correlation with the capability that the other benchmarks measure."""

    benchmark: str
    r: float | None
    low: float | None
    high: float | None
    why: str | None = None


@dataclass(frozen=True)
class CapabilityReport:
    """Capability of models, with what was left out to get it."""

    models: tuple[str, ...]
    scores: Float  # (len(models),)
    share: float
    benchmarks: tuple[Redundancy, ...]
    null_sd: float
    constant: tuple[str, ...]  # benchmarks on which all models score alike
    incomplete: tuple[str, ...]  # models left out for a missing cell, or with filled ones
    filled: int  # cells filled by the component itself


def capability_report(
    scores: npt.ArrayLike,
    models: Sequence[str],
    benchmarks: Sequence[str],
    *,
    missing: Literal["drop", "fill"] = "drop",
    level: float = 0.95,
) -> CapabilityReport:
    """The same from a table with names, gaps (nan) and constant columns.

    `drop` leaves out models with a gap; `fill` fills a gap with the value on the first component, iterated until it stands
    (probabilistic PCA's fixed point), which flatters the share: both are named in the report. Intervals are Fisher's, over models,
    as if models were independent.
    """
    x = matrix("scores", scores, least=2, gaps=True)
    if x.shape != (len(models), len(benchmarks)):
        raise BadNumber(f"scores are {x.shape}, names {len(models)} x {len(benchmarks)}")
    gaps = np.isnan(x).any(axis=1)
    incomplete = tuple(np.array(models, dtype=object)[gaps])
    filled = int(np.isnan(x).sum()) if missing == "fill" else 0
    rows = np.ones(len(x), dtype=np.bool_) if missing == "fill" else ~gaps
    if rows.sum() < 2:
        raise BadNumber("fewer than two models have every benchmark")
    x = x[rows]
    flat = np.array([constant(column[~np.isnan(column)]) for column in x.T])
    x = _filled(x[:, ~flat]) if missing == "fill" else x[:, ~flat]
    names = np.array(benchmarks, dtype=object)
    found = capability_correlation(x)
    kept = [str(name) for name in names[~flat]]
    return CapabilityReport(
        models=tuple(np.array(models, dtype=object)[rows]),
        scores=found.scores,
        share=found.share,
        benchmarks=tuple(_redundancy(name, r, len(x), level) for name, r in zip(kept, found.r, strict=True)),
        null_sd=null_sd(len(x)),
        constant=tuple(str(name) for name in names[flat]),
        incomplete=incomplete,
        filled=filled,
    )


def _standardised(x: Float) -> Float:
    return np.asarray((x - x.mean(axis=0)) / x.std(axis=0))


def _first_direction(z: Float) -> tuple[Float, float]:
    """By singular values of Z, which stays exact with more benchmarks than models."""
    _, singular, rows = np.linalg.svd(z, full_matrices=False)
    eigenvalues = singular**2 / len(z)
    return _oriented(rows[0], eigenvalues), float(eigenvalues[0] / eigenvalues.sum())


def _oriented(direction: Float, falling: Float) -> Float:
    if len(falling) > 1 and falling[0] - falling[1] <= TIED * falling[0]:
        raise Undefined("the two largest eigenvalues are equal: no first direction")
    total = float(direction.sum())
    if abs(total) < NO_SIDE:
        raise Undefined("as many benchmarks point up as down: the first direction has no sign")
    return direction if total > 0 else -direction


def _without(z: Float, column: int) -> float | None:
    rest = np.delete(z, column, axis=1)
    try:
        direction, _ = _first_direction(rest)
    except Undefined:
        return None
    return correlation(z[:, column], rest @ direction)


def _redundancy(name: str, r: float | None, n: int, level: float) -> Redundancy:
    if r is None:
        return Redundancy(name, None, None, None, "the other benchmarks share no direction")
    try:
        low, high = fisher_interval(r, n, level=level)
    except Undefined as undefined:
        return Redundancy(name, r, None, None, str(undefined))
    return Redundancy(name, r, low, high)


def _filled(x: Float) -> Float:
    """Gaps filled with the rank-one fit of the standardised table, until no cell moves."""
    hole = np.isnan(x)
    if hole.all(axis=0).any() or hole.all(axis=1).any():
        raise BadNumber("a model or a benchmark without any score cannot be filled")
    full = np.where(hole, np.nanmean(x, axis=0), x)
    for _ in range(ROUNDS):
        mean, sd = full.mean(axis=0), full.std(axis=0)
        left, singular, right = np.linalg.svd((full - mean) / sd, full_matrices=False)
        fitted = mean + sd * singular[0] * np.outer(left[:, 0], right[0])
        step = float(np.abs((fitted - full)[hole] / np.broadcast_to(sd, x.shape)[hole]).max(initial=0.0))
        full[hole] = fitted[hole]
        if step < 1e-8:
            return full
    raise BadNumber(f"the gaps do not settle in {ROUNDS} rounds")
