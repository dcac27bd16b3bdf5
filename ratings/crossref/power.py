"""What correlations a family of tests over few models could show at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr, ndtri

from ratings.stats.arguments import Undefined

POWER = 0.8
HALF = 0.5


@dataclass(frozen=True)
class Power:
    """Of m two-sided tests of a correlation over `models` models, at the first step of the correction: size alpha/m each."""

    tests: int
    models: int
    least: float  # |r| that must be OBSERVED for a test to pass alone
    detectable: float  # true |r| that passes with power 80 %
    at_half: float  # power for a true |r| of .5


def power(models: int, tests: int, alpha: float) -> Power:
    """By Fisher's transform, atanh r normal with variance 1/(models - 3). Fisher 1921.

    The first step is what one departure among many null tests must pass under Holm and Benjamini-Hochberg alike; many departures
    help one another under the latter. Raises `Undefined` for three models or fewer.
    """
    if models <= 3 or tests < 1:
        raise Undefined(f"{tests} tests over {models} models: no power to speak of")
    z, scale = -float(ndtri(alpha / (2 * tests))), math.sqrt(models - 3)
    shift = math.atanh(HALF) * scale
    return Power(
        tests=tests,
        models=models,
        least=math.tanh(z / scale),
        detectable=math.tanh((z + float(ndtri(POWER))) / scale),
        at_half=float(ndtr(shift - z) + ndtr(-shift - z)),
    )
