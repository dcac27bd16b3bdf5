"""The joint bootstrap: items redrawn once for all models, for intervals of all pairs that hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ratings.benchmarks.methods.all_pairs import Index, Pairs, all_pairs, all_pairs_clustered, limit_threads
from ratings.benchmarks.methods.strata import Codes, all_pairs_stratified, collapsed
from ratings.stats.arguments import BadNumber, Float, inner, matrix, same_length, whole

CELLS_AT_ONCE = 8_000_000  # weights held at a time: 32 MB of float32
PAIRS_AT_ONCE = 256  # columns of differences held at a time


@dataclass(frozen=True)
class Joint:
    """Bootstrap of M models' means and of all P pairs, on the items that all of them have."""

    pairs: Pairs  # the point estimates and standard errors on the same items
    items: int  # complete items
    level: float
    rounds: int
    low: Float  # (P,) percentile interval of each difference on its own
    high: Float
    low_together: Float  # (P,) max-t interval: all P hold together
    high_together: Float
    p_together: Float  # (P,) max-t adjusted p-values
    mean_low: Float  # (M,) percentile interval of each model's mean
    mean_high: Float
    first: Float  # (M,) share of rounds in which the model is first (ties shared)


def joint_bootstrap(
    scores: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    cluster: npt.NDArray[Any] | None = None,
    strata: npt.NDArray[Any] | None = None,
    rounds: int = 10_000,
    level: float = 0.95,
) -> Joint:
    """Resample items (whole clusters; or items within fixed strata) of `scores` (M, N) for all models at once.

    Each round draws multinomial weights, and a matrix product gives all means. Items that some model lacks are left out, so that
    every round compares like with like. The simultaneous intervals are diff -+ q se, where q is the `level` quantile over
    rounds of max over pairs |diff* - diff|/se (Westfall & Young 1993; Hall 1992). Pairs that differ on no item, or by a
    constant, have no standard error and stay out of the maximum, and where an interval would have no width it is nan.
    """
    x = matrix("scores", scores, least=2, gaps=True)
    complete = ~np.isnan(x).any(axis=0)
    if cluster is not None:
        same_length(items=x.T, cluster=np.asarray(cluster))
    if strata is not None:
        same_length(items=x.T, strata=np.asarray(strata))
    if complete.sum() < 2:
        raise BadNumber(f"{int(complete.sum())} items have a result of every model")
    x, tail = x[:, complete], (1 - inner("level", level)) / 2
    codes = None if cluster is None else np.unique(np.asarray(cluster)[complete], return_inverse=True)[1]
    rounds = whole("rounds", rounds, 1)
    with limit_threads(1, user_api="blas"):
        if strata is not None:
            parts = collapsed(np.asarray(strata)[complete])
            pairs, means = all_pairs_stratified(x, parts), _within(x, parts, rounds, rng)
        else:
            pairs = all_pairs(x) if codes is None else all_pairs_clustered(x, codes)
            means = _resampled(x, codes, rounds, rng)
    low, high, largest = _pair_quantiles(means, pairs, tail)
    q = float(np.quantile(largest, level))
    usable = pairs.se > 0
    t = np.divide(np.abs(pairs.diff), pairs.se, out=np.zeros(len(low)), where=usable)
    ranked = np.sort(largest)
    at_least = len(ranked) - np.searchsorted(ranked, t, side="left")
    mean_low, mean_high = np.quantile(means, [tail, 1 - tail], axis=0)
    low[low == high] = np.nan
    mean_low[mean_low == mean_high] = np.nan
    high[np.isnan(low)], mean_high[np.isnan(mean_low)] = np.nan, np.nan
    half = np.where(usable, q * pairs.se, np.nan)
    return Joint(
        pairs=pairs,
        items=int(complete.sum()),
        level=level,
        rounds=rounds,
        low=low,
        high=high,
        low_together=pairs.diff - half,
        high_together=pairs.diff + half,
        p_together=np.where(usable, (1 + at_least) / (1 + rounds), pairs.p),
        mean_low=mean_low,
        mean_high=mean_high,
        first=_first(means),
    )


def _within(x: Float, strata: Codes, rounds: int, rng: np.random.Generator) -> Float:
    """(rounds, M) means of items redrawn within each stratum."""
    means = np.zeros((rounds, len(x)))
    for code in np.unique(strata):
        own = x[:, strata == code]
        means += _resampled(own, None, rounds, rng) * (own.shape[1] / x.shape[1])
    return means


def _resampled(x: Float, codes: npt.NDArray[np.intp] | None, rounds: int, rng: np.random.Generator) -> Float:
    """(rounds, M) means. A cluster enters with the sum and the number of its items."""
    if codes is None:
        sums, sizes = x, None
    else:
        groups = int(codes.max()) + 1
        sums = np.stack([np.bincount(codes, weights=row, minlength=groups) for row in x])
        sizes = np.bincount(codes, minlength=groups).astype(np.float64)
    centre = x.mean(axis=1)
    # Centred sums are small, so that float32 products lose nothing that the rounds could show.
    offset = sums - (centre[:, None] if sizes is None else centre[:, None] * sizes)
    columns = np.ascontiguousarray(offset.T, dtype=np.float32)
    units = len(columns)
    step = max(1, CELLS_AT_ONCE // units)
    means = np.empty((rounds, len(x)))
    for start in range(0, rounds, step):
        drawn = min(step, rounds - start)
        weights = _weights(units, drawn, rng)
        total = units if sizes is None else weights @ sizes[:, None]
        means[start : start + drawn] = centre + (weights.astype(np.float32) @ columns) / total
    return means


def _weights(units: int, rounds: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """(rounds, units) how often each unit is drawn in each round."""
    drawn = rng.integers(0, units, size=(rounds, units))
    drawn += np.arange(rounds)[:, None] * units
    return np.bincount(drawn.ravel(), minlength=rounds * units).reshape(rounds, units)


def _pair_quantiles(means: Float, pairs: Pairs, tail: float) -> tuple[Float, Float, Float]:
    low, high = np.empty(len(pairs.n)), np.empty(len(pairs.n))
    largest = np.zeros(len(means))
    for start in range(0, len(low), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        gaps = (means[:, pairs.a[part]] - means[:, pairs.b[part]]).T
        _update(largest, gaps, pairs.diff[part], pairs.se[part])
        low[part], high[part] = np.quantile(gaps, [tail, 1 - tail], axis=1, overwrite_input=True)
    return low, high, largest


def _update(largest: Float, gaps: Float, diff: Float, se: Float) -> None:
    usable = se > 0
    if usable.any():
        t = np.abs(gaps[usable] - diff[usable, None]) / se[usable, None]
        np.maximum(largest, t.max(axis=0), out=largest)


def _first(means: Float) -> Float:
    best = means >= means.max(axis=1, keepdims=True) - 1e-12
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))


def pair_rows(pairs: Pairs, models: int) -> npt.NDArray[np.intp]:
    """(M, M) row of each pair, -1 on the diagonal."""
    found: Index = np.full((models, models), -1, dtype=np.intp)
    found[pairs.a, pairs.b] = found[pairs.b, pairs.a] = np.arange(len(pairs.a))
    return found
