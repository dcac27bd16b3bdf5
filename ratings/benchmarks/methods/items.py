"""One item against the models' ratings: do the better models get it right?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from ratings.stats.arguments import BadNumber, Float, Undefined, matrix, same_length, vector, whole
from ratings.stats.correlation import constant, correlation
from ratings.stats.elo_scale import win_probabilities

PLACEMENTS_AT_MOST = 200_000  # exact permutation test up to here


@dataclass(frozen=True)
class ItemFit:
    """How one item (right 1, wrong 0) goes with the ratings of the n models that answered it; None for a constant item."""

    n: int
    p: float | None  # share of models that got it right
    r_pb: float | None  # point-biserial: Pearson's r of 0/1 and rating
    auc: float | None  # share of (right, wrong) model pairs in which the right one is rated higher; ties half
    bt_agree: float | None  # mean win probability of the right model over those pairs


def item_fit(item: Sequence[Any] | Float, rating: Sequence[float] | Float) -> ItemFit:
    """The fit of one item; models without a result (None, nan) are left out.

    A constant item, or constant ratings, say nothing: None, never 0.
    """
    right, rated = _answered(item, rating)
    if len(right) == 0:
        return ItemFit(0, None, None, None, None)
    p = float(right.mean())
    if p in (0.0, 1.0):
        return ItemFit(len(right), p, None, None, None)
    gaps = np.subtract.outer(rated[right == 1], rated[right == 0])
    auc = float((np.sign(gaps) + 1).mean() / 2)
    return ItemFit(len(right), p, correlation(right, rated), auc, float(win_probabilities(gaps).mean()))


def point_biserial(item: Sequence[float] | Float, rating: Sequence[float] | Float) -> float:
    """Pearson's r of a right-or-wrong item and a rating. Raises `Undefined` where either does not vary."""
    right, rated = _answered(item, rating)
    found = correlation(right, rated)
    if found is None:
        raise Undefined("the item or the rating does not vary")
    return found


def permutation_p(
    item: Sequence[Any] | Float,
    rating: Sequence[float] | Float,
    rng: np.random.Generator | None = None,
    draws: int = 10_000,
) -> float:
    """Two-sided p-value of no relation: share of placements of the right answers whose mean rating is as far from the middle.

    Over all C(n, right) placements up to 200,000, else `draws` random ones of `rng`, (1 + hits)/(1 + draws).
    Raises `Undefined` for a constant item.
    """
    right, rated = _answered(item, rating)
    k, n = int(right.sum()), len(right)
    if k in (0, n) or constant(rated):
        raise Undefined("the item or the rating does not vary")
    centred = rated - rated.mean()
    seen = abs(float(centred @ right)) - 1e-9 * float(np.abs(centred).max())
    if math.comb(n, k) <= PLACEMENTS_AT_MOST:
        chosen = np.array(list(combinations(range(n), k)), dtype=np.intp)
        return float((np.abs(centred[chosen].sum(axis=1)) >= seen).mean())
    if rng is None:
        raise BadNumber("so many placements need an rng to draw some")
    order = rng.permuted(np.broadcast_to(centred, (whole("draws", draws, 1), n)), axis=1)
    hits = int((np.abs(order[:, :k].sum(axis=1)) >= seen).sum())
    return (1 + hits) / (1 + draws)


def item_rest(scores: npt.ArrayLike) -> Float:
    """(N,) correlation of each item with the sum of the other items, over models; nan for constant items.

    `scores` (M, N) complete. Never with the total: an item correlates with a sum that holds itself (.24 for
    pure noise with 12 items).
    """
    x = matrix("scores", scores)
    total = x.sum(axis=1)
    found = [correlation(column, total - column) for column in x.T]
    return np.array([np.nan if r is None else r for r in found])


def rank_biserials(scores: npt.ArrayLike, rating: Sequence[float] | Float) -> Float:
    """(N,) 2 AUC - 1 of every 0/1 item at once, nan where undefined; `scores` (M, N) with nan for missing.

    By rank sums within the models that answered, so ties count half.
    """
    x, rated = matrix("scores", scores, gaps=True), vector("rating", rating)
    same_length(models=x, rating=rated)
    found = np.full(x.shape[1], np.nan)
    for column, answers in enumerate(x.T):
        seen = ~np.isnan(answers)
        right = answers[seen]
        ups, n = float(right.sum()), int(seen.sum())
        if 0 < ups < n:
            auc = (float(rankdata(rated[seen]) @ right) - ups * (ups + 1) / 2) / (ups * (n - ups))
            found[column] = 2 * auc - 1
    return found


def _answered(item: Sequence[Any] | Float, rating: Sequence[Any] | Float) -> tuple[Float, Float]:
    right, rated = vector("item", item, gaps=True), vector("rating", rating, gaps=True)
    same_length(item=right, rating=rated)
    both = ~(np.isnan(right) | np.isnan(rated))
    right, rated = right[both], rated[both]
    if not np.isin(right, (0, 1)).all():
        raise BadNumber("an item is right (1) or wrong (0)")
    return right, rated
