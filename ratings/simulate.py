"""Votes drawn from a known truth: to check intervals, plan studies and time the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from arena.votes import UNKNOWN, Outcome, VoteTable
from ratings import davidson
from ratings.design import ratio
from ratings.scale import ELO, Floats

TRAITS = ("length", "headers", "lists", "bold")
NU_FOR_37_PERCENT_TIES = 1.25  # of Davidson's model, with models about 100 Elo apart


@dataclass(frozen=True)
class Truth:
    """What generates the votes. Strengths and effects in log-odds."""

    theta: Floats  # (K,)
    nu: float = NU_FOR_37_PERCENT_TIES  # 0: no ties
    coef: Mapping[str, float] = field(default_factory=dict)  # trait -> effect of the ratio (a - b) / (a + b)
    side: float = 0.0  # in favour of the left
    taste: float = 0.0  # standard deviation of each voter's own view of each model


@dataclass(frozen=True)
class Crowd:
    """Who votes on what. Popularity falls as a power of the place: 0 is even, 1 is Zipf's law."""

    votes: int
    voters: int
    zipf: float = 1.0  # of voters
    popularity: float = 0.7  # of models; a pair is as popular as the product of its two


def models(count: int, rng: np.random.Generator, *, spread_elo: float = 100.0) -> Truth:
    """`count` models with normal strengths of that standard deviation, ties and style effects as crowds show them."""
    coef = dict(zip(TRAITS, (0.5, 0.1, 0.1, 0.05), strict=True))
    return Truth(theta=rng.normal(0.0, spread_elo / ELO, count), coef=coef)


def votes(truth: Truth, crowd: Crowd, rng: np.random.Generator) -> VoteTable:
    """`crowd.votes` votes; traits are there when the truth has style effects."""
    k, n = len(truth.theta), crowd.votes
    a, b = _pairs(k, n, crowd.popularity, rng)
    voter = rng.choice(crowd.voters, size=n, p=power_law(crowd.voters, crowd.zipf)).astype(np.int32)
    traits = {name: _trait(name, a, b, k, rng) for name in truth.coef}
    z = truth.theta[a] - truth.theta[b] + truth.side
    for name, effect in truth.coef.items():
        z += effect * ratio(traits[name])
    if truth.taste:
        view = rng.normal(0.0, truth.taste, (crowd.voters, k))
        z += view[voter, a] - view[voter, b]
    return table(a, b, voter, outcomes(z, truth.nu, rng), k=k, voters=crowd.voters, traits=traits)


def outcomes(z: Floats, nu: float, rng: np.random.Generator) -> np.ndarray:
    """(n,) outcomes at log-odds `z` under Davidson's ties; half of the ties are both-bad."""
    at = davidson.moments(z, np.full(1, np.log(nu) if nu > 0 else -np.inf))
    win = at.score - 0.5 * at.tie
    u = rng.random(len(z))
    tie = np.where(rng.random(len(z)) < 0.5, Outcome.TIE, Outcome.BOTH_BAD)
    return np.where(u < win, Outcome.A, np.where(u < win + at.tie, tie, Outcome.B)).astype(np.int8)


def power_law(count: int, exponent: float) -> Floats:
    """(count,) shares proportional to place^-exponent."""
    weight = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return np.asarray(weight / weight.sum())


def table(
    a: np.ndarray,
    b: np.ndarray,
    voter: np.ndarray,
    outcome: np.ndarray,
    *,
    k: int,
    voters: int,
    traits: Mapping[str, Floats],
) -> VoteTable:
    """The vote table of coded columns; models are named m000, voters v000000."""
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


def _pairs(k: int, n: int, popularity: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two different models for each vote, on random sides."""
    share = rng.permutation(power_law(k, popularity))
    a, b = rng.choice(k, size=n, p=share), rng.choice(k, size=n, p=share)
    while (same := a == b).any():
        b[same] = rng.choice(k, size=int(same.sum()), p=share)
    return a.astype(np.int32), b.astype(np.int32)


def _trait(name: str, a: np.ndarray, b: np.ndarray, k: int, rng: np.random.Generator) -> Floats:
    """(n, 2) measures of two answers: log-normal lengths, and counts that are often zero, each model with its habit."""
    habit = rng.normal(0.0, 0.3, k)
    out = np.empty((len(a), 2))
    for column, side in enumerate((a, b)):
        noise = rng.normal(0.0, 0.6, len(side))
        if name == "length":
            out[:, column] = np.ceil(np.exp(6.0 + habit[side] + noise))
        else:
            out[:, column] = np.maximum(np.rint(3.0 * np.exp(habit[side] + noise) - 2.0), 0.0)
    return out
