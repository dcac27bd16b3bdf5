"""Intervals of one score: Wilson for a share of passes, the t interval and the bootstrap for partial credit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.stats import binom
from scipy.stats import t as student

from ratings.stats.arguments import BadNumber, Float, inner, number, share, spread, vector, whole, z_from

Z95 = 1.96  # what the literature prints; pass `level` for the exact quantile
DRAWN_AT_ONCE = 2_000_000  # indices held at a time by a bootstrap: 16 MB
ROUNDING = 1e-12  # relative: ends nearer to each other differ by rounding only
NO_WIDTH = "no spread in the data: an interval would have no width"
SUMS_AT_MOST = 100_000  # distinct sums that the exact bootstrap may hold


@dataclass(frozen=True)
class Interval:
    """A number with its interval; None where the data do not give it, and then `why`. Ends that meet are no interval."""

    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    why: str | None = None

    def __post_init__(self) -> None:
        if self.low is None or self.high is None or has_width(self.low, self.high):
            return
        for name, word in (("low", None), ("high", None), ("why", self.why or NO_WIDTH)):
            object.__setattr__(self, name, word)


def has_width(low: float, high: float) -> bool:
    """The ends differ by more than rounding: an interval without width would claim certainty."""
    return high - low > ROUNDING * max(1.0, abs(low), abs(high))


def wilson(k: int, n: int, z: float = Z95, *, level: float | None = None) -> tuple[float, float]:
    """Wilson score interval of a pass rate, k of n.

        (k + z^2/2 -+ z sqrt(k (n - k)/n + z^2/4)) / (n + z^2)

    The lower end is computed as (k^2/n) / (k + z^2/2 + z sqrt(...)), the product of the roots over the upper one, so that
    one pass in a thousand million loses no digit. Exactly 0 at k = 0 and 1 at k = n.
    Wilson 1927; Brown, Cai & DasGupta 2001. Raises `BadNumber` for n < 1 or k outside [0, n].
    """
    trials = whole("n", n, 1)
    passes = whole("k", k, 0, trials)
    low, high = score_bounds(passes, trials, z_from(z, level))
    return float(low), float(high)


def wald(k: int, n: int, z: float = Z95, *, level: float | None = None) -> tuple[float, float]:
    """p -+ z sqrt(p (1 - p)/n), unclipped: shown only to show why not.

    It leaves [0, 1] (18 of 20 reaches 103 %), has no width at k = 0 and k = n, and covers 33 % instead of 95 % at n = 20, p = .98.
    """
    trials = whole("n", n, 1)
    p = whole("k", k, 0, trials) / trials
    half = half_width(p, trials, z, level=level)
    return p - half, p + half


def binomial_se(p: float, n: float) -> float:
    """Standard error of a pass rate, sqrt(p (1 - p)/n). `n` may be an effective size."""
    p = share("p", p)
    return math.sqrt(p * (1 - p) / number("n", n, 1))


def half_width(p: float, n: float, z: float = Z95, *, level: float | None = None) -> float:
    """Half the Wald width, z sqrt(p (1 - p)/n): the plus-minus of a score, for planning."""
    return z_from(z, level) * binomial_se(p, n)


def no_pass_probability(p: float, n: int) -> float:
    """Chance that n items show no pass at all when each passes with p: (1 - p)^n."""
    p, n = share("p", p), whole("n", n)
    if p == 1:
        return 1.0 if n == 0 else 0.0
    return math.exp(n * math.log1p(-p))


def mean_interval(
    scores: Sequence[float] | Float, z: float = Z95, *, level: float | None = None
) -> tuple[float, float, float]:
    """(mean, low, high) by the central limit theorem: mean -+ z s/sqrt(n), s with divisor n - 1.

    Unclipped. For a share of passes prefer `wilson`; under some dozens of items prefer `t_interval`.
    Raises `BadNumber` below two scores.
    """
    x = vector("scores", scores, least=2)
    half = z_from(z, level) * spread(x) / math.sqrt(len(x))
    mean = _mean(x)
    return mean, mean - half, mean + half


def t_interval(mean: float, se: float, freedom: float, level: float = 0.95) -> tuple[float, float]:
    """mean -+ t(freedom) se."""
    half = float(student.ppf((1 + inner("level", level)) / 2, number("freedom", freedom, 1))) * se
    return mean - half, mean + half


def bootstrap_mean(
    scores: Sequence[float] | Float, rounds: int = 10_000, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap of the mean of any per-item score (partial credit, ratings, BLEU).

    Items are redrawn with replacement, `rounds` times; the ends are the (1 -+ level)/2 quantiles of the means. With 0/1 scores
    it tends to the Wald interval, faults included; it has no width where all scores are equal. Memory stays
    bounded. Efron 1979. Raises `BadNumber` without scores.
    """
    x = vector("scores", scores)
    tail = (1 - inner("level", level)) / 2
    rng = np.random.default_rng(whole("seed", seed))
    rounds = whole("rounds", rounds, 1)
    if np.ptp(x) == 0:
        return float(x[0]), float(x[0])
    means = np.concatenate([x[rows].mean(axis=1) for rows in drawn_rows(len(x), rounds, rng)])
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def drawn_rows(n: int, rounds: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """(some, n) index arrays, `rounds` rows in all: the same draws as one call, in bounded memory."""
    step = max(1, DRAWN_AT_ONCE // n)
    for start in range(0, rounds, step):
        yield rng.integers(0, n, size=(min(step, rounds - start), n))


def bootstrap_pass_rate(scores: Sequence[float] | Float, level: float = 0.95) -> tuple[float, float]:
    """The percentile bootstrap of 0/1 scores with endless rounds: quantiles of Bin(n, k/n)/n."""
    x = vector("scores", scores)
    if not np.isin(x, (0, 1)).all():
        raise BadNumber("scores other than 0 and 1")
    tail = (1 - inner("level", level)) / 2
    low, high = (float(binom.ppf(q, len(x), x.mean())) / len(x) for q in (tail, 1 - tail))
    return low, high


@dataclass(frozen=True)
class ExactBootstrap:
    """What the bootstrap of a mean tends to with endless rounds."""

    distinct_means: int
    sd: float
    min: float
    max: float


def exact_bootstrap(scores: Sequence[float] | Float) -> ExactBootstrap:
    """The bootstrap distribution over all n^n resamples of a few scores.

    sd is the plug-in one, sqrt(sum (x - mean)^2)/n: too small by sqrt((n - 1)/n), which is .816 at n = 3. Scores are taken as
    the decimals they are printed as, so that .1 + .3 and .2 + .2 are one sum. Raises `BadNumber` beyond a hundred thousand sums.
    """
    x = vector("scores", scores)
    decimals = {Fraction(repr(float(v))) for v in x}
    unit = math.lcm(*(value.denominator for value in decimals))
    values = [int(value * unit) for value in decimals]
    sums = {0}
    for _ in range(len(x)):
        sums = {total + v for total in sums for v in values}
        if len(sums) > SUMS_AT_MOST:
            raise BadNumber("too many scores for the exact bootstrap")
    sd = spread(x) * math.sqrt(len(x) - 1) / len(x) if len(x) > 1 else 0.0
    return ExactBootstrap(len(sums), sd, float(x.min()), float(x.max()))


def pass_interval(k: int, n: int, level: float = 0.95) -> Interval:
    """k of n as a report shows it: the rate with its Wilson interval, or nothing where nothing was tried."""
    if n == 0:
        return Interval(None, None, None, level, "wilson", "no scored item")
    low, high = wilson(k, n, level=level)
    return Interval(k / n, low, high, level, "wilson")


def _mean(x: Float) -> float:
    return float(x[0]) if np.ptp(x) == 0 else float(x.mean())


def score_bounds(k: npt.ArrayLike, n: npt.ArrayLike, z: float) -> tuple[Float, Float]:
    """`intervals.wilson` elementwise, unchecked; k and n may be fractional (effective sizes); nan where n is 0."""
    passes, trials = np.broadcast_arrays(np.asarray(k, np.float64), np.asarray(n, np.float64))
    safe = np.where(trials > 0, trials, 1.0)
    root = z * np.sqrt(passes * (safe - passes) / safe + z * z / 4)
    top = passes + z * z / 2 + root
    low = np.divide(passes * (passes / safe), top, out=np.zeros_like(top), where=passes > 0)
    high = np.where(passes == safe, 1.0, np.minimum(top / (safe + z * z), 1.0))
    empty = ~(trials > 0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
