"""Refits of many rounds with covariates, to far below 1e-3 Elo in two to four passes over the rows.

The first pass gives each round's scores and information about the models at the full fit, without a sigmoid;
blocks that cross models and covariates are those of the full fit, scaled by the round's weight of each pair.
Each further pass gives the exact gradient and takes a chord step; between passes the information about the models is
kept up to date to first order. A round's error after a step is about the step times the ratio of the last two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings import bradley_terry, pairwise
from ratings.bradley_terry import Fit
from ratings.comparisons import Comparisons
from ratings.engine import Engine
from ratings.passes import SMALL_ROWS, Packed, Single, pack
from ratings.scale import ELO, Floats

ROUND_ERROR_ELO = 5e-5  # predicted error at which a round is done
MAX_PASSES = 8  # beyond, the round is far from the full fit: exact Newton instead
NO_INFORMATION = 1e-300  # stands for that of a pair whose outcome is certain to the last bit
TINY = 1e-12  # log-odds; a step below is rounding
FAR = 1.5  # log-odds; a first step beyond is not a small change of the full fit
LEAST_SHARE = 0.2  # of its value at the full fit, below which the extrapolated information is not let fall


@dataclass(frozen=True)
class Chart:
    """What all rounds of a component share."""

    data: Comparisons
    fit: Fit
    rows: Packed
    q: Floats  # (P,) information of each pair at the full fit
    cross: Floats  # (P, F) of pair and covariates
    corner: Floats  # (F, F) of the covariates
    engine: Engine


def chart(data: Comparisons, fit: Fit, engine: Engine) -> Chart:
    """The full fit's blocks of information, pair by pair."""
    k = data.models
    # Compiled kernels work in float32 throughout.
    kind = np.float64 if engine.name == "numpy" and len(data.voter) < SMALL_ROWS else np.float32
    rows = pack(data, fit.theta, fit.params[k:], kind)
    p = pairwise.expit(rows.z.astype(np.float64))
    q = data.weight * p * (1 - p)
    first = data.starts[:-1]
    return Chart(
        data=data,
        fit=fit,
        rows=rows,
        q=np.add.reduceat(q, first),
        cross=np.column_stack([np.add.reduceat(q * column, first) for column in rows.x.T]),
        corner=fit.information[k:, k:],
        engine=engine,
    )


def refit(at: Chart, lanes: Single, *, prior: bool = False) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(L, D) parameters of the rounds with weights `lanes` (G, L), and (L,) which of them are done."""
    k, engine = at.data.models, at.engine
    base = at.fit.params
    params = np.tile(base, (lanes.shape[1], 1))
    sums = engine.first(at.rows, lanes)
    residual, own, q = sums.residual, sums.own, sums.q
    last = np.full(len(params), np.inf)
    done = np.zeros(len(params), dtype=np.bool_)
    for number in range(MAX_PASSES):
        try:
            step = _step(at, residual, own, q, params, prior)
        except np.linalg.LinAlgError:
            break  # the scaled blocks are no longer those of a maximum: exact Newton is left to do
        moved = np.abs(step).max(axis=1)
        if not moved.max() < FAR:
            break
        params += step
        ratio = moved / np.maximum(last, TINY) if number else np.ones(len(params))
        done = moved * np.minimum(ratio, 1.0) * ELO < ROUND_ERROR_ELO
        if done.all() or (number > 1 and (ratio > 0.9).any()):
            break
        last = moved
        shift = params - base
        d = shift[:, at.data.pair_a].T - shift[:, at.data.pair_b].T
        moved_by = (np.ascontiguousarray(part, dtype=at.rows.z.dtype) for part in (d, shift[:, k:].T))
        residual, own = engine.gradient(at.rows, lanes, *moved_by, sums)
        q = np.maximum(sums.q + sums.t * d, LEAST_SHARE * sums.q)
    return params, done


def _step(at: Chart, residual: Floats, own: Floats, q: Floats, params: Floats, prior: bool) -> Floats:
    """One step of each lane from its gradient; (L, D)."""
    data, k = at.data, at.data.models
    if prior:
        p = pairwise.expit(params[:, data.pair_a] - params[:, data.pair_b]).T
        residual, q = residual + 0.5 - p, q + p * (1 - p)
    corner = at.corner * (q.sum(axis=0) / at.q.sum())[:, None, None]
    share = q / np.maximum(at.q, NO_INFORMATION)[:, None]
    gradient, information = at.engine.assemble(
        data.pair_a, data.pair_b, k, residual, q, share, own, at.cross, corner
    )
    return bradley_terry.solve(information, gradient, k)
