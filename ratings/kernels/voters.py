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
CLOSE = 1e-18  # square of the share of a score that may be left over
MOST_STEPS = 60  # beyond, the voter is nearly indispensable: a direct solution instead


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


def shares(data: Comparisons, at: Terms, inverse: Floats) -> tuple[Floats, Floats]:
    """`leverage.shares`; Davidson ties go there."""
    if at.residual.shape[1] == 2:
        return leverage.shares(data, at, inverse)
    leverages, gamma = np.zeros(len(data.size)), np.zeros((len(data.size), data.x.shape[1]))
    _shares(
        data.starts.astype(u64), data.pair_a.view(np.uint32), data.pair_b.view(np.uint32),
        data.voter.view(np.uint32), data.x, at.q[:, 0, 0], u64(data.models), inverse, leverages, gamma,
    )  # fmt: skip
    return leverages, gamma.T


@compiled
def _shares(
    starts: Any, pair_a: Any, pair_b: Any, voter: Any, x: Any, q: Any, k: Any, inverse: Any, leverages: Any, gamma: Any
) -> None:  # fmt: skip
    features = u64(x.shape[1])
    across = np.empty(x.shape[1])
    for p in range(u64(pair_a.shape[0])):
        a, b = pair_a[p], pair_b[p]
        for f in range(features):
            across[f] = inverse[a, k + f] - inverse[b, k + f]
        base = inverse[a, a] + inverse[b, b] - 2 * inverse[a, b]
        for i in range(starts[p], starts[p + u64(1)]):
            g = voter[i]
            own = base
            for f in range(features):
                v = across[f]
                for e in range(features):
                    v += x[i, e] * inverse[k + e, k + f]
                own += x[i, f] * (across[f] + v)
                gamma[g, f] += q[i] * v * v
            leverages[g] += q[i] * own


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
    near = np.empty((width, width))
    work = np.empty((6, width))
    for g in range(u64(offsets.shape[0] - 1)):
        rows = order[offsets[g] : offsets[g + u64(1)]]
        a, b, x, r, weight = all_a[rows], all_b[rows], all_x[rows], all_r[rows], all_weight[rows]
        count = _touch(a, b, weight, k, u64(x.shape[1]), n, touched)
        for i in range(count):
            if touched[i] < k:
                votes[touched[i]] += n[touched[i]]
                squares[touched[i]] += n[touched[i]] ** 2 / size[g]
        _combine(a, b, x, r, k, s)
        _add_outer(s, touched, count, 1.0 / size[g], scores)
        if not apart[g]:
            q = all_q[rows] / size[g]
            if _spread_out(a, b, x, q, k, s, float(size[g]), touched, count, inverse, near, work, u):
                _add_outer(u, touched, count, float(size[g]), weights)
            else:
                d = np.linalg.solve(information - _own(a, b, x, q, k, width), s / size[g])
                for i in range(width):
                    for j in range(width):
                        moves[i, j] += size[g] * d[i] * d[j]
            _clear(u, touched, count)
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
def _spread_out(
    a: Any, b: Any, x: Any, q: Any, k: Any, s: Any, size: Any, touched: Any, count: Any, inverse: Any, near: Any, work: Any,
    u: Any,
) -> Any:  # fmt: skip
    """Solve (I - H M) u = s / size for one of the equal voters, H its information; whether it came to an end.

    By conjugate gradients in the inner product of M, on the parameters that the voter touches.
    """
    place = np.empty(len(s), np.uint32)
    for i in range(count):
        place[touched[i]] = i
        for j in range(count):
            near[i, j] = inverse[touched[i], touched[j]]
    first, second = place[a], place[b]
    tail = count - u64(x.shape[1])
    solution, left, moved = work[0], work[1], work[2]
    direction, ahead, turned = work[3], work[4], work[5]
    for i in range(count):
        solution[i] = 0.0
        left[i] = s[touched[i]] / size
    whole = rest = _times(near, left, count, moved)
    direction[:count] = left[:count]
    ahead[:count] = moved[:count]
    for _ in range(MOST_STEPS):
        if rest <= CLOSE * whole:
            for i in range(count):
                u[touched[i]] = solution[i]
            return True
        for i in range(count):
            turned[i] = direction[i]
        for i in range(u64(len(q))):
            value = ahead[first[i]] - ahead[second[i]]
            for f in range(u64(x.shape[1])):
                value += x[i, f] * ahead[tail + f]
            value *= q[i]
            turned[first[i]] -= value
            turned[second[i]] += value
            for f in range(u64(x.shape[1])):
                turned[tail + f] -= value * x[i, f]
        curvature = 0.0
        for i in range(count):
            curvature += ahead[i] * turned[i]
        if curvature <= 0.0:
            return False
        step = rest / curvature
        for i in range(count):
            solution[i] += step * direction[i]
            left[i] -= step * turned[i]
        before = rest
        rest = _times(near, left, count, moved)
        for i in range(count):
            direction[i] = left[i] + rest / before * direction[i]
            ahead[i] = moved[i] + rest / before * ahead[i]
    return False


@compiled
def _times(matrix: Any, vector: Any, count: Any, out: Any) -> Any:
    """out = matrix vector, on the first `count` entries; the product of the two vectors is returned."""
    total = 0.0
    for i in range(count):
        value = 0.0
        for j in range(count):
            value += matrix[i, j] * vector[j]
        out[i] = value
        total += value * vector[i]
    return total


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
