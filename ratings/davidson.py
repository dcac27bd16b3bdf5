"""Davidson's model of ties (1970): P(tie) / sqrt(P(a wins) P(b wins)) = nu for every pair.

With z the log-odds of a against b among decisive votes, the three outcomes have weights
exp(z/2), exp(-z/2) and nu. The score of a counts a tie as one half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ratings.comparisons import Comparisons
from ratings.scale import Floats


@dataclass(frozen=True)
class Moments:
    """Expectations at log-odds z, all in the shape of z."""

    score: Floats  # E[score of a]
    score_var: Floats  # also the information about z
    tie: Floats  # P(tie)
    tie_var: Floats  # the information about log nu
    covariance: Floats  # of score and tie: the cross information


def moments(z: Floats, log_nu: Floats) -> Moments:
    """Moments at `z`; `log_nu` broadcasts against it."""
    # The largest exponent is taken out, so that nothing overflows.
    top = np.maximum(np.abs(z) * 0.5, log_nu)
    win, loss = np.exp(0.5 * z - top), np.exp(-0.5 * z - top)
    tie = np.exp(log_nu - top)
    total = win + loss + tie
    win, loss, tie = win / total, loss / total, tie / total
    lead = 0.5 * (win - loss)
    return Moments(
        score=0.5 + lead,
        score_var=0.25 * (win + loss) - lead**2,
        tie=tie,
        tie_var=tie * (1.0 - tie),
        covariance=-lead * tie,
    )


def finite(data: Comparisons) -> bool:
    """Whether nu has a finite positive estimate on a strongly connected component.

    It has when there are ties and the decisive votes hold a cycle. Without one, models can drift apart in the
    order of the wins while nu grows, and every vote becomes likelier.
    """
    first = data.starts[:-1]
    ties = np.add.reduceat(data.ties, first)
    wins = np.add.reduceat(data.score, first) - 0.5 * ties
    losses = np.add.reduceat(data.weight, first) - ties - wins
    # Sums of weights: a remainder of rounding is not a vote.
    some = 1e-9 * np.add.reduceat(data.weight, first)
    won, lost = wins > some, losses > some
    winner = np.concatenate([data.pair_a[won], data.pair_b[lost]])
    loser = np.concatenate([data.pair_b[won], data.pair_a[lost]])
    graph = csr_array((np.ones(len(winner)), (winner, loser)), shape=(data.models, data.models))
    groups, _ = connected_components(graph, connection="strong")
    return bool(ties.any()) and groups < data.models
