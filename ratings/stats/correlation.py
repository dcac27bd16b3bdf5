"""Correlation of two measures of the same models: ties, small samples and the noise of both measures minded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau, rankdata

from ratings.stats.arguments import (
    BadNumber,
    Float,
    Undefined,
    finite,
    matrix,
    number,
    same_length,
    vector,
    whole,
    z_of,
)


@dataclass(frozen=True)
class Correlations:
    """Three correlations over the n models that both measures have; None where a measure does not vary."""

    n: int
    pearson: float | None
    spearman: float | None  # of average ranks
    kendall_tau_b: float | None


def correlations(x: Sequence[Any] | Float, y: Sequence[Any] | Float) -> Correlations:
    """Pearson, Spearman and Kendall's tau-b of two measures (n,); pairs with a missing value (None, nan) are left out.

    Spearman is Pearson's of average ranks: under ties 1 - 6 sum d^2/(n (n^2 - 1)) is wrong, and so are ranks by sorting.
    """
    a, b = vector("x", x, gaps=True), vector("y", y, gaps=True)
    same_length(x=a, y=b)
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    pearson = correlation(a, b)
    if pearson is None:
        return Correlations(len(a), None, None, None)
    return Correlations(
        len(a), pearson, correlation(rankdata(a), rankdata(b)), float(kendalltau(a, b).statistic)
    )


def correlation(a: Float, b: Float) -> float | None:
    """Pearson's r, within [-1, 1]; None when a side is constant or there are fewer than two points."""
    if len(a) < 2 or constant(a) or constant(b):
        return None
    u, v = a - a.mean(), b - b.mean()
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    return float(np.clip(u @ v, -1.0, 1.0))


def constant(values: Float) -> bool:
    """The values differ by rounding at most."""
    return bool(np.ptp(values) <= 1e-13 * np.abs(values).max(initial=0.0))


def fisher_interval(r: float, n: int, level: float = 0.95, *, z: float | None = None) -> tuple[float, float]:
    """tanh(atanh r -+ z/sqrt(n - 3)), the interval of a correlation over n independent models.

    [-1, 1] up to three models: they say nothing. Raises `Undefined` at r = -1 or 1. Fisher 1921.
    """
    rho, n = number("r", r, -1.0, 1.0), whole("n", n, 1)
    quantile = z_of(level) if z is None else finite("z", z, 0.0)
    if n <= 3:
        return -1.0, 1.0
    if abs(rho) == 1:
        raise Undefined("a perfect correlation has no interval by Fisher's transform")
    half = quantile / math.sqrt(n - 3)
    return math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)


def disattenuated(r: float, rel_x: float, rel_y: float) -> float:
    """The correlation without the noise of both measures, r/sqrt(rel_x rel_y), cut to [-1, 1]. Spearman 1904.

    Cut means: the noise is overestimated or the sample small; say so. sqrt(rel_x rel_y) is the noise ceiling of r.
    """
    return _cut(number("r", r, -1.0, 1.0) / noise_ceiling(rel_x, rel_y))


def noise_ceiling(rel_x: float, rel_y: float) -> float:
    """The largest correlation that two measures of these reliabilities can show: sqrt(rel_x rel_y)."""
    x, y = number("rel_x", rel_x, high=1.0), number("rel_y", rel_y, high=1.0)
    if x <= 0 or y <= 0:
        raise Undefined("a measure without reliability says nothing of what it measures")
    return math.sqrt(x * y)


@dataclass(frozen=True)
class Disattenuated:
    """A correlation freed of measurement noise, with the Fisher limits freed alike; `capped` when it exceeded 1."""

    r_dis: float
    ci: tuple[float, float]
    capped: bool


def disattenuated_interval(
    r: float, n: int, rel_x: float, rel_y: float, level: float = 0.95, *, z: float | None = None
) -> Disattenuated:
    """r and its Fisher limits divided by sqrt(rel_x rel_y), cut to [-1, 1].

    Covered .95 to .99 at nominal .95 in simulations of 12 and 24 models, where the plain Fisher interval fell to .53.
    Where both limits would be cut to one end (the whole Fisher interval lies above the noise ceiling, so the noise is overstated), the inner one
    stays Fisher's: noise never adds to a correlation.
    """
    roof = noise_ceiling(rel_x, rel_y)
    low, high = fisher_interval(r, n, level, z=z)
    ends = _cut(low / roof), _cut(high / roof)
    if ends[0] == ends[1]:
        ends = (low, 1.0) if low > 0 else (-1.0, high)
    return Disattenuated(_cut(r / roof), ends, abs(r) > roof)


def reliability(values: Sequence[float] | Float, covariance: npt.ArrayLike) -> float:
    """Share of the variance of M estimates that is not noise, whatever their anchor.

        1 - tr(H V)/((M - 1) var(values)),  H = I - 11'/M,  var with divisor M - 1

    V is their covariance. The mean of its diagonal would depend on which model the scale is tied to; tr(H V) does not.
    Negative when the noise exceeds the spread. Raises `Undefined` when the values do not vary.
    """
    x = vector("values", values, least=2)
    v = matrix("covariance", covariance)
    if v.shape != (len(x), len(x)) or not np.allclose(v, v.T, rtol=1e-6, atol=1e-9 * np.abs(v).max()):
        raise BadNumber(f"covariance must be a symmetric {len(x)} x {len(x)} matrix")
    if (np.diag(v) < 0).any():
        raise BadNumber("covariance has a negative variance")
    noise = (np.trace(v) - v.sum() / len(x)) / (len(x) - 1)
    return 1 - float(noise) / _variance(x)


def reliability_of_errors(values: Sequence[float] | Float, se: Sequence[float] | Float) -> float:
    """The same when the estimates are independent: 1 - mean(se^2)/var(values)."""
    x, errors = vector("values", values, least=2), vector("se", se, low=0.0)
    same_length(values=x, se=errors)
    return 1 - float((errors**2).mean()) / _variance(x)


def _variance(x: Float) -> float:
    if constant(x):
        raise Undefined("the values do not vary")
    return float(np.var(x, ddof=1))


def _cut(r: float) -> float:
    return min(1.0, max(-1.0, r))
