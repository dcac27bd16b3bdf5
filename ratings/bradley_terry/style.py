"""Covariates of a fit: scaled by their root mean square, not centred; those without a finite estimate dropped and named."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import eigvalsh

from arena.errors import NotConverged
from ratings.bradley_terry import fit as bradley_terry_fit
from ratings.bradley_terry import fit_covariates
from ratings.bradley_terry.fit import Fit
from ratings.bradley_terry.fit_covariates import AtZero
from ratings.design.comparisons import Comparisons
from ratings.design.rows import SIDE
from ratings.engine.choice import NUMPY, Engine
from ratings.engine.reference import davidson
from ratings.leaderboard import Dropped
from ratings.scale import Floats

SAME_DIRECTION = (
    1e-9  # share of a column left beside the models and the columns before it, below which it is theirs
)
FLAT = 1e-10  # least share of information left at a finite estimate; e^-23, beyond any count of votes
STEPS_OF_GROWTH = 20  # log-odds at the most, before the last bits are lost


@dataclass(frozen=True)
class CovariateFit:
    """A fit with the covariates that could be estimated, the data it was made on, and the dropped ones."""

    fit: Fit
    votes: Comparisons  # covariates as they are
    names: tuple[str, ...]
    rms: Floats  # (F,) what each column was divided by; 1 for the side
    ties: bool  # Davidson's nu is the last parameter
    dropped: tuple[Dropped, ...]

    @cached_property
    def data(self) -> Comparisons:
        """The same with the covariates divided by `rms`."""
        return self.votes.over(self.rms) if self.names else self.votes


def fit(
    data: Comparisons,
    names: tuple[str, ...],
    *,
    ties: bool = False,
    prior: bool = False,
    engine: Engine = NUMPY,
) -> CovariateFit:
    """Fit with covariates `names`, the columns of `data.x` before scaling.

    A column that is zero throughout, that the models or earlier columns explain wholly (a side that goes with
    the model), or whose estimate runs to infinity (it separates wins from losses) is dropped and named. So
    is `nu`, with ties as half wins instead, where ties or decisive votes do not determine it.
    """
    columns = identifiable(data, names, engine)
    dropped = [*columns.dropped]
    if ties and not davidson.finite(data, prior=prior):
        dropped.append(Dropped("nu", "no finite estimate from these ties: they count as half wins"))
        ties = False
    kept, gone = list(range(len(columns.names))), list[int]()
    while (best := _estimate(columns.keep(kept), ties, prior, engine)) is None:
        running = _growth(columns.keep(kept), ties, prior)[: len(kept)]
        gone.append(kept.pop(int(np.argmax(running))))
    # One that ran only because of another has an estimate now that the other is gone.
    for column in gone[:-1]:
        more = sorted([*kept, column])
        again = _estimate(columns.keep(more), ties, prior, engine)
        if again is not None:
            kept, best = more, again
    parted = "wins, losses and ties" if ties else "wins from losses"
    dropped += [
        Dropped(columns.names[column], f"no finite estimate: it separates {parted}")
        for column in gone
        if column not in kept
    ]
    final = columns.keep(kept)
    return CovariateFit(best, final.data, final.names, final.rms, ties, tuple(dropped))


def _estimate(columns: CovariateColumns, ties: bool, prior: bool, engine: Engine) -> Fit | None:
    """The fit, or None where a covariate has no finite estimate. Raises `NotConverged` if there is no covariate."""
    if not columns.names:
        return bradley_terry_fit.fit(columns.data, ties=ties, prior=prior, engine=engine)
    try:
        best = fit_covariates.fit(
            columns.data, columns.zero, columns.rms, ties=ties, prior=prior, engine=engine
        )
    except NotConverged:
        return None
    at_zero = (
        fit_covariates.with_ties_at_zero(columns.data.over(columns.rms)) if ties else columns.zero.information
    )
    best = replace(best, min_information_ratio=_least_curvature(best, at_zero))
    return best if best.min_information_ratio > FLAT else None


@dataclass(frozen=True)
class CovariateColumns:
    """Data with covariates and their scale, and the covariates left out."""

    data: Comparisons  # covariates as they are
    names: tuple[str, ...]
    rms: Floats  # (F,)
    zero: AtZero  # covariates divided by their scale
    dropped: tuple[Dropped, ...]

    def keep(self, kept: list[int]) -> CovariateColumns:
        """The same with only the columns `kept`."""
        if kept == list(range(len(self.names))):
            return self
        return replace(
            self,
            zero=self.zero.keep(kept),
            data=self.data.with_covariates(np.ascontiguousarray(self.data.x[:, kept])),
            names=tuple(self.names[column] for column in kept),
            rms=self.rms[kept],
        )


def identifiable(data: Comparisons, names: tuple[str, ...], engine: Engine = NUMPY) -> CovariateColumns:
    """The columns that can be estimated, style scaled by its root mean square over the votes; the others named."""
    k = data.models
    zero = fit_covariates.at_zero(data, engine)
    if not names:
        return CovariateColumns(data, names, np.ones(0), zero, ())
    dropped: list[Dropped] = []
    kept: list[int] = []
    gram = zero.information
    rms = np.sqrt(_squares(data, gram) / data.count.sum())
    beside = gram[k:, k:] - gram[k:, :k] @ np.linalg.solve(gram[:k, :k], gram[:k, k:])
    for column, name in enumerate(names):
        if rms[column] == 0:
            dropped.append(Dropped(name, "not identifiable: zero in every vote"))
        elif _left_over(beside, kept, column) < SAME_DIRECTION * gram[k + column, k + column]:
            dropped.append(Dropped(name, "not identifiable: confounded with the models or another covariate"))
        else:
            kept.append(column)
    scale = np.where([name == SIDE for name in names], 1.0, np.where(rms > 0, rms, 1.0))
    return CovariateColumns(data, names, scale, zero.over(scale), tuple(dropped)).keep(kept)


def _squares(data: Comparisons, gram: Floats) -> Floats:
    """(F,) each column's sum of squares over the votes."""
    if (data.weight == data.count).all():
        # At zero every vote has the same information, a quarter of its weight.
        return np.asarray(4.0 * np.diag(gram)[data.models :])
    return np.array([(data.count * x.astype(np.float64) ** 2).sum() for x in data.x.T])


def _left_over(beside: Floats, others: list[int], column: int) -> float:
    """What the `others` leave of a column, from what the models leave of each product of columns (F, F)."""
    explained = beside[column, others] @ np.linalg.solve(
        beside[np.ix_(others, others)], beside[others, column]
    )
    return float(beside[column, column] - explained)


def _least_curvature(best: Fit, at_zero: Floats) -> float:
    """The smallest share, over all directions, of the information at zero that is left at the fit.

    Where covariates separate, alone or together with nu, votes grow certain and it falls to nothing, though the
    last step may be small.
    """
    information = bradley_terry_fit.centred(best.information, best.models)
    return float(eigvalsh(information, at_zero, subset_by_index=(0, 0))[0])


def _growth(columns: CovariateColumns, ties: bool, prior: bool) -> Floats:
    """(D - K,) how fast each covariate still runs after some bounded steps of a fit that does not end."""
    data = columns.data.over(columns.rms)
    evaluate = bradley_terry_fit.on_rows(data, None, ties=ties, prior=prior)
    params = np.zeros((1, data.models + data.x.shape[1] + ties))
    earlier = params
    for number in range(STEPS_OF_GROWTH):
        gradient, information = evaluate(params, bradley_terry_fit.ONE_LANE)
        information += 1e-9 * np.eye(information.shape[1])
        step = bradley_terry_fit.solve(information, gradient, data.models)
        earlier = params if number == STEPS_OF_GROWTH // 2 else earlier
        params = params + step / max(1.0, float(np.abs(step).max()))
    return np.asarray(np.abs(params - earlier)[0, data.models :])
