"""Two models on the same items: differences, exact tests and the bootstrap that keeps each item's pair together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.stats import binom
from scipy.stats import t as student

from ratings.stats.arguments import (
    BadNumber,
    Float,
    inner,
    number,
    same_length,
    share,
    spread,
    vector,
    whole,
    z_from,
)
from ratings.stats.intervals import Z95, drawn_rows


@dataclass(frozen=True)
class PairedCounts:
    """How often two models are right together, alone and not at all. `n10`: only the first is right."""

    n11: int
    n10: int
    n01: int
    n00: int

    def __post_init__(self) -> None:
        for name in ("n11", "n10", "n01", "n00"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        if self.n == 0:
            raise BadNumber("no common item")

    @property
    def n(self) -> int:
        return self.n11 + self.n10 + self.n01 + self.n00

    @classmethod
    def of(cls, a: Sequence[float] | Float, b: Sequence[float] | Float) -> PairedCounts:
        """The table of two vectors of 0 and 1."""
        x, y = vector("a", a), vector("b", b)
        same_length(a=x, b=y)
        if not (np.isin(x, (0, 1)).all() and np.isin(y, (0, 1)).all()):
            raise BadNumber("scores other than 0 and 1")
        n11 = int(x @ y)
        return cls(n11, int(x.sum()) - n11, int(y.sum()) - n11, int((1 - x) @ (1 - y)))

    def scores(self) -> tuple[Float, Float]:
        """Two vectors with this table: both right, only a, only b, neither."""
        counts = (self.n11, self.n10, self.n01, self.n00)
        return np.repeat([1.0, 1.0, 0.0, 0.0], counts), np.repeat([1.0, 0.0, 1.0, 0.0], counts)


@dataclass(frozen=True)
class McNemar:
    """Two-sided p-values of the discordant items."""

    p_exact: float
    p_mid: float  # less conservative: half the probability of what was seen


def mcnemar(n10: int, n01: int) -> McNemar:
    """McNemar's exact test: are the items on which only one is right split like a fair coin's throws?

        p = min(1, 2 P(X <= min(n10, n01))),  X ~ Bin(n10 + n01, 1/2);  mid-p = p - P(X = min)

    1 without discordant items. Safe for any size. McNemar 1947; Fagerland, Lydersen & Laake 2013.
    """
    exact, mid = sign_test(whole("n10", n10), whole("n01", n01))
    return McNemar(float(exact), float(mid))


def sign_test(ups: npt.ArrayLike, downs: npt.ArrayLike) -> tuple[Float, Float]:
    """Exact and mid p-values elementwise, unchecked."""
    up, down = np.asarray(ups, np.float64), np.asarray(downs, np.float64)
    fewer, n = np.minimum(up, down), up + down
    below = 2 * binom.cdf(fewer, n, 0.5)
    # At a tie 2 P(X <= n/2) - P(X = n/2) is 1 by symmetry.
    mid = np.where(up == down, 1.0, below - binom.pmf(fewer, n, 0.5))
    return np.minimum(below, 1.0), np.clip(mid, 0.0, 1.0)


@dataclass(frozen=True)
class Difference:
    """Score of a minus score of b on the same items."""

    diff: float
    se: float  # s_d/sqrt(n), s_d with divisor n - 1
    n: int
    p: float  # paired t test, t(n - 1); the exact sign test where all differences are equal
    p_exact: float  # sign test of the differing items: McNemar's for 0/1 scores
    ups: int  # items on which a is better
    downs: int

    def interval(self, z: float = Z95, *, level: float | None = None) -> tuple[float, float]:
        """diff -+ z se. Zero width, and so false certainty, where all differences are equal."""
        half = z_from(z, level) * self.se
        return self.diff - half, self.diff + half


def difference(a: Sequence[float] | Float, b: Sequence[float] | Float) -> Difference:
    """The paired difference of two score vectors (n,) on the same items in the same order.

    d_i = a_i - b_i, diff = mean(d), se = s_d/sqrt(n); items equal for both add nothing. Raises `BadNumber` below two items.
    Miller 2024 (arXiv:2411.00640).
    """
    x, y = vector("a", a, least=2), vector("b", b, least=2)
    n = same_length(a=x, b=y)
    d = x - y
    # Differences of equal decimals (.3 - .2 and .2 - .1) are not equal doubles.
    rounding = 4 * np.finfo(np.float64).eps * max(np.abs(x).max(), np.abs(y).max())
    d[np.abs(d) <= rounding] = 0.0
    if np.ptp(d) <= 2 * rounding:
        d[:] = d[0]
    ups, downs = int((d > 0).sum()), int((d < 0).sum())
    diff, se = float(d[0] if np.ptp(d) == 0 else d.mean()), spread(d) / math.sqrt(n)
    exact = float(sign_test(ups, downs)[0])
    p = float(2 * student.sf(abs(diff) / se, n - 1)) if se > 0 else exact
    return Difference(diff, se, n, p, exact, ups, downs)


def difference_of_table(table: PairedCounts) -> Difference:
    """The same from counts, at any size."""
    n, ups, downs = table.n, table.n10, table.n01
    if n < 2:
        raise BadNumber("one item has no spread")
    diff = (ups - downs) / n
    variance = ((ups + downs) - n * diff**2) / (n - 1)
    se = math.sqrt(max(0.0, variance) / n) if ups + downs > 0 and n not in (ups, downs) else 0.0
    exact = mcnemar(ups, downs).p_exact
    p = float(2 * student.sf(abs(diff) / se, n - 1)) if se > 0 else exact
    return Difference(diff, se, n, p, exact, ups, downs)


def most_discordant(n: int, level: float = 0.95) -> float:
    """Upper bound of the share of items on which two models differ when none of n did: 1 - (1 - level)^(1/n), about 3/n at 95 %.

    What to print where a paired interval would be [0, 0].
    """
    return -math.expm1(math.log1p(-inner("level", level)) / whole("n", n, 1))


@dataclass(frozen=True)
class PairedBootstrap:
    """The gap a - b over resampled items, in points (hundredths)."""

    gap_points: float
    ci_points: tuple[float, float]
    share_not_ahead: float  # resamples in which a is not ahead of b
    level: float


def paired_bootstrap(table: PairedCounts, level: float = 0.95) -> PairedBootstrap:
    """The paired bootstrap of a 2 x 2 table with endless rounds, exactly.

    n items redrawn with replacement have gap sum(D), D = 1, -1, 0 with the shares of n10, n01 and the rest: the n-fold convolution
    of three probabilities, by the fast Fourier transform. Ends are the smallest gaps whose distribution
    function reaches (1 -+ level)/2.
    """
    n, tail = table.n, (1 - inner("level", level)) / 2
    step = np.zeros(2 * n + 1)
    step[[0, 1, -1]] = (table.n11 + table.n00) / n, table.n10 / n, table.n01 / n
    chance = np.fft.irfft(np.fft.rfft(step) ** n, 2 * n + 1)
    # Index 0..n holds the gaps 0..n, the rest the gaps -n..-1.
    gaps = np.arange(-n, n + 1)
    chance = np.clip(np.roll(chance, n), 0.0, None)
    below = np.cumsum(chance / chance.sum())
    low, high = (int(gaps[np.searchsorted(below, q - 1e-12)]) for q in (tail, 1 - tail))
    return PairedBootstrap(
        gap_points=100 * (table.n10 - table.n01) / n,
        ci_points=(100 * low / n, 100 * high / n),
        share_not_ahead=float(below[n]),
        level=level,
    )


def drawn_bootstrap(
    a: Sequence[float] | Float,
    b: Sequence[float] | Float,
    rng: np.random.Generator,
    rounds: int = 10_000,
    level: float = 0.95,
) -> PairedBootstrap:
    """The same for any scores, by drawing: items with replacement, each item's two scores together."""
    x, y = vector("a", a), vector("b", b)
    n, tail = same_length(a=x, b=y), (1 - inner("level", level)) / 2
    d = x - y
    sums = np.concatenate([d[rows].sum(axis=1) for rows in drawn_rows(n, whole("rounds", rounds, 1), rng)])
    sums = np.round(sums, 9)  # a gap of nothing must be 0, not 1e-16
    low, high = np.quantile(sums, [tail, 1 - tail])
    return PairedBootstrap(
        gap_points=100 * float(d.mean()),
        ci_points=(100 * float(low) / n, 100 * float(high) / n),
        share_not_ahead=float((sums <= 0).mean()),
        level=level,
    )


def unpaired_se(p: float, n: float) -> float:
    """Standard error of the gap of two models near p on n items each, as if on different items: sqrt(2 p (1 - p)/n)."""
    p = share("p", p)
    return math.sqrt(2 * p * (1 - p) / number("n", n, 1))


def gap_sd_points(n: int, p: float) -> float:
    """Standard deviation, in points, of the gap of two equally good models with independent errors."""
    return 100 * unpaired_se(p, whole("n", n, 1))


def gap_probability(n: int, p: float, points: float) -> float:
    """Chance that two equally good models (pass rate p, independent errors) differ by `points` or more on n items.

    Exact: the convolution of two binomial distributions, with the threshold counted in whole items.
    """
    n, p = whole("n", n, 1), share("p", p)
    threshold = math.ceil(Fraction(repr(number("points", points, 0, 100))) * n / 100)
    chance = binom.pmf(np.arange(n + 1), n, p)
    gaps = np.abs(np.arange(-n, n + 1))
    both = np.convolve(chance, chance[::-1])
    return float(min(1.0, both[gaps >= threshold].sum()))
