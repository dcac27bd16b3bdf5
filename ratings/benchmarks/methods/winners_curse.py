"""Reporting the best of many tries: how much of it is luck."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

from ratings.stats.arguments import BadNumber, Float, Undefined, matrix, number, positive, share, whole
from ratings.stats.intervals import binomial_se, score_bounds

MOST_TRIES = 1e300
SPLITS_AT_MOST = 20_000  # above it, random halves instead of all
SPLITS_AT_ONCE = 512
_EDGES = np.arange(0.0, 40.0, 0.1)  # beyond 40 the normal tail is below 1e-349
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def expected_max_normal(m: int) -> float:
    """E[max of m independent standard normals], to about 1e-14 for any m.

        integral over x > 0 of 1 - Phi(x)^m  -  integral over x < 0 of Phi(x)^m

    by Gauss-Legendre on panels of 0.1, with log Phi: the direct integral of z m phi(z) Phi(z)^(m-1) loses 3e-6 at
    m = 1e12. 1/sqrt(pi) at m = 2. Raises `BadNumber` for m < 1.
    """
    return _expected_max(whole("m", m, 1, MOST_TRIES))


@lru_cache(maxsize=1024)
def _expected_max(m: int) -> float:
    if m == 1:
        return 0.0
    x = (_EDGES[:, None] + 0.05 * (_NODES + 1)).ravel()
    weights = np.tile(0.05 * _WEIGHTS, len(_EDGES))
    above = -np.expm1(float(m) * log_ndtr(x))
    below = np.exp(float(m) * log_ndtr(-x))
    return math.fsum(weights * (above - below))


def max_normal_bound(m: int) -> float:
    """sqrt(2 ln m), which E[max] never exceeds, whatever the dependence; loose at small m."""
    return math.sqrt(2 * math.log(whole("m", m, 1, MOST_TRIES)))


def best_of_m_inflation(m: int, n: float, p: float, rho: float = 0.0) -> float:
    """By how much the best of m equally good submissions overstates their accuracy p, on average.

        sqrt(p (1 - p)/n) sqrt(1 - rho) E[max of m normals]

    n items; rho is the correlation of two submissions' scoring errors (0 <= rho <= 1): submissions that fail the same items share their luck.
    """
    luck = expected_max_normal(m)
    return binomial_se(p, n) * math.sqrt(1 - share("rho", rho)) * luck


def debiased_best(observed_best: float, m: int, n: float, rho: float = 0.0) -> float:
    """The accuracy p for which p + best_of_m_inflation(m, n, p, rho) is the observed best.

    Closed form: it is the lower Wilson limit with z = sqrt(1 - rho) E[max], hence well defined at an observed 1 (where a root
    finder returns the trivial root 1).
    """
    best, size = share("observed_best", observed_best), number("n", n, 1)
    z = math.sqrt(1 - share("rho", rho)) * expected_max_normal(m)
    return best if z == 0 else float(score_bounds(best * size, size, z)[0])


def best_of_noise(k: int, n: int) -> float:
    """Expected best public accuracy of k random guesses at n balanced binary labels: 1/2 + E[max of k]/(2 sqrt(n))."""
    return 0.5 + expected_max_normal(k) / (2 * math.sqrt(whole("n", n, 1)))


def rho_of_beta(a: float, b: float) -> float:
    """rho when item pass rates follow Beta(a, b): Var(p_i)/(p (1 - p)) = 1/(a + b + 1)."""
    return 1 / (positive("a", a) + positive("b", b) + 1)


def measured_rho(scores: npt.ArrayLike) -> float:
    """rho from the item matrix (m, n) of the submissions themselves: mean covariance over mean variance, cut to [0, 1].

    Raises `Undefined` when no submission's items vary, `BadNumber` below two submissions or items.
    """
    x = _submissions(scores)
    if len(x) < 2:
        raise BadNumber("rho needs two submissions")
    covariance = np.cov(x)
    variance = float(np.trace(covariance)) / len(x)
    if variance <= 1e-15:
        raise Undefined("no submission's scores vary over items")
    off = (float(covariance.sum()) - variance * len(x)) / (len(x) * (len(x) - 1))
    return min(1.0, max(0.0, off / variance))


@dataclass(frozen=True)
class SplitHalf:
    """Selection bias measured on the submissions' own items."""

    gap_half: float  # best on one half: its score there minus on the other half, averaged over splits
    bias_n: float  # gap_half/sqrt(2): the bias of selecting on all n items
    splits: int
    every_split: bool


def split_half_bias(
    scores: npt.ArrayLike, rng: np.random.Generator | None = None, splits: int = 2_000
) -> SplitHalf:
    """Pick the best submission on one half of the items, score it on the other, over many splits.

    `scores` (m, n) is complete. All C(n, n/2) splits are taken while they are at most 20,000, else `splits` random ones of `rng`. Of equals the first
    is picked. Needs no model of the submissions; the rescaling by sqrt(2) is exact for equally good ones.
    Odd n: the halves differ by one item.
    """
    x = _submissions(scores)
    n = x.shape[1]
    half = n // 2
    whole_family = math.comb(n, half) <= SPLITS_AT_MOST
    if whole_family:
        chosen = np.array(list(combinations(range(n), half)), dtype=np.intp)
    elif rng is None:
        raise BadNumber(f"{n} items have too many splits: give an rng to draw some")
    else:
        rows = [rng.permutation(n)[:half] for _ in range(whole("splits", splits, 1))]
        chosen = np.array(rows, dtype=np.intp)
    gaps = np.concatenate([_gaps(x, part) for part in _parts(chosen)])
    gap = float(gaps.mean())
    return SplitHalf(gap, gap / math.sqrt(2), len(gaps), whole_family)


def _parts(chosen: npt.NDArray[np.intp]) -> list[npt.NDArray[np.intp]]:
    return [chosen[start : start + SPLITS_AT_ONCE] for start in range(0, len(chosen), SPLITS_AT_ONCE)]


def _gaps(x: Float, chosen: npt.NDArray[np.intp]) -> Float:
    n, half = x.shape[1], chosen.shape[1]
    mask = np.zeros((len(chosen), n))
    mask[np.arange(len(chosen))[:, None], chosen] = 1.0
    first = x @ mask.T
    second = x.sum(axis=1, keepdims=True) - first
    # Rounded, so that equal sums of partial credit tie whatever the order of addition.
    best = np.argmax(np.round(first, 9), axis=0)
    column = np.arange(len(chosen))
    gaps: Float = first[best, column] / half - second[best, column] / (n - half)
    return gaps


def _submissions(scores: npt.ArrayLike) -> Float:
    x = matrix("scores", scores)
    if x.shape[1] < 2:
        raise BadNumber("one item cannot be split")
    return x
