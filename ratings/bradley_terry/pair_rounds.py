"""Refits of many rounds without covariates, from pair sums: one factor a round, then steps that cost no matrix.

The first step is exact Newton at the full fit, corrected by the third derivative (Chebyshev's method). Each later one takes
the exact gradient to the information at the full fit, factored once: what is left shrinks by the share by which
information changed on the way. Where that is no small share, `done` is false and exact Newton is left to do.
"""

from __future__ import annotations

import numpy as np

from ratings.bradley_terry.fit import Fit
from ratings.design.comparisons import Comparisons
from ratings.engine.choice import Engine
from ratings.engine.reference import pairs
from ratings.scale import ELO, Bools, Floats

ERROR_ELO = 1e-5  # predicted error at which a round is done
CAUTION = 3.0  # what is left of a step is now and then more than the last ratio of steps says
MOST_STEPS = 10  # beyond, exact Newton is cheaper
SLOW = 0.3  # ratio of steps above which it is, too
FAR = 1.5  # log-odds; a first step beyond is not a small change of the full fit
TINY = 1e-12  # log-odds; a step below is rounding


def refit(data: Comparisons, fit: Fit, weight: Floats, score: Floats, engine: Engine) -> tuple[Floats, Bools]:
    """(L, K) parameters of the rounds with pair sums (P, L), the prior in them, and (L,) which are done."""
    a, b, k = data.pair_a, data.pair_b, data.models
    replicates = weight.shape[1]
    p = pairs.expit(fit.theta[a] - fit.theta[b])[:, None]
    # One array for all: to ask the system for as many as there are pairs and rounds takes longer than to fill them.
    work = weight * p
    gradient = engine.pair_to_model_sums(a, b, k, np.subtract(score, work, out=work)[None])[:, :, 0]
    start = np.tile(fit.params, (replicates, 1))
    try:
        factors = engine.factor(
            a,
            b,
            np.multiply(weight, p * (1.0 - p), out=work),
            np.empty((replicates, k, 0)),
            np.empty((replicates, 0, 0)),
        )
    except np.linalg.LinAlgError:
        return start, np.zeros(replicates, dtype=np.bool_)
    step = engine.solve(factors, gradient)
    curvature_step = engine.solve(
        factors, engine.third_derivative(a, b, np.multiply(work, 1.0 - 2.0 * p, out=work), step)
    )
    last, bent = (np.abs(part).max(axis=1) for part in (step, curvature_step))
    near = (last < FAR) & (bent < 0.5 * last)
    params = fit.params + step + np.where(near, 1.0, 0.0)[:, None] * curvature_step
    done = np.zeros(replicates, dtype=np.bool_)
    for number in range(MOST_STEPS if near.any() else 0):
        step = engine.solve(factors, engine.scores(a, b, weight, score, params))
        params += step
        moved = np.abs(step).max(axis=1)
        # The correction over the step is half the share by which information changed, but for what is of second order.
        ratio = np.maximum(moved, 0.0 if number else 2.0 * bent) / np.maximum(last, TINY)
        near &= (ratio < SLOW) | (moved < TINY)
        done = near & (moved * np.minimum(CAUTION * ratio, 1.0) * ELO < ERROR_ELO)
        last = moved
        if (done | ~near).all():
            break
    return params, done
