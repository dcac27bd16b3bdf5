"""Weeks, months or quarters: the pieces of time in which a board's votes are many enough to be held against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from ratings.design.comparisons import SCORES
from ratings.design.rows import Prepared
from ratings.design.selection import select
from ratings.engine.reference.pairs import expit
from ratings.leaderboard import Plan
from ratings.ranking.analysis import Analysis
from ratings.scale import Floats, Ints

MOST = 13  # periods: a quarter of weeks, a year of months
VOTES_PER_MODEL = 50  # on average, in a period


@dataclass(frozen=True)
class Periods:
    """Pieces of time in order, those without votes left out."""

    unit: str  # week, month or quarter
    starts: tuple[float, ...]  # seconds UTC
    code: npt.NDArray[np.intp]  # (n,) the period of each vote; -1: it has no time


def _week(at: datetime) -> datetime:
    return (at - timedelta(days=at.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)


def _month(at: datetime) -> datetime:
    return at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _quarter(at: datetime) -> datetime:
    return _month(at.replace(day=1, month=3 * ((at.month - 1) // 3) + 1))


UNITS: Mapping[str, Callable[[datetime], datetime]] = {"week": _week, "month": _month, "quarter": _quarter}


def periods(at: Floats, count: npt.NDArray[np.int64], models: int) -> Periods | None:
    """The finest unit in which a period has votes enough for `models`; the coarsest with two periods when none has.

    `at` (n,) seconds UTC, nan where unknown; a row stands for `count` (n,) votes. None: no times, or no two periods.
    """
    known = np.isfinite(at)
    votes = int(count[known].sum())
    last = None
    for unit, begin in UNITS.items():
        starts, code = _split(at[known], begin)
        if len(starts) < 2:
            break
        full = np.full(len(at), -1, dtype=np.intp)
        full[known] = code
        last = Periods(unit, starts, full)
        # Each vote is one of two models.
        if len(starts) <= MOST and 2 * votes >= VOTES_PER_MODEL * models * len(starts):
            return last
    return last


def _split(
    at: Floats, begin: Callable[[datetime], datetime]
) -> tuple[tuple[float, ...], npt.NDArray[np.intp]]:
    days, day = np.unique(np.floor(at / 86_400), return_inverse=True)
    start = np.array([begin(datetime.fromtimestamp(d * 86_400, UTC)).timestamp() for d in days.tolist()])
    starts, code = np.unique(start, return_inverse=True)
    return tuple(starts.tolist()), code.reshape(-1)[day.reshape(-1)].astype(np.intp)


@dataclass(frozen=True)
class PeriodRows:
    """Rows of the largest component, in no order. A row without a voter is `size` voters of one vote each."""

    a: Ints  # (n,) place in the component
    b: Ints
    period: Ints
    voter: npt.NDArray[np.int64]  # a code of its own for each row without one
    size: Floats
    count: npt.NDArray[np.int64]
    residual: Floats  # weight times (score - expected)
    q: Floats  # information about the log-odds
    x: Floats  # (n, F) covariates as the fit has them


def periods_of_models(
    votes: Prepared, analysis: Analysis, periods: Periods, of_period: Callable[[Plan, float, float], Plan]
) -> PeriodRows:
    """The rows of `analysis` period by period; `of_period` narrows its plan to the time from start to end."""
    part = analysis.parts[0]
    local = np.full(len(analysis.selection.models), -1, dtype=np.intp)
    local[part.members] = np.arange(len(part.members))
    kept = [analysis.selection.covariates.index(name) for name in part.styled.names]
    ends = (*periods.starts[1:], np.inf)
    pieces: list[list[np.ndarray]] = []
    for number, (start, end) in enumerate(zip(periods.starts, ends, strict=True)):
        _, rows = select(votes, of_period(analysis.plan, start, end))
        a, b = local[rows.a], local[rows.b]
        inside = np.flatnonzero((a >= 0) & (b >= 0))
        x = rows.x[inside][:, kept] / part.styled.rms
        columns = (rows.outcome, rows.voter, rows.count, rows.weight)
        pieces.append(
            [a[inside], b[inside], np.full(len(inside), number), x, *(np.array(c)[inside] for c in columns)]
        )
    a, b, period, x, outcome, voter, count, weight = (np.concatenate(p) for p in zip(*pieces, strict=True))
    each = weight * (count.sum() / max((weight * count).sum(), 1e-300)) * count
    k = part.fit.models
    theta = part.fit.theta
    p = expit(theta[a] - theta[b] + x @ part.fit.params[k : k + x.shape[1]])
    alone = voter < 0
    own = np.where(alone, np.arange(len(a), dtype=np.int64) + len(votes.voters), voter)
    return PeriodRows(
        a=a,
        b=b,
        period=period.astype(np.intp),
        voter=own,
        size=np.where(alone, count, 1).astype(np.float64),
        count=count,
        residual=each * (SCORES[outcome] - p),
        q=each * p * (1 - p),
        x=x,
    )
