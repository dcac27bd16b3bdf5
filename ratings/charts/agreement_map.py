"""The pair-agreement map: for every two shared models, whether votes and benchmark put them in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from arena.errors import NoData
from ratings.charts import palette
from ratings.charts.forest import NAME_PIXELS, ROW
from ratings.charts.rendering import Chart

MOST = 60  # models on one map: more would not be read
WORDS = {
    "agree": "same order in both",
    "conflict": "opposite order",
    "benchmark silent": "only votes tell them apart",
    "arena silent": "only the benchmark does",
    "both silent": "neither does",
}


@dataclass(frozen=True)
class Order:
    """Two models, and how the two orders of them go together: a key of `palette.AGREEMENT`."""

    a: str
    b: str
    cell: str


def draw(models: Sequence[str], orders: Sequence[Order]) -> Chart:
    """The map with `models` from the highest rating down; a conflict also carries a cross. `NoData` without a pair."""
    names = list(models)[:MOST]
    place = {name: number for number, name in enumerate(names)}
    values = []
    for order in orders:
        if order.a in place and order.b in place:
            upper, lower = sorted((order.a, order.b), key=place.__getitem__)
            values.append({"column": upper, "row": lower, "cell": WORDS[order.cell], "conflict": order.cell == "conflict"})  # fmt: skip
    if not values:
        raise NoData("no pair of shared models")
    side = ROW if len(names) <= 40 else 15
    x = alt.X(
        "column:N",
        sort=names,
        scale=alt.Scale(domain=names[:-1]),
        title=None,
        axis=alt.Axis(orient="bottom", labelAngle=-60, labelLimit=NAME_PIXELS, ticks=False, domain=False),
    )
    y = alt.Y(
        "row:N",
        sort=names,
        scale=alt.Scale(domain=names[1:]),
        title=None,
        axis=alt.Axis(labelLimit=NAME_PIXELS, ticks=False, domain=False),
    )
    tip = [alt.Tooltip(f"{name}:N") for name in ("row", "column", "cell")]
    scale = alt.Scale(domain=list(WORDS.values()), range=[palette.AGREEMENT[key] for key in WORDS])
    key = alt.Legend(orient="right", symbolType="square", symbolOpacity=1, symbolSize=140)
    base = alt.Chart(alt.Data(values=values)).encode(x=x, y=y, tooltip=tip)
    cells = base.mark_rect(cornerRadius=2).encode(
        color=alt.Color("cell:N", title=None, scale=scale, legend=key)
    )
    cross = base.transform_filter("datum.conflict").mark_point(shape="cross", angle=45, filled=True, size=50)
    title = "Order by votes and by the benchmark" + (f", first {MOST} models" if len(models) > MOST else "")
    size = side * (len(names) - 1)
    return alt.layer(
        cells, cross.encode(color=alt.value(palette.ON_STRONG), opacity=alt.value(1)), width=size, height=size, title=title
    )  # fmt: skip
