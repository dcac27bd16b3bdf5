"""Do ratings move over time: each model's rating by period, tested by a score test with voters as clusters.

The fit lets no rating move. For model k and its periods t let delta_t be a shift of theta_k in period t. At delta = 0 the
efficient score of a voter g is u_g = sum_i r_i (a_i - x_i M C'), with r the residuals, a_i the columns of k by period, x_i the
row of the fit, M its inverse information and C = A'QX. Then S = sum u_g, V = sum u_g u_g', and Q = S' V^-1 S is read as d F(d,
G - d), d periods less one and G effective voters (Rao 1948; the clustered form, Wooldridge 2010). One step from zero,
delta = I^-1 S with I = A'QA - C M C', gives the size, with errors I^-1 V I^-1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaincc, stdtrit

from arena.errors import NoData
from arena.votes import VoteTable
from ratings.bradley_terry.intervals import LEVEL
from ratings.design import rows as design_rows
from ratings.diagnostics.periods import PeriodRows, Periods, periods, periods_of_models
from ratings.leaderboard import Plan
from ratings.ranking.analysis import Analysis
from ratings.scale import ELO, Floats, Ints
from ratings.stats.multiplicity import adjusted

MIN_VOTES = 20  # of a model in a period that is held against the others
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class PeriodRating:
    """A model's rating in one period: Elo, on the board's scale."""

    start: float  # seconds UTC
    votes: int
    rating: float
    low: float  # 95 %
    high: float


@dataclass(frozen=True)
class ModelDrift:
    """One model over the periods in which it has votes enough."""

    model: str
    periods: tuple[PeriodRating, ...]
    span: float  # Elo between its lowest and highest period
    p: float  # no movement at all
    p_adjusted: float  # Holm over the models tested
    drifted: bool


@dataclass(frozen=True)
class Drift:
    """Models by P value. `gap` to another model moves if one of the two does: ratings are relative to the board's."""

    unit: str  # week, month or quarter
    starts: tuple[float, ...]
    votes: int  # with a time
    without_time: int
    tested: int
    untested: tuple[str, ...]  # models with fewer than two periods of enough votes
    models: tuple[ModelDrift, ...]


def drift(table: VoteTable, analysis: Analysis, rating: Mapping[str, float]) -> Drift:
    """The drift of the models of the board, whose ratings are `rating`. Raises `NoData` where the votes cannot tell."""
    part = analysis.parts[0] if analysis.parts else None
    if part is None or part.spread is None:
        raise NoData("too few votes or voters for errors")
    if part.styled.ties:
        raise NoData("not tested with Davidson ties")
    found = periods(table.at, np.where(table.used, table.count, 0), len(part.members))
    if found is None:
        raise NoData("the votes have no times, or all are of one week")
    rows = periods_of_models(design_rows.prepare(table, analysis.plan.style), analysis, found, _plan)
    shifts = _Shifts(rows, part.spread.fisher, part.fit.models, len(found.starts))
    names = [analysis.selection.models[index] for index in part.members]
    effective = part.spread.effective
    tested = [
        (name, shift)
        for k, name in enumerate(names)
        if name in rating and (shift := shifts.of(k, float(effective[k]))) is not None
    ]
    corrected = adjusted([shift.p for _, shift in tested]) if tested else ()
    models = [
        _model(name, shift, float(p), found, rating[name])
        for (name, shift), p in zip(tested, corrected, strict=True)
    ]
    told = {model.model for model in models}
    return Drift(
        unit=found.unit,
        starts=found.starts,
        votes=int(rows.count.sum()),
        without_time=analysis.selection.used - int(rows.count.sum()),
        tested=len(models),
        untested=tuple(sorted(set(names) - told)),
        models=tuple(sorted(models, key=lambda row: (row.p, row.model))),
    )


def _plan(plan: Plan, start: float, end: float) -> Plan:
    """`plan` with the votes of one period only."""
    since = start if plan.since is None else max(start, plan.since)
    until = end if plan.until is None else min(end, plan.until)
    return replace(plan, since=since, until=until, rounds=0, anchor=None)


def _model(name: str, shift: _Shift, p: float, found: Periods, rating: float) -> ModelDrift:
    half = float(stdtrit(shift.nu, 1 - (1 - LEVEL) / 2)) * shift.error
    by_period = tuple(
        PeriodRating(
            found.starts[t], int(votes), rating + ELO * d, rating + ELO * (d - h), rating + ELO * (d + h)
        )
        for t, votes, d, h in zip(
            shift.periods.tolist(), shift.votes, shift.delta.tolist(), half.tolist(), strict=True
        )
    )
    span = ELO * float(shift.delta.max() - shift.delta.min())
    return ModelDrift(name, by_period, span, shift.p, p, p < SIGNIFICANT)


@dataclass(frozen=True)
class _Shift:
    """Shifts of one model by period, in log-odds around their mean over its votes."""

    periods: Ints
    votes: Floats
    delta: Floats
    error: Floats
    nu: float
    p: float


class _Shifts:
    """The score tests of all models on the same rows; `inverse` (D, D) of the information, `models` K of D."""

    def __init__(self, rows: PeriodRows, inverse: Floats, models: int, count: int) -> None:
        self.rows, self.inverse, self.models, self.count = rows, inverse, models, count
        n, d = len(rows.a), len(inverse)
        index = np.arange(n)
        places = (np.tile(index, 2), np.concatenate([rows.a, rows.b]))
        sides = csr_array((np.repeat([1.0, -1.0], n), places), shape=(n, models))
        # (voters, n) sums over a voter; a row of equal anonymous votes is one voter by its square root.
        groups, code = np.unique(rows.voter, return_inverse=True)
        by_voter = csr_array((1 / np.sqrt(rows.size), (code.reshape(-1), index)), shape=(len(groups), n))
        self.by_voter = by_voter
        self.scores = np.zeros((len(groups), d))
        weighted = sides.multiply(rows.residual[:, None]).tocsr()
        self.scores[:, :models] = (by_voter @ weighted).toarray()
        styled = np.asarray(by_voter @ (rows.x * rows.residual[:, None]), dtype=np.float64)
        self.scores[:, models : models + rows.x.shape[1]] = styled
        self.sides = sides

    def of(self, model: int, voters: float) -> _Shift | None:
        """The shifts of `model` (None: fewer than two periods with votes enough, or too few effective `voters`)."""
        rows = self.rows
        mine = np.flatnonzero((rows.a == model) | (rows.b == model))
        own_votes = np.bincount(rows.period[mine], weights=rows.count[mine], minlength=self.count)
        votes = np.asarray(own_votes, dtype=np.float64)
        kept = np.flatnonzero(votes >= MIN_VOTES)
        freedom = len(kept) - 1
        if freedom < 1 or voters - freedom < 2:
            return None
        # The period with most votes, and those with too few, are what the others are held against.
        base = int(kept[np.argmax(votes[kept])])
        moving = kept[kept != base]
        column = np.full(self.count, -1)
        column[moving] = np.arange(len(moving))
        mine = mine[column[rows.period[mine]] >= 0]
        sign = np.where(rows.a[mine] == model, 1.0, -1.0)
        own = np.zeros((len(mine), len(moving)))
        own[np.arange(len(mine)), column[rows.period[mine]]] = sign
        score, information, variance = self._score(mine, own)
        try:
            bread = np.linalg.inv(information)
            q = float(score @ np.linalg.solve(variance, score))
        except np.linalg.LinAlgError:
            return None
        full = np.zeros((len(kept), len(moving)))
        full[kept != base] = np.eye(len(moving))
        contrast = full - (votes[kept] / votes[kept].sum()) @ full
        covariance = contrast @ bread @ variance @ bread @ contrast.T
        error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        if not (error > 0).all() or q < 0:
            return None
        own_voters = float(self.rows.size[mine][np.unique(rows.voter[mine], return_index=True)[1]].sum())
        p = float(betaincc(freedom / 2, max(own_voters - freedom, 1.0) / 2, min(q / own_voters, 1.0)))
        return _Shift(kept, votes[kept], contrast @ bread @ score, error, voters - freedom, p)

    def _score(self, mine: Ints, own: Floats) -> tuple[Floats, Floats, Floats]:
        """Score (T,), efficient information (T, T) and its variance over voters (T, T) of columns `own` on rows `mine`."""
        rows = self.rows
        f = rows.x.shape[1]
        q = own * rows.q[mine][:, None]
        cross = np.zeros((own.shape[1], len(self.inverse)))
        cross[:, : self.models] = (self.sides[mine].T @ q).T
        cross[:, self.models : self.models + f] = q.T @ rows.x[mine]
        projected = self.inverse @ cross.T
        score = own.T @ rows.residual[mine]
        moved = self.by_voter[:, mine] @ (own * rows.residual[mine][:, None]) - self.scores @ projected
        information = own.T @ q - cross @ projected
        return score, information, np.asarray(moved.T @ moved)


def listed(found: Drift) -> Sequence[ModelDrift]:
    """Those that moved."""
    return [model for model in found.models if model.drifted]
