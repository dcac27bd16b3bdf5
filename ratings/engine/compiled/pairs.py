"""Kernels on pairs, in float64: residuals of pair counts, and the assembly of scores and information."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratings.engine.compiled.compiling import compiled, expit_double
from ratings.engine.reference.pairs import Codes
from ratings.scale import Floats

u64 = np.uint64


def pairs(
    pair_a: Codes,
    pair_b: Codes,
    weight: Floats,
    score: Floats,
    params: Floats,
    gradient: Floats,
    information: Floats,
) -> None:
    """`pairwise.evaluate`."""
    z = params[:, pair_a] - params[:, pair_b]
    _residuals(z, weight, score, residual := np.empty_like(z), q := np.empty_like(z))
    _scatter(pair_a.view(np.uint32), pair_b.view(np.uint32), residual, q, gradient, information)


def scores(pair_a: Codes, pair_b: Codes, weight: Floats, score: Floats, params: Floats) -> Floats:
    """`pairwise.scores`."""
    theta = np.ascontiguousarray(params.T)
    out = np.zeros_like(theta)
    _scores(pair_a.view(np.uint32), pair_b.view(np.uint32), weight, score, theta, out)
    return np.ascontiguousarray(out.T)


def assemble(pair_a: Codes, pair_b: Codes, q: Floats, information: Floats) -> None:
    """`pairwise.assemble`."""
    # A round at a time, so that its information stays in cache.
    _assemble(pair_a.view(np.uint32), pair_b.view(np.uint32), np.ascontiguousarray(q.T), information)


def pair_to_model_sums(pair_a: Codes, pair_b: Codes, models: int, values: Floats) -> Floats:
    """`pairwise.pair_to_model_sums`."""
    out = np.zeros((models, len(values), values.shape[2]))
    _edges(pair_a.view(np.uint32), pair_b.view(np.uint32), values, out)
    return np.ascontiguousarray(out.transpose(2, 0, 1))


@compiled
def _assemble(pair_a: Any, pair_b: Any, q: Any, information: Any) -> None:
    for j in range(u64(q.shape[0])):
        for i in range(u64(q.shape[1])):
            a, b = pair_a[i], pair_b[i]
            information[j, a, a] += q[j, i]
            information[j, b, b] += q[j, i]
            information[j, a, b] -= q[j, i]


@compiled
def _edges(pair_a: Any, pair_b: Any, values: Any, out: Any) -> None:
    for c in range(u64(values.shape[0])):
        for i in range(u64(values.shape[1])):
            a, b = pair_a[i], pair_b[i]
            for j in range(u64(values.shape[2])):
                out[a, c, j] += values[c, i, j]
                out[b, c, j] -= values[c, i, j]


@compiled
def _scores(pair_a: Any, pair_b: Any, weight: Any, score: Any, theta: Any, out: Any) -> None:
    replicates = u64(theta.shape[1])
    z = np.empty(replicates)
    for i in range(u64(len(pair_a))):
        a, b = pair_a[i], pair_b[i]
        for j in range(replicates):
            z[j] = theta[a, j] - theta[b, j]
        for j in range(replicates):
            z[j] = score[i, j] - weight[i, j] * expit_double(z[j])
        for j in range(replicates):
            out[a, j] += z[j]
            out[b, j] -= z[j]


@compiled
def _residuals(z: Any, weight: Any, score: Any, residual: Any, q: Any) -> None:
    for j in range(u64(z.shape[0])):
        for i in range(u64(z.shape[1])):
            p = expit_double(z[j, i])
            residual[j, i] = score[j, i] - weight[j, i] * p
            q[j, i] = weight[j, i] * p * (1.0 - p)


@compiled
def _scatter(pair_a: Any, pair_b: Any, residual: Any, q: Any, gradient: Any, information: Any) -> None:
    for j in range(u64(residual.shape[0])):
        for i in range(u64(residual.shape[1])):
            a, b = pair_a[i], pair_b[i]
            gradient[j, a] += residual[j, i]
            gradient[j, b] -= residual[j, i]
            information[j, a, a] += q[j, i]
            information[j, b, b] += q[j, i]
            information[j, a, b] -= q[j, i]
            information[j, b, a] -= q[j, i]
