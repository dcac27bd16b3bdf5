"""Kernels of the rounds: sixteen at a time, one cache line of float32 weights a voter."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ratings import draws, passes
from ratings.kernels.compiling import compiled, expit_single, log_double, prefetch
from ratings.passes import Packed, Single, Sums
from ratings.scale import Floats

LANES = 16
AHEAD = 12  # rows between asking for a voter's weights and using them
TAYLOR = np.float32(0.25)  # change of log-odds within which five terms of the sigmoid's series err below 1e-7
# Signed indices would be checked for wrapping round on every access.
u64, f32 = np.uint64, np.float32
EMPTY = np.zeros((0, LANES))


def first(rows: Packed, lanes: Single) -> Sums:
    """`passes.first`."""
    pairs = (len(rows.starts) - 1, LANES)
    residual, info, third = np.zeros((3, *pairs))
    out = Sums(residual, info, third, np.zeros((rows.x.shape[1], LANES)), EMPTY, EMPTY)
    _first(rows.x.shape[1])(*_codes(rows), rows.first, rows.x, lanes, residual, info, third, out.own)
    return out


def gradient(rows: Packed, lanes: Single, d: Single, c: Single, at: Sums) -> tuple[Floats, Floats]:
    """`passes.gradient`."""
    residual, own = np.zeros(d.shape), np.zeros(c.shape)
    _gradient(rows.x.shape[1])(
        *_codes(rows), rows.z, rows.p, rows.y, rows.w, rows.x, lanes, d, c, rows.reach, residual, own
    )
    return residual, own


def weighted_sums(starts: passes.Starts, voter: passes.Codes, columns: Floats, lanes: Single) -> Floats:
    """`passes.weighted_sums`."""
    out = np.zeros((columns.shape[1], len(starts) - 1, LANES))
    _weighted_sums(starts.astype(u64), voter.view(np.uint32), columns, lanes, out)
    return out


def exponentials(groups: int, word: np.uint64, first_round: int, lanes: int) -> Single:
    """`draws.exponentials`."""
    out = np.empty((groups, lanes), dtype=np.float32)
    _exponentials(word, u64(first_round), out)
    return out


def _codes(rows: Packed) -> tuple[np.ndarray, np.ndarray]:
    return rows.starts.astype(u64), rows.voter.view(np.uint32)


@cache
def _first(features: int) -> Any:
    """The kernel for that many covariates; a constant lets the compiler unroll."""
    width = u64(features)

    def kernel(
        starts: Any,
        voter: Any,
        one: Any,
        x: Any,
        lanes: Any,
        residual: Any,
        info: Any,
        third: Any,
        own: Any,
    ) -> None:
        acc = np.empty((3 + features, LANES), np.float32)
        last = voter.shape[0] - 1
        for p in range(u64(starts.shape[0] - 1)):
            acc[:] = f32(0)
            for i in range(starts[p], starts[p + u64(1)]):
                prefetch(lanes, voter[min(i + u64(AHEAD), u64(last))])
                v = voter[i]
                for j in range(LANES):
                    w = lanes[v, u64(j)]
                    acc[u64(0), u64(j)] += w * one[i, u64(0)]
                    acc[u64(1), u64(j)] += w * one[i, u64(1)]
                    acc[u64(2), u64(j)] += w * one[i, u64(2)]
                    for f in range(width):
                        acc[u64(f) + u64(3), u64(j)] += w * (one[i, u64(0)] * x[i, u64(f)])
            for j in range(LANES):
                residual[p, u64(j)] = acc[u64(0), u64(j)]
                info[p, u64(j)] = acc[u64(1), u64(j)]
                third[p, u64(j)] = acc[u64(2), u64(j)]
                for f in range(width):
                    own[u64(f), u64(j)] += acc[u64(f) + u64(3), u64(j)]

    return compiled(kernel)


@cache
def _gradient(features: int) -> Any:
    """Near the full fit by the series of the sigmoid at the full fit, elsewhere by the sigmoid."""
    width = u64(features)

    def kernel(
        starts: Any,
        voter: Any,
        z: Any,
        chance: Any,
        y: Any,
        w: Any,
        x: Any,
        lanes: Any,
        d: Any,
        c: Any,
        reach: Any,
        residual: Any,
        own: Any,
    ) -> None:
        acc = np.empty((1 + features, LANES), np.float32)
        here = np.empty(LANES, np.float32)
        last = voter.shape[0] - 1
        style = f32(0)
        for f in range(width):
            most = f32(0)
            for j in range(LANES):
                most = max(most, abs(c[u64(f), u64(j)]))
            style += most * reach[u64(f)]
        for p in range(u64(starts.shape[0] - 1)):
            acc[:] = f32(0)
            far = f32(0)
            for j in range(LANES):
                here[u64(j)] = d[p, u64(j)]
                far = max(far, abs(d[p, u64(j)]))
            if far + style < TAYLOR:
                for i in range(starts[p], starts[p + u64(1)]):
                    prefetch(lanes, voter[min(i + u64(AHEAD), u64(last))])
                    v = voter[i]
                    p0 = chance[i]
                    q = p0 - p0 * p0
                    u = f32(1) - p0 - p0
                    a0 = w[i] * (y[i] - p0)
                    a1 = -w[i] * q
                    a2 = a1 * u * f32(1 / 2)
                    a3 = a1 * (f32(1) - f32(6) * q) * f32(1 / 6)
                    a4 = a1 * u * (f32(1) - f32(12) * q) * f32(1 / 24)
                    a5 = a1 * (f32(1) - f32(30) * q + f32(120) * q * q) * f32(1 / 120)
                    for j in range(LANES):
                        e = here[u64(j)]
                        for f in range(width):
                            e += x[i, u64(f)] * c[u64(f), u64(j)]
                        r = (((((a5 * e + a4) * e + a3) * e + a2) * e + a1) * e + a0) * lanes[v, u64(j)]
                        acc[u64(0), u64(j)] += r
                        for f in range(width):
                            acc[u64(f) + u64(1), u64(j)] += r * x[i, u64(f)]
            else:
                for i in range(starts[p], starts[p + u64(1)]):
                    prefetch(lanes, voter[min(i + u64(AHEAD), u64(last))])
                    v = voter[i]
                    for j in range(LANES):
                        e = here[u64(j)] + z[i]
                        for f in range(width):
                            e += x[i, u64(f)] * c[u64(f), u64(j)]
                        r = w[i] * (y[i] - expit_single(e)) * lanes[v, u64(j)]
                        acc[u64(0), u64(j)] += r
                        for f in range(width):
                            acc[u64(f) + u64(1), u64(j)] += r * x[i, u64(f)]
            for j in range(LANES):
                residual[p, u64(j)] = acc[u64(0), u64(j)]
                for f in range(width):
                    own[u64(f), u64(j)] += acc[u64(f) + u64(1), u64(j)]

    return compiled(kernel)


@compiled
def _weighted_sums(starts: Any, voter: Any, columns: Any, lanes: Any, out: Any) -> None:
    acc = np.empty((columns.shape[1], LANES))
    last = voter.shape[0] - 1
    for p in range(u64(starts.shape[0] - 1)):
        acc[:] = 0.0
        for i in range(starts[p], starts[p + u64(1)]):
            prefetch(lanes, voter[min(i + u64(AHEAD), u64(last))])
            v = voter[i]
            for c in range(u64(columns.shape[1])):
                value = columns[i, u64(c)]
                for j in range(LANES):
                    acc[u64(c), u64(j)] += value * lanes[v, u64(j)]
        for c in range(u64(columns.shape[1])):
            for j in range(LANES):
                out[u64(c), p, u64(j)] = acc[u64(c), u64(j)]


@compiled
def _exponentials(word: Any, first_round: Any, out: Any) -> None:
    half = u64(32)
    uniform = np.empty(out.shape[1])
    for g in range(u64(out.shape[0])):
        for j in range(u64(out.shape[1])):
            counter = (g << u64(draws.ROUND_BITS)) + first_round + j
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
