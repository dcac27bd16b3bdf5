"""The calibration chart: what share of unseen votes a side won, against the share that the ratings foretold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from arena.errors import NoData
from ratings.charts import palette
from ratings.charts.rendering import Chart

SIDE = 320  # pixels of the square


@dataclass(frozen=True)
class Point:
    """One bin of held-out votes: predicted and observed share, and the interval of the latter."""

    predicted: float
    observed: float
    low: float
    high: float
    votes: int


def draw(points: Sequence[Point]) -> Chart:
    """The points with their intervals beside the diagonal on which a perfect forecast lies; `NoData` without any."""
    if not points:
        raise NoData("no prediction of unseen votes")
    values = [
        {"predicted": p.predicted, "observed": p.observed, "low": p.low, "high": p.high, "votes": p.votes}
        for p in points
    ]
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format=".0%", tickCount=5)
    x = alt.X("predicted:Q", title="foretold from the other voters' votes", scale=scale, axis=axis)
    y: dict[str, Any] = {"title": "won in these votes", "scale": scale, "axis": axis}
    tip = [alt.Tooltip(f"{end}:Q", format=".1%") for end in ("predicted", "observed", "low", "high")]
    tip.append(alt.Tooltip("votes:Q", format=",d"))
    ideal = alt.Chart(alt.Data(values=[{"at": 0}, {"at": 1}])).mark_line(
        color=palette.QUIET, strokeDash=[4, 4], strokeWidth=1.5
    )
    base = alt.Chart(alt.Data(values=values)).encode(x=x, tooltip=tip)
    rule = base.mark_rule(strokeWidth=2.5, color=palette.ACCENT, opacity=0.75, strokeCap="round")
    point = base.mark_point(filled=True, size=60, color=palette.ACCENT, opacity=1)
    return alt.layer(
        ideal.encode(x=alt.X("at:Q", scale=scale), y=alt.Y("at:Q", scale=scale)),
        rule.encode(y=alt.Y("low:Q", **y), y2="high:Q"),
        point.encode(y=alt.Y("observed:Q", **y)),
        width=SIDE,
        height=SIDE,
        title="Calibration on unseen votes; dashed: a perfect forecast",
    )
