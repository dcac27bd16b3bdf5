"""Covariates of a fit: scaled by their root mean square, not centred; those without a finite estimate dropped and named."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arena.errors import NotConverged
from ratings import bradley_terry, davidson
from ratings.bradley_terry import Fit
from ratings.comparisons import Comparisons
from ratings.design import SIDE
from ratings.engine import NUMPY, Engine
from ratings.leaderboard import Dropped
from ratings.scale import Floats

SAME_DIRECTION = (
    1e-9  # share of a column left beside the models and the columns before it, below which it is theirs
)
NO_FINITE_ESTIMATE = 20.0  # log-odds per root mean square; e^20 to one is beyond any count of votes


@dataclass(frozen=True)
class Styled:
    """A fit with the covariates that could be estimated, the data it was made on, and the dropped ones."""

    fit: Fit
    data: Comparisons
    names: tuple[str, ...]
    rms: Floats  # (F,) what each column was divided by; 1 for the side
    ties: bool  # Davidson's nu is the last parameter
    dropped: tuple[Dropped, ...]


def fit(
    data: Comparisons,
    names: tuple[str, ...],
    *,
    ties: bool = False,
    prior: bool = False,
    engine: Engine = NUMPY,
) -> Styled:
    """Fit with covariates `names`, the columns of `data.x` before scaling.

    A column that is zero throughout, that the models or earlier columns explain wholly (a side that goes with
    the model), or whose estimate runs to infinity (it separates wins from losses) is dropped and named. So
    is `nu`, with ties as half wins instead, where ties or decisive votes do not determine it.
    """
    columns = identifiable(data, names, engine)
    dropped = [*columns.dropped]
    if ties and not davidson.finite(data):
        dropped.append(Dropped("nu", "no finite estimate from these ties: they count as half wins"))
        ties = False
    while True:
        data, names = columns.data, columns.names
        try:
            best = bradley_terry.fit(data, ties=ties, prior=prior, engine=engine)
            sizes = np.abs(best.params[data.models : data.models + len(names)])
        except NotConverged:
            if not names:
                raise
            sizes = _growth(data, ties, prior)[: len(names)]
            sizes[np.argmax(sizes)] = np.inf
        if not names or sizes.max() < NO_FINITE_ESTIMATE:
            return Styled(best, data, names, columns.rms, ties, tuple(dropped))
        worst = int(np.argmax(sizes))
        dropped.append(Dropped(names[worst], "no finite estimate: it separates wins from losses"))
        columns = columns.keep([column for column in range(len(names)) if column != worst])


@dataclass(frozen=True)
class Columns:
    """Data with scaled covariates, and the covariates left out."""

    data: Comparisons
    names: tuple[str, ...]
    rms: Floats  # (F,)
    dropped: tuple[Dropped, ...]

    def keep(self, kept: list[int]) -> Columns:
        """The same with only the columns `kept`."""
        return replace(
            self,
            data=self.data.with_covariates(self.data.x[:, kept]),
            names=tuple(self.names[column] for column in kept),
            rms=self.rms[kept],
        )


def identifiable(data: Comparisons, names: tuple[str, ...], engine: Engine = NUMPY) -> Columns:
    """The columns that can be estimated, style scaled by its root mean square over the votes; the others named."""
    if not names:
        return Columns(data, names, np.ones(0), ())
    dropped: list[Dropped] = []
    kept: list[int] = []
    # At zero every vote has the same information, a quarter of its weight.
    gram = bradley_terry.centred(bradley_terry.information_at_zero(data, engine), data.models)
    squares = [(data.count * x.astype(np.float64) ** 2).sum() for x in data.x.T]
    rms = np.sqrt(np.array(squares, dtype=np.float64) / data.count.sum())
    for column, name in enumerate(names):
        if rms[column] == 0:
            dropped.append(Dropped(name, "not identifiable: zero in every vote"))
        elif _left_over(gram, data.models, kept, column) < SAME_DIRECTION:
            dropped.append(Dropped(name, "not identifiable: confounded with the models or another covariate"))
        else:
            kept.append(column)
    scale = np.where([name == SIDE for name in names], 1.0, np.where(rms > 0, rms, 1.0))
    scaled = data.with_covariates(np.asarray(data.x / scale, dtype=np.float32))
    return Columns(scaled, names, scale, tuple(dropped)).keep(kept)


def _left_over(gram: Floats, models: int, others: list[int], column: int) -> float:
    """The share of a column's sum of squares that neither models nor the other columns explain."""
    explaining = [*range(models), *(models + other for other in others)]
    at = models + column
    explained = gram[at, explaining] @ np.linalg.solve(
        gram[np.ix_(explaining, explaining)], gram[explaining, at]
    )
    return float(1.0 - explained / gram[at, at])


def _growth(data: Comparisons, ties: bool, prior: bool) -> Floats:
    """How far each covariate has run after some damped steps of a fit that does not end."""
    evaluate = bradley_terry.on_rows(data, None, ties=ties, prior=prior)
    params = np.zeros((1, data.models + data.x.shape[1] + ties))
    for _ in range(30):
        gradient, information = evaluate(params, bradley_terry.ONE_LANE)
        information += 1e-9 * np.eye(information.shape[1])
        step = bradley_terry.solve(information, gradient, data.models)
        params += step / max(1.0, float(np.abs(step).max()))
    return np.abs(params[0, data.models :])
