"""Items that are not independent: questions that share a passage, and repeats of one question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ratings.stats.arguments import BadNumber, Float, rows, same_length, spread, vector
from ratings.stats.intervals import t_interval

NOTHING = 1e-9  # of the naive standard error: below it CR1 is rounding


@dataclass(frozen=True)
class Clustered:
    """A mean and its standard error under the conventions in use. `cr1` is the one to report, with t(clusters - 1)."""

    mean: float
    n: int
    clusters: int
    naive: float | None  # s/sqrt(n), as if items were independent; None for one item
    cr0: float  # no small-sample correction
    cr1: float  # times sqrt(G/(G - 1)), as statsmodels' cov_type="cluster"
    miller2024: float  # naive variance plus the within-cluster cross terms

    @property
    def design_effect(self) -> float | None:
        """How many times the variance exceeds that of as many independent items; None where nothing varies, or `balanced`."""
        return (self.cr1 / self.naive) ** 2 if self.naive and not self.balanced else None

    @property
    def balanced(self) -> bool:
        """The clusters' sums do not differ although items do: CR1 is 0, by accident of few clusters, and no error of anything."""
        return bool(self.naive) and self.cr1 <= NOTHING * (self.naive or 0.0)

    @property
    def effective_n(self) -> float | None:
        """How many independent items would tell as much."""
        effect = self.design_effect
        return self.n / effect if effect else None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """mean -+ t(G - 1) CR1."""
        return t_interval(self.mean, self.cr1, self.clusters - 1, level)


def clustered(scores: Sequence[float] | Float, cluster: Sequence[Any] | npt.NDArray[Any]) -> Clustered:
    """Mean of `scores` (n,) when items of one `cluster` (n,) go right or wrong together.

        u_i = s_i - mean,  U_g = sum of u_i over cluster g,  G clusters
        CR0 = sqrt(sum U_g^2)/n,  CR1 = CR0 sqrt(G/(G - 1))
        Miller^2 = s^2/n + (1/n^2) sum over i != j of one cluster of u_i u_j

    Liang & Zeger 1986; Cameron & Miller 2015; Miller 2024 (arXiv:2411.00640). CR1 equals s/sqrt(n) when each item is alone, and
    does not change when every item is doubled inside its cluster. Raises `BadNumber` for fewer than two clusters.
    """
    x = vector("scores", scores)
    n = same_length(scores=x, cluster=cluster)
    codes = _codes(cluster)
    groups = int(codes.max()) + 1
    if groups < 2:
        raise BadNumber("one cluster says nothing about the spread between clusters")
    mean = float(x[0]) if np.ptp(x) == 0 else float(x.mean())
    u = np.zeros(n) if spread(x) == 0 else x - mean
    sums = np.bincount(codes, weights=u, minlength=groups)
    between, own = float(sums @ sums), float(u @ u)
    cr0 = math.sqrt(between) / n
    naive = spread(x) / math.sqrt(n)
    return Clustered(
        mean=mean,
        n=n,
        clusters=groups,
        naive=naive,
        cr0=cr0,
        cr1=cr0 * math.sqrt(groups / (groups - 1)),
        miller2024=math.sqrt(max(0.0, naive**2 + (between - own) / n**2)),
    )


def clustered_lists(clusters: Sequence[Sequence[float]]) -> Clustered:
    """The same from one list of scores per cluster; an empty cluster is refused."""
    sizes = [len(vector("cluster", scores)) for scores in rows("clusters", clusters)]
    flat = [score for scores in clusters for score in scores]
    return clustered(flat, np.repeat(np.arange(len(sizes)), sizes))


@dataclass(frozen=True)
class VarianceComponents:
    """Where the spread of repeated scores comes from. `between` and `within` are unbiased moments: `between` can be negative."""

    mean: float  # of the item means
    se_items: float | None  # sd of item means / sqrt(n): the standard error to report
    within: float | None  # sigma_w^2, between attempts at one item
    between: float | None  # sigma_b^2, between the items' true rates
    naive_pooled_se: float | None  # all n K attempts as if independent: shown as a warning only
    items: int
    attempts: int


def components(scores: Sequence[Sequence[float]] | Float) -> VarianceComponents:
    """Within-item and between-item variance of repeated scores: one row of attempts per item, rows may differ in length.

        Var(mean) = (sigma_b^2 + sigma_w^2/K)/n
        sigma_w^2 = mean of the items' sample variances,  sigma_b^2 = var(item means) - sigma_w^2 mean(1/K_i)

    More attempts shrink only the second part. Parts that need two attempts (or two items) are None without them.
    """
    items = [vector("scores", row) for row in rows("scores", scores)]
    if not items:
        raise BadNumber("scores is empty")
    means = np.array([float(row[0]) if np.ptp(row) == 0 else row.mean() for row in items])
    repeated = [spread(row) ** 2 for row in items if len(row) > 1]
    every = np.concatenate(items)
    within = float(np.mean(repeated)) if repeated else None
    spread_of_means = spread(means) if len(items) > 1 else None
    between = None
    if within is not None and spread_of_means is not None:
        between = spread_of_means**2 - within * float(np.mean([1 / len(row) for row in items]))
    return VarianceComponents(
        mean=float(means.mean()),
        se_items=None if spread_of_means is None else spread_of_means / math.sqrt(len(items)),
        within=within,
        between=between,
        naive_pooled_se=spread(every) / math.sqrt(len(every)) if len(every) > 1 else None,
        items=len(items),
        attempts=len(every),
    )


def _codes(cluster: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if isinstance(cluster, np.ndarray) and cluster.dtype.kind in "iu":
        return np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    number = {key: code for code, key in enumerate(dict.fromkeys(cluster))}
    return np.array([number[key] for key in cluster], dtype=np.int64)
