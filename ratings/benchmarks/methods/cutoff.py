"""Dated items: does a model do worse on items that appeared after its training ended?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import fisher_exact
from scipy.stats import t as student

from ratings.stats.arguments import BadNumber, Float, finite, inner, same_length, spread, vector
from ratings.stats.intervals import t_interval
from ratings.stats.multiplicity import adjusted

TOO_FEW = "fewer than two dated items on one side of the cut-off"


@dataclass(frozen=True)
class CutoffGap:
    """Mean before the cut-off minus mean after it; None where one side has fewer than two items."""

    before: float | None
    after: float | None
    n_before: int
    n_after: int
    drop: float | None
    se: float | None  # Welch
    low: float | None
    high: float | None
    p: float | None  # two-sided: Fisher's exact test for 0/1 scores, else Welch's t
    why: str | None = None


def cutoff_gap(
    scores: Sequence[Any] | Float, dates: Sequence[Any] | Float, cutoff: float, level: float = 0.95
) -> CutoffGap:
    """The drop of one model's item scores (n,) across its cut-off; items dated at the cut-off count as after.

    `dates` and `cutoff` share any unit (seconds, days). Items without a score or a date are left out. A drop is a sign, not a proof:
    newer items may be harder for everyone, which `cutoff_report` takes off.
    """
    x, when = vector("scores", scores, gaps=True), vector("dates", dates, gaps=True)
    same_length(scores=x, dates=when)
    known = ~(np.isnan(x) | np.isnan(when))
    early = when < finite("cutoff", cutoff)
    return _gap(x[known & early], x[known & ~early], inner("level", level))


@dataclass(frozen=True)
class ModelGap:
    """One model's drop, plain and beyond that of its peers on the same items."""

    model: str
    cutoff: float
    plain: CutoffGap
    beyond_peers: CutoffGap  # of score minus the mean of the other models on the item
    p_holm: float | None  # of beyond_peers, over all models of the report
    flagged: bool  # drops beyond its peers, at 1 - level after Holm's correction


def cutoff_report(
    scores: npt.ArrayLike,
    dates: Sequence[Any] | Float,
    models: Sequence[str],
    cutoffs: Mapping[str, float],
    level: float = 0.95,
) -> tuple[ModelGap, ...]:
    """The drop of every model with a known cut-off, the largest beyond its peers first.

    `scores` (M, N) with nan for missing. The peers' mean of each item takes off that newer items are harder for all; peers that were
    trained on the same early items hide a part of a leak. Clusters of items are not minded.
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2 or x.shape[0] != len(models):
        raise BadNumber(f"scores of shape {x.shape} for {len(models)} models")
    unknown = sorted(set(cutoffs) - set(models))
    if unknown:
        raise BadNumber(f"a cut-off for {unknown[0]!r}, which has no scores")
    rows = [
        ModelGap(
            model=model,
            cutoff=cutoffs[model],
            plain=cutoff_gap(x[row], dates, cutoffs[model], level),
            beyond_peers=cutoff_gap(x[row] - _peers(x, row), dates, cutoffs[model], level),
            p_holm=None,
            flagged=False,
        )
        for row, model in enumerate(models)
        if model in cutoffs
    ]
    return tuple(
        sorted(_corrected(rows, level), key=lambda row: (-(row.beyond_peers.drop or -math.inf), row.model))
    )


def _corrected(rows: list[ModelGap], level: float) -> list[ModelGap]:
    tested = [row for row in rows if row.beyond_peers.p is not None]
    p = dict(
        zip(
            (row.model for row in tested),
            adjusted([row.beyond_peers.p or 0.0 for row in tested]),
            strict=True,
        )
    )
    found = []
    for row in rows:
        holm = float(p[row.model]) if row.model in p else None
        falls = holm is not None and holm <= 1 - level and (row.beyond_peers.drop or 0.0) > 0
        found.append(replace(row, p_holm=holm, flagged=falls))
    return found


def _peers(x: Float, row: int) -> Float:
    others = np.delete(x, row, axis=0)
    n = np.count_nonzero(~np.isnan(others), axis=0)
    total: Float = np.nansum(others, axis=0)
    means: Float = np.divide(total, n, out=np.full(x.shape[1], np.nan), where=n > 0)
    return means


def _gap(early: Float, late: Float, level: float) -> CutoffGap:
    n, m = len(early), len(late)
    before, after = (float(part.mean()) if len(part) else None for part in (early, late))
    if n < 2 or m < 2 or before is None or after is None:
        return CutoffGap(before, after, n, m, None, None, None, None, None, TOO_FEW)
    parts = spread(early) ** 2 / n, spread(late) ** 2 / m
    drop, se = before - after, math.sqrt(sum(parts))
    if se == 0:
        return CutoffGap(
            before, after, n, m, drop, 0.0, None, None, _exact(early, late), "no spread on either side"
        )
    freedom = se**4 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1))
    low, high = t_interval(drop, se, freedom, level)
    p = _exact(early, late)
    return CutoffGap(
        before,
        after,
        n,
        m,
        drop,
        se,
        low,
        high,
        float(2 * student.sf(abs(drop) / se, freedom)) if p is None else p,
    )


def _exact(early: Float, late: Float) -> float | None:
    """Fisher's test for right and wrong; None for partial credit."""
    if not all(np.isin(part, (0, 1)).all() for part in (early, late)):
        return None
    table = np.array([[int(part.sum()), len(part) - int(part.sum())] for part in (early, late)])
    return float(fisher_exact(table).pvalue)
