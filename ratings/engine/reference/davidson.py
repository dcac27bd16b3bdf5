"""Davidson's model of ties (1970): P(tie) / sqrt(P(a wins) P(b wins)) = nu for every pair.

With z the log-odds of a against b among decisive votes, the three outcomes have weights
exp(z/2), exp(-z/2) and nu. The score of a counts a tie as one half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

from ratings.design.comparisons import Comparisons
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


def finite(data: Comparisons, *, prior: bool = False) -> bool:
    """Whether nu has a finite positive estimate on a strongly connected component.

    It has when there are ties and some cycle holds more wins, all in its direction, than ties. Else gaps can grow
    along the wins by 2 and along the ties by at most 2 for each step of log nu, and no vote becomes less likely:
    a system of difference constraints, with a solution unless such a cycle stands against it. The prior is such a
    cycle on every pair.
    """
    first = data.starts[:-1]
    ties = np.add.reduceat(data.ties, first)
    wins = np.add.reduceat(data.score, first) - 0.5 * ties
    losses = np.add.reduceat(data.weight, first) - ties - wins
    # Sums of weights: a remainder of rounding is not a vote.
    some = 1e-9 * np.add.reduceat(data.weight, first)
    won, lost, tied = wins > some, losses > some, ties > some
    if prior or not tied.any():
        return bool(tied.any())
    a, b = data.pair_a, data.pair_b
    decisive = _graph(data.models, (a[won], b[won], -1.0), (b[lost], a[lost], -1.0))
    groups, _ = connected_components(decisive, connection="strong")
    if groups < data.models:
        return True
    # Without a cycle of wins alone no pair has wins both ways, and a tie beside a win binds from the other side only.
    only = tied & ~won, tied & ~lost
    return _has_negative_cycle(
        _graph(
            data.models,
            (a[won], b[won], -1.0),
            (b[lost], a[lost], -1.0),
            (a[only[0]], b[only[0]], 1.0),
            (b[only[1]], a[only[1]], 1.0),
        )
    )


Edges = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], float]  # from, to, weight of each


def _graph(models: int, *pair_to_model_sums: Edges) -> csr_array[Any, tuple[int, int]]:
    tail = np.concatenate([one for one, _, _ in pair_to_model_sums])
    head = np.concatenate([other for _, other, _ in pair_to_model_sums])
    weight = np.concatenate([np.full(len(one), each) for one, _, each in pair_to_model_sums])
    return csr_array((weight, (tail, head)), shape=(models, models))


def _has_negative_cycle(graph: csr_array[Any, tuple[int, int]]) -> bool:
    """Of a strongly connected graph."""
    try:
        bellman_ford(graph, indices=np.zeros(1, dtype=np.intp), return_predecessors=False)
    except NegativeCycleError:
        return True
    return False
