"""Refits of many rounds with covariates, to far below 1e-3 Elo in one to three passes over the rows.

Sums of each voter's rows at the full fit, weighted, give a round's scores and information there: an exact Newton step,
corrected by the third derivative of the models' part (Chebyshev's method). Each pass over the rows then gives the exact
gradient and takes a step with that information, its models' part brought up to date to first order.

The correction over the step is half the share by which information changed on the way, as far as it is the models' and of
first order; what the next step has to mend tells of the rest. A later step with information out by that share leaves
so much of itself undone: the predicted error at which a round is done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ratings.bradley_terry.fit import Fit
from ratings.design.comparisons import Comparisons
from ratings.engine.choice import Engine
from ratings.engine.reference import newton_steps, pairs, rounds
from ratings.engine.reference.newton_steps import Sums
from ratings.engine.reference.rounds import SMALL_ROWS, RowsAtFit, Single, VoterPairSums
from ratings.scale import ELO, Floats

ROUND_ERROR_ELO = 1e-4  # predicted error at which a round is done
CAUTION = 3.0  # what is left of a step is now and then up to three times the last ratio of steps (simulated)
MAX_PASSES = 6  # beyond, the round is far from the full fit: exact Newton instead
STALLED = 0.9  # share of the step before, above which steps lead nowhere
FAR = 1.5  # log-odds; a first step beyond is not a small change of the full fit
TINY = 1e-12  # log-odds; a step below is rounding
LEAST_SHARE = 0.2  # of its value at the full fit, below which the extrapolated information is not let fall
CERTAIN = 5.5  # log-odds of a pair, beyond which float32 was seen to cost more than 1e-4 Elo on small boards
# Least share of information left, below which float32 errs by more than 1e-4 Elo, where float64 costs little, or than
# 1e-3: it errs by about 1.2e-5 Elo over that share (measured).
BLURRED, BLURRED_LARGE = 0.1, 0.02
VOTERS = 4096  # whose weights are summed at a time in float64


@dataclass(frozen=True)
class Linearization:
    """What all rounds of a component share."""

    data: Comparisons
    fit: Fit
    rows: RowsAtFit
    voter_pair_sums: VoterPairSums
    engine: Engine


@dataclass(frozen=True)
class Start:
    """Sums of the rounds of one batch at the full fit, the prior with them."""

    residual: Sums  # (P, L)
    q: Sums  # (P, L)
    t: Sums  # (P, L)
    score_coef: Floats  # (F, L)
    information_cross: Floats  # (L, K, F) information across models and covariates
    information_coef: Floats  # (L, F, F) and among covariates


def linearize(data: Comparisons, fit: Fit, engine: Engine) -> Linearization:
    """The rows and their sums at the full fit."""
    kind: npt.DTypeLike = np.float32
    small = len(data.voter) < SMALL_ROWS
    certain = small and float(np.abs(_gaps(data, fit.params[None])).max(initial=0.0)) > CERTAIN
    if certain or fit.min_information_ratio < (BLURRED if small else BLURRED_LARGE):
        # Compiled kernels work in float32, in which the rest of a chance near one is only known to some digits.
        engine = replace(
            engine, gradient=rounds.gradient, voter_pair_sums=rounds.voter_pair_sums, start=newton_steps.start
        )
        kind = np.float64
    elif small and engine.name == "reference":
        kind = np.float64
    rows = engine.rows_at_fit(data, fit.theta, fit.params[data.models :], kind)
    return Linearization(
        data=data, fit=fit, rows=rows, voter_pair_sums=engine.voter_pair_sums(rows), engine=engine
    )


def refit(
    at: Linearization, replicates: Single, *, prior: bool = False
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(L, D) parameters of the rounds with weights `replicates` (G, L), and (L,) which of them are done."""
    base, k = at.fit.params, at.data.models
    done = np.zeros(replicates.shape[1], dtype=np.bool_)
    start = _start(at, replicates, prior)
    try:
        step, rate = _first_step(at, start)
        near = np.abs(step).max(axis=1) < FAR
        params, last = base + step, np.abs(step).max(axis=1)
        for number in range(MAX_PASSES if near.any() else 0):
            shift = params - base
            d = _gaps(at.data, shift).astype(at.rows.z.dtype, copy=False)
            c = np.ascontiguousarray(shift[:, k:].T, dtype=d.dtype)
            residual, score_coef = at.engine.gradient(at.rows, replicates, d, c)
            if prior:
                residual += 0.5 - pairs.expit(_gaps(at.data, params))
            q = np.maximum(start.q + start.t * d, LEAST_SHARE * start.q)
            step = at.engine.solve(_factors(at, start, q), _score(at, residual, score_coef))
            params += step
            moved = np.abs(step).max(axis=1)
            ratio = moved / np.maximum(last, TINY)
            rate = np.maximum(CAUTION * ratio, 0.0 if number else rate)
            done = near & (moved * np.minimum(rate, 1.0) * ELO < ROUND_ERROR_ELO)
            near &= ratio < STALLED
            last = moved
            if (done | ~near).all():
                break
    except np.linalg.LinAlgError:
        # The information is no longer that of a maximum: exact Newton is left to do.
        return np.tile(base, (len(done), 1)), np.zeros_like(done)
    return params, done


def _start(at: Linearization, replicates: Single, prior: bool) -> Start:
    data, voter_pair_sums = at.data, at.voter_pair_sums
    (residual, q, t), information_cross = at.engine.start(
        voter_pair_sums, data.pair_a, data.pair_b, data.models, replicates
    )
    if prior:
        p = pairs.expit(_gaps(data, at.fit.params[None]))
        residual, q, t = residual + 0.5 - p, q + p * (1 - p), t + p * (1 - p) * (1 - 2 * p)
    f = voter_pair_sums.score_coef.shape[1]
    return Start(
        residual=residual,
        q=q,
        t=t,
        score_coef=_over_voters(voter_pair_sums.score_coef, replicates),
        information_cross=information_cross,
        information_coef=_over_voters(voter_pair_sums.information_coef, replicates).T.reshape(-1, f, f),
    )


def _over_voters(values: Floats, replicates: Single) -> Floats:
    """(C, L) the sum over voters of `values` (G, C), weighted."""
    total = np.zeros((values.shape[1], replicates.shape[1]))
    for low in range(0, len(values), VOTERS):
        total += values[low : low + VOTERS].T @ replicates[low : low + VOTERS].astype(np.float64)
    return total


def _first_step(at: Linearization, start: Start) -> tuple[Floats, Floats]:
    """(L, D) Chebyshev's step from the full fit, and (L,) the share by which information changed on the way."""
    data, k = at.data, at.data.models
    factor = _factors(at, start, start.q)
    step = at.engine.solve(factor, _score(at, start.residual, start.score_coef))
    third_derivative = np.zeros_like(step)
    third_derivative[:, :k] = at.engine.third_derivative(data.pair_a, data.pair_b, start.t, step[:, :k])
    curvature_step = at.engine.solve(factor, third_derivative)
    moved, bent = (np.abs(part).max(axis=1) for part in (step, curvature_step))
    # Where it is no small part of the step, the series ends before it.
    return step + np.where(bent < 0.5 * moved, 1.0, 0.0)[:, None] * curvature_step, 2.0 * bent / np.maximum(
        moved, TINY
    )


def _gaps(data: Comparisons, params: Floats) -> Floats:
    """(P, L) theta_a - theta_b of each pair."""
    theta = np.ascontiguousarray(params[:, : data.models].T)
    return np.asarray(theta[data.pair_a] - theta[data.pair_b])


def _score(at: Linearization, residual: Floats, score_coef: Floats) -> Floats:
    """(L, D) the gradient."""
    data = at.data
    of_models = at.engine.pair_to_model_sums(data.pair_a, data.pair_b, data.models, residual[None])[:, :, 0]
    return np.concatenate([of_models, score_coef.T], axis=1)


def _factors(at: Linearization, start: Start, q: Sums) -> Sums:
    return np.asarray(
        at.engine.factor(at.data.pair_a, at.data.pair_b, q, start.information_cross, start.information_coef)
    )
