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

from ratings.comparisons import Comparisons, runs
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


@dataclass(frozen=True)
class Cells:
    """Sums at the full fit of the rows of one voter on one pair, and of all rows of one voter."""

    starts: Starts  # (P + 1,) cells of a pair
    voter: Codes  # (m,)
    columns: Values  # (m, 3 + F) the cell's part of residual, q, t, and of q x
    own: Floats  # (G, F) the voter's part of own
    corner: Floats  # (G, F * F) and of sum_i w p (1 - p) x x'


def pack(data: Comparisons, theta: Floats, coef: Floats, kind: npt.DTypeLike = np.float32) -> Packed:
    """The rows of `data` at `theta` (K,) and `coef` (F,), in floats of that kind."""
    x = np.ascontiguousarray(data.x, dtype=kind)
    z = np.repeat(theta[data.pair_a] - theta[data.pair_b], np.diff(data.starts))
    z += x @ coef
    return Packed(
        starts=data.starts,
        voter=data.voter,
        y=(data.score / data.weight).astype(kind),
        w=data.weight.astype(kind),
        x=x,
        z=z.astype(kind),
        p=(0.5 + 0.5 * np.tanh(0.5 * z)).astype(kind),
        reach=data.widest.astype(kind),
    )


def cells(rows: Packed) -> Cells:
    """What the first step of every round is summed from."""
    pair = np.repeat(np.arange(len(rows.starts) - 1, dtype=np.int32), np.diff(rows.starts))
    starts = runs(pair, rows.voter)
    first = starts[:-1]
    residual, q = rows.w * (rows.y - rows.p), rows.w * rows.p * (1 - rows.p)
    columns = [residual, q, q * (1 - 2 * rows.p), *(q * x for x in rows.x.T)]
    voters = int(rows.voter.max(initial=-1)) + 1

    def by_voter(values: Values) -> Floats:
        return np.asarray(np.bincount(rows.voter, weights=values, minlength=voters), dtype=np.float64)

    return Cells(
        starts=np.searchsorted(pair[first], np.arange(len(rows.starts))).astype(np.int64),
        voter=rows.voter[first],
        columns=np.column_stack([np.add.reduceat(column, first) for column in columns]),
        own=np.column_stack([by_voter(residual * x) for x in rows.x.T]),
        corner=np.column_stack([by_voter(column * x) for column in columns[3:] for x in rows.x.T]),
    )


def gradient(rows: Packed, lanes: Single, d: Values, c: Values) -> tuple[Floats, Floats]:
    """`residual` (P, L) and `own` (F, L) at z0 + d[pair] + x . c, for d (P, L) and c (F, L)."""
    kind = rows.z.dtype
    ones = np.ones((len(rows.z), 1), dtype=kind)
    design = np.column_stack([rows.x, rows.z, ones])
    columns = np.column_stack([ones, rows.x]) * rows.w[:, None]
    total = np.zeros((columns.shape[1], *d.shape))
    lift = np.concatenate([c, np.ones((1, c.shape[1])), d[:1]]).astype(kind)
    left, weight = np.empty((2, TILE_ROWS, c.shape[1]), dtype=kind)
    lanes = lanes.astype(kind, copy=False)
    with np.errstate(over="ignore"):
        for pair, low, high in _tiles(rows.starts):
            e, wide = left[: high - low], weight[: high - low]
            lift[-1] = d[pair]
            np.matmul(design[low:high], np.negative(lift), out=e)
            np.exp(e, out=e)
            e += kind.type(1.0)
            np.divide(kind.type(-1.0), e, out=e)
            e += rows.y[low:high, None]
            np.take(lanes, rows.voter[low:high], axis=0, out=wide, mode="clip")
            e *= wide
            total[:, pair] += columns[low:high].T @ e
    return total[0], total[1:].sum(axis=1)


def weighted_sums(starts: Starts, voter: Codes, columns: Values, lanes: Single) -> Floats:
    """(C, P, L) the pair sums of each column (m, C), each row times its voter's weights (G, L)."""
    out = np.zeros((columns.shape[1], len(starts) - 1, lanes.shape[1]))
    lanes = lanes.astype(columns.dtype, copy=False)
    weight = np.empty((TILE_ROWS, lanes.shape[1]), dtype=lanes.dtype)
    for pair, low, high in _tiles(starts):
        wide = weight[: high - low]
        np.take(lanes, voter[low:high], axis=0, out=wide, mode="clip")
        out[:, pair] += columns[low:high].T @ wide
    return out


def _tiles(starts: Starts) -> Iterator[tuple[int, int, int]]:
    """(pair, first row, last row) of tiles that no pair shares."""
    bounds = starts.tolist()
    for pair in range(len(bounds) - 1):
        for low in range(bounds[pair], bounds[pair + 1], TILE_ROWS):
            yield pair, low, min(low + TILE_ROWS, bounds[pair + 1])
