"""A model's rating over releases as a line with its band of intervals, in the units of an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ratings.releases.release import HistoryPoint

WIDTH, HEIGHT = 640, 120
LEFT = 46  # room for the two numbers of the axis


@dataclass(frozen=True)
class Polyline:
    """Points as an SVG polyline has them; `band` is empty unless two points have both bounds."""

    points: str
    band: str
    low: float  # rating at the lower edge
    high: float
    width: int = WIDTH
    height: int = HEIGHT


def trace(history: Sequence[tuple[HistoryPoint, float]], name: str) -> Polyline | None:
    """The line of `name` through (point, rating), oldest first; None with fewer than two points."""
    if len(history) < 2:
        return None
    seen = [(point.at, rating, *point.ratings[name][1:3]) for point, rating in history]
    ends = [value for _, *values in seen for value in values if value is not None]
    low, high = min(ends), max(ends)
    low, high = (low, high) if high - low > 1 else (low - 1, high + 1)
    first, last = seen[0][0], seen[-1][0]

    def at(moment: float, rating: float) -> str:
        x = LEFT + (WIDTH - LEFT - 4) * (moment - first) / (last - first if last > first else 1.0)
        return f"{x:.1f},{4 + (HEIGHT - 8) * (high - rating) / (high - low):.1f}"

    bounded = [(moment, down, up) for moment, _, down, up in seen if down is not None and up is not None]
    band = [at(moment, up) for moment, _, up in bounded] + [at(m, down) for m, down, _ in reversed(bounded)]
    return Polyline(
        points=" ".join(at(moment, rating) for moment, rating, *_ in seen),
        band=" ".join(band) if len(bounded) > 1 else "",
        low=low,
        high=high,
    )
