"""Scores and information on pairs, for many replicates at once, in numpy: the reference of `ratings.engine.compiled.kernels`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

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


def scores(pair_a: Codes, pair_b: Codes, weight: Floats, score: Floats, params: Floats) -> Floats:
    """(L, K) the gradient of Bradley-Terry at thetas `params` (L, K), from pair sums (P, L)."""
    z = params.T[pair_a] - params.T[pair_b]
    return np.ascontiguousarray(sides(pair_a, pair_b, params.shape[1], score - weight * expit(z)).T)


def scatter(
    pair_a: Codes, pair_b: Codes, residual: Floats, q: Floats, gradient: Floats, information: Floats
) -> None:
    """Add the pairs' residuals and information (L, P) to gradient (L, D) and information (L, D, D) of the thetas."""
    k = int(max(pair_a.max(initial=-1), pair_b.max(initial=-1))) + 1
    gradient[:, :k] += sides(pair_a, pair_b, k, residual.T).T
    # Each pair stands once, so plain assignment adds every one.
    information[:, pair_a, pair_b] -= q
    information[:, pair_b, pair_a] -= q
    diagonal = np.arange(k)
    information[:, diagonal, diagonal] += _incidence(pair_a, pair_b, k, 1.0).dot(q.T).T


def assemble(pair_a: Codes, pair_b: Codes, q: Floats, information: Floats) -> None:
    """Add the pairs' information `q` (P, L) to at least the upper triangle of `information` (L, D, D)."""
    unused = np.zeros((q.shape[1], information.shape[1]))
    scatter(pair_a, pair_b, np.zeros_like(q.T), q.T, unused, information)


def pair_to_model_sums(pair_a: Codes, pair_b: Codes, models: int, values: Floats) -> Floats:
    """(L, K, C) per model: the sum of `values` (C, P, L) over its pairs as a, less that over its pairs as b."""
    columns, pairs, replicates = values.shape
    sums = sides(pair_a, pair_b, models, np.moveaxis(values, 0, 1).reshape(pairs, -1))
    return np.ascontiguousarray(np.transpose(sums.reshape(models, columns, replicates), (2, 0, 1)))


def sides(pair_a: Codes, pair_b: Codes, models: int, values: Floats) -> Floats:
    """(K, ...) per model: the sum of `values` (P, ...) over its pairs as a, less that over its pairs as b."""
    if values.ndim == 1:
        plus = np.bincount(pair_a, weights=values, minlength=models)
        return np.asarray(plus - np.bincount(pair_b, weights=values, minlength=models), dtype=np.float64)
    return np.asarray(_incidence(pair_a, pair_b, models, -1.0) @ values)


def _incidence(pair_a: Codes, pair_b: Codes, models: int, of_b: float) -> csr_array[Any, tuple[int, int]]:
    """(K, P) 1 where the model is the pair's a, `of_b` where it is its b."""
    ones = np.ones(len(pair_a))
    place = np.arange(len(pair_a))
    entries = (np.concatenate([ones, of_b * ones]), (np.concatenate([pair_a, pair_b]), np.tile(place, 2)))
    return coo_array(entries, shape=(models, len(pair_a))).tocsr()
