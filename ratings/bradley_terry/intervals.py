"""Intervals of contrasts: bootstrap percentiles scaled to a half-width of t(nu) times the jackknife error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ratings.scale import Bools, Floats

LEVEL = 0.95
MIN_VOTERS = 5  # fewer say nothing about how voters differ
FEW_EFFECTIVE = 10.0  # below: computed and flagged
ABOUT_ZERO = 1e-3  # share of the Fisher error below which voters show no spread at all


@dataclass(frozen=True)
class ContrastIntervals:
    """Bounds and errors of m contrasts, in the unit of the estimates."""

    low: Floats  # (m,)
    high: Floats
    se: Floats  # CR3, or Fisher where `fisher`
    fisher: Bools  # voters show no spread: the information of independent votes stands in
    stretch: Floats  # (m,) by which the rounds are stretched around the estimate


def calibrated_interval(
    estimate: Floats, se: Floats, fisher_se: Floats, nu: Floats, draws: Floats | None
) -> ContrastIntervals:
    """Intervals of `estimate` (m,) with errors, effective voters (m,) and, if any, rounds (R, m).

    Half-width h = t(nu, .975) se; with rounds, L and U their 2.5 and 97.5 % quantiles and k = 2h / (U - L):
    [est - k (est - L), est + k (U - est)], of width 2h, with the asymmetry of the rounds and the estimate inside.
    """
    low_draw, high_draw = quantiles(estimate, draws)
    width = high_draw - low_draw
    tail = float(stdtrit(np.inf, 1 - (1 - LEVEL) / 2))
    fisher = se < ABOUT_ZERO * fisher_se
    if draws is not None:
        fisher |= width < ABOUT_ZERO * 2 * tail * fisher_se
    error = np.where(fisher, fisher_se, se)
    half = stdtrit(np.maximum(nu, 1.0), 1 - (1 - LEVEL) / 2) * error
    even = fisher | (width <= 0)
    scale = 2 * half / np.where(even, 1.0, width)
    low = estimate - np.where(even, half, scale * (estimate - low_draw))
    high = estimate + np.where(even, half, scale * (high_draw - estimate))
    return ContrastIntervals(low, high, error, fisher, np.where(even, 1.0, scale))


def quantiles(estimate: Floats, draws: Floats | None) -> tuple[Floats, Floats]:
    """The ends of the rounds, stretched to hold the estimate; without rounds, the estimate itself."""
    if draws is None:
        return estimate, estimate
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, 1 - (1 - LEVEL) / 2], axis=0)
    return np.minimum(low, estimate), np.maximum(high, estimate)
