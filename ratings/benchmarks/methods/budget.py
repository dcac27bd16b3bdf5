"""The error budget of a score: bias of validity, bias of measurement, sampling noise, and where more items stop helping."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ratings.stats.arguments import Undefined, finite, number, share


@dataclass(frozen=True)
class Decomposition:
    """total = b_val + b_meas + noise, exactly."""

    b_val: float  # the benchmark asks something else than real use
    b_meas: float  # leaks, grader, environment
    noise: float  # this draw of items and answers
    total: float


def decomposition(mu_hat: float, mu_star: float, mu_bench: float, expected_mu_hat: float) -> Decomposition:
    """How an estimate misses what one wants to know.

        mu_hat - mu_star = (mu_bench - mu_star) + (E[mu_hat] - mu_bench) + (mu_hat - E[mu_hat])

    mu_star: quality in real use; mu_bench: true quality on fresh items of the benchmark; E[mu_hat]: mean score over redraws.
    After Jacobs & Wallach 2021 (validity and reliability).
    """
    hat, star = finite("mu_hat", mu_hat), finite("mu_star", mu_star)
    bench, mean = finite("mu_bench", mu_bench), finite("expected_mu_hat", expected_mu_hat)
    return Decomposition(bench - star, mean - bench, hat - mean, hat - star)


@dataclass(frozen=True)
class ErrorBudget:
    """Standard error, root mean squared error and the share of the squared error that no further item removes."""

    se: float
    rmse: float
    bias_share: float | None  # None where there is no error at all


def error_budget(p: float, n: float, bias: float) -> ErrorBudget:
    """The budget of a pass rate p on n items with one attempt each and a total bias: MSE = bias^2 + p (1 - p)/n."""
    p = share("p", p)
    return error_budget_of_variance(p * (1 - p), 0.0, 1, n, bias)


def error_budget_of_variance(
    sigma_b2: float, sigma_w2: float, k: float, n: float, bias: float
) -> ErrorBudget:
    """The same with k attempts per item: MSE = bias^2 + (sigma_b^2 + sigma_w^2/k)/n."""
    variance = _item_variance(sigma_b2, sigma_w2, k) / number("n", n, 1)
    squared = finite("bias", bias) ** 2
    total = squared + variance
    return ErrorBudget(math.sqrt(variance), math.sqrt(total), squared / total if total > 0 else None)


def crossover_n(sigma_b2: float, sigma_w2: float, k: float, bias: float) -> float:
    """Items beyond which the bias is most of the error: (sigma_b^2 + sigma_w^2/k)/bias^2.

    Raises `Undefined` without bias: then more items always help.
    """
    squared = finite("bias", bias) ** 2
    if squared == 0:
        raise Undefined("without bias there is no such size: more items always help")
    return _item_variance(sigma_b2, sigma_w2, k) / squared


def _item_variance(sigma_b2: float, sigma_w2: float, k: float) -> float:
    return finite("sigma_b2", sigma_b2, 0) + finite("sigma_w2", sigma_w2, 0) / number("k", k, 1)
