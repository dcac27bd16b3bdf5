"""The voter bootstrap: rounds of Exp(1) weights, one for all of a voter's votes, each refitted from the full fit.

Positive weights keep every vote and so the win graph: no round separates (Rubin 1981, the Bayesian bootstrap).
Rounds run in batches on as many threads as there are processors; each batch depends on its number alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import threadpoolctl

from ratings.bradley_terry import fit as bradley_terry_fit
from ratings.bradley_terry import one_step, pair_rounds
from ratings.bradley_terry.fit import Fit, Sums
from ratings.design import threads
from ratings.design.comparisons import Comparisons
from ratings.engine.choice import Engine
from ratings.engine.reference import rounds as reference_rounds
from ratings.engine.reference import weights
from ratings.engine.reference.weights import Key, Single
from ratings.scale import Floats, Ints

MATRIX_ENTRIES = 16_000_000  # of the information of all rounds in work: 128 MB
limit_threads: Any = threadpoolctl.threadpool_limits
Progress = Callable[[int, int], None]  # rounds done, rounds in all


def rounds(
    data: Comparisons,
    fit: Fit,
    draw_key: Key,
    count: int,
    *,
    ties: bool = False,
    prior: bool = False,
    engine: Engine,
    progress: Progress | None = None,
) -> Floats:
    """(count, D) parameters of `count` refits, each to far below 1e-3 Elo."""
    refit = _refitter(data, fit, ties, prior, engine)

    def batch(first: int) -> Floats:
        replicates = weights.bootstrap_weights(
            data.size, draw_key, first, engine.replicates, engine.exponentials
        )
        # A pass is wider than what may be left to do: no round beyond may fail.
        return refit(replicates, min(engine.replicates, count - first))

    starts = range(0, count, engine.replicates)
    done: list[Floats] = []
    for params in threads.in_order(batch, starts):
        done.append(params)
        if progress is not None:
            progress(min(len(done) * engine.replicates, count), count)
    return np.concatenate(done) if done else np.empty((0, len(fit.params)))


def one_thread_of_algebra() -> AbstractContextManager[Any]:
    """Linear algebra on one thread: the rounds fill the processors themselves, and sums do not depend on how many."""
    limits: AbstractContextManager[Any] = limit_threads(1, user_api="blas")
    return limits


def _refitter(
    data: Comparisons, fit: Fit, ties: bool, prior: bool, engine: Engine
) -> Callable[[Single, int], Floats]:
    """How the first m rounds of a pass are refitted: weights (G, L) and m in, parameters (m, D) out."""
    if data.x.shape[1] == 0:
        columns = _columns(data, ties, engine)
        return lambda replicates, asked: _on_pairs(data, fit, columns, replicates, asked, ties, prior, engine)
    if ties:
        return lambda replicates, asked: exactly(data, fit, replicates[:, :asked], ties=True, prior=prior)
    shared = one_step.linearize(data, fit, engine)
    return lambda replicates, asked: _styled(shared, replicates, asked, prior)


def _columns(data: Comparisons, ties: bool, engine: Engine) -> reference_rounds.Values:
    """What pair sums of the rounds are made of: the weight of wins of a and of b, with ties half, and of the ties."""
    # Of a near-certain pair the few wins of the weaker side are known as well as the others.
    columns = [data.score, data.weight - data.score, *([data.ties] if ties else [])]
    single = engine.name != "reference" and len(data.voter) >= reference_rounds.SMALL_ROWS
    return np.column_stack(columns).astype(np.float32) if single else np.column_stack(columns)


def _on_pairs(
    data: Comparisons,
    fit: Fit,
    columns: reference_rounds.Values,
    replicates: Single,
    asked: int,
    ties: bool,
    prior: bool,
    engine: Engine,
) -> Floats:
    sums = engine.weighted_sums(data.starts, data.voter, columns, replicates)
    score, weight = sums[0], np.add(sums[0], sums[1], out=sums[1])

    def left_to_newton(left: Ints) -> Floats:
        per_lane = Sums(*(np.ascontiguousarray(part[:, left].T) for part in (weight, score, sums[-1])))
        evaluate = bradley_terry_fit.on_pairs(data, per_lane, ties=ties, prior=prior, engine=engine)
        return _newton(evaluate, data, fit, len(left), ties)

    if ties:
        return left_to_newton(np.arange(asked))
    with_prior = (weight + 1.0, score + 0.5) if prior else (weight, score)
    params, done = pair_rounds.refit(data, fit, *with_prior, engine)
    left = np.flatnonzero(~done[:asked])
    if len(left):
        params[left] = left_to_newton(left)
    return params[:asked]


def _styled(shared: one_step.Linearization, replicates: Single, asked: int, prior: bool) -> Floats:
    """By one-step steps; the few rounds that lie too far from the full fit by exact Newton."""
    params, done = one_step.refit(shared, replicates, prior=prior)
    left = np.flatnonzero(~done[:asked])
    if len(left):
        params[left] = exactly(shared.data, shared.fit, replicates[:, left], ties=False, prior=prior)
    return params[:asked]


def exactly(data: Comparisons, fit: Fit, replicates: Single, *, ties: bool, prior: bool) -> Floats:
    """(L, D) the refits by exact Newton steps on the rows, in float64."""
    evaluate = bradley_terry_fit.on_rows(data, replicates.astype(np.float64), ties=ties, prior=prior)
    return _newton(evaluate, data, fit, replicates.shape[1], ties)


def _newton(
    evaluate: bradley_terry_fit.Evaluate, data: Comparisons, fit: Fit, replicates: int, ties: bool
) -> Floats:
    start = np.tile(fit.params, (replicates, 1))
    max_abs_shift = bradley_terry_fit.max_abs_shift(data, ties)
    # Many models: fewer rounds at a time, so that their matrices fit.
    few = max(1, MATRIX_ENTRIES // start.shape[1] ** 2)
    for low in range(0, replicates, few):
        some = np.arange(low, min(low + few, replicates))
        start[some], _, _ = bradley_terry_fit.newton(
            lambda params, which, some=some: evaluate(params, some[which]),  # type: ignore[misc]
            start[some],
            data.models,
            max_abs_shift,
            bradley_terry_fit.ROUND_TOLERANCE_ELO,
        )
    return start
