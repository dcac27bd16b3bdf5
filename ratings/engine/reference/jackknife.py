"""What each voter contributes to the errors: its score, and its one-step jackknife move of the fit, in numpy.

    d_g = (H_c - H_g)^-1 s_g = M u_g,   (I - H_g M) u_g = s_g,   M = H_c^-1

u by conjugate gradients in the inner product of M, many voters at a time: leverages sum to the number of parameters,
so most voters' are small, and a few steps do. The few voters who carry much of a parameter are solved directly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ratings.design.comparisons import Comparisons
from ratings.engine.reference import davidson
from ratings.engine.reference import pairs as reference_pairs
from ratings.scale import Bools, Floats, Ints

CHUNK_VALUES = 200_000  # voters times parameters at a time
CHUNK_ROWS = 50_000  # and their rows; a voter of more is solved directly
CLOSE = 1e-20  # square of the share of a score that may be left over
MOST_STEPS = 12  # enough up to a leverage of a half
SPARSE = 8  # times faster on each entry is a dense product than a sparse one


@dataclass(frozen=True)
class RowTerms:
    """The rows at the fit. With Davidson ties a row has a second part, for log nu."""

    residual: Floats  # (n, parts)
    q: Floats  # (n, parts, parts)


@dataclass(frozen=True)
class DfbetaSums:
    """Sums over voters (D, D), a group of equal voters counted as many."""

    scores: Floats  # s s'
    dfbeta: Floats  # d d', but for the voters left out
    effective: Floats  # (K,) effective number of voters of each model


def terms(data: Comparisons, params: Floats, *, ties: bool) -> RowTerms:
    """Residuals and information of each row at `params` (D,)."""
    k, f = data.models, data.x.shape[1]
    z = (
        np.repeat(params[data.pair_a] - params[data.pair_b], np.diff(data.starts))
        + data.x @ params[k : k + f]
    )
    if not ties:
        p = reference_pairs.expit(z)
        q = data.weight * p * (1.0 - p)
        return RowTerms((data.score - data.weight * p)[:, None], q[:, None, None])
    at = davidson.moments(z, params[-1:])
    residual = np.column_stack([data.score - data.weight * at.score, data.ties - data.weight * at.tie])
    q = np.empty((len(z), 2, 2))
    q[:, 0, 0], q[:, 1, 1] = data.weight * at.score_var, data.weight * at.tie_var
    q[:, 0, 1] = q[:, 1, 0] = data.weight * at.covariance
    return RowTerms(residual, q)


def totals(data: Comparisons, at: RowTerms, information: Floats, inverse: Floats, apart: Bools) -> DfbetaSums:
    """Sums over all voters; `apart` (G,) are left out of the moves. `information` is centred, `inverse` its inverse."""
    width = len(inverse)
    scores, weights, dfbeta = np.zeros((3, width, width))
    votes, squares = np.zeros((2, data.models))
    for some in _chunks(data, at, width):
        size = data.size[some.groups][:, None]
        cast = some.cast()
        votes += cast.sum(axis=0)
        squares += (cast**2 / size).sum(axis=0)
        s, u, done = _scores_and_moves(some, inverse, apart[some.groups])
        scores += (s / size).T @ s
        weights += (u * size).T @ u
        for place in np.flatnonzero(~done).tolist():
            count = float(size[place, 0])
            s_one, information_of_voter = voter(data, at, some.rows_of(place), width)
            d = np.linalg.solve(information - information_of_voter / count, s_one / count)
            dfbeta += count * np.outer(d, d)
    return DfbetaSums(scores, dfbeta + inverse @ weights @ inverse, effective(votes, squares))


def shares(data: Comparisons, at: RowTerms, inverse: Floats) -> tuple[Floats, Floats]:
    """(G,) the summed leverages of each voter's rows, and (D - K, G) each voter's gamma = z' H_g z.

    z is the column of M of each further parameter: gamma is the voter's part in that parameter's variance.
    """
    k, f, parts = data.models, data.x.shape[1], at.residual.shape[1]
    a, b = data.pair_a, data.pair_b
    lengths, voters = np.diff(data.starts), len(data.size)
    row_leverage = np.repeat(inverse[a, a] + inverse[b, b] - 2 * inverse[a, b], lengths)
    gamma = np.empty((len(inverse) - k, voters))
    for column in range(len(gamma)):
        z = inverse[:, k + column]
        across = np.repeat(z[a] - z[b], lengths)
        v = np.empty((len(data.voter), parts))
        v[:, 0], v[:, 1:] = across + data.x @ z[k : k + f], z[-1]
        each = v[:, 0] ** 2 * at.q[:, 0, 0] if parts == 1 else np.einsum("ni,nij,nj->n", v, at.q, v)
        gamma[column] = np.bincount(data.voter, weights=each, minlength=voters)
        if column < f:
            row_leverage += data.x[:, column] * (across + v[:, 0])
    leverages = at.q[:, 0, 0] * row_leverage
    if parts == 2:
        # The last column's v is that of log nu.
        leverages += 2 * at.q[:, 0, 1] * v[:, 0] + at.q[:, 1, 1] * inverse[-1, -1]
    return np.asarray(np.bincount(data.voter, weights=leverages, minlength=voters), dtype=np.float64), gamma


@dataclass(frozen=True)
class _Voters:
    """Some groups of voters, with all their rows in order of group."""

    data: Comparisons
    at: RowTerms
    groups: Ints  # (B,)
    starts: Ints  # (B + 1,) where each group's rows start
    rows: Ints  # (m,)
    pair: reference_pairs.Codes  # (m,)

    def rows_of(self, place: int) -> Ints:
        return self.rows[self.starts[place] : self.starts[place + 1]]

    @cached_property
    def place(self) -> Ints:
        """(m,) which of the groups each row belongs to."""
        return np.repeat(np.arange(len(self.groups)), np.diff(self.starts))

    @cached_property
    def q(self) -> Floats:
        """(m, parts, parts) information of each row of one of the equal voters."""
        return np.asarray(self.at.q[self.rows] / self.data.size[self.groups][self.place, None, None])

    @cached_property
    def design(self) -> csr_array[Any, tuple[int, int]]:
        """(m * parts, B * D) the rows' design vectors, each on the parameters of its own group."""
        data, rows, pair = self.data, self.rows, self.pair
        k, f, parts = data.models, data.x.shape[1], self.at.residual.shape[1]
        width = k + f + parts - 1
        column = np.empty((len(rows), 1 + f + parts), dtype=np.int32)
        value = np.ones(column.shape)
        column[:, 0], column[:, 1], column[:, 2:] = data.pair_a[pair], data.pair_b[pair], np.arange(k, width)
        value[:, 1], value[:, 2 : 2 + f] = -1.0, data.x[rows]
        column += (self.place * width).astype(np.int32)[:, None]
        # The second part of a row is log nu's alone.
        ends = np.arange(len(rows))[:, None] * column.shape[1] + np.arange(2 + f, 2 + f + parts)
        starts = np.concatenate([[0], ends.reshape(-1)]).astype(np.int32)
        shape = (len(starts) - 1, len(self.groups) * width)
        return csr_array((value.reshape(-1), column.reshape(-1), starts), shape=shape)

    def cast(self) -> Floats:
        """(B, K) the weight of each group's votes on each model."""
        data, shape = self.data, (len(self.groups), self.data.models)
        first, weight = self.place * data.models, data.weight[self.rows]
        of_a, of_b = (
            np.bincount(first + side[self.pair], weights=weight, minlength=shape[0] * shape[1])
            for side in (data.pair_a, data.pair_b)
        )
        return np.asarray(of_a + of_b).reshape(shape)

    def total(self, values: Floats) -> Floats:
        """(B, D) each group's X' y of values y (m, parts) of its rows."""
        return np.asarray(self.design.T @ values.reshape(-1)).reshape(len(self.groups), -1)

    def informed(self, values: Floats) -> Floats:
        """(B, D) each H_g v, of v (B, D)."""
        moved = (self.design @ values.reshape(-1)).reshape(len(self.rows), -1)
        single = moved.shape[1] == 1
        return self.total(self.q[:, 0] * moved if single else np.einsum("mij,mj->mi", self.q, moved))


def _chunks(data: Comparisons, at: RowTerms, width: int) -> Iterator[_Voters]:
    """All groups, those with like numbers of rows together."""
    lengths = np.bincount(data.voter, minlength=len(data.size))
    groups = np.argsort(lengths, kind="stable")
    rank = np.empty_like(groups)
    rank[groups] = np.arange(len(groups))
    order, pair = np.argsort(rank[data.voter], kind="stable"), data.pair
    starts = np.concatenate([[0], np.cumsum(lengths[groups])])
    low = 0
    while low < len(groups):
        reached = int(np.searchsorted(starts, starts[low] + CHUNK_ROWS, side="right")) - 1
        high = max(min(reached, low + CHUNK_VALUES // width), low + 1)
        rows = order[starts[low] : starts[high]]
        yield _Voters(data, at, groups[low:high], starts[low : high + 1] - starts[low], rows, pair[rows])
        low = high


def _scores_and_moves(voters: _Voters, inverse: Floats, apart: Bools) -> tuple[Floats, Floats, Bools]:
    """Of each group its score s (B, D), for one of its voters u (B, D), and (B,) whether u was found or not asked for."""
    if len(voters.rows) > CHUNK_ROWS:
        s = voter(voters.data, voters.at, voters.rows, len(inverse))[0][None]
        return s, np.zeros_like(s), apart
    s = voters.total(voters.at.residual[voters.rows])
    return s, *_spread_out(voters, inverse, s * (~apart / voters.data.size[voters.groups])[:, None])


def _spread_out(voters: _Voters, inverse: Floats, s: Floats) -> tuple[Floats, Bools]:
    """(B, D) u with (I - H_g M) u = s, zero where it was not found, and (B,) whether it was."""
    u, left, moved = np.zeros_like(s), s, _times(s, inverse)
    direction, ahead = left, moved
    whole = rest = np.einsum("bd,bd->b", left, moved)
    going = rest > 0.0
    for _ in range(MOST_STEPS):
        if not going.any():
            break
        turned = direction - voters.informed(ahead)
        curvature = np.einsum("bd,bd->b", ahead, turned)
        going &= curvature > 0.0
        step = np.where(going, rest / np.where(going, curvature, 1.0), 0.0)[:, None]
        u, left = u + step * direction, left - step * turned
        moved = _times(left, inverse)
        before, rest = rest, np.einsum("bd,bd->b", left, moved)
        going &= rest > CLOSE * whole
        ratio = np.where(going, rest / np.where(going, before, 1.0), 0.0)[:, None]
        direction, ahead = left + ratio * direction, moved + ratio * ahead
    done = rest <= CLOSE * whole
    return np.where(done[:, None], u, 0.0), done


def _times(left: Floats, inverse: Floats) -> Floats:
    """left @ inverse. With many models, most of a voter's score is zero."""
    sparse = np.count_nonzero(left) * SPARSE < left.size
    return np.asarray(csr_array(left) @ inverse if sparse else left @ inverse)


def voter(data: Comparisons, at: RowTerms, rows: Ints, width: int) -> tuple[Floats, Floats]:
    """Score (D,) and information (D, D) of the voter of `rows` (m,)."""
    k, f = data.models, data.x.shape[1]
    # Rows are in order of pair.
    pairs = np.searchsorted(data.starts, rows, side="right") - 1
    changed = np.concatenate([[False], pairs[1:] != pairs[:-1]])
    own_pair = np.cumsum(changed)
    pair = pairs[np.concatenate([[0], np.flatnonzero(changed)])]
    a, b = data.pair_a[pair], data.pair_b[pair]
    x = data.x[rows].astype(np.float64)
    r, q = at.residual[rows, 0], at.q[rows, 0, 0]
    s, information = np.zeros((1, width)), np.zeros((1, width, width))

    def per_pair(values: Floats) -> Floats:
        return np.asarray(np.bincount(own_pair, weights=values, minlength=len(pair)), dtype=np.float64)

    reference_pairs.scatter(a, b, per_pair(r)[None], per_pair(q)[None], s, information)
    columns = [q * column for column in x.T]
    s[0, k : k + f] = x.T @ r
    information[0, k : k + f, k : k + f] = (x * q[:, None]).T @ x
    if at.residual.shape[1] == 2:
        columns.append(at.q[rows, 0, 1])
        s[0, -1] = at.residual[rows, 1].sum()
        information[0, k : k + f, -1] = information[0, -1, k : k + f] = x.T @ at.q[rows, 0, 1]
        information[0, -1, -1] = at.q[rows, 1, 1].sum()
    for column, values in enumerate(columns, k):
        information[0, :k, column] = information[0, column, :k] = reference_pairs.sides(
            a, b, k, per_pair(values)
        )
    return s[0], information[0]


def effective(votes: Floats, squares: Floats) -> Floats:
    """(sum_g n_g)^2 / sum_g n_g^2 over the voters of each model, n_g the weight of g's votes on it; at least 1."""
    return np.asarray(np.maximum(votes**2 / np.where(squares > 0, squares, 1.0), 1.0))
