"""Kernels of the rounds: sixteen at a time, one cache line of float32 weights a voter."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ratings.engine.compiled.compiling import compiled, log_double
from ratings.engine.compiled.vectors import REPLICATES, TERMS, TILE, sum_exact, sum_rows, sum_series
from ratings.engine.reference import rounds, weights
from ratings.engine.reference.rounds import RowsAtFit, Single, VoterPairSums
from ratings.scale import Floats

TAYLOR = np.float32(0.25)  # change of log-odds within which five terms of the sigmoid's series err below 1e-7
# Signed indices would be checked for wrapping round on every access.
u64, f32 = np.uint64, np.float32


def voter_pair_sums(rows: RowsAtFit) -> VoterPairSums:
    """`passes.voter_pair_sums`."""
    f, voters = rows.x.shape[1], int(rows.voter.max(initial=-1)) + 1
    starts = np.zeros(len(rows.starts), dtype=np.uint64)
    _count_cells(*_codes(rows), starts)
    columns = np.zeros((int(starts[-1]), 3 + f), dtype=np.float32)
    voter = np.zeros(len(columns), dtype=np.int32)
    score_coef, information_coef = np.zeros((voters, f)), np.zeros((voters, f * f))
    _cells(*_codes(rows), rows.y, rows.w, rows.p, rows.x, voter, columns, score_coef, information_coef)
    return VoterPairSums(starts.astype(np.int64), voter, columns, score_coef, information_coef)


def gradient(rows: RowsAtFit, replicates: Single, d: Single, c: Single) -> tuple[Floats, Floats]:
    """`passes.gradient`."""
    residual, score_coef = np.zeros(d.shape), np.zeros(c.shape)
    _gradient(rows.x.shape[1])(
        *_codes(rows),
        rows.z,
        rows.p,
        rows.y,
        rows.w,
        rows.x,
        replicates,
        d,
        c,
        rows.max_abs_shift,
        residual,
        score_coef,
    )
    return residual, score_coef


def weighted_sums(
    starts: rounds.Starts, voter: rounds.Codes, columns: rounds.Values, replicates: Single
) -> Floats:
    """`passes.weighted_sums`."""
    out = np.empty((columns.shape[1], len(starts) - 1, REPLICATES))
    _weighted_sums(columns.shape[1])(starts.astype(u64), voter.view(np.uint32), columns, replicates, out)
    return out


def exponentials(groups: int, word: np.uint64, first_round: int, replicates: int) -> Single:
    """`draws.exponentials`."""
    out = np.empty((groups, replicates), dtype=np.float32)
    _exponentials(word, u64(first_round), out)
    return out


def _codes(rows: RowsAtFit) -> tuple[np.ndarray, np.ndarray]:
    return rows.starts.astype(u64), rows.voter.view(np.uint32)


@compiled
def _count_cells(starts: Any, voter: Any, out: Any) -> None:
    for p in range(u64(starts.shape[0] - 1)):
        count = u64(0)
        for i in range(starts[p], starts[p + u64(1)]):
            if i == starts[p] or voter[i] != voter[i - u64(1)]:
                count += u64(1)
        out[p + u64(1)] = out[p] + count


@compiled
def _cells(
    starts: Any,
    voter: Any,
    y: Any,
    w: Any,
    chance: Any,
    x: Any,
    who: Any,
    columns: Any,
    score_coef: Any,
    information_coef: Any,
) -> None:
    width = u64(x.shape[1])
    here = u64(0)
    for p in range(u64(starts.shape[0] - 1)):
        for i in range(starts[p], starts[p + u64(1)]):
            v = voter[i]
            if i > u64(0) and (i == starts[p] or v != voter[i - u64(1)]):
                here += u64(1)
            who[here] = v
            r = w[i] * (y[i] - chance[i])
            q = w[i] * chance[i] * (f32(1) - chance[i])
            columns[here, u64(0)] += r
            columns[here, u64(1)] += q
            columns[here, u64(2)] += q * (f32(1) - chance[i] - chance[i])
            for f in range(width):
                columns[here, f + u64(3)] += q * x[i, f]
                score_coef[v, f] += np.float64(r) * x[i, f]
                for g in range(width):
                    information_coef[v, f * width + g] += np.float64(q) * x[i, f] * x[i, g]


@cache
def _gradient(features: int) -> Any:
    """Near the full fit by the series of the sigmoid at the full fit, elsewhere by the sigmoid."""

    def kernel(
        starts: Any,
        voter: Any,
        z: Any,
        chance: Any,
        y: Any,
        w: Any,
        x: Any,
        replicates: Any,
        d: Any,
        c: Any,
        max_abs_shift: Any,
        residual: Any,
        score_coef: Any,
    ) -> None:
        acc, r = np.empty((1 + features, REPLICATES), np.float32), np.empty((TILE, REPLICATES), np.float32)
        terms = np.empty((TERMS, TILE), np.float32)
        style = f32(0)
        for f in range(u64(features)):
            style += np.abs(c[f]).max() * max_abs_shift[f]
        for p in range(u64(starts.shape[0] - 1)):
            here = d[p : p + u64(1)]
            near = np.abs(here).max() + style < TAYLOR
            for low in range(starts[p], starts[p + u64(1)], u64(TILE)):
                high = min(low + u64(TILE), starts[p + u64(1)])
                acc[:] = f32(0)
                if near:
                    _series(chance, y, w, low, high, terms)
                    sum_series(voter, terms, x, replicates, here, c, low, high, r, acc, features)
                else:
                    sum_exact(voter, z, y, w, x, replicates, here, c, low, high, r, acc, features)
                for j in range(u64(REPLICATES)):
                    residual[p, j] += acc[u64(0), j]
                    for f in range(u64(features)):
                        score_coef[f, j] += acc[f + u64(1), j]

    return compiled(kernel)


@compiled
def _series(chance: Any, y: Any, w: Any, low: Any, high: Any, terms: Any) -> None:
    """The coefficients of w (y - sigmoid(logit(p) + e)) in e, of the fifth power first."""
    for i in range(high - low):
        p = chance[low + i]
        slope = w[low + i] * (p * p - p)
        u = f32(1) - p - p
        u2 = u * u
        # In u = 1 - 2 p the derivatives of the sigmoid are its slope times these.
        terms[0, i] = slope * (u2 * (f32(7.5 / 120) * u2 - f32(7.5 / 120)) + f32(1 / 120))
        terms[1, i] = slope * u * (u2 * f32(3 / 24) - f32(2 / 24))
        terms[2, i] = slope * (u2 * f32(1.5 / 6) - f32(0.5 / 6))
        terms[3, i] = slope * u * f32(1 / 2)
        terms[4, i] = slope
        terms[5, i] = w[low + i] * (y[low + i] - p)


@cache
def _weighted_sums(count: int) -> Any:
    """The kernel for that many columns, in floats of their kind."""

    def kernel(starts: Any, voter: Any, columns: Any, replicates: Any, out: Any) -> None:
        acc = np.empty((count, REPLICATES), columns.dtype)
        whole = np.empty((count, REPLICATES))
        for p in range(u64(starts.shape[0] - 1)):
            whole[:] = 0.0
            for low in range(starts[p], starts[p + u64(1)], u64(TILE)):
                acc[:] = 0
                high = min(low + u64(TILE), starts[p + u64(1)])
                sum_rows(voter, columns, replicates, low, high, acc, 0, count, count)
                for c in range(u64(count)):
                    for j in range(u64(REPLICATES)):
                        whole[c, j] += acc[c, j]
            for c in range(u64(count)):
                for j in range(u64(REPLICATES)):
                    out[c, p, j] = whole[c, j]

    return compiled(kernel)


@compiled
def _exponentials(word: Any, first_round: Any, out: Any) -> None:
    half = u64(32)
    uniform = np.empty(out.shape[1])
    for g in range(u64(out.shape[0])):
        for j in range(u64(out.shape[1])):
            counter = (g << u64(weights.ROUND_BITS)) + first_round + j
            x = counter * word
            y = x
            z = y + word
            x = x * x + y
            x = (x >> half) | (x << half)
            x = x * x + z
            x = (x >> half) | (x << half)
            x = x * x + y
            x = (x >> half) | (x << half)
            # In float64: in float32 a uniform could round to one, and the weight to nothing.
            uniform[j] = (np.float64(np.int64((x * x + z) >> half)) + 0.5) * 2.0**-32
        for j in range(u64(out.shape[1])):
            out[g, j] = f32(-log_double(uniform[j]))
