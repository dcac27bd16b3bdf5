"""What each voter contributes to the errors: its score, and its one-step jackknife move of the fit, in numpy.

    d_g = (H_c - H_g)^-1 s_g = M X' (I - Q X M X')^-1 r,   M = H_c^-1

on the voter's own rows X with residuals r and information Q, or on all parameters where it has more rows than
there are parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ratings import davidson, pairwise
from ratings.comparisons import Comparisons
from ratings.scale import Bools, Floats, Ints

CHUNK_VALUES = 2_000_000  # floats of one temporary array


@dataclass(frozen=True)
class Terms:
    """The rows at the fit. With Davidson ties a row has a second part, for log nu."""

    residual: Floats  # (n, parts)
    q: Floats  # (n, parts, parts)


@dataclass(frozen=True)
class Totals:
    """Sums over voters (D, D), a group of equal voters counted as many."""

    scores: Floats  # s s'
    moves: Floats  # d d', but for the voters left out
    effective: Floats  # (K,) effective number of voters of each model


def terms(data: Comparisons, params: Floats, *, ties: bool) -> Terms:
    """Residuals and information of each row at `params` (D,)."""
    k, f = data.models, data.x.shape[1]
    z = (
        np.repeat(params[data.pair_a] - params[data.pair_b], np.diff(data.starts))
        + data.x @ params[k : k + f]
    )
    if not ties:
        p = pairwise.expit(z)
        q = data.weight * p * (1.0 - p)
        return Terms((data.score - data.weight * p)[:, None], q[:, None, None])
    at = davidson.moments(z, params[-1:])
    residual = np.column_stack([data.score - data.weight * at.score, data.ties - data.weight * at.tie])
    q = np.empty((len(z), 2, 2))
    q[:, 0, 0], q[:, 1, 1] = data.weight * at.score_var, data.weight * at.tie_var
    q[:, 0, 1] = q[:, 1, 0] = data.weight * at.covariance
    return Terms(residual, q)


def totals(data: Comparisons, at: Terms, information: Floats, inverse: Floats, apart: Bools) -> Totals:
    """Sums over all voters; `apart` (G,) are left out of the moves. `information` is centred, `inverse` its inverse."""
    width = len(inverse)
    scores, weights, moves = np.zeros((width, width)), np.zeros((width, width)), np.zeros((width, width))
    parts = at.residual.shape[1]
    for groups, rows in by_voter(data):
        size = data.size[groups][:, None]
        if rows.shape[1] * parts <= width:
            s, u = _small(data, at, inverse, groups, rows)
            weights += (u[~apart[groups]] * size[~apart[groups]]).T @ u[~apart[groups]]
        else:
            s = np.empty((len(groups), width))
            for place, group in enumerate(groups):
                s[place], own = voter(data, at, rows[place], width)
                if not apart[group]:
                    d = np.linalg.solve(information - own, s[place])
                    moves += np.outer(d, d)
        scores += (s / size).T @ s
    return Totals(scores, moves + inverse @ weights @ inverse, _effective_voters(data))


def shares(data: Comparisons, at: Terms, inverse: Floats) -> tuple[Floats, Floats]:
    """(G,) the summed leverages of each voter's rows, and (D - K, G) each voter's gamma = z' H_g z.

    z is the column of M of each further parameter: gamma is the voter's part in that parameter's variance.
    """
    k, f, parts = data.models, data.x.shape[1], at.residual.shape[1]
    a, b = data.pair_a, data.pair_b
    lengths, voters = np.diff(data.starts), len(data.size)
    own = np.repeat(inverse[a, a] + inverse[b, b] - 2 * inverse[a, b], lengths)
    gamma = np.empty((len(inverse) - k, voters))
    for column in range(len(gamma)):
        z = inverse[:, k + column]
        across = np.repeat(z[a] - z[b], lengths)
        v = np.empty((len(data.voter), parts))
        v[:, 0], v[:, 1:] = across + data.x @ z[k : k + f], z[-1]
        each = v[:, 0] ** 2 * at.q[:, 0, 0] if parts == 1 else np.einsum("ni,nij,nj->n", v, at.q, v)
        gamma[column] = np.bincount(data.voter, weights=each, minlength=voters)
        if column < f:
            own += data.x[:, column] * (across + v[:, 0])
    leverages = at.q[:, 0, 0] * own
    if parts == 2:
        # The last column's v is that of log nu.
        leverages += 2 * at.q[:, 0, 1] * v[:, 0] + at.q[:, 1, 1] * inverse[-1, -1]
    return np.asarray(np.bincount(data.voter, weights=leverages, minlength=voters), dtype=np.float64), gamma


def by_voter(data: Comparisons) -> Iterator[tuple[Ints, Ints]]:
    """Groups (B,) with equally many rows, and their rows (B, m), in chunks."""
    order = np.argsort(data.voter, kind="stable")
    lengths = np.bincount(data.voter, minlength=len(data.size))
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    for m in np.unique(lengths[lengths > 0]):
        groups = np.flatnonzero(lengths == m)
        step = max(1, CHUNK_VALUES // int(m * max(m, data.models)))
        for at in range(0, len(groups), step):
            some = groups[at : at + step]
            yield some, order[starts[some][:, None] + np.arange(m)]


def _small(data: Comparisons, at: Terms, inverse: Floats, groups: Ints, rows: Ints) -> tuple[Floats, Floats]:
    """For each group its score s (B, D), and for one of its voters u (B, D) with d = M u."""
    size = data.size[groups]
    residual = at.residual[rows].reshape(len(groups), -1)
    flat = _design(data, at, rows, len(inverse))
    batch, m = flat.shape[:2]
    parts = at.residual.shape[1]
    blocks = np.zeros((batch, m // parts, parts, m // parts, parts))
    place = np.arange(m // parts)
    blocks[:, place, :, place, :] = np.moveaxis(at.q[rows] / size[:, None, None, None], 1, 0)
    leverage = blocks.reshape(batch, m, m) @ (flat @ inverse @ np.swapaxes(flat, 1, 2))
    weights = _solve(np.eye(m) - leverage, residual / size[:, None])
    return np.einsum("bi,bid->bd", residual, flat), np.einsum("bi,bid->bd", weights, flat)


def _solve(matrix: Floats, right: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        # Only a voter set apart can be exactly singular, and its answer is not used.
        nudged = matrix + 1e-12 * np.eye(matrix.shape[-1])
        return np.asarray(np.linalg.solve(nudged, right[..., None])[..., 0])


def _design(data: Comparisons, at: Terms, rows: Ints, width: int) -> Floats:
    """(B, m * parts, D) design vectors of the rows."""
    k, f, parts = data.models, data.x.shape[1], at.residual.shape[1]
    pair = np.searchsorted(data.starts, rows, side="right") - 1
    design = np.zeros((*rows.shape, parts, width))
    index = np.indices(rows.shape)
    design[index[0], index[1], 0, data.pair_a[pair]] = 1.0
    design[index[0], index[1], 0, data.pair_b[pair]] = -1.0
    design[:, :, 0, k : k + f] = data.x[rows]
    if parts == 2:
        design[:, :, 1, -1] = 1.0
    return design.reshape(len(rows), -1, width)


def voter(data: Comparisons, at: Terms, rows: Ints, width: int) -> tuple[Floats, Floats]:
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
    s, own = np.zeros((1, width)), np.zeros((1, width, width))

    def per_pair(values: Floats) -> Floats:
        return np.asarray(np.bincount(own_pair, weights=values, minlength=len(pair)), dtype=np.float64)

    pairwise.scatter(a, b, per_pair(r)[None], per_pair(q)[None], s, own)
    columns = [q * column for column in x.T]
    s[0, k : k + f] = x.T @ r
    own[0, k : k + f, k : k + f] = (x * q[:, None]).T @ x
    if at.residual.shape[1] == 2:
        columns.append(at.q[rows, 0, 1])
        s[0, -1] = at.residual[rows, 1].sum()
        own[0, k : k + f, -1] = own[0, -1, k : k + f] = x.T @ at.q[rows, 0, 1]
        own[0, -1, -1] = at.q[rows, 1, 1].sum()
    for column, values in enumerate(columns, k):
        own[0, :k, column] = own[0, column, :k] = pairwise.sides(a, b, k, per_pair(values))
    return s[0], own[0]


def _effective_voters(data: Comparisons) -> Floats:
    k = data.models
    lengths = np.diff(data.starts)
    cell = data.voter.astype(np.int64) * k
    cells = np.concatenate([cell + np.repeat(side, lengths) for side in (data.pair_a, data.pair_b)])
    order = np.argsort(cells)
    cells = cells[order]
    starts = np.flatnonzero(np.concatenate([[True], cells[1:] != cells[:-1]]))
    n = np.add.reduceat(np.tile(data.weight, 2)[order], starts)
    group, model = np.divmod(cells[starts], k)
    votes, squares = np.zeros((2, k))
    np.add.at(votes, model, n)
    np.add.at(squares, model, n**2 / data.size[group])
    return effective(votes, squares)


def effective(votes: Floats, squares: Floats) -> Floats:
    """(sum_g n_g)^2 / sum_g n_g^2 over the voters of each model, n_g the weight of g's votes on it; at least 1."""
    return np.asarray(np.maximum(votes**2 / np.where(squares > 0, squares, 1.0), 1.0))
