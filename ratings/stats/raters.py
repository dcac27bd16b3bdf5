"""Agreement of several graders beyond chance: Fleiss' kappa and Krippendorff's alpha for labels without an order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings.stats.arguments import BadNumber, Float, matrix
from ratings.stats.intervals import has_width

ONE_LABEL = "one label only was used, so chance agreement is 1"
NO_PAIRS = "no item was graded twice"
UNEVEN = "items were graded by different numbers of graders"
ROUNDS = 2000  # bootstrap resamples of items


@dataclass(frozen=True)
class Raters:
    """Agreement of several graders; None where undefined, and then `why`. Bounds: percentiles over resampled items."""

    alpha: float | None  # Krippendorff's
    alpha_low: float | None
    alpha_high: float | None
    fleiss: float | None  # Fleiss' kappa, only where every item has equally many gradings
    fleiss_why: str | None
    observed: float | None  # share of agreeing pairs of gradings of one item
    items: int  # graded at least twice
    alone: int  # graded once or never, left out
    gradings: int
    why: str | None


def several_raters(counts: npt.ArrayLike, *, level: float = 0.95, seed: int = 0) -> Raters:
    """Agreement from counts (items, labels): how many graders gave each item each label.

        alpha = 1 - D_o/D_e;  D_o = sum_u sum_(c != k) n_uc n_uk/(m_u - 1) / n;  D_e = sum_(c != k) n_c n_k / (n (n - 1))
        kappa = (P - P_e)/(1 - P_e);  P_e = sum_c p_c^2

    with m_u gradings of item u, n of all items graded at least twice. Krippendorff 2011 (nominal); Fleiss 1971. Raises `BadNumber`
    for what is no count. The graders need not be the same from item to item.
    """
    table = matrix("counts", counts, low=0.0)
    if (table != np.round(table)).any():
        raise BadNumber("counts are whole numbers")
    sizes = table.sum(axis=1)
    twice, m = table[sizes >= 2], sizes[sizes >= 2]
    alone = int((sizes < 2).sum())
    if not len(twice):
        return Raters(None, None, None, None, NO_PAIRS, None, 0, alone, int(sizes.sum()), NO_PAIRS)
    alpha = _alpha(twice, m)
    agreeing = (twice * (twice - 1)).sum(axis=1) / (m * (m - 1))
    fleiss, fleiss_why = _fleiss(twice, m, agreeing)
    low, high = (None, None) if alpha is None else _interval(twice, m, level, seed)
    return Raters(
        alpha, low, high, fleiss, fleiss_why, float(np.average(agreeing, weights=m)), len(twice), alone, int(m.sum()),
        ONE_LABEL if alpha is None else None,
    )  # fmt: skip


def label_counts(labels: Sequence[Sequence[Hashable | None]]) -> Float:
    """(items, labels) counts of each item's labels, one a grader; None: not graded."""
    known = sorted({label for row in labels for label in row if label is not None}, key=str)
    index = {label: place for place, label in enumerate(known)}
    found = np.zeros((len(labels), max(len(known), 1)))
    for item, row in enumerate(labels):
        for label in row:
            if label is not None:
                found[item, index[label]] += 1
    return found


def _alpha(counts: Float, m: Float) -> float | None:
    n, by_label = m.sum(), counts.sum(axis=0)
    expected = (n**2 - (by_label**2).sum()) / (n * (n - 1))
    if expected == 0:
        return None
    observed = ((m**2 - (counts**2).sum(axis=1)) / (m - 1)).sum() / n
    return float(1 - observed / expected)


def _fleiss(counts: Float, m: Float, agreeing: Float) -> tuple[float | None, str | None]:
    if (m != m[0]).any():
        return None, UNEVEN
    chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return (None, ONE_LABEL) if chance == 1 else (float((agreeing.mean() - chance) / (1 - chance)), None)


def _interval(counts: Float, m: Float, level: float, seed: int) -> tuple[float | None, float | None]:
    """Percentiles of alpha over items drawn with replacement; none where too few differ, or a resample has one label."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(ROUNDS):
        drawn = rng.integers(0, len(counts), len(counts))
        found.append(_alpha(counts[drawn], m[drawn]))
    known = [value for value in found if value is not None]
    if len(known) < ROUNDS * level:
        return None, None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return (float(low), float(high)) if has_width(low, high) else (None, None)
