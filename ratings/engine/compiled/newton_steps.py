"""Kernels of the steps of many rounds: their information, its factors, and solutions, a round's matrix in cache."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ratings.engine.compiled.compiling import compiled
from ratings.engine.compiled.vectors import REPLICATES, TILE, sum_rows
from ratings.engine.reference.newton_steps import Sums
from ratings.engine.reference.pairs import Codes
from ratings.engine.reference.rounds import Single, VoterPairSums
from ratings.scale import Floats

SMALL_PIVOT = 1e-3  # share of its diagonal entry, below which too little of a pivot's float32 is left
u64, f32 = np.uint64, np.float32


def start(
    voter_pair_sums: VoterPairSums, pair_a: Codes, pair_b: Codes, models: int, replicates: Single
) -> tuple[Sums, Floats]:
    """`factors.start`, in float32."""
    features = voter_pair_sums.columns.shape[1] - 3
    sums = np.empty((3, len(pair_a), REPLICATES), dtype=np.float32)
    information_cross = np.zeros((models, features, REPLICATES))
    _start(features)(
        voter_pair_sums.starts.astype(u64), voter_pair_sums.voter.view(np.uint32), voter_pair_sums.columns, replicates, pair_a.view(np.uint32),
        pair_b.view(np.uint32), sums, information_cross,
    )  # fmt: skip
    return sums, np.ascontiguousarray(information_cross.transpose(2, 0, 1))


def factor(
    pair_a: Codes, pair_b: Codes, q: Sums, information_cross: Floats, information_coef: Floats
) -> Sums:
    """`factors.factor`, in float32 where that suffices: to exact gradients, steps good to three digits or more."""
    replicates, k, f = information_cross.shape
    for kind in (np.float32, np.float64):
        out = np.empty((replicates, k + f, k + f), dtype=kind)
        _fill(pair_a.view(np.uint32), pair_b.view(np.uint32), q, information_cross, information_coef, out)
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


def third_derivative(pair_a: Codes, pair_b: Codes, t: Sums, step: Floats) -> Floats:
    """`factors.third_derivative`."""
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
        starts: Any,
        voter: Any,
        columns: Any,
        replicates: Any,
        pair_a: Any,
        pair_b: Any,
        sums: Any,
        information_cross: Any,
    ) -> None:
        first = np.empty((half, REPLICATES), np.float32)
        second = np.empty((rest, REPLICATES), np.float32)
        whole = np.empty((width, REPLICATES))
        for p in range(u64(pair_a.shape[0])):
            whole[:] = 0.0
            for low in range(starts[p], starts[p + u64(1)], u64(TILE)):
                high = min(low + u64(TILE), starts[p + u64(1)])
                first[:] = f32(0)
                second[:] = f32(0)
                sum_rows(voter, columns, replicates, low, high, first, 0, half, width)
                sum_rows(voter, columns, replicates, low, high, second, half, rest, width)
                for c in range(u64(half)):
                    for j in range(u64(REPLICATES)):
                        whole[c, j] += first[c, j]
                for c in range(u64(rest)):
                    for j in range(u64(REPLICATES)):
                        whole[c + u64(half), j] += second[c, j]
            a, b = pair_a[p], pair_b[p]
            for c in range(u64(3)):
                for j in range(u64(REPLICATES)):
                    sums[c, p, j] = whole[c, j]
            for f in range(u64(features)):
                for j in range(u64(REPLICATES)):
                    information_cross[a, f, j] += whole[f + u64(3), j]
                    information_cross[b, f, j] -= whole[f + u64(3), j]

    return compiled(kernel)


@compiled
def _fill(pair_a: Any, pair_b: Any, q: Any, information_cross: Any, information_coef: Any, out: Any) -> None:
    """The upper triangles of the information."""
    replicates, k, features = (
        u64(information_cross.shape[0]),
        u64(information_cross.shape[1]),
        u64(information_cross.shape[2]),
    )
    pairs = u64(pair_a.shape[0])
    level = np.zeros(replicates)
    diagonal = np.zeros((k, replicates))
    for p in range(pairs):
        a, b = pair_a[p], pair_b[p]
        for j in range(replicates):
            diagonal[a, j] += q[p, j]
            diagonal[b, j] += q[p, j]
    for a in range(k):
        for j in range(replicates):
            level[j] += diagonal[a, j] / (np.float64(k) * np.float64(k))
    here = u64(0)
    for a in range(k):
        after = here
        while after < pairs and pair_a[after] == a:
            after += u64(1)
        # The pairs of one model stay in the first cache while each round takes its own.
        for j in range(replicates):
            row = out[j, a]
            for b in range(a, k):
                row[b] = level[j]
            row[a] += diagonal[a, j]
            for p in range(here, after):
                row[pair_b[p]] -= q[p, j]
            for f in range(features):
                row[k + f] = information_cross[j, a, f]
        here = after
    for j in range(replicates):
        for f in range(features):
            for g in range(features):
                out[j, k + f, k + g] = information_coef[j, f, g]


@compiled
def _factor(matrices: Any) -> Any:
    """Factors in place of matrices; the least share that any pivot is of its diagonal entry."""
    min_information_ratio = 1.0
    for j in range(matrices.shape[0]):
        # The transpose is the same matrix in the order of LAPACK, its lower triangle our upper.
        factor = np.linalg.cholesky(matrices[j].T).T
        for i in range(matrices.shape[1]):
            min_information_ratio = min(
                min_information_ratio, np.float64(factor[i, i]) ** 2 / matrices[j, i, i]
            )
        matrices[j] = factor
    return min_information_ratio


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
    replicates = u64(theta.shape[1])
    curvature_step = np.empty(replicates)
    for p in range(u64(len(pair_a))):
        a, b = pair_a[p], pair_b[p]
        for j in range(replicates):
            d = theta[a, j] - theta[b, j]
            curvature_step[j] = -0.5 * t[p, j] * d * d
        for j in range(replicates):
            out[a, j] += curvature_step[j]
            out[b, j] -= curvature_step[j]
