"""Kernels of the rows at the full fit: chances, and the residuals and information they leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ratings.design import threads
from ratings.design.comparisons import Comparisons
from ratings.engine.compiled import by_voter
from ratings.engine.compiled.compiling import compiled, expit_double
from ratings.engine.compiled.vectors import TILE
from ratings.engine.reference import jackknife, rounds
from ratings.engine.reference.jackknife import RowTerms
from ratings.engine.reference.rounds import RowsAtFit
from ratings.scale import Floats

SHARED = 8  # blocks of pairs, for threads to share
u64, f32 = np.uint64, np.float32


def terms(data: Comparisons, params: Floats, *, ties: bool) -> RowTerms:
    """`leverage.terms`; Davidson ties go there."""
    if ties:
        return jackknife.terms(data, params, ties=ties)
    # Both of a row beside each other: voters' rows lie far apart.
    out = np.empty((len(data.voter), 2))

    def block(starts: Any, pair_a: Any, pair_b: Any) -> None:
        _terms(starts, pair_a, pair_b, data.x, data.weight, data.score, params, u64(data.models), out)

    _in_blocks(data, block)
    return RowTerms(out[:, :1], out[:, 1:, None])


def rows_at_fit(
    data: Comparisons, theta: Floats, coef: Floats, kind: npt.DTypeLike = np.float32
) -> RowsAtFit:
    """`passes.rows_at_fit`; float64 goes there."""
    if kind != np.float32:
        return rounds.rows_at_fit(data, theta, coef, kind)
    x = np.ascontiguousarray(data.x, dtype=np.float32)
    y, w, z, p = (np.empty(len(x), dtype=np.float32) for _ in range(4))

    def block(starts: Any, pair_a: Any, pair_b: Any) -> None:
        _pack(starts, pair_a, pair_b, x, data.weight, data.score, theta, coef, y, w, z, p)

    _in_blocks(data, block)
    return RowsAtFit(
        starts=data.starts,
        voter=data.voter,
        y=y,
        w=w,
        x=x,
        z=z,
        p=p,
        max_abs_shift=data.max_abs.astype(np.float32),
    )


def _in_blocks(data: Comparisons, task: Callable[..., None]) -> None:
    """The task on blocks of pairs, each of which writes to rows of its own."""
    starts, pair_a, pair_b = data.starts.astype(u64), data.pair_a.view(np.uint32), data.pair_b.view(np.uint32)

    def block(some: slice) -> None:
        task(starts[some.start : some.stop + 1], pair_a[some], pair_b[some])

    count = SHARED if len(data.voter) > by_voter.LARGE else 1
    list(threads.in_order(block, by_voter.blocks(data.starts, count)))


@compiled
def _terms(
    starts: Any, pair_a: Any, pair_b: Any, x: Any, weight: Any, score: Any, params: Any, k: Any, out: Any
) -> None:
    z = np.empty(TILE)
    for p in range(u64(pair_a.shape[0])):
        for low in range(starts[p], starts[p + u64(1)], u64(TILE)):
            rows = min(u64(TILE), starts[p + u64(1)] - low)
            _odds(x, low, rows, params[pair_a[p]] - params[pair_b[p]], params[k:], z)
            for i in range(rows):
                z[i] = expit_double(z[i])
            for i in range(rows):
                here = weight[low + i] * z[i]
                out[low + i, 0] = score[low + i] - here
                out[low + i, 1] = here * (1.0 - z[i])


@compiled
def _pack(
    starts: Any, pair_a: Any, pair_b: Any, x: Any, weight: Any, score: Any, theta: Any, coef: Any, y: Any, w: Any,
    z: Any, chance: Any,
) -> None:  # fmt: skip
    odds = np.empty(TILE)
    for p in range(u64(pair_a.shape[0])):
        for low in range(starts[p], starts[p + u64(1)], u64(TILE)):
            rows = min(u64(TILE), starts[p + u64(1)] - low)
            _odds(x, low, rows, theta[pair_a[p]] - theta[pair_b[p]], coef, odds)
            for i in range(rows):
                z[low + i] = odds[i]
            for i in range(rows):
                odds[i] = expit_double(odds[i])
            for i in range(rows):
                chance[low + i] = odds[i]
                y[low + i] = score[low + i] / weight[low + i]
                w[low + i] = weight[low + i]


@compiled
def _odds(x: Any, low: Any, rows: Any, gap: Any, coef: Any, out: Any) -> None:
    """The log-odds of some rows of a pair."""
    for i in range(rows):
        z = gap
        for f in range(u64(x.shape[1])):
            z += x[low + i, f] * coef[f]
        out[i] = z
