"""The pictures of a leaderboard by name: whiskers, heat maps, style effects, history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from arena.errors import BadInput, NoData
from ratings.charts import forest, heat_maps, palette
from ratings.charts.forest import ROW, WIDTH
from ratings.charts.rendering import Chart, rendered, specification, unchecked
from ratings.leaderboard import Leaderboard
from ratings.releases.release import HistoryPoint
from ratings.scale import ELO

MAX_LINES = 8  # models in a history: as many colours as can be told apart
MAX_POINTS = 40  # releases whose points are marked on the lines

Draw = Callable[[Leaderboard, Sequence[HistoryPoint]], Chart]
CHARTS: dict[str, Draw] = {}


def chart(name: str) -> Callable[[Draw], Draw]:
    """Make the function below it the chart of that name. It raises `NoData` where there is nothing to draw."""

    def register(draw: Draw) -> Draw:
        CHARTS[name] = draw
        return draw

    return register


def plot(board: Leaderboard, name: str = "whiskers", *, history: Sequence[HistoryPoint] = ()) -> Chart:
    """The chart `name` as an Altair object; `NoData` when the board has nothing for it."""
    if name not in CHARTS:
        raise BadInput(f"unknown chart {name!r}; known: {', '.join(CHARTS)}")
    return CHARTS[name](board, history)


def write(
    board: Leaderboard,
    name: str = "whiskers",
    *,
    as_: str = "svg",
    dark: bool = False,
    history: Sequence[HistoryPoint] = (),
) -> bytes:
    """The chart `name` as a file. An SVG follows the reader's light or dark by itself unless `dark` is forced."""
    return rendered(specify(board, name, history=history), as_, dark=dark)


def specify(
    board: Leaderboard, name: str = "whiskers", *, history: Sequence[HistoryPoint] = ()
) -> dict[str, Any]:
    """The chart `name` as Vega-Lite in our colours, from which pages and files are drawn."""
    with unchecked():
        return specification(plot(board, name, history=history))


@chart("whiskers")
def _whiskers(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Ratings with their intervals."""
    return forest.draw(board)


@chart("winrates")
def _win_rates(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Who beat whom, of the first models."""
    return heat_maps.win_rates(board)


@chart("counts")
def _counts(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Votes of each pair, of the first models."""
    return heat_maps.counts(board)


@chart("meetings")
def _meetings(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Votes of each pair of a large board, of all its models."""
    return heat_maps.meetings_of_all(board)


@chart("averages")
def _averages(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Average win rates over opponents."""
    return heat_maps.averages(board)


@chart("style")
def _style(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """What style (and the side) is worth, in rating points, with 95 % intervals."""
    known = [one for one in board.coefficients if one.value is not None and one.elo is not None]
    if not known:
        raise NoData("no style effect was fitted")
    several = len({one.component for one in known}) > 1
    values = [
        {
            "name": f"{one.name} ({one.component})" if several else one.name,
            "value": ELO * (one.value or 0.0),
            "low": None if one.low is None else ELO * one.low,
            "high": None if one.high is None else ELO * one.high,
        }
        for one in known
    ]
    names = [str(value["name"]) for value in values]
    axis = alt.Axis(ticks=False, domain=False)
    base = alt.Chart(alt.Data(values=values)).encode(y=alt.Y("name:N", sort=names, title=None, axis=axis))
    unit = "rating points, for one RMS more of it than the other answer has"
    line = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=palette.QUIET)
    zero = line.encode(x=alt.X("zero:Q", title=unit))
    rule = base.mark_rule(strokeWidth=2.5, color=palette.ACCENT, opacity=0.75).encode(x="low:Q", x2="high:Q")
    point = base.mark_point(filled=True, size=60, color=palette.ACCENT, opacity=1).encode(x="value:Q")
    height = 1.3 * ROW * len(values)
    return alt.layer(zero, rule, point, width=WIDTH, height=height, title="Effect of style and 95 % interval")


@chart("history")
def _history(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Ratings of the first models over the releases so far, with their intervals."""
    names = [row.model for row in board.models if row.rating is not None][:MAX_LINES]
    values = [
        {"model": model, "at": point.at * 1000, "rating": rating, "low": low, "high": high}
        for point in history
        for model, (rating, low, high, _) in point.ratings.items()
        if model in names and rating is not None
    ]
    if len({value["at"] for value in values}) < 2:
        raise NoData("a history needs two releases with ratings")
    colours = alt.Scale(domain=names, range=list(palette.SERIES))
    key = alt.Legend(orient="bottom", columns=2, symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=3)
    day = alt.Axis(format="%Y-%m-%d", tickCount=5, labelOverlap=True)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("at:T", title="UTC", scale=alt.Scale(type="utc"), axis=day),
        color=alt.Color("model:N", title=None, scale=colours, legend=key),
    )
    y: dict[str, Any] = {"scale": alt.Scale(zero=False), "axis": alt.Axis(format="d", tickCount=6)}
    band = base.mark_area(opacity=0.1).encode(y=alt.Y("low:Q", title="rating", **y), y2="high:Q")
    line = base.mark_line(point=len(history) <= MAX_POINTS).encode(y=alt.Y("rating:Q", **y))
    return alt.layer(line, band, width=WIDTH, height=300, title="Rating over releases")
