"""Votes drawn from a known truth: to check intervals, plan studies and time the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arena.votes import UNKNOWN, Outcome, VoteTable
from ratings.bradley_terry import fit_covariates
from ratings.design.comparisons import Comparisons, runs
from ratings.design.rows import ratio
from ratings.engine.choice import NUMPY
from ratings.engine.reference import davidson
from ratings.scale import ELO, Floats

TRAITS = ("length", "headers", "lists", "bold")
EFFECTS = (0.5, 0.1, 0.1, 0.05)  # log-odds of the full ratio, in the order of TRAITS
NU_FOR_37_PERCENT_TIES = 1.25  # of Davidson's model, with models about 100 Elo apart
POPULATION_ROWS = 200_000  # rows whose expected outcomes stand for all, where there are covariates
NODES = 40  # of the Gauss-Hermite rule that integrates tastes out
Codes = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Truth:
    """What generates the votes. Strengths and effects in log-odds."""

    theta: Floats  # (K,)
    nu: float = NU_FOR_37_PERCENT_TIES  # 0: no ties
    coef: Mapping[str, float] = field(default_factory=dict)  # trait -> effect of the ratio (a - b) / (a + b)
    habits: Mapping[str, Floats] = field(
        default_factory=dict
    )  # trait -> (K,) how much of it each model writes
    side: float = 0.0  # in favour of the left
    taste: float = 0.0  # standard deviation of each voter's own view of each model


@dataclass(frozen=True)
class Crowd:
    """Who votes, and on what. 0 is even, 1 is Zipf's law."""

    votes: int
    voters: int
    zipf: float = 1.0  # a voter's share falls as this power of its place
    heavy: float = 0.0  # if not 0: this share of the voters casts half the votes, each group evenly
    popularity: float = (
        0.7  # a model's share falls as this power of its place; a pair's is the product of its two
    )


@dataclass(frozen=True)
class Population:
    """What infinitely many such voters would say: the Bradley-Terry fit of the expected outcomes."""

    theta: Floats  # (K,) log-odds
    coef: Mapping[str, float]  # per unit of ratio


def models(count: int, rng: np.random.Generator, *, spread_elo: float = 100.0) -> Truth:
    """`count` models with normal strengths of that standard deviation, ties and style effects as crowds show them."""
    return Truth(
        theta=rng.normal(0.0, spread_elo / ELO, count),
        coef=dict(zip(TRAITS, EFFECTS, strict=True)),
        habits={name: rng.normal(0.0, 0.3, count) for name in TRAITS},
    )


def votes(
    truth: Truth, crowd: Crowd, rng: np.random.Generator, *, popularity: Floats | None = None
) -> VoteTable:
    """`crowd.votes` votes, with traits where the truth has style effects.

    `popularity` (K,) is each model's share; without it the shares of `crowd` fall to the models at random.
    """
    k = len(truth.theta)
    shares = rng.permutation(power_law(k, crowd.popularity)) if popularity is None else popularity
    a, b = _pairs(shares, crowd.votes, rng)
    voter = rng.choice(crowd.voters, size=crowd.votes, p=activity(crowd)).astype(np.int32)
    traits = _traits(truth, a, b, rng)
    z = _log_odds(truth, a, b, traits)
    if truth.taste:
        view = rng.normal(0.0, truth.taste, (crowd.voters, k))
        z += view[voter, a] - view[voter, b]
    return table(a, b, voter, outcomes(z, truth.nu, rng), k=k, voters=crowd.voters, traits=traits)


def population(truth: Truth, popularity: Floats) -> Population:
    """What the votes of `truth` estimate, tastes integrated out, for pairs as popular as the product of their two."""
    k = len(truth.theta)
    if truth.coef:
        rng = np.random.default_rng(0)
        a, b = _pairs(popularity, POPULATION_ROWS, rng)
        a, b = np.minimum(a, b), np.maximum(a, b)
        order = np.argsort(a * k + b, kind="stable")
        a, b, weight = a[order], b[order], np.ones(len(a))
    else:
        rng = np.random.default_rng(0)
        a, b = np.triu_indices(k, 1)
        weight = popularity[a] * popularity[b]
    traits = _traits(truth, a, b, rng)
    starts = runs(a, b)
    data = Comparisons(
        models=k,
        pair_a=a[starts[:-1]].astype(np.int32),
        pair_b=b[starts[:-1]].astype(np.int32),
        starts=starts,
        voter=np.zeros(len(a), dtype=np.int32),
        count=np.ones(len(a), dtype=np.int64),
        weight=weight,
        score=weight * expected_score(_log_odds(truth, a, b, traits), truth.nu, truth.taste),
        ties=np.zeros(len(a)),
        x=np.column_stack([np.empty((len(a), 0)), *(ratio(trait) for trait in traits.values())]).astype(
            np.float32
        ),
        size=np.ones(1, dtype=np.int64),
    )
    one = np.ones(data.x.shape[1])
    best = fit_covariates.fit(
        data, fit_covariates.at_zero(data, NUMPY), one, ties=False, prior=False, engine=NUMPY
    )
    return Population(best.theta, dict(zip(traits, best.params[k:].tolist(), strict=True)))


def expected_score(z: Floats, nu: float, taste: float) -> Floats:
    """(n,) a's expected share, a tie half, over voters whose views of a and of b vary by `taste`."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    total = np.zeros_like(z)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        total += weight * _moments(z + np.sqrt(2.0) * taste * node, nu).score
    return total


def outcomes(z: Floats, nu: float, rng: np.random.Generator) -> npt.NDArray[np.int8]:
    """(n,) outcomes at log-odds `z` under Davidson's ties; half of the ties are both-bad."""
    at = _moments(z, nu)
    win = at.score - 0.5 * at.tie
    u = rng.random(len(z))
    tie = np.where(rng.random(len(z)) < 0.5, Outcome.TIE, Outcome.BOTH_BAD)
    return np.where(u < win, Outcome.A, np.where(u < win + at.tie, tie, Outcome.B)).astype(np.int8)


def _moments(z: Floats, nu: float) -> davidson.Moments:
    return davidson.moments(z, np.full(1, np.log(nu) if nu > 0 else -np.inf))


def activity(crowd: Crowd) -> Floats:
    """(voters,) each voter's share of the votes."""
    if not crowd.heavy:
        return power_law(crowd.voters, crowd.zipf)
    few = max(1, round(crowd.heavy * crowd.voters))
    return np.concatenate([np.full(few, 0.5 / few), np.full(crowd.voters - few, 0.5 / (crowd.voters - few))])


def power_law(count: int, exponent: float) -> Floats:
    """(count,) shares proportional to place^-exponent."""
    weight = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return np.asarray(weight / weight.sum())


def table(
    a: Codes,
    b: Codes,
    voter: Codes,
    outcome: Codes,
    *,
    k: int,
    voters: int,
    traits: Mapping[str, Floats],
) -> VoteTable:
    """The vote table of coded columns; models are named m0000, voters v0000000."""
    n = len(a)
    none = np.full(n, UNKNOWN, dtype=np.int32)
    return VoteTable(
        models=tuple(f"m{index:04d}" for index in range(k)),
        voters=tuple(f"v{index:07d}" for index in range(voters)),
        prompts=(),
        languages=(),
        reasons=(),
        a=a.astype(np.int32),
        b=b.astype(np.int32),
        outcome=outcome.astype(np.int8),
        voter=voter.astype(np.int32),
        prompt=none,
        language=none,
        reason=none,
        count=np.ones(n, dtype=np.int64),
        weight=np.ones(n),
        at=np.full(n, np.nan),
        drawn_p=np.full(n, np.nan),
        side_known=np.ones(n, dtype=np.bool_),
        labels={},
        traits=traits,
    )


def _log_odds(truth: Truth, a: Codes, b: Codes, traits: Mapping[str, Floats]) -> Floats:
    z = truth.theta[a] - truth.theta[b] + truth.side
    for name, effect in truth.coef.items():
        z += effect * ratio(traits[name])
    return np.asarray(z, dtype=np.float64)


def _pairs(shares: Floats, n: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Two different models for each vote, on random sides."""
    a, b = (rng.choice(len(shares), size=n, p=shares) for _ in range(2))
    # Both are drawn again: to draw one alone would make popular models rarer against each other.
    while (same := a == b).any():
        again = int(same.sum())
        a[same], b[same] = (rng.choice(len(shares), size=again, p=shares) for _ in range(2))
    return a, b


def _traits(truth: Truth, a: Codes, b: Codes, rng: np.random.Generator) -> dict[str, Floats]:
    """(n, 2) measures of the two answers: log-normal lengths, and counts that are often zero, each model with its habit."""
    traits = {}
    for name in truth.coef:
        habit = truth.habits[name]
        sides = []
        for side in (a, b):
            noise = rng.normal(0.0, 0.6, len(side))
            long = np.ceil(np.exp(6.0 + habit[side] + noise))
            few = np.maximum(np.rint(3.0 * np.exp(habit[side] + noise) - 2.0), 0.0)
            sides.append(long if name == "length" else few)
        traits[name] = np.stack(sides, axis=1)
    return traits
