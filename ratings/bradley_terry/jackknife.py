"""Spread of a fit over its voters: CR1 and the one-step jackknife CR3, with effective numbers of voters.

    d_g = (H_c - H_g)^-1 s_g,   CR3 = (G - 1) / G sum_g d_g d_g',   CR1 = G / (G - 1) M (sum_g s_g s_g') M

with s_g and H_g the score and information of voter g at the fit, H_c the whole information (centred on mean-zero
thetas), M = H_c^-1. Bell & McCaffrey 2002; Hansen 2022 for the jackknife.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arena.errors import NotConverged
from ratings.bradley_terry import fit as bradley_terry_fit
from ratings.bradley_terry.fit import Fit
from ratings.bradley_terry.influence import single_voter_dependence, without
from ratings.design.comparisons import Comparisons
from ratings.engine.choice import Engine
from ratings.engine.reference import jackknife
from ratings.scale import Bools, Floats

HEAVY = (
    0.5  # leverage of a voter, beyond which what the others leave is too little to be told by a subtraction
)


@dataclass(frozen=True)
class Covariance:
    """Covariances (D, D) of the parameters, good for contrasts of models and for coefficients."""

    fisher: Floats
    cr1: Floats
    cr3: Floats
    effective: Floats  # (K,) effective number of voters of each model, at least 1
    effective_coef: Floats  # (D - K,) of each further parameter
    disconnected_without_one_voter: (
        Bools  # (K,) the removal of one voter would cut the model off: no interval
    )
    identified_by_one_voter: (
        Bools  # (D - K,) one voter holds all information about the parameter: no interval
    )


def covariance(data: Comparisons, fit: Fit, *, ties: bool, engine: Engine) -> Covariance:
    """The spread of `fit` over the voters of `data`, the prior left out."""
    k, width = data.models, len(fit.params)
    terms = engine.terms(data, fit.params, ties=ties)
    centred, inverse = _with_inverse(fit)
    share, gamma = engine.shares(data, terms, inverse)
    if (share / data.size).max(initial=0.0) > HEAVY:
        # The fit's information is that before its last step, the voters' are of the terms.
        fit = replace(fit, information=engine.voter(data, terms, np.arange(len(data.voter)), width)[1])
        centred, inverse = _with_inverse(fit)
        share, gamma = engine.shares(data, terms, inverse)
    stays = single_voter_dependence(data, terms, fit, share, engine)
    apart = np.zeros(len(data.size), dtype=np.bool_)
    apart[list(stays)] = True
    totals = engine.voters(data, terms, centred, inverse, apart)
    dfbeta = totals.dfbeta
    for voter, stay in stays.items():
        d = without(data, terms, fit, voter, stay)
        dfbeta = dfbeta + np.outer(d, d)
    determined = np.all([np.ones(width, dtype=np.bool_), *stays.values()], axis=0)
    voters = data.voters
    return Covariance(
        fisher=inverse,
        cr1=voters / max(voters - 1, 1) * inverse @ totals.scores @ inverse,
        cr3=(voters - 1) / voters * dfbeta,
        effective=totals.effective,
        # (sum gamma)^2 / sum gamma^2, the gammas of all voters summing to the parameter's variance.
        effective_coef=jackknife.effective(gamma.sum(axis=1), (gamma**2 / data.size).sum(axis=1)),
        disconnected_without_one_voter=_cut_off(determined[:k]),
        identified_by_one_voter=~determined[k:],
    )


def _cut_off(determined: Bools) -> Bools:
    """(K,) models whose link hangs on one voter. The last one kept has nobody left to be compared with: it too."""
    return ~determined if determined.sum() > 1 else np.ones_like(determined)


def _with_inverse(fit: Fit) -> tuple[Floats, Floats]:
    """The centred information (D, D) and its inverse."""
    centred = bradley_terry_fit.centred(fit.information, fit.models)
    try:
        return centred, np.asarray(np.linalg.inv(centred), dtype=np.float64)
    except np.linalg.LinAlgError:
        why = "the votes do not determine the fit: its information is singular, so it has no errors"
        raise NotConverged(why, fit.iterations, fit.last_step_elo) from None
