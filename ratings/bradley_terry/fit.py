"""Bradley-Terry maximum likelihood by damped Newton steps, for one fit or for many rounds at once.

    L(theta, coef) = sum_i w_i softplus(z_i) - s_i z_i,   z_i = theta[a_i] - theta[b_i] + x_i . coef

with s_i = w_i (1 for a win of a, 1/2 for a tie, 0 for a loss). Bradley & Terry 1952; Hunter 2004 for existence.
With Davidson ties (1970) a tie has odds nu against sqrt(P(a wins) P(b wins)); log nu is one more parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from arena.errors import NotConverged
from ratings.design.comparisons import Comparisons
from ratings.engine.choice import NUMPY, Engine
from ratings.engine.reference import davidson, pairs, rows
from ratings.scale import ELO, Floats, Ints

TOLERANCE_ELO = 1e-6  # the largest last step of a fit
ROUND_TOLERANCE_ELO = 1e-3  # Newton squares it: the round itself ends far below
MAX_STEPS = 200  # a fit takes four to twelve; damping can use dozens on lopsided records
RUNAWAY = 1e5  # log-odds; nothing sensible is out there
WIDE = 1.0  # below this change of log-odds a full Newton step is safe


@dataclass(frozen=True)
class Sums:
    """Weighted sums per pair, (L, P) for L replicates: total, score and ties."""

    weight: Floats
    score: Floats
    ties: Floats

    def of(self, replicates: Ints) -> Sums:
        """Only those replicates."""
        return Sums(self.weight[replicates], self.score[replicates], self.ties[replicates])


@dataclass(frozen=True)
class Fit:
    """A converged fit. `params` holds theta (K,), mean zero, then the coefficients, then log nu if asked for."""

    params: Floats  # (D,)
    information: Floats  # (D, D) Fisher information of the votes alone, singular along equal thetas
    models: int  # K
    iterations: int
    last_step_elo: float
    min_information_ratio: float = (
        1.0  # smallest share, over all directions, of the information at zero; of fits with covariates
    )

    @property
    def theta(self) -> Floats:
        return self.params[: self.models]


# Gradient (m, D) and information (m, D, D) at params (m, D) of the m replicates that are named.
Evaluate = Callable[[Floats, Ints], tuple[Floats, Floats]]
ONE_LANE = np.zeros(1, dtype=np.intp)


def fit(data: Comparisons, *, ties: bool = False, prior: bool = False, engine: Engine = NUMPY) -> Fit:
    """The unpenalised fit of `data`, which has no covariates; `prior` adds half a win each way on each observed pair.

    Raises `NotConverged` when the largest step is not below 1e-6 Elo after 200 steps.
    """
    sums = pair_sums(data)

    def of_votes(prior: bool) -> Evaluate:
        return on_pairs(data, sums, ties=ties, prior=prior, engine=engine)

    return converged(
        of_votes, np.zeros((1, data.models + ties)), data.models, max_abs_shift(data, ties), prior=prior
    )


def converged(
    of_votes: Callable[[bool], Evaluate], start: Floats, models: int, max_abs_shift: Floats, *, prior: bool
) -> Fit:
    """Newton's fit from `start` (1, D); `of_votes` evaluates with the prior or, for the information, without."""
    evaluate = of_votes(prior)
    latest = np.empty((start.size, start.size))

    def keeping(params: Floats, replicates: Ints) -> tuple[Floats, Floats]:
        gradient, information = evaluate(params, replicates)
        latest[:] = information[0]
        return gradient, information

    params, iterations, last = newton(keeping, start, models, max_abs_shift, TOLERANCE_ELO)
    if prior:
        latest[:] = of_votes(False)(params, ONE_LANE)[1][0]
    # Before steps so small, information is what it is after them, to eight digits, with many rows to five.
    return Fit(params[0], mirrored(latest), models, iterations + bool(start.any()), last)


def mirrored(information: Floats) -> Floats:
    """The symmetric matrix with the upper triangle of `information`."""
    return np.asarray(np.triu(information) + np.triu(information, 1).T)


def on_pairs(data: Comparisons, sums: Sums, *, ties: bool, prior: bool, engine: Engine = NUMPY) -> Evaluate:
    """The evaluation from pair sums (L, P), for data without covariates."""
    if prior:
        sums = Sums(sums.weight + 1.0, sums.score + 0.5, sums.ties)

    def evaluate(params: Floats, replicates: Ints) -> tuple[Floats, Floats]:
        here = sums.of(replicates)
        if ties:
            return _with_ties(data, here, params)
        gradient, information = _zeros(params)
        engine.pairs(data.pair_a, data.pair_b, here.weight, here.score, params, gradient, information)
        return gradient, information

    return evaluate


def on_rows(data: Comparisons, replicates: Floats | None, *, ties: bool, prior: bool) -> Evaluate:
    """The exact evaluation on rows, with each group's weights (G, L) or, None, the votes as they are."""

    def evaluate(params: Floats, which: Ints) -> tuple[Floats, Floats]:
        weights = None if replicates is None else replicates[:, which]
        return _assemble(data, rows.sums(data, params, weights, ties=ties), params, prior)

    return evaluate


def pair_sums(data: Comparisons) -> Sums:
    """The sums of the votes as they are: one replicate."""
    first = data.starts[:-1]
    columns = (data.weight, data.score, data.ties)
    return Sums(*(np.add.reduceat(column, first)[None] for column in columns))


def max_abs_shift(data: Comparisons, ties: bool) -> Floats:
    """(D - K,) how far one unit of each further parameter can move a log-odds."""
    return np.append(data.max_abs, 1.0) if ties else data.max_abs


def newton(
    evaluate: Evaluate, start: Floats, models: int, max_abs_shift: Floats, tolerance_elo: float
) -> tuple[Floats, int, float]:
    """Newton from `start` (L, D) until each replicate's largest step is below the tolerance.

    Each step is taken as far as `bounded` lets it.
    """
    params = start.copy()
    left = np.arange(len(start))
    largest = last = 0.0
    for iteration in range(1, MAX_STEPS + 1):
        gradient, information = evaluate(params[left], left)
        try:
            step = solve(information, gradient, models)
        except np.linalg.LinAlgError:
            break
        params[left] += bounded(step, models, max_abs_shift)
        moved = np.abs(step).max(axis=1, initial=0.0) * ELO
        largest = float(moved.max())
        last = max(last, float(moved[moved < tolerance_elo].max(initial=0.0)))
        left = left[moved >= tolerance_elo]
        if len(left) == 0:
            return params, iteration, last
        if not np.abs(params).max() < RUNAWAY:
            break
    raise NotConverged(
        f"no convergence in {iteration} steps: the last moved {largest:.3g} Elo", iteration, largest
    )


def bounded(step: Floats, models: int, max_abs_shift: Floats) -> Floats:
    """Each replicate's step (L, D), cut where it may move a log-odds by d > 1 to log(1 + d) / d of itself.

    That never overshoots, since the third derivative of softplus is bounded by its second (Bach 2010; Sun &
    Tran-Dinh 2019).
    """
    spread = np.ptp(step[:, :models], axis=1) + np.abs(step[:, models:]) @ max_abs_shift
    return np.asarray(
        step * np.where(spread > WIDE, np.log1p(spread) / np.maximum(spread, WIDE), 1.0)[:, None]
    )


def solve(information: Floats, gradient: Floats, models: int) -> Floats:
    """Solve replicate by replicate on the space of mean-zero thetas, by Cholesky; raises `LinAlgError` where there is none.

    Only the upper triangles of `information` are read; it is overwritten.
    """
    centre(information, models)
    step = np.empty_like(gradient)
    for replicate, full in enumerate(information):
        # The transpose is the same matrix in the order LAPACK works on in place; its lower triangle our upper.
        _, step[replicate], failed = dposv(full.T, gradient[replicate], lower=True, overwrite_a=True)
        if failed:
            raise np.linalg.LinAlgError("the information is singular")
    return step


def centre(information: Floats, models: int) -> None:
    """Add c 11' to the block of thetas, c = tr / K^2: exact on mean-zero thetas."""
    block = information[..., :models, :models]
    block += (np.trace(block, axis1=-2, axis2=-1) / models**2)[..., None, None]


def centred(information: Floats, models: int) -> Floats:
    """The same, of a copy."""
    full = information.copy()
    centre(full, models)
    return full


def _zeros(params: Floats) -> tuple[Floats, Floats]:
    count, width = params.shape
    return np.zeros((count, width)), np.zeros((count, width, width))


def _with_ties(data: Comparisons, sums: Sums, params: Floats) -> tuple[Floats, Floats]:
    """Davidson's model on pairs."""
    k = data.models
    gradient, information = _zeros(params)
    at = davidson.moments(params[:, data.pair_a] - params[:, data.pair_b], params[:, -1:])
    residual, q = sums.score - sums.weight * at.score, sums.weight * at.score_var
    pairs.scatter(data.pair_a, data.pair_b, residual, q, gradient, information)
    information_cross = pairs.sides(data.pair_a, data.pair_b, k, (sums.weight * at.covariance).T).T
    information[:, :k, -1] += information_cross
    information[:, -1, :k] += information_cross
    gradient[:, -1] = (sums.ties - sums.weight * at.tie).sum(axis=1)
    information[:, -1, -1] = (sums.weight * at.tie_var).sum(axis=1)
    return gradient, information


def _assemble(data: Comparisons, sums: rows.RowSums, params: Floats, prior: bool) -> tuple[Floats, Floats]:
    """Gradient and information of all parameters from the sums of one pass over the rows."""
    k = data.models
    gradient, information = _zeros(params)
    pairs.scatter(data.pair_a, data.pair_b, sums.residual, sums.q, gradient, information)
    for column, cross_by_pair in enumerate(sums.cross_by_pair, k):
        information_cross = pairs.sides(data.pair_a, data.pair_b, k, cross_by_pair.T).T
        information[:, :k, column] += information_cross
        information[:, column, :k] += information_cross
    gradient[:, k:] = sums.score_coef
    information[:, k:, k:] = sums.information_coef
    if prior:
        one = np.ones_like(sums.q)
        if params.shape[1] > k + data.x.shape[1]:
            more = _with_ties(data, Sums(one, 0.5 * one, 0.0 * one), params)
            return gradient + more[0], information + more[1]
        pairs.evaluate(data.pair_a, data.pair_b, one, 0.5 * one, params, gradient, information)
    return gradient, information
