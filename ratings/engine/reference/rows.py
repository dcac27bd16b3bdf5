"""Scores and information from rows with covariates, in float64, for one fit or for many replicates.

The exact reference: fits with covariates where no compiled kernel is at hand, Davidson ties beside covariates,
and rounds too far from the full fit for `ratings.bradley_terry.one_step`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise as neighbours
from typing import Literal

import numpy as np
import numpy.typing as npt

from ratings.design.comparisons import Comparisons
from ratings.engine.reference import davidson
from ratings.engine.reference import pairs as reference_pairs
from ratings.scale import Floats

How = Literal["exact", "single_precision", "scores"]
BLOCK_ROWS = 4096  # rows of a block stay in cache


@dataclass(frozen=True)
class RowSums:
    """Sums of one pass: per pair, and of the E further parameters."""

    residual: Floats  # (L, P)
    q: Floats  # (L, P)
    cross_by_pair: Floats  # (E, L, P)
    score_coef: Floats  # (L, E)
    information_coef: Floats  # (L, E, E)
    max_abs_shift: Floats | None = None  # (E,) the largest |x|, where a pass at zero saw it


def sums(
    data: Comparisons, params: Floats, replicates: Floats | None, *, ties: bool, scale: Floats | None = None
) -> RowSums:
    """The sums at `params` (L, D); `replicates` (G, L) multiplies each group's votes, None leaves them as they are.

    Covariates are divided by `scale` (F,) if there is one.
    """
    factor = None if scale is None else data.factor(scale)
    count, pairs, k = len(params), len(data.pair_a), data.models
    extra = params.shape[1] - k
    out = RowSums(
        np.zeros((count, pairs)),
        np.zeros((count, pairs)),
        np.zeros((extra, count, pairs)),
        np.zeros((count, extra)),
        np.zeros((count, extra, extra)),
    )
    z = params[:, data.pair_a] - params[:, data.pair_b]
    for first, last in blocks(data.starts):
        _add(out, _block(data, replicates, first, last, factor), z, params[:, k:], ties)
    return out


def single(data: Comparisons, params: Floats, scale: Floats, how: How = "exact") -> RowSums:
    """The sums of the votes as they are at `params` (D,), ties as half wins, covariates divided by `scale` (F,).

    `how`: kernels may sum `single_precision` in float32, to five digits, or only `scores`, q, cross and corner left at zero.
    """
    return sums(data, params[None], None, ties=False, scale=scale)


def blocks(starts: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of whole pairs of about `BLOCK_ROWS` rows."""
    bounds = [0]
    last = len(starts) - 1
    while bounds[-1] < last:
        reached = int(np.searchsorted(starts, starts[bounds[-1]] + BLOCK_ROWS, side="right")) - 1
        bounds.append(min(max(reached, bounds[-1] + 1), last))
    return list(neighbours(bounds))


@dataclass(frozen=True)
class _Block:
    """The rows of a range of pairs, and their weights, scores and ties in each replicate, (m, L)."""

    pairs: slice
    lengths: np.ndarray  # rows of each pair
    x: Floats
    weight: Floats
    score: Floats
    ties: Floats

    def per_pair(self, values: Floats) -> Floats:
        starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        return np.asarray(np.add.reduceat(values, starts, axis=0).T)


def _block(
    data: Comparisons,
    replicates: Floats | None,
    first: int,
    last: int,
    multiplier: npt.NDArray[np.float32] | None,
) -> _Block:
    starts = data.starts[first : last + 1]
    rows = slice(int(starts[0]), int(starts[-1]))
    factor = np.ones((rows.stop - rows.start, 1)) if replicates is None else replicates[data.voter[rows]]
    x = data.x[rows] if multiplier is None else data.x[rows] * multiplier
    return _Block(
        pairs=slice(first, last),
        lengths=np.diff(starts),
        x=x.astype(np.float64),
        weight=data.weight[rows, None] * factor,
        score=data.score[rows, None] * factor,
        ties=data.ties[rows, None] * factor,
    )


def _add(out: RowSums, block: _Block, z_pair: Floats, tail: Floats, ties: bool) -> None:
    """Add one block to `out`; `tail` (L, E) are the further parameters."""
    x, f = block.x, block.x.shape[1]
    z = np.repeat(z_pair[:, block.pairs].T, block.lengths, axis=0) + x @ tail[:, :f].T
    if ties:
        at = davidson.moments(z, tail[:, -1])
        r, q = block.score - block.weight * at.score, block.weight * at.score_var
        _add_ties(out, block, at)
    else:
        p = reference_pairs.expit(z)
        r, q = block.score - block.weight * p, block.weight * p * (1.0 - p)
    out.residual[:, block.pairs] = block.per_pair(r)
    out.q[:, block.pairs] = block.per_pair(q)
    products = (x[:, :, None] * x[:, None, :]).reshape(len(x), f * f)
    out.score_coef[:, :f] += (x.T @ r).T
    out.information_coef[:, :f, :f] += (products.T @ q).T.reshape(q.shape[1], f, f)
    for column in range(f):
        out.cross_by_pair[column][:, block.pairs] = block.per_pair(q * x[:, [column]])


def _add_ties(out: RowSums, block: _Block, at: davidson.Moments) -> None:
    """Add what belongs to log nu, the last parameter."""
    both = block.weight * at.covariance
    information_cross = (block.x.T @ both).T
    out.cross_by_pair[-1][:, block.pairs] = block.per_pair(both)
    out.score_coef[:, -1] += (block.ties - block.weight * at.tie).sum(axis=0)
    out.information_coef[:, :-1, -1] += information_cross
    out.information_coef[:, -1, :-1] += information_cross
    out.information_coef[:, -1, -1] += (block.weight * at.tie_var).sum(axis=0)
