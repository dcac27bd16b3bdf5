"""Bradley-Terry maximum likelihood by damped Newton steps, for one fit or for many rounds at once.

    L(theta, coef) = sum_i w_i softplus(z_i) - s_i z_i,   z_i = theta[a_i] - theta[b_i] + x_i . coef

with s_i = w_i (1 for a win of a, 1/2 for a tie, 0 for a loss). Bradley & Terry 1952; Hunter 2004 for existence.
With Davidson ties (1970) a tie has odds nu against sqrt(P(a wins) P(b wins)); log nu is one more parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arena.errors import NotConverged
from ratings import davidson
from ratings.comparisons import Comparisons
from ratings.scale import ELO, Floats

TOLERANCE_ELO = 1e-6  # the largest last step of a fit
ROUND_TOLERANCE_ELO = 1e-3  # Newton squares it: the round itself ends far below
MAX_STEPS = 200  # a fit takes four to twelve; damping can use dozens on lopsided records
RUNAWAY = 300.0  # log-odds; a parameter out there has no finite estimate
WIDE = 1.0  # below this change of log-odds a full Newton step is safe
BLOCK_ROWS = 8192  # rows of a block stay in cache with all their lanes


@dataclass(frozen=True)
class Sums:
    """Weighted sums per pair, (L, P) for L lanes: total, score and ties."""

    weight: Floats
    score: Floats
    ties: Floats


@dataclass(frozen=True)
class Fit:
    """A converged fit. `params` holds theta (K,), mean zero, then the coefficients, then log nu if asked for."""

    params: Floats  # (D,)
    information: Floats  # (D, D) Fisher information of the votes alone, singular along equal thetas
    models: int  # K
    iterations: int
    last_step_elo: float

    @property
    def theta(self) -> Floats:
        return self.params[: self.models]


# Gradient (L, D) and information (L, D, D) at params (L, D).
Evaluate = Callable[[Floats], tuple[Floats, Floats]]


def fit(data: Comparisons, *, ties: bool = False, prior: bool = False) -> Fit:
    """The unpenalised fit of `data`; `prior` adds half a win each way on each observed pair.

    Raises `NotConverged` when the largest step is not below 1e-6 Elo after 200 steps.
    """
    width = data.models + data.x.shape[1] + ties
    sums = None if data.x.shape[1] else pair_sums(data)
    start = np.zeros((1, width))
    evaluate = evaluator(data, None, sums, ties=ties, prior=prior)
    params, iterations, last = newton(evaluate, start, data.models, reach(data, ties), TOLERANCE_ELO)
    _, information = evaluator(data, None, sums, ties=ties, prior=False)(params)
    return Fit(params[0], information[0], data.models, iterations, last)


def pair_sums(data: Comparisons) -> Sums:
    """The sums of the votes as they are: one lane."""
    first = data.starts[:-1]
    return Sums(
        np.add.reduceat(data.weight, first)[None],
        np.add.reduceat(data.score, first)[None],
        np.add.reduceat(data.ties, first)[None],
    )


def reach(data: Comparisons, ties: bool) -> Floats:
    """(D - K,) how far one unit of each further parameter can move a log-odds."""
    widest = np.abs(data.x).max(axis=0, initial=0.0)
    return np.append(widest, 1.0) if ties else widest


def newton(
    evaluate: Evaluate, start: Floats, models: int, reach: Floats, tolerance_elo: float
) -> tuple[Floats, int, float]:
    """Newton from `start` (L, D) until each lane's largest step is below the tolerance.

    A step that may move a log-odds by d > 1 is cut to log(1 + d) / d of itself, which never overshoots,
    since the third derivative of softplus is bounded by its second (Bach 2010; Sun & Tran-Dinh 2019).
    """
    params = start.copy()
    largest = np.inf
    for iteration in range(1, MAX_STEPS + 1):
        gradient, information = evaluate(params)
        try:
            step = solve(information, gradient, models)
        except np.linalg.LinAlgError:
            break
        spread = (
            step[:, :models].max(axis=1) - step[:, :models].min(axis=1) + np.abs(step[:, models:]) @ reach
        )
        params += step * np.where(spread > WIDE, np.log1p(spread) / np.maximum(spread, WIDE), 1.0)[:, None]
        largest = float(np.abs(step).max(initial=0.0)) * ELO
        if largest < tolerance_elo:
            return params, iteration, largest
        if not np.abs(params).max() < RUNAWAY:
            break
    raise NotConverged(
        f"no convergence in {iteration} steps: the last moved {largest:.3g} Elo", iteration, largest
    )


def solve(information: Floats, gradient: Floats, models: int) -> Floats:
    """Solve lane by lane on the space of mean-zero thetas."""
    return np.asarray(np.linalg.solve(centred(information, models), gradient[..., None])[..., 0])


def centred(information: Floats, models: int) -> Floats:
    """The information with c 11' added to its block of thetas, c = tr / K^2: exact on mean-zero thetas."""
    full = information.copy()
    block = full[..., :models, :models]
    block += (np.trace(block, axis1=-2, axis2=-1) / models**2)[..., None, None]
    return full


def evaluator(
    data: Comparisons, lanes: Floats | None, sums: Sums | None, *, ties: bool, prior: bool
) -> Evaluate:
    """The evaluation for the votes as they are (`lanes` None) or with each group's weights (G, L).

    With `sums` the work is done on pairs alone; else on rows, in blocks.
    """
    if sums is not None:
        return lambda params: _evaluate_pairs(data, _with_prior(sums, prior), params, ties)
    return lambda params: _evaluate_rows(data, lanes, params, ties, prior)


def _with_prior(sums: Sums, prior: bool) -> Sums:
    return Sums(sums.weight + 1.0, sums.score + 0.5, sums.ties) if prior else sums


def _evaluate_pairs(data: Comparisons, sums: Sums, params: Floats, ties: bool) -> tuple[Floats, Floats]:
    k, width = data.models, params.shape[1]
    z = params[:, data.pair_a] - params[:, data.pair_b]
    gradient = np.zeros((len(params), width))
    information = np.zeros((len(params), width, width))
    if ties:
        at = davidson.moments(z, params[:, -1:])
        _scatter(data, sums.score - sums.weight * at.score, sums.weight * at.score_var, gradient, information)
        gradient[:, -1] = (sums.ties - sums.weight * at.tie).sum(axis=1)
        information[:, -1, -1] = (sums.weight * at.tie_var).sum(axis=1)
        _border(data, sums.weight * at.covariance, information, k)
    else:
        p = expit(z)
        _scatter(data, sums.score - sums.weight * p, sums.weight * p * (1.0 - p), gradient, information)
    return gradient, information


def expit(z: Floats) -> Floats:
    """1 / (1 + exp(-z)) without overflow, several times faster than scipy's."""
    return 0.5 + 0.5 * np.tanh(0.5 * z)


def _scatter(data: Comparisons, residual: Floats, q: Floats, gradient: Floats, information: Floats) -> None:
    """Add the pairs' residuals and information (L, P) to the thetas' gradient and information."""
    k = data.models
    table = np.zeros((len(residual), k, k))
    table[:, data.pair_a, data.pair_b] = residual
    gradient[:, :k] += table.sum(axis=2) - table.sum(axis=1)
    table[:, data.pair_a, data.pair_b] = q
    table[:, data.pair_b, data.pair_a] = q
    diagonal = np.arange(k)
    information[:, :k, :k] -= table
    information[:, diagonal, diagonal] += table.sum(axis=2)


def _border(data: Comparisons, cross: Floats, information: Floats, column: int) -> None:
    """Add pair sums (L, P) of a covariate's cross information as row and column `column`."""
    k = data.models
    table = np.zeros((len(cross), k, k))
    table[:, data.pair_a, data.pair_b] = cross
    side = table.sum(axis=2) - table.sum(axis=1)
    information[:, :k, column] += side
    information[:, column, :k] += side


def _evaluate_rows(
    data: Comparisons, lanes: Floats | None, params: Floats, ties: bool, prior: bool
) -> tuple[Floats, Floats]:
    k, extra, count = data.models, data.x.shape[1] + ties, len(params)
    residual, q = np.zeros((2, count, len(data.pair_a)))
    cross = np.zeros((extra, count, len(data.pair_a)))
    gradient = np.zeros((count, k + extra))
    information = np.zeros((count, k + extra, k + extra))
    z = params[:, data.pair_a] - params[:, data.pair_b]
    for first, last in blocks(data.starts):
        block = _block(data, lanes, first, last)
        here = slice(first, last)
        residual[:, here], q[:, here], cross[:, :, here], tail, corner = _sum_block(
            block, z, params[:, k:], ties
        )
        gradient[:, k:] += tail
        information[:, k:, k:] += corner
    _scatter(data, residual, q, gradient, information)
    for column in range(extra):
        _border(data, cross[column], information, k + column)
    if prior:
        p = expit(z)
        _scatter(data, 0.5 - p, p * (1.0 - p), gradient, information)
    return gradient, information


@dataclass(frozen=True)
class _Block:
    """The rows of a range of pairs, and their weights, scores and ties in each lane, (m, L)."""

    pair: np.ndarray  # (m,)
    starts: np.ndarray  # first row of each pair, from the block's first
    x: Floats
    weight: Floats
    score: Floats
    ties: Floats


def _block(data: Comparisons, lanes: Floats | None, first: int, last: int) -> _Block:
    starts = data.starts[first : last + 1]
    rows = slice(int(starts[0]), int(starts[-1]))
    factor = np.ones((rows.stop - rows.start, 1)) if lanes is None else lanes[data.voter[rows]]
    return _Block(
        pair=np.repeat(np.arange(first, last), np.diff(starts)),
        starts=starts[:-1] - starts[0],
        x=data.x[rows],
        weight=data.weight[rows, None] * factor,
        score=data.score[rows, None] * factor,
        ties=data.ties[rows, None] * factor,
    )


def _sum_block(
    block: _Block, z_pair: Floats, tail: Floats, ties: bool
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Per pair: residual, information, cross information with each further parameter; and those parameters' own."""
    f = block.x.shape[1]
    z = z_pair[:, block.pair].T + block.x @ tail[:, :f].T
    if not ties:
        p = expit(z)
        r, q = block.score - block.weight * p, block.weight * p * (1.0 - p)
        own, corner = _features(block.x, r, q)
        cross = (
            np.stack([_per_pair(q * block.x[:, [c]], block) for c in range(f)])
            if f
            else np.zeros((0, *tail.shape))
        )
        return _per_pair(r, block), _per_pair(q, block), cross, own, corner
    at = davidson.moments(z, tail[:, -1])
    r, q = block.score - block.weight * at.score, block.weight * at.score_var
    both = block.weight * at.covariance
    own, corner = _features(block.x, r, q)
    own = np.column_stack([own, (block.ties - block.weight * at.tie).sum(axis=0)])
    edge = (block.x.T @ both).T
    corner = np.block(
        [
            [corner, edge[:, :, None]],
            [edge[:, None, :], (block.weight * at.tie_var).sum(axis=0)[:, None, None]],
        ]
    )
    crosses = [q * block.x[:, [c]] for c in range(f)] + [both]
    return (
        _per_pair(r, block),
        _per_pair(q, block),
        np.stack([_per_pair(c, block) for c in crosses]),
        own,
        corner,
    )


def _per_pair(values: Floats, block: _Block) -> Floats:
    return np.asarray(np.add.reduceat(values, block.starts, axis=0).T)


def _features(x: Floats, r: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Gradient (L, F) and information (L, F, F) of the covariates alone."""
    m, f = x.shape
    products = (x[:, :, None] * x[:, None, :]).reshape(m, f * f)
    return (x.T @ r).T, (products.T @ q).T.reshape(-1, f, f)


def blocks(starts: np.ndarray) -> list[tuple[int, int]]:
    """Ranges of whole pairs of about `BLOCK_ROWS` rows."""
    bounds = [0]
    last = len(starts) - 1
    while bounds[-1] < last:
        reached = int(np.searchsorted(starts, starts[bounds[-1]] + BLOCK_ROWS, side="right")) - 1
        bounds.append(min(max(reached, bounds[-1] + 1), last))
    return list(pairwise(bounds))
