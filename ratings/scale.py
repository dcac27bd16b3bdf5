"""The scale: from log-odds to Elo points, and the contrast that a rating is."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.intp]

ELO = 400.0 / math.log(10.0)  # Elo points in one unit of log-odds: 400 points are odds of ten to one
BASE = 1000.0  # the rating of the reference mean


def reference(votes: npt.NDArray[np.int64], min_votes: int, barred: Bools | None = None) -> Floats:
    """(K,) weights of the mean m that ratings are measured from; they sum to one.

    Equal weight on the models with at least `min_votes` votes, over all if fewer than two have them, so that
    a newcomer with three votes moves and widens nobody else. `barred` models (whose place hangs on a single
    voter) stay out, unless fewer than two others are left.
    """
    allowed = np.ones(len(votes), dtype=np.bool_) if barred is None else ~barred
    if allowed.sum() < 2:
        allowed[:] = True
    enough = allowed & (votes >= min_votes)
    chosen = enough if enough.sum() >= 2 else allowed
    return np.asarray(chosen / chosen.sum(), dtype=np.float64)


def contrasts(weights: Floats, width: int) -> Floats:
    """(K, width) rows e_k - m over the parameters, zero beyond the K thetas: rating_k is this row on the Elo scale."""
    k = len(weights)
    rows = np.zeros((k, width))
    rows[:, :k] = np.eye(k) - weights
    return rows


def rating(theta: Floats, weights: Floats) -> Floats:
    """Elo ratings: 1000 + 400/ln 10 * (theta - m)."""
    return BASE + ELO * (theta - theta @ weights)


def win_probability(gap_elo: float) -> float:
    """P(a beats b), a tie counting half, when a's rating is `gap_elo` above b's."""
    return 1.0 / (1.0 + math.exp(-gap_elo / ELO))
