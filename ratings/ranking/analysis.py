"""Everything behind a leaderboard: fits, covariances, rounds, intervals and ranks of each component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from arena.errors import NoData
from ratings import scale
from ratings.bradley_terry.fit import Fit
from ratings.bradley_terry.intervals import ContrastIntervals, calibrated_interval
from ratings.bradley_terry.jackknife import Covariance
from ratings.bradley_terry.ranks import Ranks
from ratings.bradley_terry.style import CovariateFit
from ratings.design.comparisons import Comparisons
from ratings.design.components import Components
from ratings.design.selection import Selection
from ratings.leaderboard import Plan
from ratings.scale import ELO, Bools, Floats, Ints


@dataclass(frozen=True)
class ComponentFit:
    """One fitted component. Arrays are over its models (K,), parameters (D,) and rounds (R,)."""

    members: Ints  # index into the models, in order
    data: Comparisons
    styled: CovariateFit
    plain: Fit | None  # the fit without style on the same votes
    mean: Floats  # (K,) weights of the reference mean
    spread: Covariance | None  # None: too few voters
    rounds: Floats | None  # (R, D) refitted parameters
    ranked: Bools  # (K,) has an interval and belongs to the board
    ratings: ContrastIntervals | None  # (K,) in log-odds, around theta - m
    coefficients: ContrastIntervals | None  # (D - K,)
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

    def covariance(self, kind: Literal["cr3", "cr1", "fisher"] = "cr3") -> Floats:
        """(K, K) covariance of the ratings in log-odds. Raises `NoData` where there are too few voters."""
        return np.asarray(self.contrasts @ getattr(self._known_spread(), kind) @ self.contrasts.T)

    def contrast(self, row: Floats, effective: float) -> Contrast:
        """The contrast `row` (D,) of the parameters, with its interval by `effective` voters; raises `NoData`."""
        interval = contrast_intervals(
            self.fit, self._known_spread(), self.rounds, row[None], np.array([effective])
        )
        low, high, se = (float(values[0]) * ELO for values in (interval.low, interval.high, interval.se))
        return Contrast(float(row @ self.fit.params) * ELO, low, high, se, effective)

    def _known_spread(self) -> Covariance:
        if self.spread is None:
            raise NoData("fewer than five voters in this component: no errors")
        return self.spread


@dataclass(frozen=True)
class Contrast:
    """A difference in Elo, with its interval, its error (CR3, or Fisher where voters show no spread) and its voters."""

    estimate: float
    low: float
    high: float
    se: float
    effective_voters: float


@dataclass(frozen=True)
class Analysis:
    """Everything behind a leaderboard."""

    plan: Plan
    selection: Selection
    components: Components
    parts: tuple[ComponentFit, ...]  # in the order of components, the largest first

    def gap(self, a: str, b: str) -> Contrast:
        """How far `a` is above `b` in Elo. Raises `NoData` where the votes cannot tell."""
        for part in self.parts:
            names = [self.selection.models[index] for index in part.members]
            if a in names and b in names and a != b:
                return self._gap(part, names.index(a), names.index(b))
        raise NoData(f"no votes link {a!r} and {b!r}")

    def _gap(self, part: ComponentFit, a: int, b: int) -> Contrast:
        if part.spread is not None and part.spread.disconnected_without_one_voter[[a, b]].any():
            raise NoData("one of the two hangs on a single voter: no interval")
        row = np.zeros(len(part.fit.params))
        row[a], row[b] = 1.0, -1.0
        effective = part.spread.effective[[a, b]].min() if part.spread is not None else 1.0
        return part.contrast(row, float(effective))


def contrast_intervals(
    best: Fit, spread: Covariance, rounds: Floats | None, rows: Floats, effective: Floats
) -> ContrastIntervals:
    """Intervals in log-odds of contrasts `rows` (m, D), each by its own number of effective voters (m,)."""

    def errors(covariance: Floats) -> Floats:
        return np.asarray(np.sqrt(np.maximum(np.einsum("id,id->i", rows @ covariance, rows), 0.0)))

    moved = None if rounds is None else rounds @ rows.T
    return calibrated_interval(
        rows @ best.params, errors(spread.cr3), errors(spread.fisher), effective, moved
    )
