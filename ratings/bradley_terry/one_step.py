"""Refits of many rounds with covariates, to far below 1e-3 Elo in one to three passes over the rows.

Sums of each voter's rows at the full fit, weighted, give a round's scores and information there: an exact Newton step,
bent by the third derivative of the models' part (Chebyshev's method). Each pass over the rows then gives the exact
gradient and takes a step with that information, its models' part brought up to date to first order.

The bend over the step is half the share by which information changed on the way, as far as it is the models' and of
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
from ratings.engine.reference.rounds import SMALL_ROWS, Cells, Packed, Single
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
class Chart:
    """What all rounds of a component share."""

    data: Comparisons
    fit: Fit
    rows: Packed
    cells: Cells
    engine: Engine


@dataclass(frozen=True)
class Start:
    """Sums of the rounds of one batch at the full fit, the prior with them."""

    residual: Sums  # (P, L)
    q: Sums  # (P, L)
    t: Sums  # (P, L)
    own: Floats  # (F, L)
    edge: Floats  # (L, K, F) information across models and covariates
    corner: Floats  # (L, F, F) and among covariates


def chart(data: Comparisons, fit: Fit, engine: Engine) -> Chart:
    """The rows and their sums at the full fit."""
    kind: npt.DTypeLike = np.float32
    small = len(data.voter) < SMALL_ROWS
    certain = small and float(np.abs(_gaps(data, fit.params[None])).max(initial=0.0)) > CERTAIN
    if certain or fit.least < (BLURRED if small else BLURRED_LARGE):
        # Compiled kernels work in float32, in which the rest of a chance near one is only known to some digits.
        engine = replace(engine, gradient=rounds.gradient, cells=rounds.cells, start=newton_steps.start)
        kind = np.float64
    elif small and engine.name == "reference":
        kind = np.float64
    rows = engine.pack(data, fit.theta, fit.params[data.models :], kind)
    return Chart(data=data, fit=fit, rows=rows, cells=engine.cells(rows), engine=engine)


def refit(at: Chart, lanes: Single, *, prior: bool = False) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(L, D) parameters of the rounds with weights `lanes` (G, L), and (L,) which of them are done."""
    base, k = at.fit.params, at.data.models
    done = np.zeros(lanes.shape[1], dtype=np.bool_)
    start = _start(at, lanes, prior)
    try:
        step, rate = _first_step(at, start)
        near = np.abs(step).max(axis=1) < FAR
        params, last = base + step, np.abs(step).max(axis=1)
        for number in range(MAX_PASSES if near.any() else 0):
            shift = params - base
            d = _gaps(at.data, shift).astype(at.rows.z.dtype, copy=False)
            c = np.ascontiguousarray(shift[:, k:].T, dtype=d.dtype)
            residual, own = at.engine.gradient(at.rows, lanes, d, c)
            if prior:
                residual += 0.5 - pairs.expit(_gaps(at.data, params))
            q = np.maximum(start.q + start.t * d, LEAST_SHARE * start.q)
            step = at.engine.solve(_factors(at, start, q), _score(at, residual, own))
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


def _start(at: Chart, lanes: Single, prior: bool) -> Start:
    data, cells = at.data, at.cells
    (residual, q, t), edge = at.engine.start(cells, data.pair_a, data.pair_b, data.models, lanes)
    if prior:
        p = pairs.expit(_gaps(data, at.fit.params[None]))
        residual, q, t = residual + 0.5 - p, q + p * (1 - p), t + p * (1 - p) * (1 - 2 * p)
    f = cells.own.shape[1]
    return Start(
        residual=residual,
        q=q,
        t=t,
        own=_over_voters(cells.own, lanes),
        edge=edge,
        corner=_over_voters(cells.corner, lanes).T.reshape(-1, f, f),
    )


def _over_voters(values: Floats, lanes: Single) -> Floats:
    """(C, L) the sum over voters of `values` (G, C), weighted."""
    total = np.zeros((values.shape[1], lanes.shape[1]))
    for low in range(0, len(values), VOTERS):
        total += values[low : low + VOTERS].T @ lanes[low : low + VOTERS].astype(np.float64)
    return total


def _first_step(at: Chart, start: Start) -> tuple[Floats, Floats]:
    """(L, D) Chebyshev's step from the full fit, and (L,) the share by which information changed on the way."""
    data, k = at.data, at.data.models
    factor = _factors(at, start, start.q)
    step = at.engine.solve(factor, _score(at, start.residual, start.own))
    bends = np.zeros_like(step)
    bends[:, :k] = at.engine.bends(data.pair_a, data.pair_b, start.t, step[:, :k])
    bend = at.engine.solve(factor, bends)
    moved, bent = (np.abs(part).max(axis=1) for part in (step, bend))
    # Where it is no small part of the step, the series ends before it.
    return step + np.where(bent < 0.5 * moved, 1.0, 0.0)[:, None] * bend, 2.0 * bent / np.maximum(moved, TINY)


def _gaps(data: Comparisons, params: Floats) -> Floats:
    """(P, L) theta_a - theta_b of each pair."""
    theta = np.ascontiguousarray(params[:, : data.models].T)
    return np.asarray(theta[data.pair_a] - theta[data.pair_b])


def _score(at: Chart, residual: Floats, own: Floats) -> Floats:
    """(L, D) the gradient."""
    data = at.data
    of_models = at.engine.edges(data.pair_a, data.pair_b, data.models, residual[None])[:, :, 0]
    return np.concatenate([of_models, own.T], axis=1)


def _factors(at: Chart, start: Start, q: Sums) -> Sums:
    return np.asarray(at.engine.factor(at.data.pair_a, at.data.pair_b, q, start.edge, start.corner))
