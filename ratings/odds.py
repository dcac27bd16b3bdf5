"""The odds against a on blocks of rows, for many rounds at once: exp(-z0 - d - x . c), by exp or by matrix products.

    exp(-z0 - d - x . c) ~ exp(-z0) (a_0 + a_1 (x . c) + ... + a_m (x . c)^m) exp(-d)

Written out, the polynomial is a sum of products of covariates, one column each, times products of effects: one product
of matrices. exp(-d) is taken once a pair. So exp, the slowest step of a pass, is left out where x . c is small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement
from math import comb, exp, factorial, prod

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev, Polynomial

from ratings.scale import Floats

SERIES_ERROR = 4e-7  # of the odds, relative: at most a quarter of it of a chance
DEGREES = (1, 2, 3)
MOST_PRODUCTS = 40  # columns, beyond which their matrix product costs more than exp
NEAR = 1.0  # log-odds; no such degree reaches beyond
NO_OVERFLOW = 40.0  # log-odds; the odds of twice as many are still float32
Values = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

# From x (F, rows), z0 (rows,) and pair (rows,) writes the odds to an array (rows, L); the last is room for as many.
Against = Callable[[Values, Values, Places, Values, Values], None]


def against(z: Values, reach: Values, d: Values, c: Values) -> Against:
    """How the odds of the rows of log-odds `z` (n,) are written, `d` (P, L) and `c` (F, L) what a round moved by.

    `reach` (F,) is the largest |x|. All are of one kind. By series where it errs by less than `SERIES_ERROR`, in
    float32 only.
    """
    most = float((reach @ np.abs(c)).max(initial=0.0))
    degree = _degree(most, len(c))
    far = max(float(np.abs(values).max(initial=0.0)) for values in (z, d))
    if degree is None or z.dtype != np.float32 or not far < NO_OVERFLOW:
        return _by_exp(d, c)
    return _by_series(d, c.astype(np.float64), most, degree)


def _by_exp(d: Values, c: Values) -> Against:
    lift = np.concatenate([np.full((1, c.shape[1]), -1.0, dtype=c.dtype), -c])

    def write(x: Values, z: Values, pair: Places, out: Values, room: Values) -> None:
        np.matmul(np.concatenate([z[None], x]).T, lift, out=out)
        d.take(pair, axis=0, out=room, mode="clip")
        out -= room
        np.exp(out, out=out)

    return write


def _by_series(d: Values, c: Floats, most: float, degree: int) -> Against:
    lift = (_factors(most, degree, len(c))[:, None] * products(c, np.ones(c.shape[1]), degree)).astype(
        d.dtype
    )
    odds = np.exp(-d)

    def write(x: Values, z: Values, pair: Places, out: Values, room: Values) -> None:
        np.matmul(products(x, np.exp(-z), degree).T, lift, out=out)
        odds.take(pair, axis=0, out=room, mode="clip")
        out *= room

    return write


def _degree(most: float, features: int) -> int | None:
    """The degree that is close enough for |x . c| up to `most`, None where there is none.

    The polynomial that meets exp(-h) at the Chebyshev nodes of |h| <= r errs by at most r^(m+1) e^r / (2^m (m+1)!),
    and relative to exp(-h) by e^r more.
    """
    for degree in DEGREES if most < NEAR else ():
        error = most ** (degree + 1) * exp(2 * most) / (2**degree * factorial(degree + 1))
        if error < SERIES_ERROR and comb(features + degree, degree) <= MOST_PRODUCTS:
            return degree
    return None


def _factors(most: float, degree: int, features: int) -> Floats:
    """(M,) the coefficient of each of `products` in the polynomial."""
    # An interval of no width has no nodes.
    within = max(most, 1e-4)
    series = Chebyshev.interpolate(lambda h: np.exp(-h), degree, [-within, within]).convert(kind=Polynomial)
    return np.array(
        [
            series.coef[order] * factorial(order) / prod(map(factorial, Counter(chosen).values()))
            for order in range(degree + 1)
            for chosen in combinations_with_replacement(range(features), order)
        ]
    )


def products(values: Values, first: Values, degree: int) -> Values:
    """(M, n) `first` (n,) times the products of 0, 1, ... `degree` rows of `values` (F, n).

    Those of each number of rows are in the order of `combinations_with_replacement`.
    """
    features = len(values)
    out = np.empty((comb(features + degree, degree), len(first)), dtype=values.dtype)
    out[0] = first
    end = 1
    for order in range(1, degree + 1):
        place = end
        for feature in range(features):
            # Last in the order before are the products of this row and later ones.
            more = comb(features - feature + order - 2, order - 1)
            np.multiply(out[end - more : end], values[feature], out=out[place : place + more])
            place += more
        end = place
    return out
