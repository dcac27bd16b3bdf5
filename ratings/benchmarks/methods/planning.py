"""How many items a claim needs, and what gap a number of items can show."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

from ratings.stats.arguments import BadNumber, finite, inner, number, positive, share, whole, z_from
from ratings.stats.intervals import Z95


@dataclass(frozen=True)
class Needed:
    """Items needed, as the formula gives them and as the smallest whole number."""

    raw: float
    n: int


def required_n(
    p: float, delta: float, alpha: float = 0.05, power: float = 0.8, *, const: float | None = None
) -> Needed:
    """Items per model to detect a true gap `delta` between two models near `p` that answer different items.

        n = (z_{1 - alpha/2} + z_{power})^2 2 p (1 - p)/delta^2

    `const` replaces the squared sum of quantiles (the usual hand value is 7.84).
    Raises `BadNumber` for delta outside (0, 1].
    """
    factor = positive("const", const) if const is not None else _factor(alpha, power)
    return _needed(factor * 2 * _variance(p) / _gap(delta) ** 2)


def required_n_paired(
    p: float, delta: float, alpha: float = 0.05, power: float = 0.8, corr: float = 0.0
) -> Needed:
    """Items that both models answer, when their item scores correlate by `corr`.

    n = (z_{1 - alpha/2} + z_{power})^2 2 p (1 - p)(1 - corr)/delta^2
    """
    kept = 1 - number("corr", corr, -1.0, 1.0)
    return _needed(_factor(alpha, power) * 2 * _variance(p) * kept / _gap(delta) ** 2)


def required_n_from_spread(
    sd_of_differences: float, delta: float, alpha: float = 0.05, power: float = 0.8
) -> Needed:
    """The same from the standard deviation of paired differences in a pilot: n = (z + z)^2 sd^2/delta^2."""
    return _needed(
        _factor(alpha, power) * finite("sd_of_differences", sd_of_differences, 0) ** 2 / _gap(delta) ** 2
    )


def required_n_resolve(
    p: float, delta: float, z: float = Z95, *, alpha: float | None = None, level: float | None = None
) -> Needed:
    """Items for which a gap of `delta` is z unpaired standard errors: 2 p (1 - p)(z/delta)^2.

    No power term: a true gap of that size is then found every other time. `alpha`, or `level` = 1 - alpha, gives the exact z.
    """
    quantile = (
        float(-ndtri(inner("alpha", alpha) / 2)) if alpha is not None else positive("z", z_from(z, level))
    )
    return _needed(2 * _variance(p) * (quantile / _gap(delta)) ** 2)


def required_n_for_width(p: float, half_width: float, z: float = Z95) -> Needed:
    """Items for an interval of p -+ half_width: p (1 - p)(z/half_width)^2."""
    return _needed(_variance(p) * (positive("z", z) / _gap(half_width)) ** 2)


def detectable_gap(p: float, n: int, alpha: float = 0.05, power: float = 0.8, corr: float = 0.0) -> float:
    """Smallest true gap that n items per model show with this power: the inverse of `required_n_paired`."""
    kept = 1 - number("corr", corr, -1.0, 1.0)
    return math.sqrt(_factor(alpha, power) * 2 * _variance(p) * kept / whole("n", n, 1))


def detectable_gap_of_se(se: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest true gap that two scores, each with this standard error and its own items, show with this power.

        (z_{1 - alpha/2} + z_{power}) sqrt(2) se

    With se = sqrt(p (1 - p)/n) it is `detectable_gap`; with the standard error of the scores at hand it holds for partial credit, attempts and clusters too.
    """
    return math.sqrt(2 * _factor(alpha, power)) * finite("se", se, 0.0)


def price_of_halving(n: int) -> int:
    """Items for half the interval of n items: four times as many."""
    return 4 * whole("n", n, 1)


def _factor(alpha: float, power: float) -> float:
    quantiles = -ndtri(inner("alpha", alpha) / 2) + ndtri(inner("power", power))
    if quantiles <= 0:
        raise BadNumber("power is below alpha/2: any n has that")
    return float(quantiles) ** 2


def _variance(p: float) -> float:
    p = share("p", p)
    return p * (1 - p)


def _gap(delta: float) -> float:
    found = positive("delta", delta)
    if found > 1:
        raise BadNumber(f"delta is {found:g}, above 1")
    return found


def _needed(raw: float) -> Needed:
    # 392.00000000000006 items are 392: the sixth digit after the fifteenth is not a reason for one more.
    return Needed(raw, math.ceil(raw * (1 - 1e-12)))
