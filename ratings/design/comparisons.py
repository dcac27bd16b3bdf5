"""The comparisons of one component: arrays on 0..K-1, sorted by pair, ready to fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ratings.design.rows import TIE, Codes, Counts, Features, Rows, pick
from ratings.scale import Floats

LARGE = 100_000  # rows from which a pass is shared by threads
SCORES = np.array([1.0, 0.0, 0.5])  # a's share of a win, a loss and a tie


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

    @cached_property
    def max_abs(self) -> Floats:
        """(F,) the largest |x|."""
        return np.array(
            [max(column.max(initial=0), -column.min(initial=0)) for column in self.x.T], dtype=np.float64
        )

    def with_covariates(self, x: Features) -> Comparisons:
        return replace(self, x=x)

    def factor(self, scale: Floats) -> Features:
        """(F,) what covariates are multiplied by to be divided by `scale`: all that do so round alike."""
        return np.asarray((1.0 / scale).astype(self.x.dtype))

    def over(self, scale: Floats) -> Comparisons:
        """The same with each covariate divided by its scale (F,)."""
        x = np.empty(self.x.shape, self.x.dtype)
        # A column at a time: broadcasting along so few columns takes five times as long.
        for column, factor in enumerate(self.factor(scale)):
            np.multiply(self.x[:, column], factor, out=x[:, column])
        return self.with_covariates(x)


def gather(rows: Rows, members: npt.NDArray[np.intp], models: int, *, ties: bool = False) -> Comparisons:
    """The comparisons among `members` (in order, of `models`); the weight of ties only where asked for."""
    local = np.full(models, -1, dtype=np.int32)
    local[members] = np.arange(len(members), dtype=np.int32)
    a, b = local[rows.a], local[rows.b]
    together = (a >= 0) & (b >= 0)
    inside = slice(None) if together.all() else np.flatnonzero(together)
    a, b = a[inside], b[inside]
    outcome, count = rows.outcome[inside], pick(rows.count, inside)
    weight = _normalised(pick(rows.weight, inside), count) * count
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
        score=SCORES[outcome] * weight,
        ties=np.where(outcome == TIE, weight, 0.0) if ties else np.broadcast_to(0.0, len(weight)),
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
    everyone = bool(named.all())
    seen = np.zeros(int(voter.max(initial=-1)) + 2, dtype=np.bool_)
    seen[voter if everyone else voter[named]] = True
    place = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    ones = np.ones(int(seen.sum()), dtype=np.int64)
    if everyone:
        return place[voter], ones
    alone = int((~named).sum())
    group = np.empty(len(voter), dtype=np.int32)
    group[named] = place[voter[named]]
    group[~named] = len(ones) + np.arange(alone, dtype=np.int32)
    return group, np.concatenate([ones, count[~named]])


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
