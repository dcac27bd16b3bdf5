"""Everything behind a leaderboard: fits, covariances, rounds, intervals and ranks of each component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.errors import NoData
from ratings import scale
from ratings.bradley_terry import Fit
from ratings.comparisons import Comparisons
from ratings.components import Components
from ratings.intervals import Interval
from ratings.jackknife import Spread
from ratings.leaderboard import Plan
from ratings.ranks import Ranks
from ratings.scale import Bools, Floats, Ints
from ratings.selection import Selection
from ratings.style import Styled


@dataclass(frozen=True)
class Part:
    """One fitted component. Arrays are over its models (K,), parameters (D,) and rounds (R,)."""

    members: Ints  # index into the models, in order
    data: Comparisons
    styled: Styled
    plain: Fit | None  # the fit without style on the same votes
    mean: Floats  # (K,) weights of the reference mean
    spread: Spread | None  # None: too few voters
    rounds: Floats | None  # (R, D) refitted parameters
    ranked: Bools  # (K,) has an interval and belongs to the board
    ratings: Interval | None  # (K,) in log-odds, around theta - m
    coefficients: Interval | None  # (D - K,)
    rank: Ranks  # (K,) 0: not ranked
    rank_low: Ranks
    rank_high: Ranks
    p_best: Floats  # (K,) nan: not known

    @property
    def fit(self) -> Fit:
        return self.styled.fit

    @property
    def contrasts(self) -> Floats:
        """(K, D) each rating as a contrast of the parameters."""
        return scale.contrasts(self.mean, len(self.fit.params))

    def covariance(self, kind: str = "cr3") -> Floats:
        """(K, K) covariance of the ratings in log-odds; kind cr3, cr1 or fisher. Raises `NoData` without intervals."""
        if self.spread is None:
            raise NoData("fewer than five voters: no covariance")
        return np.asarray(self.contrasts @ getattr(self.spread, kind) @ self.contrasts.T)


@dataclass(frozen=True)
class Analysis:
    """Everything behind a leaderboard."""

    plan: Plan
    selection: Selection
    components: Components
    parts: tuple[Part, ...]  # in the order of components, the largest first
