"""The two measures of the same models: ratings and scores, each with the covariance of its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from arena.errors import NoData
from ratings.benchmarks.methods.grouping import FEWEST_GROUPS, taken
from ratings.benchmarks.methods.strata import collapsed
from ratings.benchmarks.results.results import ItemResults, Policy
from ratings.ranking.analysis import Analysis
from ratings.scale import BASE, ELO
from ratings.stats.arguments import Float
from ratings.stats.correlation import reliability

TAIL = 0.975


@dataclass(frozen=True)
class Measure:
    """M estimates with the covariance of their errors; None where the source gives no errors."""

    models: tuple[str, ...]
    values: Float  # (M,) Elo points, or mean scores
    covariance: Float | None  # (M, M)
    freedom: Float | None = None  # (M,) degrees of freedom of each one's error; None: endless
    low: Float | None = None  # (M,) the source's own 95 % limits, where it has some
    high: Float | None = None

    def of(self, models: Sequence[str]) -> Measure:
        """Only these models, in this order."""
        at = [self.models.index(name) for name in models]
        kept = None if self.covariance is None else self.covariance[np.ix_(at, at)]
        own = (None if column is None else column[at] for column in (self.freedom, self.low, self.high))
        return Measure(tuple(models), self.values[at], kept, *own)

    @property
    def reliability(self) -> float | None:
        """Share of the variance that is not noise, whatever the anchor."""
        return None if self.covariance is None else reliability(self.values, self.covariance)

    @property
    def noise(self) -> float:
        """tr(H V)/(M - 1): the mean error variance of the contrasts; 0 where errors are not known."""
        if self.covariance is None:
            return 0.0
        m = len(self.values)
        return float((np.trace(self.covariance) - self.covariance.sum() / m) / (m - 1))

    def gap(self, a: int, b: int) -> tuple[float, float | None]:
        """a minus b and its standard error."""
        d = float(self.values[a] - self.values[b])
        if self.covariance is None:
            return d, None
        v = self.covariance
        return d, float(np.sqrt(max(0.0, v[a, a] + v[b, b] - 2 * v[a, b])))

    def limits(self, at: int) -> tuple[float | None, float | None]:
        """95 % limits of one estimate: the source's own, else value -+ t(freedom) se; None without errors."""
        if self.low is not None and self.high is not None:
            return float(self.low[at]), float(self.high[at])
        if self.covariance is None:
            return None, None
        freedom = np.inf if self.freedom is None else max(1.0, float(self.freedom[at]))
        half = float(stdtrit(freedom, TAIL)) * float(np.sqrt(max(0.0, self.covariance[at, at])))
        return float(self.values[at]) - half, float(self.values[at]) + half

    def gap_freedom(self, a: int, b: int) -> float:
        """Degrees of freedom of that standard error: the fewer of the two models'."""
        return np.inf if self.freedom is None else float(min(self.freedom[a], self.freedom[b]))


def arena(analysis: Analysis) -> Measure:
    """Ratings in Elo of the ranked models of the largest component, with their covariance (CR3, by voter).

    The same numbers and limits as on the board, its anchor included. Raises `NoData` with too few voters.
    """
    part = analysis.parts[0] if analysis.parts else None
    if part is None or part.spread is None:
        raise NoData("the board has too few voters for the errors of its ratings")
    kept = np.flatnonzero(part.ranked)
    names = tuple(analysis.selection.models[part.members[index]] for index in kept)
    theta = part.contrasts @ part.fit.params
    covariance = part.covariance("cr3")[np.ix_(kept, kept)] * ELO**2
    values = BASE + _anchor(analysis) + ELO * theta[kept]
    low = high = None
    if part.ratings is not None:
        # The engine's limits lie around theta in log-odds.
        low, high = (
            values + ELO * (bound[kept] - theta[kept]) for bound in (part.ratings.low, part.ratings.high)
        )
    return Measure(names, values, (covariance + covariance.T) / 2, part.spread.effective[kept], low, high)


def _anchor(analysis: Analysis) -> float:
    """What the plan's anchor adds to the ratings of the largest component."""
    part = analysis.parts[0]
    names = [analysis.selection.models[index] for index in part.members]
    if analysis.plan.anchor is None or analysis.plan.anchor[0] not in names:
        return 0.0
    name, wanted = analysis.plan.anchor
    return wanted - BASE - ELO * float((part.contrasts @ part.fit.params)[names.index(name)])


def items(results: ItemResults, errors: Policy = "exclude") -> tuple[Measure, int]:
    """Mean scores on the items that every model has, with their covariance over items, and how many items those are.

        Sigma = G/(G - 1) sum_g U_g U_g' / n^2,  U_g the sums of centred scores of cluster g

    With every item its own cluster this is the sample covariance of the columns over n (CR1). Paired: models that
    err on the same items have covariances, and only their contrasts count. Groups are clusters only where the results say so; items that are all of
    one cluster are taken by finer groups, else as independent. In fixed strata the spread is that within them (`stratified`).
    """
    means = results.means(errors)
    complete = ~np.isnan(means).any(axis=0) & ~results.clashing
    x = means[:, complete]
    n = x.shape[1]
    if n < 2:
        answered = np.count_nonzero(~np.isnan(means), axis=1)
        least = int(answered.argmin())
        raise NoData(
            f"{n} items were answered by all {len(results.models)} shared models, 2 are needed; fewest has "
            f"{results.models[least]}: {answered[least]} of {len(results.items)}"
        )
    how = taken(results, complete)
    if how.dependence == "stratified":
        covariance, parts = _within_strata(x, how.codes)
        return Measure(results.models, x.mean(axis=1), covariance, np.full(len(x), float(n - parts))), n
    clusters = np.arange(n) if results.dependence != "clustered" else _clusters(results, complete)
    covariance = error_covariance(x, clusters)
    freedom = np.full(len(x), len(np.unique(clusters)) - 1.0)
    return Measure(results.models, x.mean(axis=1), covariance, freedom), n


def _clusters(results: ItemResults, complete: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The clusters; where they are too few to tell of the spread between them what is finer, or the items alone, stand in."""
    for level in (0, 1):
        clusters = results.clusters(level)[complete]
        if len(np.unique(clusters)) >= FEWEST_GROUPS:
            return clusters
    return np.arange(len(clusters))


def _within_strata(x: Float, strata: npt.NDArray[np.int64]) -> tuple[Float, int]:
    """(M, M) covariance of the row means with fixed strata, sum_h n_h S_h/n^2, and the number of strata."""
    codes = np.unique(collapsed(strata), return_inverse=True)[1]
    sizes = np.bincount(codes).astype(np.float64)
    means = np.stack([np.bincount(codes, weights=row) for row in x]) / sizes
    apart = (x - means[:, codes]) * np.sqrt(sizes / (sizes - 1))[codes]
    found: Float = apart @ apart.T / x.shape[1] ** 2
    return found, len(sizes)


def error_covariance(x: Float, clusters: npt.NDArray[np.int64]) -> Float:
    """(M, M) covariance of the row means of `x` (M, N) over clusters of items (N,), two of them at least (CR1)."""
    codes = np.unique(clusters, return_inverse=True)[1]
    groups, n = int(codes.max()) + 1, x.shape[1]
    sums = np.zeros((groups, len(x)))
    np.add.at(sums, codes, (x - x.mean(axis=1, keepdims=True)).T)
    found: Float = groups / (groups - 1) * (sums.T @ sums) / n**2
    return found
