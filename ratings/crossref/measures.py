"""The two measures of the same models: ratings and scores, each with the covariance of its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import NoData
from ratings.analysis import Analysis
from ratings.benchmarks.association import reliability
from ratings.benchmarks.checks import Float
from ratings.benchmarks.results import ItemResults, Policy
from ratings.scale import BASE, ELO


@dataclass(frozen=True)
class Measure:
    """M estimates with the covariance of their errors; None where the source gives no errors."""

    models: tuple[str, ...]
    values: Float  # (M,) Elo points, or mean scores
    covariance: Float | None  # (M, M)

    def of(self, models: Sequence[str]) -> Measure:
        """Only these models, in this order."""
        at = [self.models.index(name) for name in models]
        kept = None if self.covariance is None else self.covariance[np.ix_(at, at)]
        return Measure(tuple(models), self.values[at], kept)

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


def arena(analysis: Analysis) -> Measure:
    """Ratings in Elo of the ranked models of the largest component, with their covariance (CR3, by voter)."""
    if not analysis.parts or analysis.parts[0].spread is None:
        raise NoData("the board has too few voters for the errors of its ratings")
    part = analysis.parts[0]
    kept = np.flatnonzero(part.ranked)
    names = tuple(analysis.selection.models[part.members[index]] for index in kept)
    theta = part.contrasts @ part.fit.params
    covariance = part.covariance("cr3")[np.ix_(kept, kept)] * ELO**2
    return Measure(names, BASE + ELO * theta[kept], (covariance + covariance.T) / 2)


def items(results: ItemResults, errors: Policy = "exclude") -> tuple[Measure, int]:
    """Mean scores on the items that every model has, with their covariance over items, and how many items those are.

        Sigma = G/(G - 1) sum_g U_g U_g' / n^2,  U_g the sums of centred scores of cluster g

    With every item its own cluster this is the sample covariance of the columns over n (CR1). Paired: models that
    err on the same items have covariances, and only their contrasts count.
    """
    means = results.means(errors)
    complete = ~np.isnan(means).any(axis=0) & ~results.clashing
    x = means[:, complete]
    n = x.shape[1]
    if n < 2:
        raise NoData(f"{n} items were answered by all {len(results.models)} shared models")
    codes = np.unique(results.clusters()[complete], return_inverse=True)[1]
    groups = int(codes.max()) + 1
    if groups < 2:
        raise NoData("all items are of one group: their spread is not known")
    sums = np.zeros((groups, len(x)))
    np.add.at(sums, codes, (x - x.mean(axis=1, keepdims=True)).T)
    covariance = groups / (groups - 1) * (sums.T @ sums) / n**2
    return Measure(results.models, x.mean(axis=1), covariance), n
