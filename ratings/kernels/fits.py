"""Kernels of the full fit, in float64: one pass over the rows, and the assembly of scores and information."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ratings import threads
from ratings.comparisons import Comparisons
from ratings.kernels.compiling import compiled, expit_double
from ratings.pairwise import Codes
from ratings.rowwise import RowSums
from ratings.scale import Floats

BLOCKS = 8  # of a pass over many rows, so that threads can share it
LARGE = 100_000  # rows from which that pays
TILE = 512  # rows whose values stay in the first cache
u64 = np.uint64


def rows(data: Comparisons, params: Floats) -> RowSums:
    """`rowwise.single`."""
    k, f, pairs = data.models, data.x.shape[1], len(data.pair_a)
    residual, q, cross = np.zeros(pairs), np.zeros(pairs), np.zeros((pairs, f))
    z, starts = params[data.pair_a] - params[data.pair_b], data.starts.astype(u64)

    def block(some: slice) -> tuple[Floats, Floats]:
        own, corner = np.zeros(f), np.zeros((f, f))
        bounds = starts[some.start : some.stop + 1]
        _rows(
            bounds, z[some], data.weight, data.score, data.x, params[k:],
            residual[some], q[some], cross[some], own, corner,
        )  # fmt: skip
        return own, corner

    # The same blocks on any machine, added in order: the same bits.
    parts = list(threads.in_order(block, _blocks(data.starts)))
    own, corner = (np.sum([part[place] for part in parts], axis=0) for place in (0, 1))
    return RowSums(residual[None], q[None], cross.T[:, None], own[None], corner[None])


def _blocks(starts: npt.NDArray[np.int64]) -> list[slice]:
    """Ranges of pairs with about equally many rows."""
    rows, pairs = int(starts[-1]), len(starts) - 1
    count = BLOCKS if rows > LARGE else 1
    bounds = np.searchsorted(starts, [rows * number // count for number in range(1, count)])
    return [slice(int(low), int(high)) for low, high in pairwise([0, *bounds, pairs]) if low < high]


def pairs(
    pair_a: Codes,
    pair_b: Codes,
    weight: Floats,
    score: Floats,
    params: Floats,
    gradient: Floats,
    information: Floats,
) -> None:
    """`pairwise.evaluate`."""
    z = params[:, pair_a] - params[:, pair_b]
    _residuals(z, weight, score, residual := np.empty_like(z), q := np.empty_like(z))
    _scatter(pair_a.view(np.uint32), pair_b.view(np.uint32), residual, q, gradient, information)


def scores(pair_a: Codes, pair_b: Codes, weight: Floats, score: Floats, params: Floats) -> Floats:
    """`pairwise.scores`."""
    theta = np.ascontiguousarray(params.T)
    out = np.zeros_like(theta)
    _scores(pair_a.view(np.uint32), pair_b.view(np.uint32), weight, score, theta, out)
    return np.ascontiguousarray(out.T)


def assemble(pair_a: Codes, pair_b: Codes, q: Floats, information: Floats) -> None:
    """`pairwise.assemble`."""
    # A round at a time, so that its information stays in cache.
    _assemble(pair_a.view(np.uint32), pair_b.view(np.uint32), np.ascontiguousarray(q.T), information)


def edges(pair_a: Codes, pair_b: Codes, models: int, values: Floats) -> Floats:
    """`pairwise.edges`."""
    out = np.zeros((models, len(values), values.shape[2]))
    _edges(pair_a.view(np.uint32), pair_b.view(np.uint32), values, out)
    return np.ascontiguousarray(out.transpose(2, 0, 1))


@compiled
def _assemble(pair_a: Any, pair_b: Any, q: Any, information: Any) -> None:
    for j in range(u64(q.shape[0])):
        for i in range(u64(q.shape[1])):
            a, b = pair_a[i], pair_b[i]
            information[j, a, a] += q[j, i]
            information[j, b, b] += q[j, i]
            information[j, a, b] -= q[j, i]


@compiled
def _edges(pair_a: Any, pair_b: Any, values: Any, out: Any) -> None:
    for c in range(u64(values.shape[0])):
        for i in range(u64(values.shape[1])):
            a, b = pair_a[i], pair_b[i]
            for j in range(u64(values.shape[2])):
                out[a, c, j] += values[c, i, j]
                out[b, c, j] -= values[c, i, j]


@compiled
def _scores(pair_a: Any, pair_b: Any, weight: Any, score: Any, theta: Any, out: Any) -> None:
    lanes = u64(theta.shape[1])
    z = np.empty(lanes)
    for i in range(u64(len(pair_a))):
        a, b = pair_a[i], pair_b[i]
        for j in range(lanes):
            z[j] = theta[a, j] - theta[b, j]
        for j in range(lanes):
            z[j] = score[i, j] - weight[i, j] * expit_double(z[j])
        for j in range(lanes):
            out[a, j] += z[j]
            out[b, j] -= z[j]


@compiled
def _residuals(z: Any, weight: Any, score: Any, residual: Any, q: Any) -> None:
    for j in range(u64(z.shape[0])):
        for i in range(u64(z.shape[1])):
            p = expit_double(z[j, i])
            residual[j, i] = score[j, i] - weight[j, i] * p
            q[j, i] = weight[j, i] * p * (1.0 - p)


@compiled
def _scatter(pair_a: Any, pair_b: Any, residual: Any, q: Any, gradient: Any, information: Any) -> None:
    for j in range(u64(residual.shape[0])):
        for i in range(u64(residual.shape[1])):
            a, b = pair_a[i], pair_b[i]
            gradient[j, a] += residual[j, i]
            gradient[j, b] -= residual[j, i]
            information[j, a, a] += q[j, i]
            information[j, b, b] += q[j, i]
            information[j, a, b] -= q[j, i]
            information[j, b, a] -= q[j, i]


@compiled
def _rows(
    starts: Any,
    z_pair: Any,
    weight: Any,
    score: Any,
    x: Any,
    coef: Any,
    residual: Any,
    info: Any,
    cross: Any,
    own: Any,
    corner: Any,
) -> None:
    features = u64(x.shape[1])
    z = np.empty(TILE)
    r = np.empty(TILE)
    q = np.empty(TILE)
    wide = np.empty((x.shape[1], TILE))
    for p in range(u64(starts.shape[0] - 1)):
        for low in range(starts[p], starts[p + u64(1)], u64(TILE)):
            m = min(u64(TILE), starts[p + u64(1)] - low)
            for i in range(m):
                z[i] = z_pair[p]
            for f in range(features):
                for i in range(m):
                    wide[f, i] = x[low + i, f]
                for i in range(m):
                    z[i] += coef[f] * wide[f, i]
            here = 0.0
            known = 0.0
            for i in range(m):
                chance = expit_double(z[i])
                r[i] = score[low + i] - weight[low + i] * chance
                q[i] = weight[low + i] * chance * (1.0 - chance)
                here += r[i]
                known += q[i]
            residual[p] += here
            info[p] += known
            for f in range(features):
                mine = 0.0
                across = 0.0
                for i in range(m):
                    mine += r[i] * wide[f, i]
                    across += q[i] * wide[f, i]
                own[f] += mine
                cross[p, f] += across
                for g in range(f + u64(1)):
                    both = 0.0
                    for i in range(m):
                        both += q[i] * wide[f, i] * wide[g, i]
                    corner[f, g] += both
                    if g != f:
                        corner[g, f] += both
