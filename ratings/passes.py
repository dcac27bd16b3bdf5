"""One pass over the rows for many rounds at once, in numpy: the reference and the fallback of `ratings.kernels`.

A round multiplies each voter's votes by a weight W. Around the full fit, z = z0 + d[pair] + x . c, and

    residual = sum_i W w (y - p),   q = sum_i W w p (1 - p),   t = sum_i W w p (1 - p) (1 - 2 p)   per pair,
    own = sum_i W w (y - p) x   over all rows.

Rows are sorted by pair. Weights and covariates are float32, on small data float64; what leaves a pass is float64.
Almost all work is matrix products of one tile of a pair's rows; exp is the one slow step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings.comparisons import Comparisons
from ratings.scale import Floats

LANES = 64  # rounds of one pass: wide enough to hide Python's own time
TILE_ROWS = 1024  # with their lanes they stay in cache, and float32 sums stay short
SMALL_ROWS = 200_000  # below, float64 costs little
Single = npt.NDArray[np.float32]
Values = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Starts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Packed:
    """The rows of a component at its full fit."""

    starts: Starts  # (P + 1,)
    voter: Codes  # (n,)
    y: Values  # (n,) a's share of the row
    w: Values  # (n,) the row's weight
    x: Values  # (n, F)
    z: Values  # (n,) log-odds at the full fit
    p: Values  # (n,) chance of a at the full fit
    reach: Values  # (F,) the largest |x|
    first: Values  # (n, 3) the row's part of residual, q and t at the full fit


@dataclass(frozen=True)
class Sums:
    """Sums of a pass, per pair (P, L) or over all rows (F, L)."""

    residual: Floats
    q: Floats
    t: Floats
    own: Floats
    scored: Floats  # sum_i W w y, what does not change from pass to pass; empty in `kernels`
    scored_own: Floats


def pack(data: Comparisons, theta: Floats, coef: Floats, kind: npt.DTypeLike = np.float32) -> Packed:
    """The rows of `data` at `theta` (K,) and `coef` (F,), in floats of that kind."""
    x = np.ascontiguousarray(data.x, dtype=kind)
    z = np.repeat(theta[data.pair_a] - theta[data.pair_b], np.diff(data.starts))
    z += x @ coef
    p = 0.5 + 0.5 * np.tanh(0.5 * z)
    q = data.weight * p * (1 - p)
    return Packed(
        starts=data.starts,
        voter=data.voter,
        y=(data.score / data.weight).astype(kind),
        w=data.weight.astype(kind),
        x=x,
        z=z.astype(kind),
        p=p.astype(kind),
        reach=np.abs(x).max(axis=0, initial=0.0),
        first=np.column_stack([data.score - data.weight * p, q, q * (1 - 2 * p)]).astype(kind),
    )


def first(rows: Packed, lanes: Single) -> Sums:
    """The sums at the full fit, for weights `lanes` (G, L)."""
    won = (rows.w * rows.y)[:, None]
    columns = np.hstack([rows.first, won, rows.x * rows.first[:, :1], rows.x * won])
    sums = _products(rows.starts, rows.voter, columns, lanes.astype(columns.dtype, copy=False))
    own, scored_own = np.split(sums[4:].sum(axis=1), 2)
    return Sums(sums[0], sums[1], sums[2], own, sums[3], scored_own)


def gradient(rows: Packed, lanes: Single, d: Single, c: Single, at: Sums) -> tuple[Floats, Floats]:
    """`residual` and `own` at z0 + d[pair] + x . c, for d (P, L) and c (F, L); `at` of the same lanes."""
    kind = rows.z.dtype
    ones = np.ones((len(rows.z), 1), dtype=kind)
    design = np.column_stack([rows.x, rows.z, ones])
    columns = np.column_stack([ones, rows.x]) * rows.w[:, None]
    expected = np.zeros((columns.shape[1], *d.shape))
    lift = np.concatenate([c, np.ones((1, c.shape[1])), d[:1]]).astype(kind)
    odds, weight = np.empty((2, TILE_ROWS, c.shape[1]), dtype=kind)
    lanes = lanes.astype(kind, copy=False)
    with np.errstate(over="ignore"):
        for pair, low, high in _tiles(rows.starts):
            e, wide = odds[: high - low], weight[: high - low]
            lift[-1] = d[pair]
            np.matmul(design[low:high], np.negative(lift), out=e)
            np.exp(e, out=e)
            e += kind.type(1.0)
            np.take(lanes, rows.voter[low:high], axis=0, out=wide, mode="clip")
            np.divide(wide, e, out=e)
            expected[:, pair] += columns[low:high].T @ e
    return at.scored - expected[0], at.scored_own - expected[1:].sum(axis=1)


def _products(starts: Starts, voter: Codes, columns: Values, lanes: Values) -> Floats:
    """(C, P, L) the pair sums of each column (n, C), each row times its voter's weights."""
    out = np.zeros((columns.shape[1], len(starts) - 1, lanes.shape[1]))
    weight = np.empty((TILE_ROWS, lanes.shape[1]), dtype=lanes.dtype)
    for pair, low, high in _tiles(starts):
        wide = weight[: high - low]
        np.take(lanes, voter[low:high], axis=0, out=wide, mode="clip")
        out[:, pair] += columns[low:high].T @ wide
    return out


def weighted_sums(starts: Starts, voter: Codes, columns: Floats, lanes: Single) -> Floats:
    """(C, P, L) as above in float64: what the fits on pairs need."""
    return _products(starts, voter, columns, lanes.astype(np.float64))


def _tiles(starts: Starts) -> Iterator[tuple[int, int, int]]:
    """(pair, first row, last row) of tiles that no pair shares."""
    bounds = starts.tolist()
    for pair in range(len(bounds) - 1):
        for low in range(bounds[pair], bounds[pair + 1], TILE_ROWS):
            yield pair, low, min(low + TILE_ROWS, bounds[pair + 1])
