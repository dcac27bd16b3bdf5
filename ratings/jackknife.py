"""Spread of a fit over its voters: CR1 and the one-step jackknife CR3, with effective numbers of voters.

    d_g = (H_c - H_g)^-1 s_g,   CR3 = (G - 1) / G sum_g d_g d_g',   CR1 = G / (G - 1) M (sum_g s_g s_g') M

with s_g and H_g the score and information of voter g at the fit, H_c the whole information (centred on mean-zero
thetas), M = H_c^-1. Bell & McCaffrey 2002; Hansen 2022 for the jackknife. On a voter's own rows X, with their
residuals r and information Q, d_g = M X' (I - Q X M X')^-1 r.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings import bradley_terry, davidson
from ratings.bradley_terry import Fit
from ratings.comparisons import Comparisons
from ratings.components import Cut, cuts
from ratings.scale import Bools, Floats, Ints

ALL_OF_IT = 1.0 - 1e-9  # a share of the information above this is all of it
CHUNK_VALUES = 4_000_000  # floats of one temporary array


@dataclass(frozen=True)
class Spread:
    """Covariances (D, D) of the parameters, good for contrasts of models and for coefficients."""

    fisher: Floats
    cr1: Floats
    cr3: Floats
    effective: Floats  # (K,) effective number of voters of each model, at least 1
    effective_coef: Floats  # (D - K,) of each further parameter
    cut_off: Bools  # (K,) the removal of one voter would cut the model off: no interval
    held: Bools  # (D - K,) one voter holds all information about the parameter: no interval


@dataclass(frozen=True)
class _Terms:
    """The rows at the fit. With Davidson ties a row has a second part, for log nu."""

    residual: Floats  # (n, parts)
    q: Floats  # (n, parts, parts)
    x: Floats  # (n, F)


def spread(data: Comparisons, fit: Fit, *, ties: bool) -> Spread:
    """The spread of `fit` over the voters of `data`, the prior left out."""
    k, width = data.models, len(fit.params)
    inverse = np.asarray(np.linalg.inv(bradley_terry.centred(fit.information, k)), dtype=np.float64)
    terms = _terms(data, fit, ties)
    shares, effective_coef = _information_shares(data, terms, inverse, k)
    cutting = cuts(k, data.pair_a, data.pair_b, _sole_voters(data), _votes(data))
    special = _special(cutting, shares, width, k)
    scores, leveraged, apart = np.zeros((width, width)), np.zeros((width, width)), np.zeros((width, width))
    for groups, rows in _by_voter(data):
        s, u = _scores(data, terms, inverse, groups, rows)
        size = data.size[groups][:, None]
        scores += (s / size).T @ s
        plain = ~np.isin(groups, list(special))
        leveraged += (u[plain] * size[plain]).T @ u[plain]
        for at in np.flatnonzero(~plain):
            d = _without_voter(data, terms, fit, rows[at], special[int(groups[at])])
            apart += np.outer(d, d)
    voters = data.voters
    return Spread(
        fisher=inverse,
        cr1=voters / max(voters - 1, 1) * inverse @ scores @ inverse,
        cr3=(voters - 1) / voters * (inverse @ leveraged @ inverse + apart),
        effective=_effective_voters(data),
        effective_coef=effective_coef,
        cut_off=~np.logical_and.reduce([cut.rest for cut in cutting], axis=0)
        if cutting
        else np.zeros(k, dtype=np.bool_),
        held=np.any(shares > ALL_OF_IT, axis=0),
    )


def _terms(data: Comparisons, fit: Fit, ties: bool) -> _Terms:
    k, f = data.models, data.x.shape[1]
    pair_z = fit.theta[data.pair_a] - fit.theta[data.pair_b]
    z = pair_z[data.pair] + data.x @ fit.params[k : k + f]
    if not ties:
        p = bradley_terry.expit(z)
        q = data.weight * p * (1.0 - p)
        return _Terms((data.score - data.weight * p)[:, None], q[:, None, None], data.x)
    at = davidson.moments(z, fit.params[-1:])
    residual = np.column_stack([data.score - data.weight * at.score, data.ties - data.weight * at.tie])
    q = np.empty((len(z), 2, 2))
    q[:, 0, 0], q[:, 1, 1] = data.weight * at.score_var, data.weight * at.tie_var
    q[:, 0, 1] = q[:, 1, 0] = data.weight * at.covariance
    return _Terms(residual, q, data.x)


def _information_shares(data: Comparisons, terms: _Terms, inverse: Floats, k: int) -> tuple[Floats, Floats]:
    """For each further parameter: each voter's share of its information (G, D - K), and the effective voters.

    gamma_g = z' H_g z with z the parameter's column of M; the gammas of all voters sum to its variance.
    """
    extra = inverse.shape[0] - k
    shares = np.zeros((len(data.size), extra))
    pair = data.pair
    for column in range(extra):
        z = inverse[:, k + column]
        along = [(z[data.pair_a] - z[data.pair_b])[pair] + terms.x @ z[k : k + terms.x.shape[1]]]
        if terms.residual.shape[1] == 2:
            along.append(np.full(len(pair), z[-1]))
        v = np.stack(along, axis=1)
        gamma = np.einsum("ni,nij,nj->n", v, terms.q, v)
        shares[:, column] = np.bincount(data.voter, weights=gamma, minlength=len(data.size))
    total = shares.sum(axis=0)
    squares = (shares**2 / data.size[:, None]).sum(axis=0)
    effective = np.maximum(total**2 / np.where(squares > 0, squares, 1.0), 1.0)
    # A group of equal voters is many, none of whom holds everything.
    return shares / np.where(total > 0, total, 1.0) / data.size[:, None], effective


def _sole_voters(data: Comparisons) -> npt.NDArray[np.int32]:
    """(P,) the group of size one that alone voted on the pair, else -1."""
    first = data.starts[:-1]
    lowest = np.minimum.reduceat(data.voter, first)
    highest = np.maximum.reduceat(data.voter, first)
    return np.where((lowest == highest) & (data.size[lowest] == 1), lowest, -1).astype(np.int32)


def _votes(data: Comparisons) -> npt.NDArray[np.int64]:
    per_pair = np.add.reduceat(data.count, data.starts[:-1])
    votes = np.zeros(data.models, dtype=np.int64)
    np.add.at(votes, data.pair_a, per_pair)
    np.add.at(votes, data.pair_b, per_pair)
    return votes


def _special(cutting: list[Cut], shares: Floats, width: int, k: int) -> dict[int, Bools]:
    """Voters whose jackknife term is computed on the rest: which parameters stay (D,)."""
    stay: dict[int, Bools] = {}
    for cut in cutting:
        stay[cut.voter] = np.concatenate([cut.rest, np.ones(width - k, dtype=np.bool_)])
    for voter, column in zip(*np.nonzero(shares > ALL_OF_IT), strict=True):
        stay.setdefault(int(voter), np.ones(width, dtype=np.bool_))[k + column] = False
    return stay


def _by_voter(data: Comparisons) -> Iterator[tuple[Ints, Ints]]:
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


def _scores(
    data: Comparisons, terms: _Terms, inverse: Floats, groups: Ints, rows: Ints
) -> tuple[Floats, Floats]:
    """For each group: its score s (B, D), and for one of its voters u (B, D) with d = M u."""
    size = data.size[groups]
    residual = terms.residual[rows]
    design = _design(data, terms, rows, inverse.shape[0])
    batch, m, parts, width = design.shape
    flat = design.reshape(batch, m * parts, width)
    s = np.einsum("bi,bid->bd", residual.reshape(batch, -1), flat)
    blocks = np.zeros((batch, m, parts, m, parts))
    blocks[:, np.arange(m), :, np.arange(m), :] = np.moveaxis(terms.q[rows] / size[:, None, None, None], 1, 0)
    q = blocks.reshape(batch, m * parts, m * parts)
    if m * parts <= width:
        leverage = q @ (flat @ inverse @ np.swapaxes(flat, 1, 2))
        weights = _solve(np.eye(m * parts) - leverage, residual.reshape(batch, -1) / size[:, None])
        return s, np.einsum("bi,bid->bd", weights, flat)
    own = np.swapaxes(flat, 1, 2) @ q @ flat
    return s, _solve(np.eye(width) - own @ inverse, s / size[:, None])


def _solve(matrix: Floats, right: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        # Only a voter treated apart can be exactly singular; the others are solved as they are.
        nudged = matrix + 1e-12 * np.eye(matrix.shape[-1])
        return np.asarray(np.linalg.solve(nudged, right[..., None])[..., 0])


def _design(data: Comparisons, terms: _Terms, rows: Ints, width: int) -> Floats:
    """(B, m, parts, D) design vectors of the rows, one for each part."""
    k, f, parts = data.models, terms.x.shape[1], terms.residual.shape[1]
    pair = np.searchsorted(data.starts, rows, side="right") - 1
    design = np.zeros((*rows.shape, parts, width))
    index = np.indices(rows.shape)
    design[index[0], index[1], 0, data.pair_a[pair]] = 1.0
    design[index[0], index[1], 0, data.pair_b[pair]] = -1.0
    design[:, :, 0, k : k + f] = terms.x[rows]
    if parts == 2:
        design[:, :, 1, -1] = 1.0
    return design


def _without_voter(data: Comparisons, terms: _Terms, fit: Fit, rows: Ints, stay: Bools) -> Floats:
    """d_g on the parameters that stay determined without the voter, zero elsewhere."""
    design = _design(data, terms, rows[None], len(stay))[0]
    own = np.einsum("mpd,mpq,mqe->de", design, terms.q[rows], design)
    s = np.einsum("mp,mpd->d", terms.residual[rows], design)
    kept = (fit.information - own)[np.ix_(stay, stay)]
    models = int(stay[: data.models].sum())
    d = np.zeros(len(stay))
    if models > 1:
        d[stay] = np.linalg.solve(bradley_terry.centred(kept, models), s[stay])
    return d


def _effective_voters(data: Comparisons) -> Floats:
    """(sum_g n_g)^2 / sum_g n_g^2 over the voters of each model, n_g the weight of g's votes on it; at least 1."""
    k = data.models
    pair = data.pair
    step = max(1, CHUNK_VALUES // k)
    total, squares = np.zeros(k), np.zeros(k)
    order = np.argsort(data.voter, kind="stable")
    bounds = np.searchsorted(data.voter[order], np.arange(0, len(data.size) + step, step))
    for low, high, first in zip(bounds, bounds[1:], range(0, len(data.size), step), strict=False):
        rows = order[low:high]
        size = data.size[first : first + step]
        cell = (data.voter[rows] - first).astype(np.int64) * k
        flat = np.zeros(len(size) * k)
        for side in (data.pair_a, data.pair_b):
            flat += np.bincount(cell + side[pair[rows]], weights=data.weight[rows], minlength=len(flat))
        n = flat.reshape(len(size), k)
        total += n.sum(axis=0)
        squares += (n**2 / size[:, None]).sum(axis=0)
    return np.maximum(total**2 / np.where(squares > 0, squares, 1.0), 1.0)
