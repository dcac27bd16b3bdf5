"""The votes behind a fit with their periods: residuals and information of each row at the fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ratings.design.comparisons import SCORES
from ratings.design.rows import Prepared
from ratings.design.selection import select
from ratings.diagnostics.periods import Periods
from ratings.engine.reference.pairs import expit
from ratings.leaderboard import Plan
from ratings.ranking.analysis import Analysis
from ratings.scale import Floats, Ints


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


def gather(
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
