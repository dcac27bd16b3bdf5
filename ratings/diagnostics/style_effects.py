"""What style is worth to each model: its rating with style control minus the one without, with an interval from joint rounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings import scale
from ratings.bradley_terry import intervals
from ratings.ranking.analysis import Analysis, ComponentFit
from ratings.scale import ELO


@dataclass(frozen=True)
class StyleEffect:
    """Elo points; negative: the model's rating as voted owes so much to its style."""

    model: str
    effect: float
    low: float | None  # 95 %
    high: float | None


@dataclass(frozen=True)
class StyleEffects:
    """The models of the board, in order of name. `why`: no intervals, and the reason."""

    models: tuple[StyleEffect, ...]
    why: str | None


def style_effects(styled: Analysis, plain: Analysis) -> StyleEffects | None:
    """Both analyses of the same votes under plans that differ in style only; None where no style was fitted.

    With the same voters in both, round r weighs each voter alike in both, so that the rounds of the difference are its
    own bootstrap; they are stretched around the estimate as the wider calibrated of the two ratings' rounds are.
    """
    part = styled.parts[0] if styled.parts else None
    if part is None or part.plain is None:
        return None
    why = _not_joint(part, plain)
    estimate = (part.contrasts[:, : part.fit.models] @ (part.fit.theta - part.plain.theta)) * ELO
    names = [styled.selection.models[index] for index in part.members]
    low = high = np.full(len(names), np.nan)
    if why is None:
        low, high = _bounds(part, plain.parts[0], estimate)
    rows = [
        StyleEffect(name, float(e), *(None if np.isnan(x) else float(x) for x in (down, up)))
        for name, e, down, up in zip(names, estimate, low, high, strict=True)
    ]
    return StyleEffects(tuple(rows), why)


def _not_joint(part: ComponentFit, plain: Analysis) -> str | None:
    other = plain.parts[0] if plain.parts else None
    if part.rounds is None or other is None or other.rounds is None:
        return "no intervals: they need bootstrap rounds of both fits"
    if not np.array_equal(part.members, other.members) or part.data.count.sum() != other.data.count.sum():
        return "no intervals: the two fits are of different votes, since some lack the traits"
    if part.data.size.max() > 1 or other.data.size.max() > 1 or part.data.voters != other.data.voters:
        return "no intervals: votes without a voter are drawn anew in each fit"
    if len(part.data.size) != len(other.data.size) or part.rounds.shape[0] != other.rounds.shape[0]:
        return "no intervals: the two fits have no rounds in common"
    return None


def _bounds(
    part: ComponentFit, other: ComponentFit, estimate: scale.Floats
) -> tuple[scale.Floats, scale.Floats]:
    assert part.rounds is not None
    assert other.rounds is not None
    assert part.ratings is not None
    assert other.ratings is not None
    k = part.fit.models
    rows = part.contrasts[:, :k]
    moved = (part.rounds[:, :k] - other.rounds[:, :k]) @ rows.T * ELO
    low, high = intervals.quantiles(estimate, moved)
    stretch = np.maximum(1.0, np.maximum(part.ratings.stretch, other.ratings.stretch))
    barred = (
        part.spread.disconnected_without_one_voter if part.spread is not None else np.ones(k, dtype=np.bool_)
    )
    nothing = barred | (high - low <= 1e-9)
    return (
        np.where(nothing, np.nan, estimate - stretch * (estimate - low)),
        np.where(nothing, np.nan, estimate + stretch * (high - estimate)),
    )
