"""Scores and information on pairs, for many lanes at once, in numpy: the reference of `ratings.kernels`."""

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


def assemble(
    pair_a: Codes,
    pair_b: Codes,
    models: int,
    residual: Floats,
    q: Floats,
    share: Floats,
    own: Floats,
    cross: Floats,
    corner: Floats,
) -> tuple[Floats, Floats]:
    """Gradient (L, D) and, at least its upper triangle, information (L, D, D) of rounds with F covariates.

    From residual, q and share (P, L) and own (F, L) of the rounds; a round's information across models and covariates
    is its share of `cross` (P, F) on each pair, and among covariates `corner` (L, F, F).
    """
    count, f = residual.shape[1], cross.shape[1]
    gradient = np.zeros((count, models + f))
    information = np.zeros((count, models + f, models + f))
    scatter(pair_a, pair_b, residual.T, q.T, gradient, information)
    gradient[:, models:] = own.T
    across = sides(pair_a, pair_b, models, (share[:, :, None] * cross[:, None, :]).reshape(len(share), -1))
    information[:, :models, models:] = np.moveaxis(across.reshape(models, count, f), 1, 0)
    information[:, models:, models:] = corner
    return gradient, information


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
