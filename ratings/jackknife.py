"""Spread of a fit over its voters: CR1 and the one-step jackknife CR3, with effective numbers of voters.

    d_g = (H_c - H_g)^-1 s_g,   CR3 = (G - 1) / G sum_g d_g d_g',   CR1 = G / (G - 1) M (sum_g s_g s_g') M

with s_g and H_g the score and information of voter g at the fit, H_c the whole information (centred on mean-zero
thetas), M = H_c^-1. Bell & McCaffrey 2002; Hansen 2022 for the jackknife.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings import bradley_terry, leverage
from ratings.bradley_terry import Fit
from ratings.comparisons import Comparisons
from ratings.components import Cut, cuts
from ratings.engine import Engine
from ratings.leverage import Terms
from ratings.scale import Bools, Floats, Ints

ALL_OF_IT = 1.0 - 1e-9  # a share of the information above this is all of it


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


def spread(data: Comparisons, fit: Fit, *, ties: bool, engine: Engine) -> Spread:
    """The spread of `fit` over the voters of `data`, the prior left out."""
    k, width = data.models, len(fit.params)
    centred = bradley_terry.centred(fit.information, k)
    inverse = np.asarray(np.linalg.inv(centred), dtype=np.float64)
    terms = leverage.terms(data, fit.params, ties=ties)
    shares, effective_coef = _information_shares(data, terms, inverse)
    cutting = cuts(k, data.pair_a, data.pair_b, _sole_voters(data), _votes(data))
    special = _special(cutting, shares, width, k)
    apart = np.zeros(len(data.size), dtype=np.bool_)
    apart[list(special)] = True
    totals = engine.voters(data, terms, centred, inverse, apart)
    moves = totals.moves
    for voter, stay in special.items():
        d = _without_voter(data, terms, fit, np.flatnonzero(data.voter == voter), stay)
        moves = moves + np.outer(d, d)
    voters = data.voters
    return Spread(
        fisher=inverse,
        cr1=voters / max(voters - 1, 1) * inverse @ totals.scores @ inverse,
        cr3=(voters - 1) / voters * moves,
        effective=totals.effective,
        effective_coef=effective_coef,
        cut_off=~np.all([np.ones(k, dtype=np.bool_), *(cut.rest for cut in cutting)], axis=0),
        held=np.any(shares > ALL_OF_IT, axis=0),
    )


def _information_shares(data: Comparisons, terms: Terms, inverse: Floats) -> tuple[Floats, Floats]:
    """For each further parameter: each voter's share of its information (G, D - K), and the effective voters.

    gamma_g = z' H_g z with z the parameter's column of M; the gammas of all voters sum to its variance.
    """
    k, f, parts = data.models, data.x.shape[1], terms.residual.shape[1]
    shares = np.zeros((len(data.size), len(inverse) - k))
    for column in range(shares.shape[1]):
        z = inverse[:, k + column]
        v = np.empty((len(data.voter), parts))
        v[:, 0] = np.repeat(z[data.pair_a] - z[data.pair_b], np.diff(data.starts)) + data.x @ z[k : k + f]
        v[:, 1:] = z[-1]
        gamma = v[:, 0] ** 2 * terms.q[:, 0, 0] if parts == 1 else np.einsum("ni,nij,nj->n", v, terms.q, v)
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


def _without_voter(data: Comparisons, terms: Terms, fit: Fit, rows: Ints, stay: Bools) -> Floats:
    """d_g on the parameters that stay determined without the voter, zero elsewhere."""
    s, own = leverage.voter(data, terms, rows, len(stay))
    kept = (fit.information - own)[np.ix_(stay, stay)]
    models = int(stay[: data.models].sum())
    d = np.zeros(len(stay))
    if models > 1:
        d[stay] = np.linalg.solve(bradley_terry.centred(kept, models), s[stay])
    return d
