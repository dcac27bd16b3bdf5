"""Items in fixed strata: subjects, repositories, sub-datasets that the benchmark is made of and that no repetition would change."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

from ratings.benchmarks.methods.all_pairs import Pairs, all_pairs
from ratings.stats.arguments import BadNumber, Float, matrix, same_length, spread, vector
from ratings.stats.intervals import t_interval

Codes = npt.NDArray[np.int64]
ROUNDING = 1e-15  # differences of equal decimals are not equal doubles


@dataclass(frozen=True)
class Stratified:
    """A mean over strata, each with the weight of its items, and its standard error."""

    mean: float
    se: float
    freedom: float  # Satterthwaite's
    n: int
    strata: int  # after strata of one item were put together

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """mean -+ t(freedom) se."""
        return t_interval(self.mean, self.se, self.freedom, level)


def stratified(scores: npt.ArrayLike, strata: npt.ArrayLike) -> Stratified:
    """Mean of `scores` (n,) whose items lie in fixed `strata` (n,): only the spread within strata is chance.

        mean = sum_h W_h m_h,  W_h = n_h/n (so it is the plain mean)
        SE^2 = sum_h W_h^2 s_h^2/n_h = sum_h n_h s_h^2 / n^2,  s_h with divisor n_h - 1
        freedom = (sum_h n_h s_h^2)^2 / sum_h (n_h s_h^2)^2/(n_h - 1)

    Cochran 1977, Sampling Techniques, 5.3-5.4, without the correction for a finite population: the items of a stratum stand for
    all that could have been asked. A stratum of one item has no spread; such strata are put together (5A.12), which can only widen. For paired
    differences the same holds with d_i for s_i. Raises `BadNumber` below two items.
    """
    x = vector("scores", scores, least=2)
    codes = np.asarray(strata)
    n = same_length(scores=x, strata=codes)
    merged = collapsed(codes)
    parts = [x[merged == code] for code in np.unique(merged)]
    own = np.array([len(part) * spread(part) ** 2 for part in parts])
    total = float(own.sum())
    sizes = np.array([len(part) for part in parts])
    freedom = total**2 / float((own**2 / (sizes - 1)).sum()) if total > 0 else float(n - len(parts))
    freedom = max(1.0, freedom)  # it is at least the smallest n_h - 1, but for rounding
    mean = float(x[0]) if np.ptp(x) == 0 else float(x.mean())
    return Stratified(mean, math.sqrt(total) / n, freedom, n, len(parts))


def collapsed(strata: npt.ArrayLike) -> Codes:
    """The strata as numbers, those of one item put together; a last one with the smallest of the others."""
    codes = np.unique(np.asarray(strata), return_inverse=True)[1].astype(np.int64)
    if len(codes) < 2:
        raise BadNumber("one item has no spread")
    sizes = np.bincount(codes)
    single = np.flatnonzero(sizes == 1)
    if len(single) == 1:
        others = np.where(sizes == 1, len(codes) + 1, sizes)
        single = np.array([single[0], int(others.argmin())])
    if len(single):
        codes[np.isin(codes, single)] = single[0]
    return codes


def all_pairs_stratified(scores: npt.ArrayLike, strata: npt.ArrayLike) -> Pairs:
    """`all_pairs` with the standard error and freedom of `stratified`, over each pair's common items.

    The exact test stays that of the items on which the two differ. It is McNemar's, valid over strata for its null hypothesis, that either
    model is alone right equally often in all: given the discordant items, each is a fair coin's throw whatever its stratum, so that
    their sum over strata is Bin(n10 + n01, 1/2).
    """
    x = matrix("scores", scores, least=2, gaps=True)
    codes = np.asarray(strata)
    same_length(items=x.T, strata=codes)
    plain = all_pairs(x)
    se, freedom = plain.se.copy(), plain.freedom.astype(np.float64)
    for row, (a, b) in enumerate(zip(plain.a, plain.b, strict=True)):
        both = ~np.isnan(x[a]) & ~np.isnan(x[b])
        if both.sum() < 2:
            continue
        d = x[a, both] - x[b, both]
        d[np.abs(d) <= ROUNDING] = 0.0
        found = stratified(d, codes[both])
        se[row], freedom[row] = found.se, found.freedom
    return replace(plain, se=se, freedom=freedom, p=_p(plain.diff, se, freedom, plain.p_exact))


def _p(diff: Float, se: Float, freedom: Float, exact: Float) -> Float:
    """The t test; the exact test of items where nothing varies within any stratum."""
    usable = (se > 0) & (freedom > 0)
    t = np.divide(np.abs(diff), se, out=np.zeros(len(diff)), where=usable)
    found = 2 * student.sf(t, np.where(usable, freedom, 1.0))
    return np.where(usable, found, np.where(se == 0, exact, np.nan))
