"""Every pair of models at once: paired differences with standard errors and exact tests, by matrix products."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import threadpoolctl
from scipy.stats import t as student

from ratings.benchmarks.methods.paired import sign_test
from ratings.stats.arguments import BadNumber, Float, matrix, same_length
from ratings.stats.multiplicity import Method, adjusted

NEARLY_EQUAL = 1e-6  # of the mean square: below it a difference of large sums has lost too many digits
CLUSTER_EVEN = 1e-9  # a sum of differences nearer to 0 is rounding
Index = npt.NDArray[np.intp]
# These products are small: beside other work on the machine, threads that wait for each other cost ten times what they share.
limit_threads: Any = threadpoolctl.threadpool_limits


@dataclass(frozen=True)
class Pairs:
    """Paired comparisons of M models, one row per pair a < b, P = M (M - 1)/2 rows. nan where items do not suffice."""

    a: Index  # (P,) row of the first model
    b: Index  # (P,) row of the second
    n: npt.NDArray[np.int64]  # (P,) items that both have
    diff: Float  # (P,) mean of a - b over them
    se: Float  # (P,) sd of a - b / sqrt(n), or CR1 where clustered
    freedom: Float  # (P,) of the t test: n - 1, or clusters - 1
    ups: npt.NDArray[np.int64]  # (P,) items on which a is better
    downs: npt.NDArray[np.int64]  # (P,) items on which b is better
    p: Float  # (P,) t test; where that has no spread to go by the exact sign test, of clusters if there are any
    p_exact: Float  # (P,) sign test of the differing items: McNemar's for 0/1 scores
    pooled_se: Float  # (P,) as if the two had other items: a warning, not a result

    def adjusted(self, method: Method = "holm", *, exact: bool = False) -> Float:
        """(P,) p-values corrected for all pairs that have one; nan for the others."""
        p = self.p_exact if exact else self.p
        known = ~np.isnan(p)
        found = np.full(len(p), np.nan)
        found[known] = adjusted(p[known], method)
        return found


def all_pairs(scores: npt.ArrayLike) -> Pairs:
    """Paired differences of all models from `scores` (M, N), nan where a model has no result.

    Each pair is compared on the items that both have. With the mask W and the centred scores X (0 where missing):

        n = W W',  S = X W',  sum d = S - S',  sum d^2 = Q + Q' - 2 X X',  Q = X^2 W'

    so 100 models on 14,042 items are a few matrix products. Raises `BadNumber` below two models.
    """
    with limit_threads(1, user_api="blas"):
        return _all_pairs(scores)


def _all_pairs(scores: npt.ArrayLike) -> Pairs:
    x, seen, weights = _masked(scores)
    a, b = np.triu_indices(len(x), 1)
    n = (weights @ weights.T)[a, b]
    sums = x @ weights.T
    squares = (x * x) @ weights.T
    total = sums[a, b] - sums[b, a]
    square = squares[a, b] + squares[b, a] - 2 * (x @ x.T)[a, b]
    mean = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    scatter = square - mean * total
    _recount(x, seen, a, b, mean, scatter, squares)
    se = _se(scatter, n)
    ups, downs = _better(np.asarray(scores, np.float64), x, seen, weights, a, b)
    exact = np.where(n > 0, sign_test(ups, downs)[0], np.nan)
    return Pairs(
        a=a,
        b=b,
        n=n.astype(np.int64),
        diff=mean,
        se=se,
        freedom=n - 1,
        ups=ups,
        downs=downs,
        p=_p(mean, se, n - 1, exact),
        p_exact=exact,
        pooled_se=_pooled(sums, squares, n, a, b),
    )


def all_pairs_clustered(scores: npt.ArrayLike, cluster: npt.NDArray[Any]) -> Pairs:
    """The same with CR1 standard errors and t(G - 1), G clusters of `cluster` (N,) among the common items.

    U_g = sum over g of (d_i - mean d), CR1^2 = G/(G - 1) sum U_g^2/n^2. nan where the common items lie in one cluster. The exact test stays
    that of single items: where items hang together it is too sure of itself.
    """
    with limit_threads(1, user_api="blas"):
        return _all_pairs_clustered(scores, cluster)


def _all_pairs_clustered(scores: npt.ArrayLike, cluster: npt.NDArray[Any]) -> Pairs:
    plain = _all_pairs(scores)
    x, seen, weights = _masked(scores)
    codes = np.unique(cluster, return_inverse=True)[1]
    same_length(items=x.T, cluster=codes)
    between, groups = (_scatter_whole if seen.all() else _scatter_masked)(x, weights, codes, plain)
    enough = groups > 1
    between[between <= NEARLY_EQUAL**2 * plain.n] = 0.0  # all differences equal, up to rounding
    ratio = np.divide(groups, groups - 1, out=np.full(len(groups), np.nan), where=enough)
    size = np.where(plain.n > 0, plain.n, 1)
    se = np.sqrt(ratio * between) / size
    se[plain.se == 0] = np.where(enough[plain.se == 0], 0.0, np.nan)
    freedom = groups - 1.0
    exact = _sign_of_clusters(plain, se, x, seen, codes)
    return replace(plain, se=se, freedom=freedom, p=_p(plain.diff, se, freedom, exact))


def _sign_of_clusters(plain: Pairs, se: Float, x: Float, seen: npt.NDArray[np.bool_], codes: Index) -> Float:
    """(P,) the exact sign test of the clusters' differences, where their standard error is 0; nan elsewhere."""
    found = np.full(len(se), np.nan)
    for row in np.flatnonzero(se == 0):
        d = np.where(seen[plain.a[row]] & seen[plain.b[row]], x[plain.a[row]] - x[plain.b[row]], 0.0)
        sums = np.bincount(codes, weights=d)
        ups, downs = int((sums > CLUSTER_EVEN).sum()), int((sums < -CLUSTER_EVEN).sum())
        found[row] = float(sign_test(ups, downs)[0])
    return found


def _masked(scores: npt.ArrayLike) -> tuple[Float, npt.NDArray[np.bool_], Float]:
    raw = matrix("scores", scores, least=2, gaps=True)
    seen = ~np.isnan(raw)
    if not seen.any():
        raise BadNumber("scores holds no score")
    # One constant off all scores changes no difference and keeps the sums of squares small.
    centred = np.where(seen, raw - raw[seen].mean(), 0.0)
    return centred, seen, seen.astype(np.float64)


def _recount(
    x: Float, seen: npt.NDArray[np.bool_], a: Index, b: Index, mean: Float, scatter: Float, squares: Float
) -> None:
    """Sums again, from the differences themselves, where subtracting large sums left no digits."""
    for row in np.flatnonzero(scatter <= NEARLY_EQUAL * (squares[a, b] + squares[b, a])):
        both = seen[a[row]] & seen[b[row]]
        if not both.any():
            continue
        d = x[a[row], both] - x[b[row], both]
        d = np.full(len(d), d[0]) if np.ptp(d) <= 1e-14 else d
        d[np.abs(d) <= 1e-15] = 0.0
        mean[row] = d[0] if np.ptp(d) == 0 else d.mean()
        scatter[row] = ((d - mean[row]) ** 2).sum()


def _se(scatter: Float, n: Float) -> Float:
    safe = np.where(n > 1, n, 2.0)
    found = np.sqrt(np.maximum(scatter, 0.0) / (safe - 1) / safe)
    return np.where(n > 1, found, np.nan)


def _p(mean: Float, se: Float, freedom: Float, exact: Float) -> Float:
    usable = (se > 0) & (freedom > 0)
    t = np.divide(np.abs(mean), se, out=np.zeros(len(mean)), where=usable)
    p = 2 * student.sf(t, np.where(usable, freedom, 1.0))
    return np.where(usable, p, np.where(se == 0, exact, np.nan))


def _better(
    scores: Float, x: Float, seen: npt.NDArray[np.bool_], weights: Float, a: Index, b: Index
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    if np.isin(scores[seen], (0, 1)).all():
        right = np.where(seen, scores, 0.0)
        alone = right @ weights.T - right @ right.T
    else:
        alone = np.stack(
            [((row - x > 1e-15) & own & seen).sum(axis=1) for row, own in zip(x, seen, strict=True)]
        )
    return alone[a, b].astype(np.int64), alone[b, a].astype(np.int64)


def _pooled(sums: Float, squares: Float, n: Float, a: Index, b: Index) -> Float:
    safe = np.where(n > 1, n, 2.0)
    own = [squares[i, j] - sums[i, j] ** 2 / safe for i, j in ((a, b), (b, a))]
    return np.where(n > 1, np.sqrt(np.maximum(own[0] + own[1], 0.0) / (safe - 1) / safe), np.nan)


def _scatter_whole(x: Float, weights: Float, codes: Index, plain: Pairs) -> tuple[Float, Float]:
    """Without gaps the cluster sums of a difference are the difference of the models' own."""
    groups = int(codes.max()) + 1
    own = x - x.mean(axis=1, keepdims=True)
    sums = np.stack([np.bincount(codes, weights=row, minlength=groups) for row in own])  # (M, G)
    cross = sums @ sums.T
    square = np.diag(cross)
    between = square[plain.a] + square[plain.b] - 2 * cross[plain.a, plain.b]
    return between, np.full(len(between), float(groups))


def _scatter_masked(x: Float, weights: Float, codes: Index, plain: Pairs) -> tuple[Float, Float]:
    """Cluster by cluster: U_g = S_g - S_g' - n_g mean d, all pairs at once."""
    size = len(x)
    mean = np.zeros((size, size))
    mean[plain.a, plain.b] = np.nan_to_num(plain.diff)
    between, groups = np.zeros((size, size)), np.zeros((size, size))
    order = np.argsort(codes, kind="stable")
    x, weights = x.T[order], weights.T[order]
    edges = np.append(np.flatnonzero(np.diff(codes[order], prepend=-1)), len(codes))
    for start, stop in pairwise(edges):
        own, mask = x[start:stop], weights[start:stop]
        sums, common = own.T @ mask, mask.T @ mask
        between += (sums - sums.T - mean * common) ** 2
        groups += common > 0
    return between[plain.a, plain.b], groups[plain.a, plain.b]
