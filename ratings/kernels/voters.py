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
NO_INFORMATION = 1e-200  # stands for that of a vote whose outcome is certain to the last bit


def voters(data: Comparisons, at: Terms, information: Floats, inverse: Floats, apart: Bools) -> Totals:
    """`leverage.totals`; Davidson ties go there."""
    if at.residual.shape[1] == 2:
        return leverage.totals(data, at, information, inverse, apart)
    width = len(inverse)
    scores, weights, moves = np.zeros((3, width, width))
    votes, squares = np.zeros((2, data.models))
    _voters(
        *_by_voter(data.voter.view(np.uint32), len(data.size)),
        np.repeat(data.pair_a, np.diff(data.starts)).view(np.uint32),
        np.repeat(data.pair_b, np.diff(data.starts)).view(np.uint32),
        data.x, at.residual[:, 0], at.q[:, 0, 0], data.weight, data.size, apart, information, inverse,
        scores, weights, moves, votes, squares,
    )  # fmt: skip
    return Totals(scores, moves + inverse @ weights @ inverse, leverage.effective(votes, squares))


@compiled
def _by_voter(voter: Any, groups: Any) -> Any:
    """Where each group's rows start in the order by group, and that order."""
    offsets = np.zeros(groups + 1, np.uint64)
    for i in range(u64(voter.shape[0])):
        offsets[u64(voter[i]) + u64(1)] += u64(1)
    for g in range(u64(groups)):
        offsets[g + u64(1)] += offsets[g]
    order = np.empty(voter.shape[0], np.uint32)
    place = offsets.copy()
    for i in range(u64(voter.shape[0])):
        order[place[voter[i]]] = i
        place[voter[i]] += u64(1)
    return offsets, order


@compiled
def _voters(
    offsets: Any, order: Any, all_a: Any, all_b: Any, all_x: Any, all_r: Any, all_q: Any, all_weight: Any, size: Any, apart: Any,
    information: Any, inverse: Any, scores: Any, weights: Any, moves: Any, votes: Any, squares: Any,
) -> None:  # fmt: skip
    width, k = u64(inverse.shape[0]), u64(votes.shape[0])
    s = np.zeros(width)
    u = np.zeros(width)
    n = np.zeros(width)
    touched = np.empty(width, np.uint32)
    for g in range(u64(offsets.shape[0] - 1)):
        rows = order[offsets[g] : offsets[g + u64(1)]]
        a, b, x, r, q, weight = (
            all_a[rows],
            all_b[rows],
            all_x[rows],
            all_r[rows],
            all_q[rows],
            all_weight[rows],
        )
        count = _touch(a, b, weight, k, u64(x.shape[1]), n, touched)
        for i in range(count):
            if touched[i] < k:
                votes[touched[i]] += n[touched[i]]
                squares[touched[i]] += n[touched[i]] ** 2 / size[g]
        _combine(a, b, x, r, k, s)
        _add_outer(s, touched, count, 1.0 / size[g], scores)
        if not apart[g]:
            if u64(len(rows)) <= width:
                y = _weights(a, b, x, r, q, k, float(size[g]), inverse)
                _combine(a, b, x, y, k, u)
                _add_outer(u, touched, count, float(size[g]), weights)
                _clear(u, touched, count)
            else:
                d = np.linalg.solve(information - _own(a, b, x, q, k, width), s)
                for i in range(width):
                    for j in range(width):
                        moves[i, j] += d[i] * d[j]
        _clear(s, touched, count)
        _clear(n, touched, count)


@compiled
def _touch(a: Any, b: Any, weight: Any, k: Any, features: Any, n: Any, touched: Any) -> Any:
    """List the parameters that the voter touches, with the weight of its votes on each model; how many."""
    count = u64(0)
    for i in range(u64(len(a))):
        for side in (a[i], b[i]):
            # Weights are positive: a zero has not been touched.
            if n[side] == 0.0:
                touched[count] = side
                count += u64(1)
            n[side] += weight[i]
    for f in range(features):
        touched[count] = k + f
        count += u64(1)
    return count


@compiled
def _combine(a: Any, b: Any, x: Any, y: Any, k: Any, out: Any) -> None:
    """Add X' y of the voter's rows to `out`."""
    for i in range(u64(len(a))):
        out[a[i]] += y[i]
        out[b[i]] -= y[i]
        for f in range(u64(x.shape[1])):
            out[k + f] += y[i] * x[i, f]


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
def _weights(a: Any, b: Any, x: Any, r: Any, q: Any, k: Any, size: Any, inverse: Any) -> Any:
    """(m,) (I - Q A)^-1 r of one of the `size` equal voters, A = X M X', by Cholesky of I - Q^1/2 A Q^1/2."""
    m = u64(len(a))
    features = u64(x.shape[1])
    root = np.empty(m)
    y = np.empty(m)
    # A covariate's part of A: x_j . h_i + x_i . g_j, with g = M (e_a - e_b) and h = g + M x.
    g = np.empty((m, x.shape[1]))
    h = np.empty((m, x.shape[1]))
    for i in range(m):
        root[i] = np.sqrt(max(q[i] / size, NO_INFORMATION))
        y[i] = r[i] / size / root[i]
        for f in range(features):
            g[i, f] = inverse[a[i], k + f] - inverse[b[i], k + f]
            h[i, f] = g[i, f]
            for e in range(features):
                h[i, f] += inverse[k + f, k + e] * x[i, e]
    lower = np.empty((m, m))
    for i in range(m):
        ai, bi = a[i], b[i]
        for j in range(i + u64(1)):
            aj, bj = a[j], b[j]
            value = inverse[ai, aj] - inverse[ai, bj] - inverse[bi, aj] + inverse[bi, bj]
            for f in range(features):
                value += x[j, f] * h[i, f] + x[i, f] * g[j, f]
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
def _own(a: Any, b: Any, x: Any, q: Any, k: Any, width: Any) -> Any:
    """(D, D) the voter's information."""
    own = np.zeros((width, width))
    for i in range(u64(len(a))):
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
