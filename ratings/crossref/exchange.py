"""The exchange rate: how many Elo points go with one point of the benchmark, errors in both, and who is off the line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from ratings.crossref.measures import Measure
from ratings.stats.arguments import Float, Undefined
from ratings.stats.multiplicity import adjusted

FALSE_DISCOVERIES = 0.1
FEWEST = 5


@dataclass(frozen=True)
class OffLine:
    """One model against the line through the others."""

    model: str
    residual: float  # Elo points above what the benchmark foretells
    t: float
    p: float
    p_adjusted: float  # Benjamini-Hochberg over the models
    flagged: bool  # below 10 %


@dataclass(frozen=True)
class Exchange:
    """rating = intercept + slope score, by Deming's errors-in-variables fit; the interval by the jackknife over models."""

    slope: float  # Elo points for 1.0 of the score
    low: float
    high: float
    intercept: float
    error_ratio: float | None  # error variance of ratings over that of scores; None: scores taken as exact
    residuals: tuple[OffLine, ...]  # in order of the models


def exchange(ratings: Measure, scores: Measure, level: float = 0.95) -> Exchange:
    """The line and the residuals. Raises `Undefined` for fewer than five models or unrelated measures.

        d = tr(H V)/tr(H Sigma),  slope = (s_RR - d s_SS + sqrt((s_RR - d s_SS)^2 + 4 d s_RS^2))/(2 s_RS)

    Deming 1943; jackknife after Linnet 1990. A residual is studentised by the line and the scatter of the OTHER
    models, t(M - 3), so that it asks "is this model off what this benchmark foretells", lack of fit included.
    """
    x, y = scores.values, ratings.values
    m = len(x)
    if m < FEWEST:
        raise Undefined(f"{m} models: a line and its errors need {FEWEST}")
    ratio = ratings.noise / scores.noise if scores.noise > 0 else None
    slope, intercept = deming(x, y, ratio)
    left = [deming(np.delete(x, i), np.delete(y, i), ratio) for i in range(m)]
    pseudo = m * slope - (m - 1) * np.array([line[0] for line in left])
    half = float(stdtrit(m - 1, (1 + level) / 2)) * float(pseudo.std(ddof=1)) / m**0.5
    return Exchange(
        slope, slope - half, slope + half, intercept, ratio, _residuals(ratings.models, x, y, left)
    )


def deming(x: Float, y: Float, ratio: float | None) -> tuple[float, float]:
    """Slope and intercept; `ratio` is error variance of y over that of x, None for exact x (least squares)."""
    u, v = x - x.mean(), y - y.mean()
    sxx, syy, sxy = float(u @ u), float(v @ v), float(u @ v)
    if sxx == 0 or sxy == 0:
        raise Undefined("the measures do not vary together: no line")
    if ratio is None:
        slope = sxy / sxx
    else:
        # Scaled so that the two terms are alike in size; the smaller root is got without cancellation.
        b = syy - ratio * sxx
        root = float(np.hypot(b, 2 * np.sqrt(ratio) * sxy))
        slope = (b + root) / (2 * sxy) if b >= 0 else 2 * ratio * sxy / (root - b)
    return slope, float(y.mean() - slope * x.mean())


def _residuals(
    models: tuple[str, ...], x: Float, y: Float, left: list[tuple[float, float]]
) -> tuple[OffLine, ...]:
    found = []
    for i, (slope, intercept) in enumerate(left):
        others, rated = np.delete(x, i), np.delete(y, i)
        e = rated - intercept - slope * others
        scatter = float(e @ e) / (len(e) - 2)
        spread = float(((others - others.mean()) ** 2).sum())
        wide = scatter * (1 + 1 / len(e) + (x[i] - others.mean()) ** 2 / spread)
        off = float(y[i] - intercept - slope * x[i])
        t = off / wide**0.5 if wide > 0 else 0.0
        found.append((off, float(t), float(2 * stdtr(len(e) - 2, -abs(t)))))
    corrected = adjusted([p for _, _, p in found], "fdr_bh").tolist()
    return tuple(
        OffLine(model, off, t, p, q, q <= FALSE_DISCOVERIES)
        for model, (off, t, p), q in zip(models, found, corrected, strict=True)
    )
