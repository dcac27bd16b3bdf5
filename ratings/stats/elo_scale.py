"""What a gap on the Elo scale means, for two models alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from ratings.stats.arguments import Undefined, number, whole

ELO_PER_LOGIT = 400 / math.log(10)


def win_probability(delta: float) -> float:
    """Chance that the model `delta` points higher wins: 1/(1 + 10^(-delta/400)), safe at any size."""
    return float(win_probabilities(number("delta", delta)))


def win_probabilities(delta: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The same elementwise, unchecked."""
    return np.asarray(expit(np.asarray(delta, dtype=np.float64) / ELO_PER_LOGIT))


@dataclass(frozen=True)
class EloGap:
    """Elo gap of two models and its standard error from the Fisher information."""

    delta: float
    se: float


def two_model_gap(wins: int, losses: int, ties: int = 0) -> EloGap:
    """Bradley-Terry for two models: delta = 400 log10(w/l), se = (400/ln 10) sqrt(1/w + 1/l); a tie is half a win each.

    Raises `Undefined` when one has all the points: the estimate is infinite.
    """
    half = whole("ties", ties) / 2
    w, lost = whole("wins", wins) + half, whole("losses", losses) + half
    if w == 0 or lost == 0:
        raise Undefined("one model has all the wins: the gap has no finite estimate")
    return EloGap(ELO_PER_LOGIT * math.log(w / lost), ELO_PER_LOGIT * math.sqrt(1 / w + 1 / lost))
