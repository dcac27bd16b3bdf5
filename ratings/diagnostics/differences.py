"""Is A better than B: the gap of two ratings, the probability of a win and a test, each as sure as the votes allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import stdtr, stdtrit

from arena.errors import BadInput
from ratings.bradley_terry import intervals
from ratings.engine.reference import davidson
from ratings.engine.reference.pairs import expit
from ratings.ranking.analysis import Analysis, ComponentFit
from ratings.scale import ELO, Bools, Floats, Ints
from ratings.stats.multiplicity import adjusted


@dataclass(frozen=True)
class Gap:
    """`a` against `b`. Elo points and probabilities, unrounded; None where the votes give no number, with `why`."""

    a: str
    b: str
    gap: float | None  # rating of a minus rating of b
    low: float | None
    high: float | None
    se: float | None  # CR3
    win_probability: float | None  # share of a, a tie counting half
    win_low: float | None
    win_high: float | None
    effective_voters: float | None  # the fewer of the two models'
    t: float | None  # gap over its error on the side of no gap
    p: float | None  # two-sided, no gap at all; below .05 just where the interval leaves out 0
    p_adjusted: float | None  # Holm over the pairs asked
    wins: int  # votes between the two
    losses: int
    ties: int
    both_bad: int
    why: str | None


def compare(analysis: Analysis, models: Sequence[str]) -> tuple[Gap, ...]:
    """Every pair of `models`, in the order given, with P values adjusted for how many pairs these are (Holm 1979).

    The interval is the engine's for the contrast e_a - e_b: jackknife-calibrated bootstrap, with the fewer
    effective voters of the two. Raises `BadInput` on an unknown name, a repeated one, or fewer than two.
    """
    _check(analysis, models)
    found = [_gap(analysis, a, b) for a, b in combinations(models, 2)]
    tested = [gap.p for gap in found if gap.p is not None]
    corrected = iter(adjusted(tested).tolist() if tested else ())
    return tuple(gap if gap.p is None else replace(gap, p_adjusted=next(corrected)) for gap in found)


def _check(analysis: Analysis, models: Sequence[str]) -> None:
    known = analysis.selection.models
    unknown = [name for name in models if name not in known]
    if unknown:
        raise BadInput(f"no votes name the model {', '.join(map(repr, unknown))}; known: {', '.join(known)}")
    if len(set(models)) != len(models) or len(models) < 2:
        raise BadInput("name at least two models, each once")


def _gap(analysis: Analysis, a: str, b: str) -> Gap:
    names = analysis.selection.models
    first, second = names.index(a), names.index(b)
    empty = Gap(a, b, *(None,) * 11, *_record(analysis, first, second), None)
    part = next((p for p in analysis.parts if {first, second} <= set(p.members.tolist())), None)
    if part is None:
        return replace(empty, why="no common scale: the votes do not link the two in both directions")
    at, against = (np.flatnonzero(part.members == index) for index in (first, second))
    gap = part.fit.theta[at] - part.fit.theta[against]
    known = replace(empty, gap=float(gap[0]) * ELO, win_probability=float(shares(part, gap)[0]))
    if why := without_interval(part, int(at[0]), int(against[0])):
        return replace(known, why=why)
    found = contrasts(part, at, against)
    numbers = {
        name: float(getattr(found, name)[0]) for name in Contrasts.__dataclass_fields__ if name != "fisher"
    }
    return replace(known, **numbers, why=remark(numbers["effective_voters"], bool(found.fisher[0])))  # type: ignore[arg-type]


def without_interval(part: ComponentFit, at: int, against: int) -> str | None:
    """Why two models of `part` have a gap and no interval of it; None where they have one."""
    if part.spread is None:
        return f"fewer than {intervals.MIN_VOTERS} voters: no interval"
    if part.spread.disconnected_without_one_voter[[at, against]].any():
        return "one of the two hangs on a single voter: no interval"
    return None


@dataclass(frozen=True)
class Contrasts:
    """m gaps with their intervals: Elo points, probabilities of a win (ties half), and the test of no gap.

    The test is the interval turned round: t is the gap over h / t(nu, .975), h the interval's length on the side of
    zero, so that P < .05 just where the 95 % interval leaves zero out. Without rounds, h = t(nu, .975) se and this
    is the t test by the CR3 error. `se` stays that error, which says how wide the interval is on both sides together.
    """

    low: Floats  # (m,)
    high: Floats
    se: Floats
    win_low: Floats
    win_high: Floats
    effective_voters: Floats  # the fewer of the two models'
    t: Floats
    p: Floats
    fisher: Bools  # the voters show no spread


def contrasts(part: ComponentFit, at: Ints, against: Ints) -> Contrasts:
    """The gaps of models `at` (m,) over models `against` (m,) of `part`, which has a spread."""
    spread, theta = part.spread, part.fit.theta
    assert spread is not None
    gap = theta[at] - theta[against]
    nu = np.minimum(spread.effective[at], spread.effective[against])

    def error(covariance: Floats) -> Floats:
        variance = np.diag(covariance)
        across = covariance[at, against] + covariance[against, at]
        return np.asarray(np.sqrt(np.maximum(variance[at] + variance[against] - across, 0.0)))

    moved = None if part.rounds is None else part.rounds[:, at] - part.rounds[:, against]
    bounds = intervals.calibrated_interval(gap, error(spread.cr3), error(spread.fisher), nu, moved)
    t = _inverted(gap, bounds, nu)
    return Contrasts(
        low=bounds.low * ELO,
        high=bounds.high * ELO,
        se=bounds.se * ELO,
        win_low=shares(part, bounds.low),
        win_high=shares(part, bounds.high),
        effective_voters=nu,
        t=t,
        p=np.asarray(2 * stdtr(np.maximum(nu, 1.0), -np.abs(t))),
        fisher=bounds.fisher,
    )


def _inverted(gap: Floats, bounds: intervals.ContrastIntervals, nu: Floats) -> Floats:
    """t of no gap by the length of the interval on the side of zero; by `se` where the rounds leave that side empty."""
    side = np.where(gap > 0, gap - bounds.low, bounds.high - gap)
    error = side / stdtrit(np.maximum(nu, 1.0), 1 - (1 - intervals.LEVEL) / 2)
    return gap / np.where(error > intervals.ABOUT_ZERO * bounds.se, error, bounds.se)


def remark(nu: float, fisher: bool) -> str | None:
    """What a reader of an interval must know besides."""
    few = f"fewer than {intervals.FEW_EFFECTIVE:.0f} effective voters" if nu < intervals.FEW_EFFECTIVE else ""
    spreadless = "the voters show no spread: interval as if votes were independent" if fisher else ""
    return "; ".join(filter(None, (few, spreadless))) or None


def shares(part: ComponentFit, gap: Floats) -> Floats:
    """The share of wins, ties half, at gaps in log-odds and equal styles."""
    if part.styled.ties:
        return davidson.moments(gap, part.fit.params[-1:]).score
    return expit(gap)


def _record(analysis: Analysis, first: int, second: int) -> tuple[int, int, int, int]:
    chosen = analysis.selection
    low, high = min(first, second), max(first, second)
    place = np.flatnonzero((chosen.pair_a == low) & (chosen.pair_b == high))
    if not len(place):
        return 0, 0, 0, 0
    votes = chosen.pair_record
    wins, losses, ties, both_bad = (
        int(column[place[0]]) for column in (votes.wins, votes.losses, votes.ties, votes.both_bad)
    )
    return (wins, losses, ties, both_bad) if first < second else (losses, wins, ties, both_bad)
