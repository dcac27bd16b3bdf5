"""Agreement of two graders beyond chance: Cohen's kappa with its interval, from a table, labels or margins."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ratings.stats.arguments import BadNumber, Float, matrix, same_length, share, z_of
from ratings.stats.intervals import NO_WIDTH, has_width

Weights = Literal["none", "linear", "quadratic"]
ONE_LABEL = "both graders used one label only, so chance agreement is 1 and kappa is 0/0"
NOTHING = "nothing was graded by both"


@dataclass(frozen=True)
class Kappa:
    """kappa = (p_o - p_e)/(1 - p_e) with asymptotic standard error and interval; None where undefined, and then `why`.

    Full agreement has a standard error of 0 and no interval. The interval is not cut: an end above 1 says that the sample is too small for it.
    """

    value: float | None
    se: float | None
    low: float | None
    high: float | None
    observed: float | None  # p_o
    expected: float | None  # p_e
    n: float
    level: float = 0.95
    why: str | None = None


def kappa(table: npt.ArrayLike, *, weights: Weights = "none", level: float = 0.95) -> Kappa:
    """Cohen's kappa of a q x q table of counts, one grader's labels down, the other's across.

        p_e = sum w_ij r_i c_j,  kappa = (sum w_ij p_ij - p_e)/(1 - p_e)
        n (1 - p_e)^2 Var = sum p_ij (w_ij - (wr_i + wc_j)(1 - kappa))^2 - (kappa - p_e (1 - kappa))^2

    w_ij is 1 on the diagonal and else 0, or 1 - |i - j|/(q - 1), or 1 - (i - j)^2/(q - 1)^2 for ordered labels. Cohen 1960, 1968;
    Fleiss, Cohen & Everitt 1969. One label only is undefined, never 0 or 1. High raw agreement can go
    with a low kappa when one label is rare: print both.
    """
    counts = matrix("table", table, low=0.0)
    if counts.shape[0] != counts.shape[1]:
        raise BadNumber(f"table is {counts.shape[0]} x {counts.shape[1]}, not square")
    total = float(counts.sum())
    if total == 0:
        return Kappa(None, None, None, None, None, None, 0.0, level, NOTHING)
    w = _weights(len(counts), weights)
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    p = counts / total
    observed = float((w * p).sum())
    # In whole counts, so that "one label only" is not a matter of rounding.
    disagreement = float((rows @ (1 - w)) @ columns) / total**2
    if disagreement == 0:
        return Kappa(None, None, None, None, observed, 1.0, total, level, ONE_LABEL)
    value = 1 - float(((1 - w) * p).sum()) / disagreement
    expected = 1 - disagreement
    mean_weight = (w @ columns)[:, None] / total + (rows @ w)[None, :] / total
    spread = float((p * (w - mean_weight * (1 - value)) ** 2).sum())
    variance = (spread - (value - expected * (1 - value)) ** 2) / (total * disagreement**2)
    se = math.sqrt(max(0.0, variance))
    return _around(Kappa(value, se, None, None, observed, expected, total, level))


def kappa_of_labels(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    *,
    labels: Sequence[Hashable] | None = None,
    weights: Weights = "none",
    level: float = 0.95,
) -> Kappa:
    """The same from two sequences of labels of the same things; `labels` gives their order (else sorted by text)."""
    table = confusion(a, b, labels)
    if not table.size:
        return Kappa(None, None, None, None, None, None, 0.0, level, NOTHING)
    return kappa(table, weights=weights, level=level)


def confusion(
    a: Sequence[Hashable], b: Sequence[Hashable], labels: Sequence[Hashable] | None = None
) -> Float:
    """(q, q) counts of label pairs."""
    same_length(a=a, b=b)
    found = {*a, *b}
    order = list(labels) if labels is not None else sorted(found, key=str)
    if not found <= set(order):
        raise BadNumber(f"unknown label {sorted(found - set(order), key=str)[0]!r}")
    index = {label: code for code, label in enumerate(order)}
    table = np.zeros((len(order), len(order)))
    for one, other in zip(a, b, strict=True):
        table[index[one], index[other]] += 1
    return table


@dataclass(frozen=True)
class MarginKappa:
    """Kappa of two pass/fail graders from their pass rates and their raw agreement; None where undefined."""

    p_e: float
    kappa: float | None


def kappa_from_margins(human_pass: float, judge_pass: float, p_o: float) -> MarginKappa:
    """p_e = h j + (1 - h)(1 - j), kappa = (p_o - p_e)/(1 - p_e).

    Raises `BadNumber` when no table has these margins and this agreement: |h + j - 1| <= p_o <= 1 - |h - j|.
    """
    h, j, seen = share("human_pass", human_pass), share("judge_pass", judge_pass), share("p_o", p_o)
    if not abs(h + j - 1) - 1e-9 <= seen <= 1 - abs(h - j) + 1e-9:
        raise BadNumber(f"pass rates {h:g} and {j:g} cannot agree on {seen:g}")
    p_e = h * j + (1 - h) * (1 - j)
    disagreement = h * (1 - j) + j * (1 - h)
    return MarginKappa(p_e, None if disagreement == 0 else 1 - (1 - seen) / disagreement)


def jackknife_kappa(tables: npt.ArrayLike, *, level: float = 0.95) -> Kappa:
    """Kappa of the sum of `tables` (G, q, q), one per cluster (prompt, voter), with the jackknife over clusters.

        se^2 = (G - 1)/G sum (kappa_without_g - mean)^2

    For gradings that are not independent. Without interval when some cluster carries all of one label, or G < 2.
    """
    each = np.asarray(tables, dtype=np.float64)
    if each.ndim != 3:
        raise BadNumber("tables must be (clusters, labels, labels)")
    whole_table = kappa(each.sum(axis=0), level=level)
    groups = len(each)
    left_out = [kappa(each.sum(axis=0) - part, level=level).value for part in each]
    known = np.array([value for value in left_out if value is not None])
    if whole_table.value is None or groups < 2 or len(known) < groups:
        return Kappa(
            whole_table.value, None, None, None, whole_table.observed, whole_table.expected, whole_table.n, level,
            whole_table.why or "too few clusters for an interval",
        )  # fmt: skip
    se = math.sqrt((groups - 1) / groups * float(((known - known.mean()) ** 2).sum()))
    return _around(replace(whole_table, se=se, low=None, high=None, why=None))


def _around(found: Kappa) -> Kappa:
    """With its interval; without, and why, where that has no width."""
    if found.value is None or found.se is None:
        return found
    half = z_of(found.level) * found.se
    low, high = found.value - half, found.value + half
    if not has_width(low, high):
        return replace(found, why=NO_WIDTH)
    return replace(found, low=low, high=high)


def _weights(labels: int, kind: Weights) -> Float:
    if kind == "none":
        return np.eye(labels)
    if kind not in ("linear", "quadratic"):
        raise BadNumber(f"weights is {kind!r}; known: none, linear, quadratic")
    if labels < 2:
        return np.ones((1, 1))
    steps = np.abs(np.subtract.outer(np.arange(labels), np.arange(labels))) / (labels - 1)
    return np.asarray(1 - (steps if kind == "linear" else steps**2))
