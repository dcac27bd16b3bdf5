"""One model's line of a score sheet: its score, the interval that fits its data, and what stands behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ratings.benchmarks.methods.attempts import pass_at_k, pass_hat_k
from ratings.benchmarks.methods.grouping import Taken, taken
from ratings.benchmarks.methods.strata import Stratified, stratified
from ratings.benchmarks.results.results import Bool, ItemResults, Policy
from ratings.stats.arguments import Float, spread, z_of
from ratings.stats.clusters import Clustered, VarianceComponents, clustered, components
from ratings.stats.intervals import (
    Interval,
    binomial_se,
    bootstrap_mean,
    pass_interval,
    score_bounds,
    t_interval,
)

NO_SPREAD = "all items scored alike: the Wilson interval over items instead of one without width"
NO_SPREAD_GROUPS = "all items scored alike: the Wilson interval over groups instead of one without width"
BALANCED = "the groups' scores do not differ, which tells nothing of their spread: the interval takes items as independent"


@dataclass(frozen=True)
class Line:
    """One model on one benchmark. None where the data do not give a number."""

    model: str
    rank_low: int | None  # ranks that the paired tests do not exclude
    rank_high: int | None
    score: float | None  # mean over items of the item's mean over attempts
    low: float | None
    high: float | None
    method: str  # of the interval: wilson | wilson, stratified | t over items, clusters or strata | bootstrap | none
    why: str | None  # what is special about the interval
    items: int  # items with a score
    coverage: float  # of all items of the benchmark
    right: int | None  # items right, for 0/1 scores with one attempt
    attempts: int
    wilson_low: float | None  # for 0/1 scores with one attempt, whether or not items are grouped
    wilson_high: float | None
    clustered: Clustered | None  # where items come in clusters
    design_effect: float | None
    effective_n: float | None
    repeats: VarianceComponents | None  # where items were attempted more than once
    pass_at: tuple[
        float, ...
    ]  # pass@1, pass@2, ... as far as every item allows; () for one attempt or partial credit
    pass_hat: tuple[float, ...]  # pass^1, pass^2, ...
    score_errors_zero: float | None
    score_errors_excluded: float | None
    errors_matter: bool  # the two differ: print both
    statuses: Mapping[str, int] = field(default_factory=dict)
    se: float | None = (
        None  # of the score, from the spread of what is there: passes, partial credit, attempts, clusters, strata
    )
    stratified: Stratified | None = None  # where items lie in fixed strata

    @property
    def worth(self) -> int | None:
        """How many independent items the clusters are worth; None where as many (more than the items is an accident of few clusters)."""
        n = self.effective_n
        return int(n) if n is not None and 1 <= n < self.items else None


def score_line(
    results: ItemResults,
    model: str,
    ranks: tuple[int, int] | None,
    errors: Policy = "zero",
    level: float = 0.95,
    seed: int = 0,
) -> Line:
    """The line of `model`.

    Interval: Wilson for 0/1 scores with one attempt; t(n - 1) over item means with more attempts, which are not binomial; the percentile bootstrap for
    partial credit; t(G - 1) with CR1 wherever items come in clusters that suffice, unless these happen not to differ at all; in strata Wilson with the
    effective number of items, or t. Cut to the scale; never without width.
    """
    own = results.alone(model)
    scores = own.counted(errors)[0]
    known = ~np.isnan(scores)
    answered = known.any(axis=1)
    means = own.means(errors)[0][answered]
    single = len(means) > 0 and int(known.sum()) == len(means)
    binary = bool(np.isin(scores[known], (0, 1)).all()) and single
    how = taken(results, answered)
    together = clustered(means, how.codes) if how.dependence == "clustered" else None
    parts = stratified(means, how.codes) if how.dependence == "stratified" and len(means) > 1 else None
    interval = (
        _of_strata(parts, level, binary=binary)
        if parts is not None and parts.se > 0
        else _interval(means, together, binary=binary, single=single, level=level, seed=seed)
    )
    wilson = pass_interval(int(means.sum()), len(means), level) if binary else None
    zero, excluded = (_mean(own.means(policy)[0]) for policy in ("zero", "exclude"))
    if how.why is not None and interval.why is None:
        interval = replace(interval, why=how.why)
    low, high = _cut(interval, results)
    return Line(
        model=model,
        rank_low=ranks[0] if ranks else None,
        rank_high=ranks[1] if ranks else None,
        score=interval.value,
        low=low,
        high=high,
        method=interval.method,
        why=interval.why,
        items=len(means),
        coverage=len(means) / len(results.items) if results.items else 0.0,
        right=int(means.sum()) if binary else None,
        attempts=int(known.sum()),
        wilson_low=wilson.low if wilson else None,
        wilson_high=wilson.high if wilson else None,
        clustered=together,
        design_effect=together.design_effect if together else None,
        effective_n=together.effective_n if together else None,
        repeats=_repeats(scores, known) if len(means) and not single else None,
        pass_at=_passing(scores, known, pass_at_k),
        pass_hat=_passing(scores, known, pass_hat_k),
        score_errors_zero=zero,
        score_errors_excluded=excluded,
        errors_matter=zero != excluded,
        statuses=own.tally(model),
        se=_se(means, together, parts, binary=binary),
        stratified=parts,
    )


def _se(means: Float, together: Clustered | None, parts: Stratified | None, *, binary: bool) -> float | None:
    """Standard error of the mean as its items are taken; of single passes sqrt(p (1 - p)/n)."""
    if len(means) < 2:
        return None
    if parts is not None:
        return parts.se
    plain = binomial_se(float(means.mean()), len(means)) if binary else spread(means) / math.sqrt(len(means))
    # Clusters that differ less than chance would have them are an accident of few, and no gain.
    return plain if together is None else max(plain, together.cr1)


def _of_strata(parts: Stratified, level: float, *, binary: bool) -> Interval:
    """Passes: Wilson with the items that would tell as much, p (1 - p)/SE^2; else mean -+ t(freedom) SE."""
    if not binary or parts.mean in (0.0, 1.0):
        return Interval(parts.mean, *parts.interval(level), level, "t over strata")
    worth = parts.mean * (1 - parts.mean) / parts.se**2
    low, high = score_bounds(parts.mean * worth, worth, z_of(level))
    return Interval(parts.mean, float(low), float(high), level, "wilson, stratified")


def _interval(
    means: Float, together: Clustered | None, *, binary: bool, single: bool, level: float, seed: int
) -> Interval:
    if len(means) == 0:
        return Interval(None, None, None, level, "none", "no scored item")
    value = float(means[0]) if np.ptp(means) == 0 else float(means.mean())
    if together is not None and spread_is_nothing(means):
        return _without_spread(value, together.clusters, level, NO_SPREAD_GROUPS)
    if together is not None and together.balanced:
        apart = _interval(means, None, binary=binary, single=single, level=level, seed=seed)
        return replace(apart, why=BALANCED)
    if binary and together is None:
        return pass_interval(int(means.sum()), len(means), level)
    if spread_is_nothing(means):
        return _without_spread(value, len(means), level, NO_SPREAD)
    if together is not None:
        low, high = together.interval(level)
        return Interval(value, low, high, level, "t over clusters")
    if not single:
        low, high = t_interval(value, spread(means) / math.sqrt(len(means)), len(means) - 1, level)
        return Interval(value, low, high, level, "t over items")
    low, high = bootstrap_mean(means, level=level, seed=seed)
    return Interval(value, low, high, level, "bootstrap")


def grouped_interval(values: Sequence[float], how: Taken, level: float) -> tuple[float, float] | None:
    """The interval of a mean of shares whose items come in clusters or strata; None where these say nothing and it is that of items."""
    x = np.array(values)
    if how.dependence == "independent" or len(x) < 2 or spread(x) == 0:
        return None
    found = clustered(x, how.codes) if how.dependence == "clustered" else stratified(x, how.codes)
    if found.balanced if isinstance(found, Clustered) else found.se == 0:
        return None
    low, high = found.interval(level)
    return max(0.0, low), min(1.0, high)


def spread_is_nothing(means: Float) -> bool:
    """No interval can be read off values that are all alike."""
    return len(means) < 2 or spread(means) == 0


def _without_spread(value: float, n: int, level: float, why: str) -> Interval:
    if value not in (0.0, 1.0):
        return Interval(value, None, None, level, "none", "all scored items are alike: no interval")
    found = pass_interval(n if value == 1 else 0, n, level)
    return Interval(value, found.low, found.high, level, "wilson", why)


def _repeats(scores: Float, known: Bool) -> VarianceComponents:
    return components([row[seen].tolist() for row, seen in zip(scores, known, strict=True) if seen.any()])


def _passing(scores: Float, known: Bool, estimate: Callable[[int, int, int], float]) -> tuple[float, ...]:
    n, c = known.sum(axis=1), np.nansum(scores, axis=1)
    tried = n > 0
    most = int(n[tried].min()) if tried.any() else 0
    if most < 2 or not np.isin(scores[known], (0, 1)).all():
        return ()
    tasks = [(int(each), int(passed)) for each, passed in zip(n[tried], c[tried], strict=True)]
    return tuple(math.fsum(estimate(*task, k) for task in tasks) / len(tasks) for k in range(1, most + 1))


def _mean(row: Float) -> float | None:
    known = row[~np.isnan(row)]
    return float(known.mean()) if len(known) else None


def _cut(interval: Interval, results: ItemResults) -> tuple[float | None, float | None]:
    if results.scale is None or interval.low is None or interval.high is None:
        return interval.low, interval.high
    return max(results.scale[0], interval.low), min(results.scale[1], interval.high)
