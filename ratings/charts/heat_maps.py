"""Heat maps of a board: who beat whom how often, how many votes each pair has, and the average win rate."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from arena.errors import NoData
from ratings.charts import palette
from ratings.charts.forest import NAME_PIXELS, ROW, WIDTH, name_axis
from ratings.charts.rendering import Chart
from ratings.charts.win_rates import Meeting, average_win_rates, meetings
from ratings.leaderboard import Leaderboard

MAX_CELLS = 30  # models on a map with names: more would not be read
MAX_NUMBERS = 16  # models on a map whose cells carry their number
NUMBERED = 34  # pixels of a cell with a number in it
SMALL = 6  # pixels of a cell where all models of a large board are shown
EVERY = 10  # models from one named place to the next on such a map
HEAT = 64  # pixels of the cell beside an average


def win_rates(board: Leaderboard, start: int = 0) -> Chart:
    """Share of the votes that the row's model won of the column's; the models from place `start` on, at most 30."""
    names = _voted(board)[start : start + MAX_CELLS]
    scale = alt.Scale(domain=[0, 0.5, 1], range=list(palette.DIVERGING), interpolate="lab")
    legend = alt.Legend(format=".0%", gradientLength=120, values=[0, 0.25, 0.5, 0.75, 1])
    return _map(
        _cells(board, names),
        names,
        colour=alt.Color("rate:Q", title=None, scale=scale, legend=legend),
        text=alt.Text("rate:Q", format=".0%"),
        strong="abs(datum.rate - 0.5) > 0.35",
        title="Win rate of the row against the column" + _which(board, start, len(names)),
    )


def counts(board: Leaderboard) -> Chart:
    """How many votes each pair has; colours in logarithmic steps, since counts differ a hundredfold."""
    names = _voted(board)[:MAX_CELLS]
    cells = _cells(board, names)
    most = max(cell["votes"] for cell in cells)
    scale, legend = _count_scale(most)
    return _map(
        cells,
        names,
        colour=alt.Color("votes:Q", title=None, scale=scale, legend=legend),
        text=alt.Text("votes:Q", format="d" if most < 10_000 else ".2s"),
        strong=f"datum.votes > {most**0.5}",
        title="Votes between row and column" + _which(board, 0, len(names)),
    )


def meetings_of_all(board: Leaderboard) -> Chart:
    """Votes of every pair of a board with more models than `counts` can name; raises `NoData` for a smaller one."""
    names = _voted(board)
    if len(names) <= MAX_CELLS:
        raise NoData("every model has its name on the other maps")
    place = {name: number for number, name in enumerate(names, 1)}
    # Each pair once: the other triangle would say the same.
    values: list[dict[str, Any]] = [
        {
            "x": place[one.other],
            "y": place[one.model],
            "votes": one.votes,
            "row": one.model,
            "column": one.other,
        }
        for one in meetings(board.pairs)
        if place[one.other] < place[one.model]
    ]
    scale, legend = _count_scale(max(value["votes"] for value in values))
    side = SMALL * len(names)
    shown = list(range(1, len(names) + 1, EVERY))
    labels = " : ".join(f"datum.value == {n} ? '{n}  ' + {json.dumps(names[n - 1])}" for n in shown) + " : ''"
    band: dict[str, Any] = {"scale": alt.Scale(domain=list(range(1, len(names) + 1))), "title": None}
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:O", **band, axis=alt.Axis(values=shown, labelAngle=0, ticks=False, domain=False)),
        y=alt.Y(
            "y:O",
            **band,
            axis=alt.Axis(values=shown, labelExpr=labels, labelLimit=NAME_PIXELS, ticks=False, domain=False),
        ),
        tooltip=[alt.Tooltip("row:N"), alt.Tooltip("column:N"), alt.Tooltip("votes:Q", format=",d")],
        color=alt.Color("votes:Q", title=None, scale=scale, legend=legend),
    )
    title = f"Votes between each two of all {len(names)} models, in order of rank; blank: they never met"
    return alt.layer(base.mark_rect(), width=side, height=side, title=title)


def averages(board: Leaderboard, start: int = 0, count: int | None = None) -> Chart:
    """Each model's win rate averaged over its opponents, as a coloured cell and with its interval."""
    known = average_win_rates(board.pairs)
    names = [name for name in _voted(board) if name in known]
    if not names:
        raise NoData("no two models have met")
    ends = [end for name in names for end in (known[name].low, known[name].high)]
    total, names = len(names), names[start:][:count]
    values = [
        {"model": one.model, "rate": one.rate, "low": one.low, "high": one.high, "opponents": one.opponents}
        for one in (known[name] for name in names)
    ]
    height = ROW * len(names)
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("model:N", sort=names, title=None, axis=name_axis(names)),
        tooltip=[
            alt.Tooltip("model:N"),
            *(alt.Tooltip(f"{end}:Q", format=".1%") for end in ("rate", "low", "high")),
            alt.Tooltip("opponents:Q"),
        ],
    )
    colour = alt.Scale(domain=[0, 0.5, 1], range=list(palette.DIVERGING), interpolate="lab")
    heat = base.mark_rect(cornerRadius=2).encode(color=alt.Color("rate:Q", scale=colour, legend=None))
    ink = alt.when("abs(datum.rate - 0.5) > 0.35").then(alt.value(palette.ON_STRONG))
    number = base.mark_text(fontSize=11).encode(
        text=alt.Text("rate:Q", format=".1%"), color=ink.otherwise(alt.value(palette.ON_WEAK))
    )
    plain = base.encode(y=alt.Y("model:N", sort=names, title=None, axis=None))
    axis = alt.Axis(format=".0%", tickCount=5)
    x: dict[str, Any] = {
        "scale": alt.Scale(domain=[min(ends), max(ends)], zero=False, nice=True),
        "axis": axis,
        "title": None,
    }
    rule = plain.mark_rule(strokeWidth=2.5, color=palette.ACCENT, opacity=0.75).encode(
        x=alt.X("low:Q", **x), x2="high:Q"
    )
    point = plain.mark_point(filled=True, size=60, color=palette.ACCENT, opacity=1).encode(
        x=alt.X("rate:Q", **x)
    )
    which = "" if len(names) == total else f", models {start + 1} to {start + len(names)} of {total}"
    title = "Average win rate over opponents and 95 % interval (votes as independent)" + which
    return alt.hconcat(
        alt.layer(heat, number, width=HEAT, height=height),
        alt.layer(rule, point, width=WIDTH - HEAT, height=height),
        spacing=12,
        title=title,
    )


def _voted(board: Leaderboard) -> list[str]:
    return [row.model for row in board.models if row.votes > 0]


def _which(board: Leaderboard, start: int, shown: int) -> str:
    total = len(_voted(board))
    return "" if shown == total else f", models {start + 1} to {start + shown} of {total}"


def _cells(board: Leaderboard, names: Sequence[str]) -> list[dict[str, Any]]:
    inside = set(names)
    found = [_cell(one) for one in meetings(board.pairs) if {one.model, one.other} <= inside]
    if not found:
        raise NoData("no two models have met")
    return found


def _cell(one: Meeting) -> dict[str, Any]:
    return {"row": one.model, "column": one.other, "rate": one.rate, "votes": one.votes}


def _count_scale(most: int) -> tuple[alt.Scale, alt.Legend]:
    ticks = [step for power in range(8) for step in (10**power, 3 * 10**power) if step <= most]
    scale = alt.Scale(type="log", domain=[1, max(most, 2)], range=list(palette.SEQUENTIAL), interpolate="lab")
    return scale, alt.Legend(format="~s", gradientLength=120, values=ticks[-6:])


def _map(
    cells: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    *,
    colour: alt.Color,
    text: alt.Text,
    strong: str,
    title: str,
) -> Chart:
    """Rows and columns in order; pairs that never met are a small dot, so that they are not taken for even ones."""
    side = ROW if len(names) > MAX_NUMBERS else NUMBERED
    met = {(cell["row"], cell["column"]) for cell in cells}
    never = [{"row": a, "column": b} for a in names for b in names if a != b and (a, b) not in met]
    top = alt.Axis(orient="top", labelAngle=-60, labelLimit=NAME_PIXELS, ticks=False, domain=False)
    x = alt.X("column:N", sort=list(names), scale=alt.Scale(domain=list(names)), title=None, axis=top)
    left = alt.Axis(labelLimit=NAME_PIXELS, ticks=False, domain=False)
    y = alt.Y("row:N", sort=list(names), scale=alt.Scale(domain=list(names)), title=None, axis=left)
    tip = [
        alt.Tooltip("row:N"),
        alt.Tooltip("column:N"),
        alt.Tooltip("rate:Q", format=".1%"),
        alt.Tooltip("votes:Q", format=",d"),
    ]
    base = alt.Chart(alt.Data(values=list(cells))).encode(x=x, y=y)
    layers = [base.mark_rect(cornerRadius=2).encode(color=colour, tooltip=tip)]
    if never:
        dots = alt.Chart(alt.Data(values=never)).encode(x=x, y=y)
        layers.append(dots.mark_point(filled=True, size=8, color=palette.QUIET, opacity=0.6))
    if len(names) <= MAX_NUMBERS:
        ink = alt.when(strong).then(alt.value(palette.ON_STRONG)).otherwise(alt.value(palette.ON_WEAK))
        layers.append(base.mark_text(fontSize=11).encode(text=text, color=ink))
    return alt.layer(*layers, width=side * len(names), height=side * len(names), title=title)
