"""The fit of votes with covariates: from a start that one pass gives, in passes no more exact than their steps need.

Covariates are divided by their scale, here or in the pass that reads them, with the same rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arena.errors import NotConverged
from ratings.bradley_terry import fit as bradley_terry_fit
from ratings.bradley_terry.fit import Evaluate, Fit, Sums
from ratings.design.comparisons import LARGE, Comparisons
from ratings.engine.choice import Engine
from ratings.engine.reference import pairs
from ratings.engine.reference.rows import How, RowSums
from ratings.scale import Floats, Ints

START_ELO = 1e-2  # the largest last step of the fit without covariates that a start is made from
LEAST_SHARE = 0.5  # of its value at zero, that information is taken to keep at a start
SETTLED = 2e-5  # change of any vote's log-odds, below which information stays what it was to that share
ROUGH_SPAN = 10.0  # log-odds that a vote may reach, beyond which float32 blurs what is left of a chance
ROUGH_PIVOT = 1e-3  # share of a parameter's information left beside the others, below which float32 blurs it


@dataclass(frozen=True)
class AtZero:
    """The votes where all parameters are zero."""

    score: Floats  # (K + F,) gradient
    information: Floats  # (K + F, K + F) centred
    weight: Floats  # (P,) of each pair
    share: Floats  # (P,) a's share of it
    max_abs_shift: Floats  # (F,) the largest |x|

    def keep(self, kept: list[int]) -> AtZero:
        """Only the covariates `kept`."""
        k = len(self.score) - len(self.max_abs_shift)
        places = [*range(k), *(k + column for column in kept)]
        information = self.information[np.ix_(places, places)]
        return replace(
            self, score=self.score[places], information=information, max_abs_shift=self.max_abs_shift[kept]
        )

    def over(self, scale: Floats) -> AtZero:
        """The same with each covariate divided by its scale (F,)."""
        units = np.append(np.ones(len(self.score) - len(scale)), scale)
        return replace(
            self,
            score=self.score / units,
            information=self.information / np.outer(units, units),
            max_abs_shift=self.max_abs_shift / scale,
        )


def at_zero(data: Comparisons, engine: Engine) -> AtZero:
    """One pass over the rows at zero, covariates as they are."""
    params = np.zeros((1, data.models + data.x.shape[1]))
    sums = engine.rows(data, params[0], np.ones(data.x.shape[1]))
    gradient, information = _assembled(data, engine, sums)
    bradley_terry_fit.centre(information, data.models)
    # There each vote has an even chance.
    return AtZero(
        score=gradient[0],
        information=bradley_terry_fit.mirrored(information[0]),
        weight=4.0 * sums.q[0],
        share=sums.residual[0] + 2.0 * sums.q[0],
        max_abs_shift=data.max_abs if sums.max_abs_shift is None else sums.max_abs_shift,
    )


def with_ties_at_zero(data: Comparisons) -> Floats:
    """(D, D) the centred information of all parameters, log nu the last, where all are zero; `data` is scaled."""
    params = np.zeros((1, data.models + data.x.shape[1] + 1))
    _, information = bradley_terry_fit.on_rows(data, None, ties=True, prior=False)(
        params, bradley_terry_fit.ONE_LANE
    )
    bradley_terry_fit.centre(information, data.models)
    return bradley_terry_fit.mirrored(information[0])


def fit(data: Comparisons, zero: AtZero, scale: Floats, *, ties: bool, prior: bool, engine: Engine) -> Fit:
    """The unpenalised fit of `data`, its covariates divided by `scale` (F,), as `zero` has them.

    `prior` adds half a win each way on each observed pair. Raises `NotConverged` as `bradley_terry.fit` does.
    """
    k = data.models
    if ties:
        scaled = data.over(scale)

        def exact(prior: bool) -> Evaluate:
            return bradley_terry_fit.on_rows(scaled, None, ties=True, prior=prior)

        start = np.zeros((1, k + len(scale) + 1))
        return bradley_terry_fit.converged(
            exact, start, k, bradley_terry_fit.max_abs_shift(scaled, ties), prior=prior
        )

    single_precision = _least_pivot(zero) > ROUGH_PIVOT

    def in_turn(here: bool) -> Evaluate:
        # Without the prior of the fit, information is asked for once and has to be exact.
        return _in_turn(data, engine, scale, zero.max_abs_shift, here, single_precision and here == prior)

    return bradley_terry_fit.converged(
        in_turn, _start(data, zero, prior, engine), k, zero.max_abs_shift, prior=prior
    )


def _start(data: Comparisons, zero: AtZero, prior: bool, engine: Engine) -> Floats:
    """(1, D) a place near the fit: the fit without covariates, moved by what they move it by at zero.

    Information shrinks on the way from zero, and a step grows, by about the same share for all.
    """
    k, a, b = data.models, data.pair_a, data.pair_b
    joint = bradley_terry_fit.solve(zero.information[None].copy(), zero.score[None], k)
    models = bradley_terry_fit.solve(zero.information[None, :k, :k].copy(), zero.score[None, :k], k)
    sums = Sums(zero.weight[None], zero.share[None], zero.share[None])
    evaluate = bradley_terry_fit.on_pairs(data, sums, ties=False, prior=prior, engine=engine)
    try:
        theta, _, _ = bradley_terry_fit.newton(evaluate, models, k, np.zeros(0), START_ELO)
    except NotConverged:
        return joint
    p = pairs.expit(theta[0, a] - theta[0, b])
    kept = max(4.0 * float(zero.weight @ (p * (1.0 - p))) / float(zero.weight.sum()), LEAST_SHARE)
    return np.append(theta + (joint[:, :k] - models) / kept, joint[:, k:] / kept, axis=1)


def _least_pivot(zero: AtZero) -> float:
    """The least share of a parameter's information that those before it leave."""
    size = np.sqrt(np.diag(zero.information))
    return float(np.diag(np.linalg.cholesky(zero.information / np.outer(size, size))).min()) ** 2


def _in_turn(
    data: Comparisons,
    engine: Engine,
    scale: Floats,
    max_abs_shift: Floats,
    prior: bool,
    single_precision: bool,
) -> Evaluate:
    """The evaluation for one fit, on many rows no more exact than where the next step leads.

    The first step may be taken on sums in float32 if they may be `single_precision`, as Newton forgets its error; and after a
    step that leaves the information as it was, only scores are summed.
    """
    k, many = data.models, len(data.voter) > LARGE
    last, information = np.zeros(0), np.zeros(0)

    def evaluate(params: Floats, _: Ints) -> tuple[Floats, Floats]:
        nonlocal last, information
        how: How = "exact"
        moved = params[0] - last if len(last) else params[0]
        span = float(np.ptp(moved[:k]) + np.abs(moved[k:]) @ max_abs_shift)
        if many and not len(last):
            how = "single_precision" if single_precision and span < ROUGH_SPAN else "exact"
        elif many and span < SETTLED:
            how = "scores"
        last = params[0].copy()
        gradient, found = _on_rows(data, engine, scale, params, prior, how)
        if how != "scores":
            information = found.copy()
        return gradient, information.copy()

    return evaluate


def _on_rows(
    data: Comparisons, engine: Engine, scale: Floats, params: Floats, prior: bool, how: How
) -> tuple[Floats, Floats]:
    """Gradient (1, D) and, at least its upper triangle, information (1, D, D) of the votes as they are."""
    gradient, information = _assembled(data, engine, engine.rows(data, params[0], scale, how))
    if prior:
        one = np.ones((1, len(data.pair_a)))
        pairs.evaluate(data.pair_a, data.pair_b, one, 0.5 * one, params, gradient, information)
    return gradient, information


def _assembled(data: Comparisons, engine: Engine, sums: RowSums) -> tuple[Floats, Floats]:
    """Gradient (1, D) and the upper triangle of the information (1, D, D) from the sums of one pass."""
    k = data.models
    width = k + data.x.shape[1]
    gradient, information = np.zeros((1, width)), np.zeros((1, width, width))
    # (C, P, 1): the score, then the covariates' part of the information.
    columns = np.concatenate([sums.residual[None], sums.cross_by_pair]).transpose(0, 2, 1)
    information_cross = engine.pair_to_model_sums(data.pair_a, data.pair_b, k, columns)
    engine.assemble(data.pair_a, data.pair_b, sums.q.T, information)
    gradient[:, :k], information[:, :k, k:] = information_cross[:, :, 0], information_cross[:, :, 1:]
    gradient[:, k:], information[:, k:, k:] = sums.score_coef, sums.information_coef
    return gradient, information
