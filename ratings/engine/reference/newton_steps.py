"""What the steps of many rounds are made of, in numpy: sums at the full fit, factors of information, third derivatives.

The reference of `ratings.engine.compiled.kernels`. A batch of L rounds weights each group's rows by `replicates` (G, L).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import get_lapack_funcs

from ratings.engine.reference import pairs, rounds
from ratings.engine.reference.pairs import Codes
from ratings.engine.reference.rounds import Single, VoterPairSums
from ratings.scale import Floats

Sums = npt.NDArray[Any]  # float32 or float64


def start(
    voter_pair_sums: VoterPairSums, pair_a: Codes, pair_b: Codes, models: int, replicates: Single
) -> tuple[Sums, Floats]:
    """(3, P, L) pair sums of residual, q and t, and (L, K, F) the information across models and covariates."""
    sums = rounds.weighted_sums(
        voter_pair_sums.starts, voter_pair_sums.voter, voter_pair_sums.columns, replicates
    )
    return sums[:3], pairs.pair_to_model_sums(pair_a, pair_b, models, sums[3:])


def factor(
    pair_a: Codes, pair_b: Codes, q: Sums, information_cross: Floats, information_coef: Floats
) -> Sums:
    """(L, D, D) Cholesky's upper factors of information, with c 11' added to the thetas' part, c = tr / K^2.

    From the pairs' part q (P, L), that across models and covariates (L, K, F), and that of covariates (L, F, F).
    Raises `LinAlgError` where one is not positive definite.
    """
    replicates, k, f = information_cross.shape
    information = np.zeros((replicates, k + f, k + f))
    pairs.assemble(pair_a, pair_b, q, information)
    models = information[:, :k, :k]
    models += (np.trace(models, axis1=1, axis2=2) / k**2)[:, None, None]
    information[:, :k, k:], information[:, k:, k:] = information_cross, information_coef
    return np.asarray(np.linalg.cholesky(information, upper=True))


def solve(factors: Sums, gradient: Floats) -> Floats:
    """(L, D) the steps to gradients (L, D)."""
    # LAPACK itself: on small boards scipy's checks of each replicate cost thirty times what solving does. The transpose of
    # an upper factor is a lower one in Fortran's order, so that nothing is copied.
    solved: Any = get_lapack_funcs("potrs", (factors, gradient))
    return np.stack([solved(u.T, right, lower=True)[0] for u, right in zip(factors, gradient, strict=True)])


def third_derivative(pair_a: Codes, pair_b: Codes, t: Sums, step: Floats) -> Floats:
    """(L, K) the scores' change of second order, -t d^2 / 2 of each pair (P, L), when thetas move by `step` (L, K)."""
    d = step.T[pair_a] - step.T[pair_b]
    return np.ascontiguousarray(pairs.sides(pair_a, pair_b, step.shape[1], -0.5 * t * d * d).T)
