"""Scores and information on pairs, for many lanes at once, in numpy: the reference of `ratings.kernels`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array

from ratings.scale import Floats

Codes = npt.NDArray[np.int32]


def expit(z: Floats) -> Floats:
    """1 / (1 + exp(-z)) without overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * z), dtype=np.float64)


def evaluate(
    pair_a: Codes,
    pair_b: Codes,
    weight: Floats,
    score: Floats,
    params: Floats,
    gradient: Floats,
    information: Floats,
) -> None:
    """Add gradient (L, D) and information (L, D, D) of Bradley-Terry at `params` (L, D), from pair sums (L, P)."""
    p = expit(params[:, pair_a] - params[:, pair_b])
    scatter(pair_a, pair_b, score - weight * p, weight * p * (1.0 - p), gradient, information)


def scatter(
    pair_a: Codes, pair_b: Codes, residual: Floats, q: Floats, gradient: Floats, information: Floats
) -> None:
    """Add the pairs' residuals and information (L, P) to gradient (L, D) and information (L, D, D) of the thetas."""
    d = gradient.shape[1]
    table = np.zeros((len(residual), d, d))
    table[:, pair_a, pair_b] = residual
    gradient += table.sum(axis=2) - table.sum(axis=1)
    table[:, pair_a, pair_b] = q
    table[:, pair_b, pair_a] = q
    information -= table
    diagonal = np.arange(d)
    information[:, diagonal, diagonal] += table.sum(axis=2)


def sides(pair_a: Codes, pair_b: Codes, models: int, values: Floats) -> Floats:
    """(K, ...) per model: the sum of `values` (P, ...) over its pairs as a, less that over its pairs as b."""
    if values.ndim == 1:
        plus = np.bincount(pair_a, weights=values, minlength=models)
        return np.asarray(plus - np.bincount(pair_b, weights=values, minlength=models), dtype=np.float64)
    ones = np.ones(len(pair_a))
    place = np.arange(len(pair_a))
    incidence = coo_array(
        (np.concatenate([ones, -ones]), (np.concatenate([pair_a, pair_b]), np.tile(place, 2))),
        shape=(models, len(pair_a)),
    )
    return np.asarray(incidence.tocsr() @ values)
