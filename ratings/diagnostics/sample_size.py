"""How many more votes until two models can be told apart, or until the top k is settled; and a simulation of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtr, stdtrit

from arena.errors import ArenaError, BadInput
from arena.votes import UNKNOWN, VoteTable
from ratings.diagnostics.differences import compare
from ratings.leaderboard import Plan
from ratings.ranking.analysis import Analysis, ComponentFit
from ratings.ranking.rank import analyse

POWER = 0.8
ALPHA = 0.05
MOST = 1e6  # times the present votes; beyond that the answer is "not in practice"
ASSUMPTION = "new votes come as the present ones did: the same pairs, from new voters who vote as much and differ as much"


@dataclass(frozen=True)
class VotePlan:
    """Votes to tell `a` from `b`. `more_votes` 0: they can be told apart already; None: not in practice."""

    a: str
    b: str
    gap: float  # Elo, as estimated now and taken for the truth
    se: float
    effective_voters: float
    votes_now: int
    more_votes: int | None
    factor: float | None  # all votes then over votes now
    power: float  # aimed at
    alpha: float  # of the two-sided test
    power_now: float  # at the present number of votes
    assumption: str = ASSUMPTION


def plan_votes(analysis: Analysis, a: str, b: str, *, power: float = POWER, alpha: float = ALPHA) -> VotePlan:
    """How many more votes give the two-sided t test of the gap the power asked for, were the gap as estimated.

    With f times the voters the error falls as f^-1/2 and the effective voters grow as f: the least f with
    P(|T| > t(f nu, 1 - alpha/2)) >= power for T = gap sqrt(f) / se plus t noise. Raises `BadInput` where the two
    have no gap with an interval.
    """
    _check(power, alpha)
    (found,) = compare(analysis, [a, b])
    if found.gap is None or found.se is None or found.effective_voters is None:
        raise BadInput(f"{a} and {b}: {found.why}")
    ratio, nu = abs(found.gap) / found.se, found.effective_voters
    votes = analysis.selection.used
    factor = _factor(ratio, nu, power, alpha)
    return VotePlan(
        a=a,
        b=b,
        gap=found.gap,
        se=found.se,
        effective_voters=nu,
        votes_now=votes,
        more_votes=None if factor is None else max(0, ceil((factor - 1) * votes - 1e-9)),
        factor=factor,
        power=power,
        alpha=alpha,
        power_now=_power(1.0, ratio, nu, alpha),
    )


def plan_top(analysis: Analysis, k: int, *, power: float = POWER, alpha: float = ALPHA) -> VotePlan:
    """The plan of the hardest pair between the first `k` models and the rest of the board.

    `alpha` is shared by all pairs across the border (Bonferroni). Raises `BadInput` unless both sides have models.
    """
    part = analysis.parts[0] if analysis.parts else None
    if part is None or part.spread is None:
        raise BadInput("the board has no intervals to plan from")
    ranked = np.flatnonzero(part.ranked)
    order = ranked[np.argsort(-part.fit.theta[ranked], kind="stable")]
    if not 1 <= k < len(order):
        raise BadInput(f"--top {k}: the board ranks {len(order)} models, so 1 to {len(order) - 1}")
    shared = alpha / (k * (len(order) - k))
    inside, outside = _hardest(part, order[:k], order[k:])
    names = analysis.selection.models
    a, b = names[part.members[inside]], names[part.members[outside]]
    return plan_votes(analysis, a, b, power=power, alpha=shared)


def simulated_power(
    table: VoteTable,
    plan: Plan,
    of: VotePlan,
    *,
    runs: int = 200,
    seed: int = 0,
) -> float:
    """The share of `runs` futures in which the test of `of` tells the two apart, in the right direction.

    A future: voters drawn anew from the present ones, `of.factor` times as many, refitted by the whole method.
    """
    factor = of.factor or 1.0
    rng = np.random.default_rng(seed)
    quick = replace(plan, rounds=0)
    successes = 0
    for _ in range(runs):
        try:
            (found,) = compare(analyse(_future(table, factor, rng), quick), [of.a, of.b])
        except ArenaError:
            continue
        rejected = found.p is not None and found.p < of.alpha
        successes += bool(rejected and found.gap is not None and found.gap * of.gap > 0)
    return successes / runs


def _check(power: float, alpha: float) -> None:
    if not 0 < alpha < 1 or not alpha < power < 1:
        raise BadInput(f"power {power} and alpha {alpha}: needs 0 < alpha < power < 1")


def _power(factor: float, ratio: float, nu: float, alpha: float) -> float:
    """P(T > t) + P(T < -t), T a t variate with f nu degrees of freedom around ratio sqrt(f)."""
    freedom = factor * nu
    critical = float(stdtrit(freedom, 1 - alpha / 2))
    centre = ratio * factor**0.5
    return float(stdtr(freedom, centre - critical) + stdtr(freedom, -centre - critical))


def _factor(ratio: float, nu: float, power: float, alpha: float) -> float | None:
    if _power(1.0, ratio, nu, alpha) >= power:
        return 1.0
    if _power(MOST, ratio, nu, alpha) < power:
        return None
    return float(brentq(lambda f: _power(f, ratio, nu, alpha) - power, 1.0, MOST, xtol=1e-9, rtol=1e-9))


def _hardest(part: ComponentFit, top: np.ndarray, rest: np.ndarray) -> tuple[int, int]:
    """The pair across the border with the smallest gap in units of its error."""
    covariance = part.covariance()
    variance = np.diag(covariance)
    squared = variance[top][:, None] + variance[rest][None, :] - 2 * covariance[np.ix_(top, rest)]
    error = np.sqrt(np.maximum(squared, 0.0))
    gap = part.fit.theta[top][:, None] - part.fit.theta[rest][None, :]
    # Voters without any spread have no error; such a pair is the hardest only if all are so.
    at, against = np.unravel_index(np.argmin(gap / np.maximum(error, 1e-9)), gap.shape)
    return int(top[at]), int(rest[against])


def _future(table: VoteTable, factor: float, rng: np.random.Generator) -> VoteTable:
    """Voters drawn with replacement, `factor` times as many; each draw of one is a voter of its own.

    Rows without a voter are votes of so many voters: their count is drawn.
    """
    used = table.take(table.used)
    alone = used.voter == UNKNOWN
    drawn = used.take(alone)
    # Poisson and not multinomial: the number of votes to come is not fixed either.
    counts = rng.poisson(factor * drawn.count)
    drawn = replace(drawn, count=counts).take(counts > 0)
    named = used.take(~alone)
    if not len(named):
        return drawn
    people = np.unique(named.voter)
    copies = rng.multinomial(round(factor * len(people)), np.full(len(people), 1 / len(people)))
    lookup = np.zeros(len(used.voters), dtype=np.int64)
    lookup[people] = copies
    each = lookup[named.voter]
    rows = np.repeat(np.arange(len(named)), each)
    copy = np.arange(len(rows)) - np.repeat(np.cumsum(each) - each, each)
    person = named.voter[rows].astype(np.int64) * int(copies.max(initial=1)) + copy
    _, code = np.unique(person, return_inverse=True)
    people_now = tuple(f"{number:09d}" for number in range(int(code.max(initial=-1)) + 1))
    again = replace(named.take(rows), voter=code.astype(np.int32), voters=people_now)
    return VoteTable.join([again, replace(drawn, voters=())]) if len(drawn) else again
