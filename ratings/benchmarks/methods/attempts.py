"""Several attempts at each item: pass@k (any of k passes) and pass^k (all of k pass), unbiased."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ratings.stats.arguments import BadNumber, Float, rows, spread, whole
from ratings.stats.intervals import pass_interval, t_interval

EXACT_UP_TO = 2_000  # attempts: below, whole-number arithmetic; above, a product of at most min(c, k) ratios
TERMS_AT_ONCE = 1_000_000


def pass_at_k(n: int, c: int, k: int) -> float:
    """Chance that at least one of k attempts passes, estimated from c passes in n attempts.

        1 - C(n - c, k)/C(n, k)

    Unbiased (Chen et al. 2021, arXiv:2107.03374). Raises `BadNumber` for k > n: n attempts say nothing of more than n.
    """
    n, c, k = _checked(n, c, k)
    if c == 0:
        return 0.0
    if n - c < k:
        return 1.0
    if n <= EXACT_UP_TO:
        every = math.comb(n, k)
        return (every - math.comb(n - c, k)) / every
    # C(n - c, k)/C(n, k) = prod over i < c of (1 - k/(n - i)), and the same with c and k exchanged.
    few, many = min(c, k), max(c, k)
    return float(-np.expm1(_log_product(n, few, lambda left: np.log1p(-many / left))))


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Chance that all of k attempts pass (reliability), estimated from c passes in n attempts: C(c, k)/C(n, k).

    Unbiased (Yao et al. 2024, tau-bench, arXiv:2406.12045). Raises `BadNumber` for k > n.
    """
    n, c, k = _checked(n, c, k)
    if c < k:
        return 0.0
    if n <= EXACT_UP_TO:
        return math.comb(c, k) / math.comb(n, k)
    few, many = min(n - c, k), max(n - c, k)
    return float(np.exp(_log_product(n, few, lambda left: np.log1p(-many / left))))


@dataclass(frozen=True)
class Passing:
    """A mean over tasks with its standard error (tasks as the sample) and interval; None for one task."""

    value: float
    se: float | None
    low: float | None
    high: float | None
    k: int
    tasks: int


def mean_pass_at_k(tasks: Sequence[tuple[int, int]], k: int, level: float = 0.95) -> Passing:
    """pass@k averaged over tasks, each (attempts, passes); the numbers of attempts may differ, none below k.

    The interval is mean -+ t(tasks - 1) s/sqrt(tasks), cut at 0 and 1. Where all tasks pass or all fail it is the Wilson
    interval over tasks, and None where they have another value in common: it would have no width.
    """
    return _averaged([pass_at_k(n, c, k) for n, c in _pairs(tasks)], k, level)


def mean_pass_hat_k(tasks: Sequence[tuple[int, int]], k: int, level: float = 0.95) -> Passing:
    """pass^k averaged over tasks, with the same rules."""
    return _averaged([pass_hat_k(n, c, k) for n, c in _pairs(tasks)], k, level)


def _averaged(values: Sequence[float], k: int, level: float) -> Passing:
    x = np.array(values)
    mean = math.fsum(values) / len(values)
    if len(x) < 2:
        return Passing(mean, None, None, None, k, len(x))
    se = spread(x) / math.sqrt(len(x))
    if se == 0:
        if mean not in (0, 1):
            return Passing(mean, se, None, None, k, len(x))
        alike = pass_interval(round(mean) * len(x), len(x), level)
        return Passing(mean, se, alike.low, alike.high, k, len(x))
    low, high = t_interval(mean, se, len(x) - 1, level)
    return Passing(mean, se, max(0.0, low), min(1.0, high), k, len(x))


def _pairs(tasks: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    if len(rows("tasks", tasks)) == 0 or any(len(rows("task", task)) != 2 for task in tasks):
        raise BadNumber("tasks must be pairs of attempts and passes, at least one")
    return tasks


def _checked(n: int, c: int, k: int) -> tuple[int, int, int]:
    n = whole("n", n, 1)
    return n, whole("c", c, 0, n), whole("k", k, 1, n)


def _log_product(n: int, terms: int, logs: Callable[[Float], Float]) -> float:
    """Sum over i < terms of logs(n - i)."""
    total = 0.0
    for start in range(0, terms, TERMS_AT_ONCE):
        left = n - np.arange(start, min(terms, start + TERMS_AT_ONCE), dtype=np.float64)
        total += float(logs(left).sum())
        if total < -800:  # e^-800 is 0
            break
    return total
