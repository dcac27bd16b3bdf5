"""The whisker chart: every model with its rating and interval in tiers, components apart, models without a rating below."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from arena.errors import NoData
from ratings.charts import palette
from ratings.leaderboard import Leaderboard, Standing, tiers
from ratings.tables import interval, number

ROW = 22  # pixels for one model
POINT = 60  # square pixels of a point; a third of it where it would cover the intervals
PAGE_ROWS = 40  # models on one page of paper
WIDTH = 460  # pixels of the drawing without its names
NAME_PIXELS = 220  # a longer name is cut with an ellipsis
LETTER_PIXELS = 7.0  # of a usual letter at 12 px; wide letters count double
LEFT, RIGHT = "triangle-left", "triangle-right"


def draw(board: Leaderboard) -> alt.VConcatChart:
    """Ratings in display order, a panel for each component; `NoData` when there is no model to show."""
    groups, apart = _groups(board)
    names = name_axis([row.model for rows in [*groups, apart] for row in rows])
    panels = [
        _panel(rows, names, _title(number, len(groups)), _domain(rows), _tiers(rows))
        for number, rows in enumerate(groups, 1)
    ]
    if apart:
        panels.append(_apart(apart, names))
    return alt.vconcat(*panels, spacing=24)


def parts(board: Leaderboard) -> list[alt.VConcatChart]:
    """The same in pieces that a page of paper can hold, each on a scale of its own: its intervals are seen."""
    groups, apart = _groups(board)
    names = name_axis([row.model for rows in [*groups, apart] for row in rows])
    found = []
    for place, rows in enumerate(groups, 1):
        title, in_tier = _title(place, len(groups)), _tiers(rows)
        in_all = math.ceil(len(rows) / PAGE_ROWS)
        size = math.ceil(len(rows) / in_all)
        for start in range(0, len(rows), size):
            piece = rows[start : start + size]
            which = f", models {start + 1} to {start + len(piece)} of {len(rows)}" if in_all > 1 else ""
            found.append(alt.vconcat(_panel(piece, names, title + which, _domain(piece), in_tier)))
    pieces = [apart[start : start + PAGE_ROWS] for start in range(0, len(apart), PAGE_ROWS)]
    return found + [alt.vconcat(_apart(piece, names)) for piece in pieces]


def _groups(board: Leaderboard) -> tuple[list[list[Standing]], list[Standing]]:
    """The rated models of each component, and those with votes and no rating."""
    components = sorted({row.component for row in board.models if row.component is not None})
    groups = [
        [row for row in board.models if row.component == n and row.rating is not None] for n in components
    ]
    groups = [rows for rows in groups if rows]
    apart = [row for row in board.models if row.rating is None and row.votes > 0]
    if not groups and not apart:
        raise NoData("no model has a rating")
    return groups, apart


def _title(number: int, of: int) -> str:
    if of > 1:
        return f"Component {number}: ratings compare within it only"
    return "Rating and 95 % interval; shaded and plain: tiers"


def _tiers(rows: Sequence[Standing]) -> dict[str, int]:
    """Model -> its tier; models without a rank are in none."""
    return {model: tier.tier for tier in tiers(rows) for model in tier.models}


def name_axis(names: Sequence[str]) -> alt.Axis:
    """The same room for names in every panel, so that the panels stand below each other."""
    widest = max(sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in name) for name in names)
    room = min(NAME_PIXELS, LETTER_PIXELS * widest) + 10
    return alt.Axis(labelLimit=NAME_PIXELS, ticks=False, domain=False, minExtent=room, maxExtent=room)


def _panel(
    rows: Sequence[Standing],
    names: alt.Axis,
    title: str,
    domain: tuple[float, float],
    in_tier: Mapping[str, int],
) -> alt.LayerChart | alt.FacetChart:
    low, high = domain
    lines = [_line(row, low, high, in_tier.get(row.model)) for row in rows]
    for line, before in zip(lines, [None, *lines], strict=False):
        if line["tier"] is not None and (before is None or before["tier"] != line["tier"]):
            line["opens_tier"] = f"tier {line['tier']}"
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    y = alt.Y("model:N", sort=[row.model for row in rows], title=None, axis=names)
    x = alt.X("rating:Q", title=None, scale=scale, axis=alt.Axis(format="d", tickCount=6))
    is_firm = alt.datum.status == "ranked"
    tip = [alt.Tooltip(f"{name}:N") for name in ("model", "shown", "interval", "tier", "status")]
    base = alt.Chart(alt.Data(values=lines)).encode(y=y, tooltip=tip)
    band = base.transform_filter("datum.tier % 2 == 1").mark_rect(color=palette.GRID, opacity=0.45)
    rule = (
        base.transform_filter(alt.datum.bounded)
        .mark_rule(strokeWidth=2.5, color=palette.ACCENT, strokeCap="round")
        .encode(
            x=alt.X("low:Q", title=None, scale=scale),
            x2="high:Q",
            opacity=alt.when(is_firm).then(alt.value(0.75)).otherwise(alt.value(0.45)),
        )
    )
    ends = [
        base.transform_filter(f"datum.{open_end}")
        .mark_point(shape=shape, filled=True, size=55, color=palette.ACCENT, opacity=0.75)
        .encode(x=alt.X(f"{end}:Q", title=None, scale=scale))
        for open_end, end, shape in (("open_low", "low", LEFT), ("open_high", "high", RIGHT))
        if any(line[open_end] for line in lines)
    ]
    size = POINT if _are_wide(rows, low, high) else POINT / 3
    firm = base.transform_filter(is_firm).mark_point(filled=True, size=size, color=palette.ACCENT, opacity=1)
    other = base.transform_filter(alt.datum.status != "ranked").mark_point(
        filled=True, size=size, color=palette.PAPER, stroke=palette.ACCENT, strokeWidth=2, opacity=1
    )
    numbers = base.mark_text(align="left", dx=6, color=palette.INK, fontSize=12).encode(
        x=alt.value(WIDTH), text="shown:N"
    )
    tier = base.transform_filter(alt.datum.opens_tier).mark_text(
        align="left", dx=46, color=palette.QUIET, fontSize=10
    )
    layers = [
        band.encode(x=alt.value(0), x2=alt.value(WIDTH)),
        rule,
        *ends,
        firm.encode(x=x),
        other.encode(x=x),
        tier.encode(x=alt.value(WIDTH), text="opens_tier:N"),
        numbers,
    ]
    return alt.layer(*layers, width=WIDTH, height=ROW * len(rows), title=title)


def _are_wide(rows: Sequence[Standing], low: float, high: float) -> bool:
    """Does the usual interval reach beyond its point?"""
    widths = sorted(row.high - row.low for row in rows if row.low is not None and row.high is not None)
    radius = math.sqrt(POINT / math.pi)
    return not widths or widths[len(widths) // 2] / (high - low) * WIDTH > 2.5 * radius


def _line(row: Standing, low: float, high: float, tier: int | None) -> dict[str, Any]:
    """What is drawn of `row`: its interval cut at the edges of the panel, with what was cut marked as open."""
    is_bounded = row.low is not None or row.high is not None
    return {
        "model": row.model,
        "rating": row.rating,
        "low": low if row.low is None else max(low, row.low),
        "high": high if row.high is None else min(high, row.high),
        "bounded": is_bounded,
        "open_low": is_bounded and (row.low is None or row.low < low),
        "open_high": is_bounded and (row.high is None or row.high > high),
        "status": row.status,
        "shown": number(row.rating, 0),
        "interval": interval(row.low, row.high, 0) if is_bounded else "none",
        "tier": tier,
        "opens_tier": None,
    }


def _domain(rows: Sequence[Standing]) -> tuple[float, float]:
    """An axis that holds all ratings, and intervals except those that would squeeze the others together."""
    ratings = [row.rating for row in rows if row.rating is not None]
    ends = [end for row in rows for end in (row.low, row.high) if end is not None]
    room = 1.5 * max(max(ratings) - min(ratings), 50.0)
    low = max(min([*ratings, *ends]), min(ratings) - room)
    high = min(max([*ratings, *ends]), max(ratings) + room)
    margin = max(0.03 * (high - low), 5.0)
    return math.floor(low - margin), math.ceil(high + margin)


def _apart(rows: Sequence[Standing], names: alt.Axis) -> alt.LayerChart | alt.FacetChart:
    """Models without a finite rating: an arrow to the side on which they lie, and why."""
    values = [{"model": row.model, "why": row.why or row.status, "side": _side(row)} for row in rows]
    y = alt.Y("model:N", sort=[row.model for row in rows], title=None, axis=names)
    base = alt.Chart(alt.Data(values=values)).encode(y=y)
    words = base.mark_text(align="left", color=palette.QUIET, fontSize=12, limit=WIDTH - 40)
    arrows = [
        base.transform_filter(alt.datum.side == side)
        .mark_point(shape=side, filled=True, size=60, color=palette.ACCENT, opacity=0.75)
        .encode(x=alt.value(WIDTH - 6 if side == RIGHT else 6))
        for side in (LEFT, RIGHT)
        if any(value["side"] == side for value in values)
    ]
    layers = [words.encode(x=alt.value(18), text="why:N"), *arrows]
    return alt.layer(
        *layers, width=WIDTH, height=ROW * len(rows), title="Without a finite rating, not ranked"
    )


def _side(row: Standing) -> str:
    """Where a model without rating lies: above when it never lost, below when it never won, else empty."""
    drawn = row.ties + row.both_bad
    if row.losses + drawn == 0 and row.wins > 0:
        return RIGHT
    return LEFT if row.wins + drawn == 0 and row.losses > 0 else ""
