"""One pass over the rows for many rounds at once, in numpy: the reference and the fallback of `ratings.engine.compiled.kernels`.

A round multiplies each voter's votes by a weight W. Around the full fit, z = z0 + d[pair] + x . c, and

    residual = sum_i W w (y - p),   q = sum_i W w p (1 - p),   t = sum_i W w p (1 - p) (1 - 2 p)   per pair,
    own = sum_i W w (y - p) x   over all rows.

Rows are sorted by pair. Weights and covariates are float32, on small data float64; what leaves a pass is float64.
Almost all work is done on blocks of rows that stay in cache, most of it by matrix products; the one slow step is exp,
which `ratings.odds` does without where it can.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ratings.design.comparisons import Comparisons, runs
from ratings.scale import Floats

REPLICATES = 64  # rounds of one pass: wide enough to hide Python's own time
BLOCK_ROWS = (
    2048  # with their replicates they stay near, float32 sums short, and Python takes little of the time
)
SMALL_ROWS = 200_000  # below, float64 costs little
Single = npt.NDArray[np.float32]
Values = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Starts = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class RowsAtFit:
    """The rows of a component at its full fit."""

    starts: Starts  # (P + 1,)
    voter: Codes  # (n,)
    y: Values  # (n,) a's share of the row
    w: Values  # (n,) the row's weight
    x: Values  # (n, F)
    z: Values  # (n,) log-odds at the full fit
    p: Values  # (n,) chance of a at the full fit
    max_abs_shift: Values  # (F,) the largest |x|


@dataclass(frozen=True)
class VoterPairSums:
    """Sums at the full fit of the rows of one voter on one pair, and of all rows of one voter."""

    starts: Starts  # (P + 1,) cells of a pair
    voter: Codes  # (m,)
    columns: Values  # (m, 3 + F) the cell's part of residual, q, t, and of q x
    score_coef: Floats  # (G, F) the voter's part of own
    information_coef: Floats  # (G, F * F) and of sum_i w p (1 - p) x x'


def rows_at_fit(
    data: Comparisons, theta: Floats, coef: Floats, kind: npt.DTypeLike = np.float32
) -> RowsAtFit:
    """The rows of `data` at `theta` (K,) and `coef` (F,), in floats of that kind."""
    x = np.ascontiguousarray(data.x, dtype=kind)
    z = np.repeat(theta[data.pair_a] - theta[data.pair_b], np.diff(data.starts))
    z += x @ coef
    return RowsAtFit(
        starts=data.starts,
        voter=data.voter,
        y=(data.score / data.weight).astype(kind),
        w=data.weight.astype(kind),
        x=x,
        z=z.astype(kind),
        p=(0.5 + 0.5 * np.tanh(0.5 * z)).astype(kind),
        max_abs_shift=data.max_abs.astype(kind),
    )


def voter_pair_sums(rows: RowsAtFit) -> VoterPairSums:
    """What the first step of every round is summed from."""
    pair = np.repeat(np.arange(len(rows.starts) - 1, dtype=np.int32), np.diff(rows.starts))
    starts = runs(pair, rows.voter)
    first = starts[:-1]
    residual, q = rows.w * (rows.y - rows.p), rows.w * rows.p * (1 - rows.p)
    columns = [residual, q, q * (1 - 2 * rows.p), *(q * x for x in rows.x.T)]
    voters = int(rows.voter.max(initial=-1)) + 1

    def by_voter(values: Values) -> Floats:
        return np.asarray(np.bincount(rows.voter, weights=values, minlength=voters), dtype=np.float64)

    return VoterPairSums(
        starts=np.searchsorted(pair[first], np.arange(len(rows.starts))).astype(np.int64),
        voter=rows.voter[first],
        columns=np.column_stack([np.add.reduceat(column, first) for column in columns]),
        score_coef=np.column_stack([by_voter(residual * x) for x in rows.x.T]),
        information_coef=np.column_stack([by_voter(column * x) for column in columns[3:] for x in rows.x.T]),
    )


def gradient(rows: RowsAtFit, replicates: Single, d: Values, c: Values) -> tuple[Floats, Floats]:
    """`residual` (P, L) and `score_coef` (F, L) at z0 + d[pair] + x . c, for d (P, L) and c (F, L)."""
    residual, score_coef = np.zeros(d.shape), np.zeros(c.shape)
    one = rows.z.dtype.type(1.0)
    replicates = replicates.astype(rows.z.dtype, copy=False)
    pair = np.repeat(np.arange(len(d)), np.diff(rows.starts))
    left, weight = np.empty((2, BLOCK_ROWS, c.shape[1]), dtype=rows.z.dtype)
    with np.errstate(over="ignore"):
        for block in _blocks(rows.starts):
            e, wide = left[: block.count], weight[: block.count]
            x: Values = rows.x[block.rows].T.copy()
            np.matmul(x.T, c, out=e)
            d.take(pair[block.rows], axis=0, out=wide, mode="clip")
            e += wide
            e += rows.z[block.rows, None]
            np.exp(np.negative(e, out=e), out=e)
            e += one
            np.divide(-one, e, out=e)
            e += rows.y[block.rows, None]
            replicates.take(rows.voter[block.rows], axis=0, out=wide, mode="clip")
            e *= wide
            w = rows.w[block.rows]
            sums = block.sums(np.concatenate([w[None], x * w]), e)
            residual[block.pairs] += sums[:, 0]
            score_coef += sums[:, 1:].sum(axis=0, dtype=np.float64)
    return residual, score_coef


def weighted_sums(starts: Starts, voter: Codes, columns: Values, replicates: Single) -> Floats:
    """(C, P, L) the pair sums of each column (m, C), each row times its voter's weights (G, L)."""
    out = np.zeros((columns.shape[1], len(starts) - 1, replicates.shape[1]))
    replicates = replicates.astype(columns.dtype, copy=False)
    weight = np.empty((BLOCK_ROWS, replicates.shape[1]), dtype=replicates.dtype)
    for block in _blocks(starts):
        wide = weight[: block.count]
        replicates.take(voter[block.rows], axis=0, out=wide, mode="clip")
        out[:, block.pairs] += block.sums(columns[block.rows].T, wide).transpose(1, 0, 2)
    return out


@dataclass(frozen=True)
class _Block:
    """Some rows: those of a range of pairs, or some of one pair."""

    pairs: slice
    rows: slice
    cuts: list[int]  # (pairs + 1,) where in the block each pair starts

    @property
    def count(self) -> int:
        return self.cuts[-1]

    def sums(self, columns: Values, wide: Values) -> Values:
        """(pairs, C, L) each pair's sums of columns (C, rows) times values (rows, L)."""
        out = np.empty((len(self.cuts) - 1, len(columns), wide.shape[1]), dtype=wide.dtype)
        for place, (low, high) in enumerate(pairwise(self.cuts)):
            np.matmul(columns[:, low:high], wide[low:high], out=out[place])
        return out


def _blocks(starts: Starts) -> Iterator[_Block]:
    """All rows in order, at most `BLOCK_ROWS` at a time."""
    bounds = starts.tolist()
    first, last = 0, len(bounds) - 1
    while first < last:
        low = bounds[first]
        end = max(bisect_right(bounds, low + BLOCK_ROWS) - 1, first + 1)
        pairs = slice(first, end)
        if bounds[end] - low <= BLOCK_ROWS:
            yield _Block(pairs, slice(low, bounds[end]), [bound - low for bound in bounds[first : end + 1]])
        else:
            for some in range(low, bounds[end], BLOCK_ROWS):
                high = min(some + BLOCK_ROWS, bounds[end])
                yield _Block(pairs, slice(some, high), [0, high - some])
        first = end
