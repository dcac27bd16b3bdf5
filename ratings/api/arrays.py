"""The front door for arrays: `ratings.fit(n_models, pairs, scores=..., voters=...)`, by the code that ranks tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arena.errors import BadInput
from arena.votes import UNKNOWN, Outcome, VoteTable
from ratings import scale
from ratings.design import rows as design_rows
from ratings.design.rows import Prepared, require
from ratings.engine.choice import EngineName
from ratings.leaderboard import Plan
from ratings.ranking.analysis import Analysis, ComponentFit
from ratings.ranking.rank import analyse
from ratings.scale import ELO, Floats, Ints


@dataclass(frozen=True)
class ArrayFit:
    """What `fit` found, over K models and F covariates. Numbers are nan where the votes do not tell.

    Attributes
    ----------
    ratings : ndarray (K,)
        Elo points; the mean over a component's models is 1000 (those whose place hangs on one voter left out).
    se : ndarray (K,)
        Standard errors in Elo points: jackknife over voters (CR3).
    low, high : ndarray (K,)
        95 % intervals in Elo points.
    theta : ndarray (K,)
        Log-odds, (ratings - 1000) ln(10) / 400.
    covariance : ndarray (K, K)
        Covariance (CR3) of `ratings`, Elo points squared; nan across components.
    coef, coef_se : ndarray (F,)
        Log-odds for one unit of each covariate, of the largest component, and its standard error; a covariate that
        could not be estimated has 0 and nan.
    dropped : tuple of (int, str)
        Those covariates, and why.
    component : ndarray (K,)
        Only models of one component can be compared; -1 marks models that no component holds.
    nu : float
        Davidson's nu of the largest component, P(tie) / sqrt(P(a wins) P(b wins)); nan where it was not fitted.
    iterations : int
        Newton steps, the most over components.
    plan : Plan
        What was asked for.
    """

    ratings: Floats
    se: Floats
    low: Floats
    high: Floats
    theta: Floats
    covariance: Floats
    coef: Floats
    coef_se: Floats
    dropped: tuple[tuple[int, str], ...]
    component: Ints
    nu: float
    iterations: int
    plan: Plan


def fit(
    n_models: int,
    pairs: npt.ArrayLike,
    *,
    scores: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    voters: npt.ArrayLike | None = None,
    covariates: npt.ArrayLike | None = None,
    ties: Literal["half", "drop", "davidson"] = "half",
    prior: Literal["none", "pairs"] = "none",
    rounds: int = 0,
    seed: int = 0,
    engine: EngineName = "auto",
) -> ArrayFit:
    """Fit the Bradley-Terry model to comparisons in arrays.

    P(a beats b) = 1 / (1 + exp(-z)), z = theta[a] - theta[b] + x . coef, by unpenalised maximum likelihood. The numbers are
    those of `ratings.rank` on the same votes.

    Parameters
    ----------
    n_models : int
        K, the number of models.
    pairs : array_like of int, (n, 2)
        Models a and b of each comparison, from 0 to K - 1. A model against itself is left out.
    scores : array_like, (n,), optional
        a's share: 1 a won, 0 b won, 0.5 a tie. Without it a won each.
    weights : array_like, (n,), optional
        Weights, 0 or more; only their ratios matter, and a comparison of weight 0 is left out. Never a sample size.
    voters : array_like, (n,), optional
        Whose judgement each is (any values that can be sorted): errors and intervals are clustered by voter. Without it
        each comparison is a voter of its own, and intervals are those of independent comparisons.
    covariates : array_like, (n, F), optional
        Differences, a minus b, in any unit; kept as float32.
    ties : {"half", "drop", "davidson"}
        Ties as half a win each, left out, or modelled after Davidson (1970).
    prior : {"none", "pairs"}
        "pairs" adds half a win each way for every observed pair.
    rounds : int
        Replicates of the voter bootstrap that shape the intervals; 0: symmetric t intervals.
    seed : int
        Seed of the bootstrap.
    engine : {"auto", "compiled", "reference"}
        Code of the heavy sums; they agree to 1e-4 Elo.

    Returns
    -------
    ArrayFit
        Ratings and intervals in Elo points, theta and coefficients in log-odds.

    Raises
    ------
    BadInput
        Arrays of other shapes, models outside 0 to K - 1, scores other than 0, 0.5 and 1, numbers that are not finite.
    NotConverged
        Rather than give a half-good fit.

    References
    ----------
    Bradley & Terry 1952, Biometrika 39, 324-345. Hunter 2004, Annals of Statistics 32, 384-406 (existence).

    Examples
    --------
    >>> found = fit(2, [[0, 1]] * 3, scores=[1, 1, 0])
    >>> round(float(found.ratings[0] - found.ratings[1]), 2)
    120.41
    """
    plan = Plan(ties=ties, prior=prior, rounds=rounds, seed=seed, min_votes=0)
    for name, known in (("ties", ("half", "drop", "davidson")), ("prior", ("none", "pairs"))):
        require(getattr(plan, name) in known, f"{name}: one of {', '.join(known)}")
    votes = _votes(n_models, pairs, scores, weights, voters)
    x = _covariates(covariates, len(votes))
    plan = replace(plan, style=tuple(str(column) for column in range(x.shape[1])))
    counted = votes.reason == UNKNOWN
    prepared = _with_covariates(design_rows.prepare(votes.take(counted)), x[counted])
    return _of(analyse(prepared, plan, engine=engine), n_models)


def _votes(n_models: int, pairs: Any, scores: Any, weights: Any, voters: Any) -> VoteTable:
    """The arrays as a vote table, models named so that their order is that of their numbers."""
    require(n_models >= 1, "n_models: not a positive number")
    sides = _numbers("pairs", pairs)
    require(sides.ndim == 2 and sides.shape[1] == 2, "pairs: not of shape (n, 2)")
    n = len(sides)
    require(n > 0, "pairs: no comparison")
    require(bool((sides == np.floor(sides)).all()), "pairs: not whole numbers")
    require(bool(((sides >= 0) & (sides < n_models)).all()), f"pairs: a model outside 0 to {n_models - 1}")
    score = _column("scores", scores, n)
    require(bool(np.isin(score, (0.0, 0.5, 1.0)).all()), "scores: a's share is 0, 0.5 or 1")
    weight = _column("weights", weights, n)
    require(bool((weight >= 0).all()), "weights: negative")
    require(bool((weight > 0).any()), "weights: all zero")
    names, voter = _voters(voters, n)
    unknown = np.full(n, UNKNOWN, dtype=np.int32)
    return VoteTable(
        models=tuple(f"{number:010d}" for number in range(n_models)),
        voters=names,
        prompts=(),
        languages=(),
        reasons=("bad_record",),
        a=sides[:, 0].astype(np.int32),
        b=sides[:, 1].astype(np.int32),
        outcome=np.select([score == 1.0, score == 0.0], [Outcome.A, Outcome.B], Outcome.TIE).astype(np.int8),
        voter=voter,
        prompt=unknown,
        language=unknown,
        reason=np.where(weight > 0, UNKNOWN, 0).astype(np.int32),
        count=np.ones(n, dtype=np.int64),
        weight=weight,
        at=np.full(n, np.nan),
        drawn_p=np.full(n, np.nan),
        side_known=np.ones(n, dtype=np.bool_),
        labels={},
        traits={},
    )


def _numbers(name: str, values: Any) -> Floats:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{name}: not an array of numbers") from None
    require(bool(np.isfinite(numbers).all()), f"{name}: not finite numbers")
    return numbers


def _column(name: str, values: Any, n: int) -> Floats:
    """(n,) the column, ones where it is not given."""
    column = np.ones(n) if values is None else _numbers(name, values)
    require(column.shape == (n,), f"{name}: not of shape ({n},)")
    return column


def _voters(voters: Any, n: int) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    if voters is None:
        return (), np.full(n, UNKNOWN, dtype=np.int32)
    values = np.asarray(voters)
    require(values.shape == (n,), f"voters: not of shape ({n},)")
    try:
        names, codes = np.unique(values, return_inverse=True)
    except TypeError:
        raise BadInput("voters: values of kinds that cannot be sorted together") from None
    return tuple(f"{number:010d}" for number in range(len(names))), codes.astype(np.int32)


def _covariates(covariates: Any, n: int) -> Floats:
    x = np.empty((n, 0)) if covariates is None else _numbers("covariates", covariates)
    require(x.ndim == 2 and len(x) == n, f"covariates: not of shape ({n}, F)")
    return x


def _with_covariates(votes: Prepared, x: Floats) -> Prepared:
    """The same with columns of `x` as traits, turned where the sides were turned."""
    turned = (x[votes.row] * votes.side[:, None]).astype(np.float32) + np.float32(0.0)
    return replace(votes, traits={str(column): values for column, values in enumerate(turned.T)})


def _of(analysis: Analysis, k: int) -> ArrayFit:
    """The components' numbers side by side."""
    empty = {name: np.full(k, np.nan) for name in ("ratings", "se", "low", "high", "theta")}
    covariance = np.full((k, k), np.nan)
    component = np.full(k, UNKNOWN, dtype=np.intp)
    for number, part in enumerate(analysis.parts):
        theta = part.fit.theta - part.fit.theta @ part.mean
        empty["theta"][part.members], empty["ratings"][part.members] = theta, scale.BASE + ELO * theta
        component[part.members] = number
        if part.ratings is None or part.spread is None:
            continue
        sure = ~part.spread.disconnected_without_one_voter
        here = part.members[sure]
        empty["se"][here] = ELO * part.ratings.se[sure]
        empty["low"][here], empty["high"][here] = (
            scale.BASE + ELO * bound[sure] for bound in (part.ratings.low, part.ratings.high)
        )
        covariance[np.ix_(here, here)] = ELO**2 * part.covariance()[np.ix_(sure, sure)]
    coef, coef_se, dropped = _coefficients(analysis.parts[:1], len(analysis.plan.style))
    steps = max((part.fit.iterations for part in analysis.parts), default=0)
    return ArrayFit(
        **empty,
        covariance=covariance,
        coef=coef,
        coef_se=coef_se,
        dropped=dropped,
        component=component,
        nu=next(
            (float(np.exp(part.fit.params[-1])) for part in analysis.parts[:1] if part.styled.ties), np.nan
        ),
        iterations=steps,
        plan=analysis.plan,
    )


def _coefficients(
    parts: tuple[ComponentFit, ...], width: int
) -> tuple[Floats, Floats, tuple[tuple[int, str], ...]]:
    """Coefficients in the covariates' own units, their errors, and the covariates that have none."""
    coef, se = np.zeros(width), np.full(width, np.nan)
    dropped: list[tuple[int, str]] = []
    for part in parts:
        k, styled = part.data.models, part.styled
        dropped += [(int(each.name), each.why) for each in styled.dropped if each.name != "nu"]
        for place, (name, rms) in enumerate(zip(styled.names, styled.rms, strict=True)):
            coef[int(name)] = part.fit.params[k + place] / rms
            if (
                part.coefficients is not None
                and part.spread is not None
                and not part.spread.identified_by_one_voter[place]
            ):
                se[int(name)] = part.coefficients.se[place] / rms
    return coef, se, tuple(dropped)
