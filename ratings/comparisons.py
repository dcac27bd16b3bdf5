"""The comparisons of one component: arrays on 0..K-1, sorted by pair, ready to fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ratings.design import B_WINS, TIE, Codes, Counts, Features, Rows
from ratings.scale import Floats


@dataclass(frozen=True)
class Comparisons:
    """Weighted comparisons of K models by G groups of voters.

    A group is one voter (`size` 1), or `size` voters of whom each cast one and the same vote: equal votes
    without a voter are kept as one row. A vote's weight never counts as sample size.
    """

    models: int  # K
    pair_a: Codes  # (P,) a < b, in order
    pair_b: Codes  # (P,)
    starts: npt.NDArray[np.int64]  # (P + 1,) rows of pair p are starts[p]:starts[p + 1]
    voter: Codes  # (n,) group
    count: Counts  # (n,) votes
    weight: Floats  # (n,) total weight
    score: Floats  # (n,) a's share of the weight, ties half
    ties: Floats  # (n,) the weight of the ties
    x: Features  # (n, F) covariates, scaled
    size: Counts  # (G,)

    @property
    def pair(self) -> Codes:
        """(n,) index of each row's pair."""
        return np.repeat(np.arange(len(self.pair_a), dtype=np.int32), np.diff(self.starts))

    @property
    def voters(self) -> int:
        return int(self.size.sum())

    def with_covariates(self, x: Features) -> Comparisons:
        return replace(self, x=x)


def gather(rows: Rows, members: npt.NDArray[np.intp]) -> Comparisons:
    """The comparisons among `members` (indices in order), covariates as they are in `rows`."""
    local = np.full(len(rows.models), -1, dtype=np.int32)
    local[members] = np.arange(len(members), dtype=np.int32)
    a, b = local[rows.a], local[rows.b]
    inside = np.flatnonzero((a >= 0) & (b >= 0))
    a, b = a[inside], b[inside]
    outcome, count = rows.outcome[inside], rows.count[inside]
    weight = _normalised(rows.weight[inside], count) * count
    voter, size = _groups(rows.voter[inside], count)
    starts = runs(a, b)
    first = starts[:-1]
    data = Comparisons(
        models=len(members),
        pair_a=a[first],
        pair_b=b[first],
        starts=starts,
        voter=voter,
        count=count,
        weight=weight,
        score=np.where(outcome == TIE, 0.5, np.where(outcome == B_WINS, 0.0, 1.0)) * weight,
        ties=np.where(outcome == TIE, weight, 0.0),
        x=rows.x[inside],
        size=size,
    )
    return data if data.x.shape[1] else _cells(data)


def runs(*columns: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Where the runs of equal rows start, and the end of the last: (runs + 1,)."""
    n = len(columns[0])
    if n == 0:
        return np.zeros(1, dtype=np.int64)
    changed = np.zeros(n - 1, dtype=np.bool_)
    for column in columns:
        changed |= column[1:] != column[:-1]
    return np.concatenate([[0], np.flatnonzero(changed) + 1, [n]]).astype(np.int64)


def _normalised(each: Floats, count: Counts) -> Floats:
    """Weights of mean 1 over the votes: only their ratios matter, and information stays in units of votes."""
    if len(each) == 0 or (each == 1).all():
        return each
    return np.asarray(each * (count.sum() / (each * count).sum()), dtype=np.float64)


def _groups(voter: Codes, count: Counts) -> tuple[Codes, Counts]:
    """Named voters by order of name, then one group for each row without a voter."""
    named = voter >= 0
    names, code = np.unique(voter[named], return_inverse=True)
    group = np.empty(len(voter), dtype=np.int32)
    group[named] = code
    group[~named] = len(names) + np.arange(int((~named).sum()))
    size = np.concatenate([np.ones(len(names), dtype=np.int64), count[~named]])
    return group, size


def _cells(data: Comparisons) -> Comparisons:
    """The rows of one voter on one pair as one row."""
    pair = data.pair
    starts = runs(pair, data.voter)
    if len(starts) == len(pair) + 1:
        return data
    first = starts[:-1]
    return replace(
        data,
        starts=np.searchsorted(pair[first], np.arange(len(data.pair_a) + 1)).astype(np.int64),
        voter=data.voter[first],
        count=np.add.reduceat(data.count, first),
        weight=np.add.reduceat(data.weight, first),
        score=np.add.reduceat(data.score, first),
        ties=np.add.reduceat(data.ties, first),
        x=data.x[first],
    )
