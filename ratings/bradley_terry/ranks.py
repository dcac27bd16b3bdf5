"""Ranks from intervals, and the simultaneous range of ranks from all gaps at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr, stdtrit

from ratings.bradley_terry.intervals import LEVEL
from ratings.scale import Floats

Ranks = npt.NDArray[np.int64]
STILL = 1e-12  # log-odds; a gap whose rounds spread less does not move


def by_overlap(low: Floats, high: Floats) -> Ranks:
    """1 + the number of models whose lower bound is above my upper bound (strict). Shapes (m,)."""
    ordered = np.sort(low)
    return 1 + len(low) - np.searchsorted(ordered, high, side="right")


def simultaneous(
    estimate: Floats, covariance: Floats, nu: Floats, draws: Floats | None
) -> tuple[Ranks, Ranks]:
    """(m,) lowest and highest rank that hold for all models at once with 95 % confidence.

    `covariance` (m, m) of the estimates; `nu` (m,) effective voters, a gap having the fewer of its two. With
    rounds (R, m): C is the 95 % quantile over rounds of the largest |gap* - gap| / sd*, and a is above b if their
    gap exceeds t_nu(1 - Phi(-C)) of its own error. Without: Holm's step-down on the gaps' t tests.
    """
    m = len(estimate)
    gaps = estimate[:, None] - estimate[None, :]
    variance = np.diag(covariance)
    error = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))
    fewer = np.minimum(nu[:, None], nu[None, :])
    if draws is None or m < 2:
        above = _holm(gaps, error, fewer)
    else:
        above = gaps > stdtrit(fewer, ndtr(_largest_t(estimate, draws))) * error
    # A gap without any error (equal by construction) separates nobody.
    above &= (gaps > 0) & (error > 0)
    return 1 + above.sum(axis=0), m - above.sum(axis=1)


def _largest_t(estimate: Floats, draws: Floats) -> float:
    """The 95 % quantile over rounds of the largest studentised deviation among all gaps."""
    worst = np.zeros(len(draws))
    # A model a row, so that all rounds of a gap lie side by side.
    shift = np.ascontiguousarray((draws - estimate).T)
    middle = shift.mean(axis=1)
    around = shift - middle[:, None]
    gaps = np.empty_like(shift)
    for first in range(len(estimate) - 1):
        gap = np.subtract(around[first + 1 :], around[first], out=gaps[first + 1 :])
        spread = np.sqrt(np.einsum("mr,mr->m", gap, gap) / max(len(draws) - 1, 1))
        gap += (middle[first + 1 :] - middle[first])[:, None]
        np.abs(gap, out=gap)
        moving = spread > STILL
        gap *= np.where(moving, 1.0 / np.where(moving, spread, 1.0), 0.0)[:, None]
        np.maximum(worst, gap.max(axis=0), out=worst)
    return float(np.quantile(worst, LEVEL))


def _holm(gaps: Floats, error: Floats, nu: Floats) -> npt.NDArray[np.bool_]:
    a, b = np.triu_indices(len(gaps), 1)
    t = np.abs(gaps[a, b]) / np.where(error[a, b] > 0, error[a, b], np.inf)
    p = 2 * stdtr(nu[a, b], -t)
    order = np.argsort(p, kind="stable")
    passed = p[order] <= (1 - LEVEL) / np.arange(len(p), 0, -1)
    # Step down: the first test that fails ends it.
    told_apart = np.zeros(len(p), dtype=np.bool_)
    told_apart[order] = np.logical_and.accumulate(passed)
    above = np.zeros(gaps.shape, dtype=np.bool_)
    above[a, b] = above[b, a] = told_apart
    return above & (gaps > 0)


def p_best(draws: Floats) -> Floats:
    """(m,) the share of rounds in which each model is at the top; a shared top is shared."""
    top = draws >= draws.max(axis=1, keepdims=True) - 1e-9
    return np.asarray((top / top.sum(axis=1, keepdims=True)).mean(axis=0))
