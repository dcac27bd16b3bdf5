"""Which pairs the one scale does not describe."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from ratings.engine.reference.pairs import expit
from ratings.ranking.analysis import Analysis, ComponentFit
from ratings.scale import Floats
from ratings.stats.multiplicity import adjusted

MIN_VOTES = 10  # a pair with fewer cannot show a misfit
FALSE_DISCOVERIES = 0.1


@dataclass(frozen=True)
class PairMisfit:
    """A pair whose votes go another way than the ratings say. `p_adjusted` by Benjamini-Hochberg over all tested."""

    a: str
    b: str
    votes: int
    voters: int
    observed: float  # a's share, ties half
    expected: float
    z: float
    p: float
    p_adjusted: float


def misfits(analysis: Analysis) -> tuple[tuple[PairMisfit, ...], int]:
    """Pairs with a false discovery rate below 10 %, the worst first, and the number of pairs tested.

    A voter's residual on the pair is the sum of s - p over his votes on it; the mean residual has the variance of
    these sums, and z is read as t with one less than the number of voters on the pair.
    """
    rows = [row for part in analysis.parts[:1] for row in _tested(analysis, part)]
    if not rows:
        return (), 0
    corrected = adjusted([row.p for row in rows], "fdr_bh")
    found = [
        PairMisfit(**{**vars(row), "p_adjusted": float(p)})
        for row, p in zip(rows, corrected, strict=True)
        if p < FALSE_DISCOVERIES
    ]
    return tuple(sorted(found, key=lambda row: (row.p, row.a, row.b))), len(rows)


def _tested(analysis: Analysis, part: ComponentFit) -> list[PairMisfit]:
    data, names = part.data, analysis.selection.models
    coef = part.fit.params[data.models : data.models + data.x.shape[1]]
    pair = data.pair
    z = part.fit.theta[data.pair_a][pair] - part.fit.theta[data.pair_b][pair] + data.x @ coef
    expected = expit(z)
    residual = data.score - data.weight * expected
    found = []
    for index in range(len(data.pair_a)):
        rows = slice(int(data.starts[index]), int(data.starts[index + 1]))
        sums, voters = _by_voter(data.voter[rows], residual[rows], data.size[data.voter[rows]])
        weight = float(data.weight[rows].sum())
        if data.count[rows].sum() < MIN_VOTES or voters < 2:
            continue
        spread = float(np.sqrt(voters / (voters - 1) * sums))
        if spread <= 0:
            continue
        t = float(residual[rows].sum()) / spread
        p = float(2 * stdtr(voters - 1, -abs(t)))
        a, b = (names[part.members[side[index]]] for side in (data.pair_a, data.pair_b))
        share, fitted = (
            float(data.score[rows].sum()) / weight,
            float((data.weight * expected)[rows].sum()) / weight,
        )
        found.append(PairMisfit(a, b, int(data.count[rows].sum()), voters, share, fitted, t, p, p))
    return found


def _by_voter(voter: np.ndarray, residual: Floats, size: np.ndarray) -> tuple[float, int]:
    """The sum of squares of the voters' residual sums, and how many voters they are; a group holds `size` equals."""
    groups, code = np.unique(voter, return_inverse=True)
    sums = np.bincount(code, weights=residual)
    sizes = np.zeros(len(groups))
    sizes[code] = size
    return float((sums**2 / sizes).sum()), int(sizes.sum())
