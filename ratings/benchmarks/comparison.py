"""The pairs of models of one benchmark as lines of a report: each difference with its interval and its test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import t as student

from ratings.benchmarks.checks import Float, inner
from ratings.benchmarks.paired import most_discordant
from ratings.benchmarks.pairs import Pairs, all_pairs, all_pairs_clustered
from ratings.benchmarks.results import ItemResults, Policy

Test = Literal["McNemar, exact", "paired t", "paired t, clustered"]


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


@dataclass(frozen=True)
class Comparison:
    """All pairs of one benchmark under one test."""

    benchmark: str
    test: Test
    errors: Policy
    level: float
    family: int  # tests that Holm's correction counts
    lines: tuple[PairLine, ...]
    left_out: tuple[str, ...]  # items that are not the same for all models


def compare(results: ItemResults, *, errors: Policy = "zero", level: float = 0.95) -> Comparison:
    """Every pair of models, tested on common items.

    0/1 scores with one attempt: McNemar's exact test. Else the paired t test of item means; of cluster sums (CR1) where items come in
    groups. p-values are Holm's over all pairs that have one.
    """
    means = results.means(errors)[:, ~results.clashing]
    test = _test(results, means)
    clashing = tuple(item for item, bad in zip(results.items, results.clashing, strict=True) if bad)
    if len(results.models) < 2 or np.isnan(means).all():
        return Comparison(results.benchmark, test, errors, level, 0, (), clashing)
    grouped = test == "paired t, clustered"
    pairs = all_pairs_clustered(means, results.clusters()[~results.clashing]) if grouped else all_pairs(means)
    exact = test == "McNemar, exact"
    p, holm = (pairs.p_exact if exact else pairs.p), pairs.adjusted("holm", exact=exact)
    half = student.ppf((1 + inner("level", level)) / 2, np.maximum(pairs.freedom, 1)) * pairs.se
    lines = tuple(_line(results, pairs, row, p, holm, half, 1 - level) for row in range(len(pairs.a)))
    return Comparison(results.benchmark, test, errors, level, int((~np.isnan(p)).sum()), lines, clashing)


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


def _test(results: ItemResults, means: Float) -> Test:
    if results.grouped:
        return "paired t, clustered"
    single = len(results.repeats) == 1
    binary = np.isin(means[~np.isnan(means)], (0, 1)).all()
    return "McNemar, exact" if single and binary else "paired t"


def _line(
    results: ItemResults, pairs: Pairs, row: int, p: Float, holm: Float, half: Float, alpha: float
) -> PairLine:
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
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
