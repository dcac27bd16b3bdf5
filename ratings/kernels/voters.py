"""Kernel of the jackknife: each voter's score, and how the fit would move without the voter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratings import leverage
from ratings.comparisons import Comparisons
from ratings.kernels.compiling import compiled
from ratings.leverage import Terms, Totals
from ratings.scale import Bools, Floats

u64 = np.uint64


def voters(data: Comparisons, at: Terms, information: Floats, inverse: Floats, apart: Bools) -> Totals:
    """`leverage.totals`; Davidson ties go there."""
    if at.residual.shape[1] == 2:
        return leverage.totals(data, at, information, inverse, apart)
    lengths = np.diff(data.starts)
    order = np.argsort(data.voter, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(data.voter, minlength=len(data.size)))])
    width = len(inverse)
    scores, weights, moves = np.zeros((3, width, width))
    _voters(
        offsets.astype(u64),
        np.repeat(data.pair_a, lengths)[order].astype(np.uint32),
        np.repeat(data.pair_b, lengths)[order].astype(np.uint32),
        data.x[order],
        at.residual[order, 0],
        at.q[order, 0, 0],
        data.size,
        apart,
        information,
        inverse,
        u64(data.models),
        scores,
        weights,
        moves,
    )
    return Totals(scores, moves + inverse @ weights @ inverse)


@compiled
def _voters(
    offsets: Any, a: Any, b: Any, x: Any, r: Any, q: Any, size: Any, apart: Any, information: Any, inverse: Any, k: Any,
    scores: Any, weights: Any, moves: Any,
) -> None:  # fmt: skip
    width = u64(inverse.shape[0])
    s = np.zeros(width)
    u = np.zeros(width)
    touched = np.empty(width, np.uint32)
    for g in range(u64(offsets.shape[0] - 1)):
        low, high = offsets[g], offsets[g + u64(1)]
        if high == low:
            continue
        count = _score(a, b, x, r, low, high, k, s, touched)
        _add_outer(s, touched, count, 1.0 / size[g], scores)
        if not apart[g]:
            if high - low <= width:
                y = _weights(a, b, x, r, q, low, high, k, float(size[g]), inverse)
                _combine(a, b, x, y, low, high, k, u)
                _add_outer(u, touched, count, float(size[g]), weights)
                _clear(u, touched, count)
            else:
                d = np.linalg.solve(information - _own(a, b, x, q, low, high, k, width), s)
                for i in range(width):
                    for j in range(width):
                        moves[i, j] += d[i] * d[j]
        _clear(s, touched, count)


@compiled
def _score(a: Any, b: Any, x: Any, r: Any, low: Any, high: Any, k: Any, s: Any, touched: Any) -> Any:
    """Add the voter's score to `s` and list the parameters it touches; how many they are."""
    count = u64(0)
    seen = np.zeros(k, np.bool_)
    for i in range(low, high):
        for side in (a[i], b[i]):
            if not seen[side]:
                seen[side] = True
                touched[count] = side
                count += u64(1)
    for f in range(u64(x.shape[1])):
        touched[count] = k + f
        count += u64(1)
    _combine(a, b, x, r[low:high], low, high, k, s)
    return count


@compiled
def _combine(a: Any, b: Any, x: Any, y: Any, low: Any, high: Any, k: Any, out: Any) -> None:
    """Add X' y of the voter's rows to `out`."""
    for i in range(high - low):
        out[a[low + i]] += y[i]
        out[b[low + i]] -= y[i]
        for f in range(u64(x.shape[1])):
            out[k + f] += y[i] * x[low + i, f]


@compiled
def _clear(values: Any, touched: Any, count: Any) -> None:
    for i in range(count):
        values[touched[i]] = 0.0


@compiled
def _add_outer(values: Any, touched: Any, count: Any, factor: Any, out: Any) -> None:
    for i in range(count):
        mine = factor * values[touched[i]]
        for j in range(count):
            out[touched[i], touched[j]] += mine * values[touched[j]]


@compiled
def _weights(
    a: Any, b: Any, x: Any, r: Any, q: Any, low: Any, high: Any, k: Any, size: Any, inverse: Any
) -> Any:
    """(m,) (I - Q A)^-1 r of one of the `size` equal voters, A = X M X', by Cholesky of I - Q^1/2 A Q^1/2."""
    m = high - low
    features = u64(x.shape[1])
    root = np.empty(m)
    y = np.empty(m)
    # A covariate's part of A: x_j . h_i + x_i . g_j, with g = M (e_a - e_b) and h = g + M x.
    g = np.empty((m, x.shape[1]))
    h = np.empty((m, x.shape[1]))
    for i in range(m):
        root[i] = np.sqrt(q[low + i] / size)
        y[i] = r[low + i] / size / root[i]
        for f in range(features):
            g[i, f] = inverse[a[low + i], k + f] - inverse[b[low + i], k + f]
            h[i, f] = g[i, f]
            for e in range(features):
                h[i, f] += inverse[k + f, k + e] * x[low + i, e]
    lower = np.empty((m, m))
    for i in range(m):
        ai, bi = a[low + i], b[low + i]
        for j in range(i + u64(1)):
            aj, bj = a[low + j], b[low + j]
            value = inverse[ai, aj] - inverse[ai, bj] - inverse[bi, aj] + inverse[bi, bj]
            for f in range(features):
                value += x[low + j, f] * h[i, f] + x[low + i, f] * g[j, f]
            lower[i, j] = -root[i] * root[j] * value
        lower[i, i] += 1.0
    _solve_spd(lower, y)
    for i in range(m):
        y[i] *= root[i]
    return y


@compiled
def _solve_spd(lower: Any, y: Any) -> None:
    """Solve in place; only the lower triangle is read, and is overwritten."""
    m: Any = u64(len(y))
    for i in range(m):
        for j in range(i + u64(1)):
            value = lower[i, j]
            for e in range(j):
                value -= lower[i, e] * lower[j, e]
            if i == j:
                lower[i, i] = np.sqrt(value)
            else:
                lower[i, j] = value / lower[j, j]
    for i in range(m):
        value = y[i]
        for e in range(i):
            value -= lower[i, e] * y[e]
        y[i] = value / lower[i, i]
    for back in range(m):
        i = m - u64(1) - back
        y[i] /= lower[i, i]
        for e in range(i):
            y[e] -= lower[i, e] * y[i]


@compiled
def _own(a: Any, b: Any, x: Any, q: Any, low: Any, high: Any, k: Any, width: Any) -> Any:
    """(D, D) the voter's information."""
    own = np.zeros((width, width))
    for i in range(low, high):
        own[a[i], a[i]] += q[i]
        own[b[i], b[i]] += q[i]
        own[a[i], b[i]] -= q[i]
        own[b[i], a[i]] -= q[i]
        for f in range(u64(x.shape[1])):
            side = q[i] * x[i, f]
            own[a[i], k + f] += side
            own[b[i], k + f] -= side
            own[k + f, a[i]] += side
            own[k + f, b[i]] -= side
            for e in range(u64(x.shape[1])):
                own[k + f, k + e] += side * x[i, e]
    return own
