"""Is A better than B: the gap of two ratings, the probability of a win and a test, each as sure as the votes allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import stdtr

from arena.errors import BadInput
from ratings import davidson, intervals
from ratings.analysis import Analysis, Part
from ratings.benchmarks.multiplicity import adjusted
from ratings.pairwise import expit
from ratings.scale import ELO, Floats


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
    t: float | None
    p: float | None  # two-sided, no gap at all
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
    at, against = (int(np.flatnonzero(part.members == index)[0]) for index in (first, second))
    gap = float(part.fit.theta[at] - part.fit.theta[against])
    known = replace(empty, gap=gap * ELO, win_probability=_share(part, gap))
    if part.spread is None:
        few = f"fewer than {intervals.MIN_VOTERS} voters: no interval"
        return replace(known, why=few)
    if part.spread.cut_off[[at, against]].any():
        return replace(known, why="one of the two hangs on a single voter: no interval")
    return _with_interval(known, part, at, against)


def _with_interval(known: Gap, part: Part, at: int, against: int) -> Gap:
    assert part.spread is not None
    row = np.zeros(len(part.fit.params))
    row[at], row[against] = 1.0, -1.0
    estimate = row @ part.fit.params
    nu = float(min(part.spread.effective[at], part.spread.effective[against]))
    bounds = intervals.around(
        np.array([estimate]),
        np.sqrt(np.maximum([row @ part.spread.cr3 @ row], 0.0)),
        np.sqrt(np.maximum([row @ part.spread.fisher @ row], 0.0)),
        np.array([nu]),
        None if part.rounds is None else (part.rounds @ row)[:, None],
    )
    low, high, se = float(bounds.low[0]), float(bounds.high[0]), float(bounds.se[0])
    t = float(estimate) / se
    few = (
        f"fewer than {intervals.FEW_EFFECTIVE:.0f} effective voters" if nu < intervals.FEW_EFFECTIVE else None
    )
    spreadless = (
        "the voters show no spread: interval as if votes were independent" if bounds.fisher[0] else None
    )
    return replace(
        known,
        low=low * ELO,
        high=high * ELO,
        se=se * ELO,
        win_low=_share(part, low),
        win_high=_share(part, high),
        effective_voters=nu,
        t=t,
        p=float(2 * stdtr(nu, -abs(t))),
        why="; ".join(filter(None, (few, spreadless))) or None,
    )


def _share(part: Part, gap: float) -> float:
    """The share of wins, ties half, at a gap in log-odds and equal styles."""
    if part.styled.ties:
        z: Floats = np.array([gap])
        return float(davidson.moments(z, part.fit.params[-1:]).score[0])
    return float(expit(np.array(gap)))


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
