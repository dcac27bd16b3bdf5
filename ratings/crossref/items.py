"""Items against ratings: which of a benchmark's questions the better-liked models get right, and which run against people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from ratings.crossref.power import Power, power
from ratings.stats.arguments import Float
from ratings.stats.correlation import correlation
from ratings.stats.elo_scale import win_probabilities
from ratings.stats.multiplicity import adjusted

DRAWS = 10_000  # shuffles of the ratings; no p-value of theirs is below 1/10,001
PLACEMENTS_AT_MOST = 50_000  # right answers placed in all ways up to here, an exact test
ITEMS_AT_ONCE = 400
FALSE_DISCOVERIES = 0.1
READING_LIST = 10
FEWEST = 5  # models that must have an item
NIL = 1e-12  # a correlation nearer to 0 is rounding
Shuffles = Float  # (DRAWS, M) the ratings in other orders


@dataclass(frozen=True)
class ItemLine:
    """One item against the ratings of the n models that have it. None for an item on which these all score alike."""

    item: str
    n: int
    p: float  # mean score
    r: float | None  # Pearson's with the ratings; point-biserial for right or wrong
    rest: float | None  # with the models' mean score on the OTHER items: item-rest, never item-total
    auc: (
        float | None
    )  # share of (better, worse) pairs of models in which the better one is rated higher; ties half
    bt_agree: float | None  # mean Bradley-Terry win probability of the better one over these pairs
    p_value: float | None  # two-sided permutation test of r
    p_adjusted: float | None  # Benjamini-Hochberg over the scored items


@dataclass(frozen=True)
class ItemFits:
    """Items against ratings: how many run against people, and how many would by chance."""

    scored: int
    constant: int  # all models alike: counted, not scored
    short: int  # fewer than five models have it: counted, not scored
    against: int  # r < 0
    expected_against: float  # under no relation at all: mean over shuffled ratings, the items kept together
    shuffled_low: float  # 2.5 % and 97.5 % of the shuffles
    shuffled_high: float
    p_fewer: float  # chance of so few without a relation: (1 + shuffles with as few)/(1 + shuffles)
    flagged_against: int  # r < 0 and p_adjusted <= 10 %
    flagged_with: int  # r > 0 and p_adjusted <= 10 %
    power: Power
    reading_list: tuple[tuple[str, float], ...]  # most contrary items: suspects of wrong keys, not findings
    lines: tuple[ItemLine, ...]  # scored ones, most contrary first


def item_fits(x: Float, names: list[str], ratings: Float, shuffles: Shuffles) -> ItemFits | None:
    """The items of `x` (M, N), nan for missing, against `ratings` (M,). None where no item can be scored."""
    n = np.count_nonzero(~np.isnan(x), axis=0)
    enough = n >= FEWEST
    r = np.full(x.shape[1], np.nan)
    r[enough] = correlations(x[:, enough], ratings[None])[0]
    scored = ~np.isnan(r)
    if not scored.any():
        return None
    kept = x[:, scored]
    p_values = permutation_ps(kept, ratings, shuffles)
    corrected = adjusted(p_values, "fdr_bh")
    lines = _lines(kept, [names[i] for i in np.flatnonzero(scored)], ratings, r[scored], p_values, corrected, rest(x)[scored])  # fmt: skip
    counts = _against(kept, shuffles)
    against = int((r[scored] < -NIL).sum())
    low, high = np.quantile(counts, [0.025, 0.975])
    flagged = corrected <= FALSE_DISCOVERIES
    return ItemFits(
        scored=int(scored.sum()),
        constant=int((enough & ~scored).sum()),
        short=int((~enough).sum()),
        against=against,
        expected_against=float(counts.mean()),
        shuffled_low=float(low),
        shuffled_high=float(high),
        p_fewer=float((1 + (counts <= against).sum()) / (1 + len(counts))),
        flagged_against=int((flagged & (r[scored] < 0)).sum()),
        flagged_with=int((flagged & (r[scored] > 0)).sum()),
        power=power(len(ratings), int(scored.sum()), FALSE_DISCOVERIES),
        reading_list=tuple((line.item, line.r) for line in lines[:READING_LIST] if line.r is not None and line.r < 0),
        lines=lines,
    )  # fmt: skip


def shuffle(ratings: Float, rng: np.random.Generator, draws: int = DRAWS) -> Shuffles:
    """(draws, M) the ratings in random orders: one set for all items, so that their dependence is kept."""
    return np.asarray(rng.permuted(np.broadcast_to(ratings, (draws, len(ratings))), axis=1))


def correlations(x: Float, rated: Float) -> Float:
    """(D, N) Pearson's r of each item of `x` (M, N) with each row of `rated` (D, M), over the models that have the item."""
    seen = ~np.isnan(x)
    mask, n = seen.astype(np.float64), seen.sum(axis=0)
    mean = np.divide(np.where(seen, x, 0.0).sum(axis=0), n, out=np.zeros(len(n)), where=n > 0)
    u = np.where(seen, x - mean, 0.0)
    u[:, np.ptp(np.where(seen, x, mean), axis=0) <= 1e-12] = 0.0
    centred = rated - rated.mean(axis=1, keepdims=True)
    if seen.all():
        spread = (centred**2).sum(axis=1, keepdims=True)
    else:
        spread = np.maximum((centred**2) @ mask - (centred @ mask) ** 2 / np.maximum(n, 1), 0.0)
    size = np.sqrt(spread * (u**2).sum(axis=0))
    found = np.divide(
        centred @ u,
        size,
        out=np.full((len(rated), x.shape[1]), np.nan),
        where=size > 1e-9 * size.max(initial=0.0),
    )
    cut: Float = np.clip(found, -1.0, 1.0)
    return cut


def permutation_ps(x: Float, ratings: Float, shuffles: Shuffles) -> Float:
    """(N,) two-sided p of r: exact over all placements of right answers where these are few, else by shuffles.

    Items must vary. By shuffles (1 + hits)/(1 + shuffles).
    """
    found = np.empty(x.shape[1])
    left = []
    exact: dict[tuple[bytes, int], Float] = {}
    for column, answers in enumerate(x.T):
        seen = ~np.isnan(answers)
        right, rated = answers[seen], ratings[seen]
        few = min(int(right.sum()), len(right) - int(right.sum()))
        if not np.isin(right, (0.0, 1.0)).all() or math.comb(len(right), few) > PLACEMENTS_AT_MOST:
            left.append(column)
            continue
        centred = rated - rated.mean()
        key = seen.tobytes(), few
        if key not in exact:
            exact[key] = _placements(centred, few)
        observed = abs(float(centred @ right)) - 1e-9 * float(np.abs(centred).max())
        found[column] = 1 - np.searchsorted(exact[key], observed) / len(exact[key])
    for start in range(0, len(left), ITEMS_AT_ONCE):
        part = left[start : start + ITEMS_AT_ONCE]
        observed_r = np.abs(correlations(x[:, part], ratings[None])[0]) - 1e-9
        hits = (np.abs(correlations(x[:, part], shuffles)) >= observed_r).sum(axis=0)
        found[part] = (1 + hits) / (1 + len(shuffles))
    return found


def _placements(centred: Float, few: int) -> Float:
    """All |sums| of `few` of the ratings, rising."""
    chosen = np.array(list(combinations(range(len(centred)), few)), dtype=np.intp)
    return np.sort(np.abs(centred[chosen].sum(axis=1)))


def rest(x: Float) -> Float:
    """(N,) item-rest correlation: each item with the models' mean score on the other items that all have."""
    held = np.isfinite(x)
    total = x[:, held.all(axis=0)].sum(axis=1)
    found = np.full(x.shape[1], np.nan)
    for column, answers in enumerate(x.T):
        seen = held[:, column]
        others = total - answers if seen.all() else total
        r = correlation(answers[seen], others[seen])
        found[column] = np.nan if r is None else r
    return found


def concordance(x: Float, ratings: Float) -> tuple[Float, Float]:
    """(N,) AUC and (N,) mean win probability of the better model, over the pairs of models that an item tells apart."""
    pairs, rated_higher, wins = np.zeros((3, x.shape[1]))
    for a, b in combinations(range(len(ratings)), 2):
        gap = ratings[a] - ratings[b]
        first, second = np.greater(x[a], x[b]), np.greater(x[b], x[a])  # missing is neither
        pairs += first.astype(np.float64) + second
        rated_higher += (1 + np.sign(gap)) / 2 * first + (1 - np.sign(gap)) / 2 * second
        chance = float(win_probabilities(gap))
        wins += chance * first + (1 - chance) * second
    safe = np.where(pairs > 0, pairs, np.nan)
    return rated_higher / safe, wins / safe


def _against(x: Float, shuffles: Shuffles) -> npt.NDArray[np.int64]:
    """(DRAWS,) how many items have r < 0 in each shuffle."""
    counts = np.zeros(len(shuffles), dtype=np.int64)
    for start in range(0, x.shape[1], ITEMS_AT_ONCE):
        counts += (correlations(x[:, start : start + ITEMS_AT_ONCE], shuffles) < -NIL).sum(axis=1)
    return counts


def _lines(
    x: Float, names: list[str], ratings: Float, r: Float, p_values: Float, corrected: Float, others: Float
) -> tuple[ItemLine, ...]:
    auc, agree = concordance(x, ratings)
    means, n = np.nanmean(x, axis=0), np.count_nonzero(~np.isnan(x), axis=0)
    rows = [
        ItemLine(name, int(n[i]), float(means[i]), *(_known(column[i]) for column in (r, others, auc, agree, p_values, corrected)))
        for i, name in enumerate(names)
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda line: (line.r or 0.0, line.item)))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
