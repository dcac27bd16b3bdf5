"""The chart of rating against score: every shared model with the intervals of both, and the line through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from arena.errors import NoData
from ratings.charts import palette
from ratings.charts.rendering import Chart

WIDTH, HEIGHT = 560, 400
LETTER, LINE = 6.2, 13  # pixels of a letter and of a line of the names
LONGEST = 28  # letters of a name; a longer one loses its middle
MANY = 100.0  # scores beyond are points like ratings: whole numbers on the axis, without separators
MARGIN = 0.04  # of the span, around the outermost bounds

Side = Literal["left", "right"]  # where a name begins, or ends, at its point
PLACES: tuple[tuple[Side, int, int], ...] = (
    ("left", 7, -9), ("left", 7, 9), ("right", -7, -9), ("right", -7, 9), ("left", 7, -22), ("right", -7, 22),
)  # fmt: skip


@dataclass(frozen=True)
class Spot:
    """One model: score and rating with their bounds, None where a bound is not known."""

    model: str
    score: float
    rating: float
    score_low: float | None = None
    score_high: float | None = None
    low: float | None = None
    high: float | None = None
    is_off: bool = False  # off the line more than chance explains


def draw(
    spots: Sequence[Spot],
    *,
    slope: float | None = None,
    intercept: float = 0.0,
    words: tuple[str, str] = ("score in the benchmark", "rating"),
) -> Chart:
    """Ratings over scores, under the names `words`. `slope` in Elo points for 1.0 of the score; `NoData` without a model."""
    if not spots:
        raise NoData("no shared model")
    across = _domain([v for s in spots for v in (s.score, s.score_low, s.score_high) if v is not None])
    up = _domain([v for s in spots for v in (s.rating, s.low, s.high) if v is not None])
    values = [_value(spot) for spot in spots]
    placed = _names(spots, across, up)
    # Every layer states the same scale: one without would stretch it to zero for all, and the names off their points.
    on_x: dict[str, Any] = {
        "title": words[0],
        "scale": alt.Scale(domain=across, nice=False, zero=False),
        "axis": alt.Axis(tickCount=6, format="d") if across[1] > MANY else alt.Axis(tickCount=6),
    }
    on_y: dict[str, Any] = {
        "title": words[1],
        "scale": alt.Scale(domain=up, nice=False, zero=False),
        "axis": alt.Axis(format="d", tickCount=6),
    }
    x, y = alt.X("score:Q", **on_x), alt.Y("rating:Q", **on_y)
    tip = [
        alt.Tooltip("model:N"),
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("score", "score_low", "score_high")),
        *(alt.Tooltip(f"{name}:Q", format=".0f") for name in ("rating", "low", "high")),
    ]
    base = alt.Chart(alt.Data(values=values)).encode(x=x, y=y, tooltip=tip)
    thin: dict[str, Any] = {"strokeWidth": 1.5, "color": palette.ACCENT, "opacity": 0.55}
    layers: list[alt.Chart] = []
    if slope is not None:
        ends = alt.Chart(alt.Data(values=_line(slope, intercept, across, up)))
        layers.append(ends.mark_line(color=palette.QUIET, strokeDash=[5, 4], clip=True).encode(x=x, y=y))
    layers += [
        base.transform_filter("isValid(datum.low)").mark_rule(**thin).encode(y=alt.Y("low:Q", **on_y), y2="high:Q"),
        base.transform_filter("isValid(datum.score_low)").mark_rule(**thin).encode(x=alt.X("score_low:Q", **on_x), x2="score_high:Q"),
        base.transform_filter("!datum.off").mark_point(filled=True, size=55, color=palette.ACCENT, opacity=1),
        base.transform_filter("datum.off").mark_point(filled=True, size=90, shape="diamond", color=palette.SERIES[1], opacity=1),
    ]  # fmt: skip
    for align, labels in placed.items():
        text = alt.Chart(alt.Data(values=labels)).mark_text(align=align, color=palette.INK, fontSize=11)
        layers.append(text.encode(x=x, y=y, text="name:N"))
    both = any(spot.score_low is not None for spot in spots)
    title = (
        f"{words[1].capitalize()} against {words[0]}, 95 % intervals of {'both' if both else 'ratings'}"
        + ("" if slope is None else "; dashed: the line through them")
    )
    return alt.layer(*layers, width=WIDTH, height=HEIGHT, title=title)


def _value(spot: Spot) -> dict[str, str | float | bool | None]:
    return {
        "model": spot.model, "score": spot.score, "score_low": spot.score_low, "score_high": spot.score_high,
        "rating": spot.rating, "low": spot.low, "high": spot.high, "off": spot.is_off,
    }  # fmt: skip


def _domain(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    room = MARGIN * (high - low) or 1.0
    return [low - room, high + room]


def _line(
    slope: float, intercept: float, across: Sequence[float], up: Sequence[float]
) -> list[dict[str, float]]:
    """Where the line enters and leaves the drawing."""
    ends = [(x, intercept + slope * x) for x in across]
    if slope:
        ends += [((y - intercept) / slope, y) for y in up]
    room = 1e-9 * (up[1] - up[0])
    inside = sorted(
        (x, y) for x, y in ends if across[0] <= x <= across[1] and up[0] - room <= y <= up[1] + room
    )
    return [{"score": x, "rating": y} for x, y in (inside[0], inside[-1])] if inside else []


def _names(
    spots: Sequence[Spot], across: Sequence[float], up: Sequence[float]
) -> dict[Side, list[dict[str, str | float]]]:
    """Names by alignment, each where it covers no point and no other name; one without such a place is left out.

    Models off the line come first: they are those that a reader looks for. All are in the table below.
    """
    at = [
        (
            WIDTH * (s.score - across[0]) / (across[1] - across[0]),
            HEIGHT * (1 - (s.rating - up[0]) / (up[1] - up[0])),
        )
        for s in spots
    ]
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in at]
    found: dict[Side, list[dict[str, str | float]]] = {"left": [], "right": []}
    for place in sorted(range(len(spots)), key=lambda n: not spots[n].is_off):
        (x, y), name = at[place], _cut(spots[place].model)
        wide = LETTER * len(name)
        for align, dx, dy in PLACES:
            left = x + dx if align == "left" else x + dx - wide
            box = (left, y + dy - LINE / 2, left + wide, y + dy + LINE / 2)
            if box[0] < 0 or box[2] > WIDTH or box[1] < 0 or box[3] > HEIGHT:
                continue
            if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
                continue
            taken.append(box)
            score = across[0] + (x + dx) / WIDTH * (across[1] - across[0])
            rating = up[0] + (1 - (y + dy) / HEIGHT) * (up[1] - up[0])
            found[align].append({"name": name, "score": score, "rating": rating})
            break
    return {align: words for align, words in found.items() if words}


def _cut(name: str) -> str:
    """A long name without its middle: names of one family differ at the end."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}…{name[-(LONGEST // 2 - 1) :]}"
