"""Pictures of a leaderboard: whiskers, win rates, style effects and history, as SVG, PNG or PDF without a browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt
import vl_convert

from arena.errors import BadInput, NoData
from ratings import palette, whiskers
from ratings.leaderboard import Leaderboard, PairRecord
from ratings.release import HistoryPoint
from ratings.scale import ELO
from ratings.whiskers import NAME_PIXELS, ROW, WIDTH

MAX_CELLS = 30  # models on a heat map: more would not be read
MAX_NUMBERS = 16  # models on a heat map whose cells carry their number
MAX_LINES = 8  # models in a history: as many colours as can be told apart
MAX_POINTS = 40  # releases whose points are marked on the lines

Chart = alt.LayerChart | alt.VConcatChart | alt.FacetChart
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
    if as_ not in palette.PICTURES:
        raise BadInput(f"unknown picture format {as_!r}; known: {', '.join(palette.PICTURES)}")
    chart = plot(board, name, history=history)
    spec = chart.to_dict(validate=False) | {"config": palette.config(paper=dark or as_ != "svg")}
    if dark:
        spec = palette.darkened(spec)
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    if as_ == "png":
        return bytes(vl_convert.vegalite_to_png(spec, vl_version=version, scale=2.0))
    if as_ == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec, vl_version=version))
    svg = str(vl_convert.vegalite_to_svg(spec, vl_version=version))
    return (svg if dark else palette.themed(svg)).encode()


@chart("whiskers")
def _whiskers(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Ratings with their intervals."""
    return whiskers.draw(board)


@chart("winrates")
def _win_rates(board: Leaderboard, history: Sequence[HistoryPoint]) -> Chart:
    """Share of the votes that the row's model won of the column's, a tie counting half."""
    names = [row.model for row in board.models if row.votes > 0][:MAX_CELLS]
    cells = [
        cell for pair in board.pairs for cell in _cells(pair) if {cell["row"], cell["column"]} <= set(names)
    ]
    if not cells:
        raise NoData("no two models have met")
    side = ROW if len(names) > MAX_NUMBERS else 34
    title = "Win rate of the row against the column" + (
        f", first {MAX_CELLS} models" if sum(row.votes > 0 for row in board.models) > MAX_CELLS else ""
    )
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X(
            "column:N",
            sort=names,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-60, labelLimit=140, ticks=False, domain=False),
        ),
        y=alt.Y(
            "row:N", sort=names, title=None, axis=alt.Axis(labelLimit=NAME_PIXELS, ticks=False, domain=False)
        ),
    )
    colour = alt.Color(
        "rate:Q",
        title=None,
        scale=alt.Scale(domain=[0, 0.5, 1], range=list(palette.DIVERGING), interpolate="lab"),
        legend=alt.Legend(format=".0%", gradientLength=120, values=[0, 0.25, 0.5, 0.75, 1]),
    )
    layers: list[alt.Chart] = [base.mark_rect(cornerRadius=2).encode(color=colour)]
    if len(names) <= MAX_NUMBERS:
        is_far = abs(alt.datum.rate - 0.5) > 0.35
        ink = alt.when(is_far).then(alt.value(palette.ON_STRONG)).otherwise(alt.value(palette.ON_WEAK))
        layers.append(base.mark_text(fontSize=11).encode(text=alt.Text("rate:Q", format=".0%"), color=ink))
    return alt.layer(*layers, width=side * len(names), height=side * len(names), title=title)


def _cells(pair: PairRecord) -> list[dict[str, Any]]:
    votes = pair.wins + pair.losses + pair.ties + pair.both_bad
    if votes == 0 or pair.a == pair.b:
        return []
    rate = (pair.wins + (pair.ties + pair.both_bad) / 2) / votes
    return [
        {"row": pair.a, "column": pair.b, "rate": rate},
        {"row": pair.b, "column": pair.a, "rate": 1 - rate},
    ]


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
