"""Why a benchmark saturates below 100 %: wrong keys, guessing, and too few items to rank the leaders."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from ratings.stats.arguments import BadNumber, Float, inner, named, number, rows, share, vector, whole
from ratings.tables import percent

Verdict = Literal["saturated", "not saturated", "too few items"]
FEWEST_ITEMS = 35  # see `room`
STANDARD_ERRORS_ABOVE = 3  # a score so far above the ceiling refutes the label-error rate


def ceiling(label_error: float) -> float:
    """Score of a perfect model when a share of the keys is wrong: 1 - eps."""
    return 1 - share("label_error", label_error)


def typed_ceiling(kinds: Mapping[str, tuple[float, float]]) -> float:
    """The same by kind of fault: each kind's share of items, and how often a perfect model still matches such a key.

        1 - sum share (1 - match)

    The kinds as in Gema et al. 2024 (MMLU-Redux): wrong key, several right answers, none, unclear question, unclear options.
    """
    if any(len(rows(name, pair)) != 2 for name, pair in named("kinds", kinds).items()):
        raise BadNumber("each kind of fault needs a share and a chance to match")
    shares = {name: (share(name, part), share(name, match)) for name, (part, match) in kinds.items()}
    if sum(part for part, _ in shares.values()) > 1 + 1e-12:
        raise BadNumber("the shares of faulty items sum to more than 1")
    return 1 - math.fsum(part * (1 - match) for part, match in shares.values())


def guessing_floor(options: float) -> float:
    """Score of blind guessing among `options`; 0 for a short answer (infinity)."""
    return 1 / _options(options)


def observed_accuracy(true_accuracy: float, label_error: float, options: float) -> float:
    """Expected score of a model with this true accuracy when a share eps of keys is wrong.

        a (1 - eps) + (1 - a) eps/(K - 1)

    Assumes a wrong key to be any of the K - 1 wrong options alike, independent of the model's errors. Every gap between two models
    shrinks by 1 - eps K/(K - 1). K = infinity is a short answer.
    """
    a, eps = share("true_accuracy", true_accuracy), share("label_error", label_error)
    return a * (1 - eps) + (1 - a) * _lucky(eps, _options(options))


def implied_accuracy(observed: float, label_error: float, options: float, n: float) -> float:
    """True accuracy that a score implies: the inverse of `observed_accuracy`, cut to [0, 1].

        a = (observed - eps/(K - 1)) / (1 - eps - eps/(K - 1)),  eps < (K - 1)/K

    Raises `BadNumber` when the score lies more than three standard errors above the ceiling c = 1 - eps, so that either eps or the
    model of errors is wrong. The standard error is that of a perfect model's score, sqrt(c (1 - c)/n): the one at the observed
    score is 0 at 100 % and would refuse every perfect score.
    """
    seen, eps = share("observed", observed), share("label_error", label_error)
    lucky = _lucky(eps, _options(options))
    slope = 1 - eps - lucky
    if slope <= 1e-12:
        raise BadNumber("with so many wrong keys the score says nothing of the accuracy")
    top = ceiling(eps)
    if seen > top + STANDARD_ERRORS_ABOVE * math.sqrt(top * (1 - top) / number("n", n, 1)):
        raise BadNumber(f"a score of {seen:g} is above the ceiling {top:g} by more than chance")
    return min(1.0, max(0.0, (seen - lucky) / slope))


def gap_factor(label_error: float, options: float) -> float:
    """What wrong keys leave of a true gap: 1 - eps K/(K - 1)."""
    eps = share("label_error", label_error)
    return 1 - eps - _lucky(eps, _options(options))


@dataclass(frozen=True)
class Saturation:
    """Can this benchmark still tell the leaders apart, and can anyone still rise?"""

    ceiling: float
    saturated: bool  # the top score is within one-sided noise of the ceiling
    n_tied: int  # models that an unpaired test cannot tell from the leader, leader included
    top: float


@dataclass(frozen=True)
class Room(Saturation):
    """The saturation of real results: held against the best score's interval and the number of items behind it."""

    low: float | None  # interval of the best score
    high: float | None
    items: int  # independent items that the best score is worth
    verdict: Verdict
    why: str  # the verdict as a sentence, with interval, ceiling and items


def room(
    found: Saturation, interval: tuple[float | None, float | None], items: int, worth: int | None = None
) -> Room:
    """Saturated only where the best score's interval reaches the ceiling, its noise does so too, and the items suffice.

    `worth` is the number of independent items that clusters of `items` tell as much as. Below `FEWEST_ITEMS` even a perfect score leaves room for ten points: n of n has the Wilson limit n/(n + 1.96^2), .9 at 35.
    """
    low, high = interval
    counted = f"{items:,} item{'s' if items != 1 else ''}"
    if worth is not None:
        items, counted = worth, f"{counted} (worth {worth:,} independent ones)"
    shown = f"the best score {percent(found.top)}"
    if low is not None and high is not None:
        shown += f" ({percent(low)} to {percent(high)})"
    limit = f"the ceiling of {percent(found.ceiling, 2)}"
    if items < FEWEST_ITEMS or low is None or high is None:
        words = f"Too few items to tell whether the benchmark is saturated: {counted}, {shown}, {limit}"
        return _room(found, low, high, items, "too few items", words)
    if high < found.ceiling:
        words = f"The benchmark is not saturated: {shown} on {counted} stays below {limit}"
        return _room(found, low, high, items, "not saturated", words)
    if not found.saturated:
        words = f"The benchmark is not saturated: {shown} on {counted} is further below {limit} than noise explains"
        return _room(found, low, high, items, "not saturated", words)
    words = f"The benchmark is saturated: {shown} on {counted} reaches {limit}"
    return _room(found, low, high, items, "saturated", words)


def _room(
    found: Saturation, low: float | None, high: float | None, items: int, verdict: Verdict, words: str
) -> Room:
    return Room(
        found.ceiling, verdict == "saturated", found.n_tied, found.top, low, high, items, verdict, words
    )


def saturation(
    accuracies: Sequence[float] | Float,
    n: int,
    label_error: float,
    human: float | None = None,
    alpha: float = 0.05,
) -> Saturation:
    """The saturation of a benchmark of n items from its models' accuracies, in any order.

        c = min(1 - eps, human),  SE_j = sqrt(acc_j (1 - acc_j)/n)
        saturated:  top >= c - z_{1 - alpha} SE_top
        tied with the leader:  gap = 0, or gap < z_{1 - alpha/2} sqrt(SE_top^2 + SE_j^2)

    A quick unpaired count: claims about pairs need the paired test. A gap of nothing is a tie also where both SE are 0.
    """
    x = vector("accuracies", accuracies, low=0.0, high=1.0)
    size, alpha = whole("n", n, 1), inner("alpha", alpha)
    top = float(x.max())
    limit = ceiling(label_error)
    if human is not None:
        limit = min(limit, share("human", human))
    variance = x * (1 - x) / size
    own = top * (1 - top) / size
    gaps = top - x
    tied = (gaps == 0) | (gaps < -ndtri(alpha / 2) * np.sqrt(own + variance))
    saturated = top >= limit + float(ndtri(alpha)) * math.sqrt(own)
    return Saturation(limit, bool(saturated), int(tied.sum()), top)


def _options(options: float) -> float:
    found = number("options", options, 2)
    if not math.isinf(found):
        whole("options", found)
    return found


def _lucky(label_error: float, options: float) -> float:
    """Chance that a wrong answer matches a wrong key."""
    return 0.0 if math.isinf(options) else label_error / (options - 1)
