"""The pairs of models of one benchmark as lines of a report: each difference with its interval and its test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.stats import t as student

from ratings.benchmarks.methods.all_pairs import Pairs, all_pairs, all_pairs_clustered
from ratings.benchmarks.methods.grouping import FEWEST_GROUPS, Taken, taken, too_few
from ratings.benchmarks.methods.paired import most_discordant
from ratings.benchmarks.methods.strata import all_pairs_stratified
from ratings.benchmarks.results.dependence import Dependence
from ratings.benchmarks.results.results import Bool, ItemResults, Policy
from ratings.stats.arguments import Float, inner
from ratings.stats.multiplicity import adjusted

Test = Literal["McNemar, exact", "paired t", "paired t, clustered", "paired t, stratified"]


@dataclass(frozen=True)
class PairLine:
    """Model a against model b on the items that both have, items with differing content left out."""

    a: str
    b: str
    n: int  # common items
    coverage: float  # common items of all items
    diff: float | None  # mean of a - b
    se: float | None
    low: float | None  # diff -+ t se
    high: float | None
    ups: int  # items on which a is better
    downs: int
    p: float | None
    p_holm: float | None  # over all pairs of the benchmark
    pooled_se: float | None  # as if the two had different items: for the warning only
    leader: Literal["a", "b"] | None  # who is ahead after Holm's correction
    differ_at_most: float | None = (
        None  # where they differ on no item: upper bound of the share of items on which they would
    )
    why: str | None = None  # why this pair is not tested as the others are


@dataclass(frozen=True)
class Comparison:
    """All pairs of one benchmark under one test."""

    benchmark: str
    test: Test
    errors: Policy
    level: float
    family: int  # tests that Holm's correction counts
    lines: tuple[PairLine, ...]  # the pairs of the best model first
    left_out: tuple[str, ...]  # items that are not the same for all models
    dependence: Dependence = "independent"  # how the items were taken
    dependence_why: str | None = None  # why not as was asked


def compare(results: ItemResults, *, errors: Policy = "zero", level: float = 0.95) -> Comparison:
    """Every pair of models, tested on common items.

    0/1 scores with one attempt: McNemar's exact test, over strata too, with the standard error of `stratified`. Else the paired t test of item
    means, by strata where there are any. The paired t test of cluster sums (CR1) where items come in clusters; where these are too few (`grouping`) the test of
    items, and why. p-values are Holm's over all pairs that have one.
    """
    means = results.means(errors)[:, ~results.clashing]
    how = taken(results, ~results.clashing)
    item_test = _item_test(results, means)
    test = _test(item_test, how)
    clashing = tuple(item for item, bad in zip(results.items, results.clashing, strict=True) if bad)
    if len(results.models) < 2 or np.isnan(means).all():
        return Comparison(results.benchmark, test, errors, level, 0, (), clashing, how.dependence, how.why)
    pairs, few = _pairs(means, how)
    clusters = pairs.freedom + 1
    exact = item_test == "McNemar, exact"
    p = pairs.p_exact if exact and how.dependence != "clustered" else pairs.p
    if few.any():
        pairs, p = _one_by_one(means, pairs, p, few, exact)
    holm = _holm(p)
    half = student.ppf((1 + inner("level", level)) / 2, np.maximum(pairs.freedom, 1)) * pairs.se
    lines = [
        _line(
            results, pairs, row, p, holm, half, 1 - level, too_few(int(clusters[row])) if few[row] else None
        )
        for row in _leaders_first(results.models, means, pairs)
    ]
    family = int((~np.isnan(p)).sum())
    return Comparison(
        results.benchmark, test, errors, level, family, tuple(lines), clashing, how.dependence, how.why
    )


def _leaders_first(models: tuple[str, ...], means: Float, pairs: Pairs) -> list[int]:
    """The rows of `pairs` by the better model's place in the order of scores, then by the other's."""
    n = np.count_nonzero(~np.isnan(means), axis=1)
    score = np.divide(np.nansum(means, axis=1), n, out=np.full(len(n), -np.inf), where=n > 0)
    best_first = sorted(range(len(models)), key=lambda model: (-score[model], models[model]))
    place = np.argsort(best_first)
    a, b = place[pairs.a], place[pairs.b]
    return [int(row) for row in np.lexsort((np.maximum(a, b), np.minimum(a, b)))]


def rank_sets(comparison: Comparison, models: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """The ranks that the tests do not exclude: 1 + models shown to be better, to M - models shown to be worse."""
    better = dict.fromkeys(models, 0)
    worse = dict.fromkeys(models, 0)
    for line in comparison.lines:
        if line.leader is not None:
            ahead, behind = (line.a, line.b) if line.leader == "a" else (line.b, line.a)
            better[behind] += 1
            worse[ahead] += 1
    return {model: (1 + better[model], len(models) - worse[model]) for model in models}


def _pairs(means: Float, how: Taken) -> tuple[Pairs, Bool]:
    """All pairs as the items are taken, and which of them have too few clusters among their common items."""
    if how.dependence == "stratified":
        pairs = all_pairs_stratified(means, how.codes)
    elif how.dependence == "clustered":
        pairs = all_pairs_clustered(means, how.codes)
        return pairs, (pairs.freedom + 1 < FEWEST_GROUPS) & (pairs.n > 0)
    else:
        pairs = all_pairs(means)
    return pairs, np.zeros(len(pairs.a), dtype=np.bool_)


def _one_by_one(means: Float, pairs: Pairs, p: Float, few: Bool, exact: bool) -> tuple[Pairs, Float]:
    """Those pairs by the test of items."""
    plain = all_pairs(means)
    own = plain.p_exact if exact else plain.p
    se, freedom = np.where(few, plain.se, pairs.se), np.where(few, plain.freedom, pairs.freedom)
    return replace(pairs, se=se, freedom=freedom), np.where(few, own, p)


def _holm(p: Float) -> Float:
    found, known = np.full(len(p), np.nan), ~np.isnan(p)
    found[known] = adjusted(p[known], "holm")
    return found


def _test(of_items: Test, how: Taken) -> Test:
    if how.dependence == "clustered":
        return "paired t, clustered"
    return "paired t, stratified" if how.dependence == "stratified" and of_items == "paired t" else of_items


def _item_test(results: ItemResults, means: Float) -> Test:
    single = len(results.repeats) == 1
    binary = np.isin(means[~np.isnan(means)], (0, 1)).all()
    return "McNemar, exact" if single and binary else "paired t"


def _line(
    results: ItemResults, pairs: Pairs, row: int, p: Float, holm: Float, half: Float, alpha: float, why: str | None
) -> PairLine:  # fmt: skip
    diff, se = _known(pairs.diff[row]), _known(pairs.se[row])
    wide = _known(half[row]) if se else None
    corrected = _known(holm[row])
    ahead = diff is not None and corrected is not None and corrected <= alpha and diff != 0
    return PairLine(
        a=results.models[pairs.a[row]],
        b=results.models[pairs.b[row]],
        n=int(pairs.n[row]),
        coverage=int(pairs.n[row]) / len(results.items),
        diff=diff,
        se=se,
        low=None if wide is None or diff is None else diff - wide,
        high=None if wide is None or diff is None else diff + wide,
        ups=int(pairs.ups[row]),
        downs=int(pairs.downs[row]),
        p=_known(p[row]),
        p_holm=corrected,
        pooled_se=_known(pairs.pooled_se[row]),
        leader=("a" if diff > 0 else "b") if ahead and diff is not None else None,
        differ_at_most=most_discordant(int(pairs.n[row]), 1 - alpha) if se == 0 and diff == 0 else None,
        why=why,
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
