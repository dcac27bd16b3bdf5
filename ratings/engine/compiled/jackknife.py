"""Kernel of the jackknife: each voter's score, and how the fit would move without the voter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratings.design import threads
from ratings.design.comparisons import Comparisons
from ratings.engine.compiled import by_voter as compiled_by_voter
from ratings.engine.compiled.by_voter import blocks, by_voter
from ratings.engine.compiled.compiling import compiled
from ratings.engine.reference import jackknife
from ratings.engine.reference.jackknife import DfbetaSums, RowTerms
from ratings.scale import Bools, Floats

u64 = np.uint64
CLOSE = 1e-18  # square of the share of a score that may be left over
CLOSER = 1e-24  # of a voter with more rows than parameters: in some direction most information may be its own
MOST_STEPS = 60  # beyond, the voter is nearly indispensable: a direct solution instead
BLOCKS = 16  # of voters, for threads to share
SHARED = 8  # of pairs; each has sums of all voters
FEW = 0.125  # rows per parameter, below which a voter's score is mostly zeros
MANY = 1024  # rows per parameter, beyond which a direct solution is cheaper


def voters(data: Comparisons, at: RowTerms, information: Floats, inverse: Floats, apart: Bools) -> DfbetaSums:
    """`leverage.totals`; Davidson ties go there."""
    if at.residual.shape[1] == 2:
        return jackknife.totals(data, at, information, inverse, apart)
    # One way of lying in memory: the kernel takes longer than all others to compile.
    information, inverse = np.ascontiguousarray(information), np.ascontiguousarray(inverse)
    width = len(inverse)
    offsets, rows = by_voter(data)

    def block(some: slice) -> tuple[Floats, Floats, Floats]:
        mine = offsets[some.start : some.stop + 1]
        busy = np.diff(mine) >= FEW * width
        dense = np.zeros((2, int(busy.sum()), width))
        sums, dfbeta, votes = (
            np.zeros((2, width, width)),
            np.zeros((width, width)),
            np.zeros((2, data.models)),
        )
        _voters(
            mine, rows, data.x, at.residual[:, 0], at.q[:, 0, 0], data.weight, data.size[some], apart[some], busy,
            information, inverse, dense, sums, dfbeta, votes,
        )  # fmt: skip
        # The kernel adds to one of two equal entries.
        sums += np.swapaxes(sums, 1, 2)
        sums[:, np.arange(width), np.arange(width)] /= 2.0
        for total, part in zip(sums, dense, strict=True):
            total += part.T @ part
        return sums, dfbeta, votes

    # The same blocks on any machine, added in order: the same bits.
    parts = threads.in_order(block, blocks(offsets, BLOCKS if len(rows) > compiled_by_voter.LARGE else 1))
    sums, dfbeta, votes = next(parts)
    for part in parts:
        for total, more in zip((sums, dfbeta, votes), part, strict=True):
            total += more
    return DfbetaSums(sums[0], dfbeta + inverse @ sums[1] @ inverse, jackknife.effective(votes[0], votes[1]))


def shares(data: Comparisons, at: RowTerms, inverse: Floats) -> tuple[Floats, Floats]:
    """`leverage.shares`; Davidson ties go there."""
    if at.residual.shape[1] == 2:
        return jackknife.shares(data, at, inverse)
    starts = data.starts.astype(u64)

    def block(some: slice) -> tuple[Floats, Floats]:
        leverages, gamma = np.zeros(len(data.size)), np.zeros((len(data.size), data.x.shape[1]))
        _shares(
            starts[some.start : some.stop + 1], data.pair_a[some].view(np.uint32), data.pair_b[some].view(np.uint32),
            data.voter.view(np.uint32), data.x, at.q[:, 0, 0], u64(data.models), inverse, leverages, gamma,
        )  # fmt: skip
        return leverages, gamma

    parts = threads.in_order(
        block, blocks(data.starts, SHARED if len(data.voter) > compiled_by_voter.LARGE else 1)
    )
    leverages, gamma = next(parts)
    for part in parts:
        leverages += part[0]
        gamma += part[1]
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
            row_leverage = base
            for f in range(features):
                v = across[f]
                for e in range(features):
                    v += x[i, e] * inverse[k + e, k + f]
                row_leverage += x[i, f] * (across[f] + v)
                gamma[g, f] += q[i] * v * v
            leverages[g] += q[i] * row_leverage


@compiled
def _voters(
    offsets: Any, rows: Any, all_x: Any, all_r: Any, all_q: Any, all_weight: Any, size: Any, apart: Any, busy: Any,
    information: Any, inverse: Any, dense: Any, sums: Any, dfbeta: Any, votes: Any,
) -> None:  # fmt: skip
    width, k, features = u64(inverse.shape[0]), u64(votes.shape[1]), u64(all_x.shape[1])
    most = u64(1)
    for g in range(u64(offsets.shape[0] - 1)):
        most = max(most, offsets[g + u64(1)] - offsets[g])
    ends, x = np.empty((2, most), np.uint32), np.empty((most, features))
    r, q = np.empty(most), np.empty(most)
    s, u, n = np.zeros((3, width))
    touched, place = np.zeros((2, width), np.uint32)
    near, work = np.zeros(width * width), np.zeros((5, width))
    row: Any = u64(0)
    m: Any
    count: Any
    for g in range(u64(offsets.shape[0] - 1)):
        m, count = u64(0), u64(0)
        for at in range(offsets[g], offsets[g + u64(1)]):
            vote = u64(rows[at, 0])
            for end in range(u64(2)):
                side = rows[at, end + u64(1)]
                # Weights are positive: a zero has not been touched.
                if n[side] == 0.0:
                    touched[count] = side
                    place[side] = count
                    count += u64(1)
                n[side] += all_weight[vote]
                ends[end, m] = place[side]
            r[m] = all_r[vote]
            q[m] = all_q[vote] / size[g]
            for f in range(features):
                x[m, f] = all_x[vote, f]
            m += u64(1)
        for i in range(count):
            votes[0, touched[i]] += n[touched[i]]
            votes[1, touched[i]] += n[touched[i]] ** 2 / size[g]
            n[touched[i]] = 0.0
        for f in range(features):
            touched[count] = k + f
            count += u64(1)
        _combine(ends, x, r, m, count, s)
        _add(s, touched, count, 1.0 / size[g], busy[g], dense[0], row, sums[0])
        if not apart[g]:
            for i in range(count):
                s[i] /= size[g]
            close = CLOSE if m < width else CLOSER
            if m < MANY * width and _spread_out(
                ends, x, q, m, s, touched, count, close, inverse, near, work, u
            ):
                _add(u, touched, count, float(size[g]), busy[g], dense[1], row, sums[1])
            else:
                right = np.zeros(width)
                for i in range(count):
                    right[touched[i]] = s[i]
                d = np.linalg.solve(information - _own(ends, x, q, m, touched, count, width), right)
                for i in range(width):
                    for j in range(width):
                        dfbeta[i, j] += size[g] * d[i] * d[j]
        if busy[g]:
            row += u64(1)


@compiled
def _combine(ends: Any, x: Any, y: Any, m: Any, count: Any, out: Any) -> None:
    """out = X' y of the voter's `m` rows, on the parameters that it touches."""
    features = u64(x.shape[1])
    tail = count - features
    out[:count] = 0.0
    for i in range(m):
        out[ends[0, i]] += y[i]
        out[ends[1, i]] -= y[i]
        for f in range(features):
            out[tail + f] += y[i] * x[i, f]


@compiled
def _add(
    values: Any, touched: Any, count: Any, factor: Any, busy: Any, dense: Any, row: Any, out: Any
) -> None:
    """Add factor v v' to `out`, each entry there or at its mirror; of busy voters keep sqrt(factor) v as a row."""
    if busy:
        root = np.sqrt(factor)
        for i in range(count):
            dense[row, touched[i]] = root * values[i]
    else:
        for i in range(count):
            mine = factor * values[i]
            here = touched[i]
            for j in range(i + u64(1)):
                out[here, touched[j]] += mine * values[j]


@compiled
def _spread_out(
    ends: Any, x: Any, q: Any, m: Any, s: Any, touched: Any, count: Any, close: Any, inverse: Any, near: Any, work: Any,
    u: Any,
) -> Any:  # fmt: skip
    """Solve (I - H M) u = s for one of the equal voters, H its information; whether it came to an end.

    By conjugate gradients in the inner product of M, on the parameters that the voter touches.
    """
    features = u64(x.shape[1])
    _gather(inverse, touched, count, near)
    tail = count - features
    left, moved, direction, ahead, turned = work[0], work[1], work[2], work[3], work[4]
    for i in range(count):
        u[i] = 0.0
        left[i] = s[i]
    whole = rest = _times(near, left, count, moved)
    direction[:count] = left[:count]
    ahead[:count] = moved[:count]
    for _ in range(MOST_STEPS):
        if rest <= close * whole:
            return True
        for i in range(count):
            turned[i] = direction[i]
        for i in range(m):
            first, second = ends[0, i], ends[1, i]
            value = ahead[first] - ahead[second]
            for f in range(features):
                value += x[i, f] * ahead[tail + f]
            value *= q[i]
            turned[first] -= value
            turned[second] += value
            for f in range(features):
                turned[tail + f] -= value * x[i, f]
        curvature = 0.0
        for i in range(count):
            curvature += ahead[i] * turned[i]
        if curvature <= 0.0:
            return False
        step = rest / curvature
        for i in range(count):
            u[i] += step * direction[i]
            left[i] -= step * turned[i]
        before = rest
        rest = _times(near, left, count, moved)
        for i in range(count):
            direction[i] = left[i] + rest / before * direction[i]
            ahead[i] = moved[i] + rest / before * ahead[i]
    return False


@compiled
def _gather(matrix: Any, places: Any, count: Any, out: Any) -> None:
    """Into `out` matrix[places][:, places], row after row."""
    for i in range(count):
        row, at = u64(places[i]), i * count
        for j in range(count):
            out[at + j] = matrix[row, places[j]]


@compiled
def _times(matrix: Any, vector: Any, count: Any, out: Any) -> Any:
    """out = matrix vector; and the product of the two vectors."""
    product = 0.0
    for i in range(count):
        total, at = 0.0, i * count
        for j in range(count):
            total += matrix[at + j] * vector[j]
        out[i] = total
        product += total * vector[i]
    return product


@compiled
def _own(ends: Any, x: Any, q: Any, m: Any, touched: Any, count: Any, width: Any) -> Any:
    """(D, D) the voter's information."""
    features = u64(x.shape[1])
    row_leverage = np.zeros((width, width))
    near = np.empty(u64(2) + features)
    where = np.empty(u64(2) + features, np.uint32)
    for f in range(features):
        where[u64(2) + f] = touched[count - features + f]
    near[0], near[1] = 1.0, -1.0
    for i in range(m):
        where[0], where[1] = touched[ends[0, i]], touched[ends[1, i]]
        for f in range(features):
            near[u64(2) + f] = x[i, f]
        for e in range(u64(2) + features):
            for f in range(u64(2) + features):
                row_leverage[where[e], where[f]] += q[i] * near[e] * near[f]
    return row_leverage
