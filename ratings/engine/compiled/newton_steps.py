"""Kernels of the steps of many rounds: their information, its factors, and solutions, a round's matrix in cache."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ratings.engine.compiled.compiling import compiled
from ratings.engine.compiled.vectors import LANES, TILE, sum_rows
from ratings.engine.reference.newton_steps import Sums
from ratings.engine.reference.pairs import Codes
from ratings.engine.reference.rounds import Cells, Single
from ratings.scale import Floats

SMALL_PIVOT = 1e-3  # share of its diagonal entry, below which too little of a pivot's float32 is left
u64, f32 = np.uint64, np.float32


def start(cells: Cells, pair_a: Codes, pair_b: Codes, models: int, lanes: Single) -> tuple[Sums, Floats]:
    """`factors.start`, in float32."""
    features = cells.columns.shape[1] - 3
    sums = np.empty((3, len(pair_a), LANES), dtype=np.float32)
    edge = np.zeros((models, features, LANES))
    _start(features)(
        cells.starts.astype(u64), cells.voter.view(np.uint32), cells.columns, lanes, pair_a.view(np.uint32),
        pair_b.view(np.uint32), sums, edge,
    )  # fmt: skip
    return sums, np.ascontiguousarray(edge.transpose(2, 0, 1))


def factor(pair_a: Codes, pair_b: Codes, q: Sums, edge: Floats, corner: Floats) -> Sums:
    """`factors.factor`, in float32 where that suffices: to exact gradients, steps good to three digits or more."""
    lanes, k, f = edge.shape
    for kind in (np.float32, np.float64):
        out = np.empty((lanes, k + f, k + f), dtype=kind)
        _fill(pair_a.view(np.uint32), pair_b.view(np.uint32), q, edge, corner, out)
        try:
            if _factor(out) > SMALL_PIVOT:
                break
        except np.linalg.LinAlgError:
            if kind is np.float64:
                raise
    return out


def solve(factors: Sums, gradient: Floats) -> Floats:
    """`factors.solve`."""
    out = gradient.astype(factors.dtype)
    _solve(factors, out)
    return out.astype(np.float64)


def bends(pair_a: Codes, pair_b: Codes, t: Sums, step: Floats) -> Floats:
    """`factors.bends`."""
    theta = np.ascontiguousarray(step.T)
    out = np.zeros_like(theta)
    _bends(pair_a.view(np.uint32), pair_b.view(np.uint32), t, theta, out)
    return np.ascontiguousarray(out.T)


@cache
def _start(features: int) -> Any:
    """The kernel for that many covariates."""
    # Sums of all columns at once do not fit the registers.
    half = (4 + features) // 2
    width = 3 + features
    rest = width - half

    def kernel(
        starts: Any, voter: Any, columns: Any, lanes: Any, pair_a: Any, pair_b: Any, sums: Any, edge: Any
    ) -> None:
        first = np.empty((half, LANES), np.float32)
        second = np.empty((rest, LANES), np.float32)
        whole = np.empty((width, LANES))
        for p in range(u64(pair_a.shape[0])):
            whole[:] = 0.0
            for low in range(starts[p], starts[p + u64(1)], u64(TILE)):
                high = min(low + u64(TILE), starts[p + u64(1)])
                first[:] = f32(0)
                second[:] = f32(0)
                sum_rows(voter, columns, lanes, low, high, first, 0, half, width)
                sum_rows(voter, columns, lanes, low, high, second, half, rest, width)
                for c in range(u64(half)):
                    for j in range(u64(LANES)):
                        whole[c, j] += first[c, j]
                for c in range(u64(rest)):
                    for j in range(u64(LANES)):
                        whole[c + u64(half), j] += second[c, j]
            a, b = pair_a[p], pair_b[p]
            for c in range(u64(3)):
                for j in range(u64(LANES)):
                    sums[c, p, j] = whole[c, j]
            for f in range(u64(features)):
                for j in range(u64(LANES)):
                    edge[a, f, j] += whole[f + u64(3), j]
                    edge[b, f, j] -= whole[f + u64(3), j]

    return compiled(kernel)


@compiled
def _fill(pair_a: Any, pair_b: Any, q: Any, edge: Any, corner: Any, out: Any) -> None:
    """The upper triangles of the information."""
    lanes, k, features = u64(edge.shape[0]), u64(edge.shape[1]), u64(edge.shape[2])
    pairs = u64(pair_a.shape[0])
    level = np.zeros(lanes)
    own = np.zeros((k, lanes))
    for p in range(pairs):
        a, b = pair_a[p], pair_b[p]
        for j in range(lanes):
            own[a, j] += q[p, j]
            own[b, j] += q[p, j]
    for a in range(k):
        for j in range(lanes):
            level[j] += own[a, j] / (np.float64(k) * np.float64(k))
    here = u64(0)
    for a in range(k):
        after = here
        while after < pairs and pair_a[after] == a:
            after += u64(1)
        # The pairs of one model stay in the first cache while each round takes its own.
        for j in range(lanes):
            row = out[j, a]
            for b in range(a, k):
                row[b] = level[j]
            row[a] += own[a, j]
            for p in range(here, after):
                row[pair_b[p]] -= q[p, j]
            for f in range(features):
                row[k + f] = edge[j, a, f]
        here = after
    for j in range(lanes):
        for f in range(features):
            for g in range(features):
                out[j, k + f, k + g] = corner[j, f, g]


@compiled
def _factor(matrices: Any) -> Any:
    """Factors in place of matrices; the least share that any pivot is of its diagonal entry."""
    least = 1.0
    for j in range(matrices.shape[0]):
        # The transpose is the same matrix in the order of LAPACK, its lower triangle our upper.
        factor = np.linalg.cholesky(matrices[j].T).T
        for i in range(matrices.shape[1]):
            least = min(least, np.float64(factor[i, i]) ** 2 / matrices[j, i, i])
        matrices[j] = factor
    return least


@compiled
def _solve(factors: Any, values: Any) -> None:
    width = u64(values.shape[1])
    for j in range(u64(values.shape[0])):
        upper, x = factors[j], values[j]
        for i in range(width):
            x[i] /= upper[i, i]
            for g in range(i + u64(1), width):
                x[g] -= upper[i, g] * x[i]
        for done in range(width):
            last = width - u64(1) - done
            left = x[last]
            for g in range(last + u64(1), width):
                left -= upper[last, g] * x[g]
            x[last] = left / upper[last, last]


@compiled
def _bends(pair_a: Any, pair_b: Any, t: Any, theta: Any, out: Any) -> None:
    lanes = u64(theta.shape[1])
    bend = np.empty(lanes)
    for p in range(u64(len(pair_a))):
        a, b = pair_a[p], pair_b[p]
        for j in range(lanes):
            d = theta[a, j] - theta[b, j]
            bend[j] = -0.5 * t[p, j] * d * d
        for j in range(lanes):
            out[a, j] += bend[j]
            out[b, j] -= bend[j]
