"""Many claims at once: the chance of a fluke among m tests, and what to ask of each so that few or none is one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from ratings.stats.arguments import BadNumber, Float, inner, vector, whole

Method = Literal["bonferroni", "sidak", "holm", "fdr_bh", "fdr_by"]
METHODS: tuple[Method, ...] = ("bonferroni", "sidak", "holm", "fdr_bh", "fdr_by")


@dataclass(frozen=True)
class Family:
    """m tests at level alpha with no effect anywhere."""

    expected_false: float  # m alpha
    p_any: float  # 1 - (1 - alpha)^m, if the tests are independent
    bonferroni: float  # z for intervals that all hold together: quantile at 1 - alpha/(2 m)
    sidak: float  # the same for independent intervals: alpha' = 1 - (1 - alpha)^(1/m)


def family(m: int, alpha: float = 0.05) -> Family:
    """What m tests at level alpha promise by chance alone (20 at 5 %: one false alarm, 64 % to see any)."""
    m, alpha = whole("m", m, 1), inner("alpha", alpha)
    log_kept = math.log1p(-alpha)
    return Family(
        expected_false=m * alpha,
        p_any=-math.expm1(m * log_kept),
        bonferroni=float(-ndtri(alpha / (2 * m))),
        sidak=float(-ndtri(-math.expm1(log_kept / m) / 2)),
    )


def adjusted(p: Sequence[float] | Float, method: Method = "holm") -> Float:
    """(m,) adjusted p-values, in the order given; reject where one is at most alpha.

    bonferroni, sidak, holm (step-down; Holm 1979) hold the chance of any false claim; fdr_bh (Benjamini & Hochberg 1995) and
    fdr_by (Benjamini & Yekutieli 2001, any dependence) the expected share of false claims. No p gives no result.
    """
    values = vector("p", p, least=0, low=0.0, high=1.0)
    m = len(values)
    if method not in METHODS:
        raise BadNumber(f"method is {method!r}; known: {', '.join(METHODS)}")
    if m == 0:
        return values
    if method == "bonferroni":
        return np.minimum(values * m, 1.0)
    if method == "sidak":
        with np.errstate(divide="ignore"):  # p = 1 stays 1
            together: Float = -np.expm1(m * np.log1p(-values))
        return together
    order = np.argsort(values, kind="stable")
    stepped = _step_down(values[order]) if method == "holm" else _step_up(values[order], method)
    found = np.empty(m)
    found[order] = np.minimum(stepped, 1.0)
    return found


def _step_down(ranked: Float) -> Float:
    m = len(ranked)
    return np.maximum.accumulate(ranked * np.arange(m, 0, -1))


def _step_up(ranked: Float, method: Method) -> Float:
    m = len(ranked)
    ranks = np.arange(1, m + 1)
    scale = m * np.sum(1.0 / ranks) if method == "fdr_by" else m
    return np.minimum.accumulate((ranked * scale / ranks)[::-1])[::-1]
