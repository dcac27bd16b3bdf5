"""Charts of a benchmark as SVG text: scores with their intervals and the ceiling, differences of pairs, the map of items.

Colours come from the page by class names, so that one drawing serves light and dark ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ratings.tables import p_value, percent, percent_estimate, points

ROW = 24
NAME = 200  # pixels for names
PLOT = 420
NUMBERS = 150
LONGEST_NAME = 25  # characters
PAIRS_SHOWN = 30
MODELS_SHOWN = 60
MAP_HEIGHT = 12
MAP_COLUMNS = 480  # columns of the item map; more items share one

Line = Mapping[str, Any]


def pictures(report: Mapping[str, Any]) -> dict[str, str]:
    """All charts of a report by name; empty where there is nothing to draw."""
    return {"intervals": intervals(report), "pairs": pairs(report), "item_map": item_map(report)}


def intervals(report: Mapping[str, Any]) -> str:
    """Each model's score with its interval; the ceiling that wrong keys or people set, and the floor of guessing, as dashed lines."""
    lines = [line for line in report["sheet"]["lines"] if line["score"] is not None][:MODELS_SHOWN]
    if not lines:
        return ""
    low, high = _domain(report["sheet"]["scale"], lines)
    limits = _limits(report)
    at = _Axis(low, high)
    height = ROW * len(lines) + 46
    parts = [
        _grid(
            at,
            _ticks(low, high),
            height,
            of_one=report["sheet"]["scale"] is not None and (low, high) == (0.0, 1.0),
        )
    ]
    for value, label in limits:
        x = at(value)
        parts.append(f'<line class="ceiling" x1="{x}" x2="{x}" y1="16" y2="{height - 22}"/>')
        anchor = "end" if value > 0.5 else "start"
        parts.append(f'<text class="limit" x="{x}" y="11" text-anchor="{anchor}">{escape(label)}</text>')
    for row, line in enumerate(lines):
        y = 30 + ROW * row
        parts.append(_name(line["model"], y))
        if line["low"] is not None and line["high"] is not None:
            parts.append(
                f'<line class="bar" x1="{at(line["low"])}" x2="{at(line["high"])}" y1="{y}" y2="{y}"/>'
            )
        parts.append(f'<circle class="dot" cx="{at(line["score"])}" cy="{y}" r="4.5"/>')
        parts.append(
            f'<text class="soft" x="{NAME + PLOT + 14}" y="{y + 4}">{percent_estimate(line["score"], line["low"], line["high"])}</text>'
        )
    return _svg(NAME + PLOT + NUMBERS, height, parts, "Scores with their intervals")


def pairs(report: Mapping[str, Any]) -> str:
    """The best model against each other one: difference and interval, in the order of the table. Dashed where the test shows nothing."""
    models = [line["model"] for line in report["sheet"]["lines"] if line["score"] is not None]
    found = {
        (line["a"], line["b"]): line for line in report["comparison"]["lines"] if line["low"] is not None
    }
    lines = []
    for model in models[1 : PAIRS_SHOWN + 1]:
        line = found.get((models[0], model))
        turned = found.get((model, models[0]))
        if line or turned:
            lines.append(line or mirrored(turned or {}))
    if not lines:
        return ""
    reach = max(max(abs(line["low"]), abs(line["high"])) for line in lines) or 1.0
    at = _Axis(-reach, reach, start=2 * NAME - 60)
    height = ROW * len(lines) + 40
    parts = [_grid(at, _ticks(-reach, reach), height)]
    parts.append(f'<line class="zero" x1="{at(0)}" x2="{at(0)}" y1="10" y2="{height - 22}"/>')
    for row, line in enumerate(lines):
        y = 24 + ROW * row
        parts.append(_name(f"{_cut(line['a'], 21)} − {_cut(line['b'], 21)}", y, at.start, 48))
        weak = "" if line["leader"] else " weak"
        parts.append(
            f'<line class="bar{weak}" x1="{at(line["low"])}" x2="{at(line["high"])}" y1="{y}" y2="{y}"/>'
        )
        parts.append(f'<circle class="dot" cx="{at(line["diff"])}" cy="{y}" r="4"/>')
        parts.append(
            f'<text class="soft" x="{at.start + PLOT + 14}" y="{y + 4}">{points(line["diff"])}, P {escape(p_value(line["p_holm"]))}</text>'
        )
    return _svg(at.start + PLOT + NUMBERS, height, parts, "The best model against the others, with intervals")


def item_map(report: Mapping[str, Any]) -> str:
    """Models by items, easiest items left: the darker, the more of it is right; blank where there is no score."""
    found = report.get("item_map")
    if not found:
        return ""
    lines = report["sheet"]["lines"][:MODELS_SHOWN]
    items = len(found["items"])
    columns = min(items, MAP_COLUMNS)
    width = PLOT / columns
    parts = []
    for row, line in enumerate(lines):
        y = 8 + (MAP_HEIGHT + 2) * row
        parts.append(_name(line["model"], y + MAP_HEIGHT / 2))
        cells = found["rows"][row]
        for start, end, value in _runs(
            [_mean(cells[items * c // columns : items * (c + 1) // columns]) for c in range(columns)]
        ):
            x, wide = NAME + 8 + start * width, (end - start) * width
            shape = f'x="{x:.2f}" y="{y}" width="{wide:.2f}" height="{MAP_HEIGHT}"'
            parts.append(
                f'<rect class="none" {shape}/>'
                if value is None
                else f'<rect class="right" {shape} fill-opacity="{value:.1f}"/>'
            )
    height = 8 + (MAP_HEIGHT + 2) * len(lines) + 20
    parts.append(f'<text class="soft" x="{NAME + 8}" y="{height - 5}">easiest item</text>')
    parts.append(
        f'<text class="soft" x="{NAME + 8 + PLOT}" y="{height - 5}" text-anchor="end">hardest of {items:,}</text>'
    )
    return _svg(NAME + PLOT + 24, height, parts, "Map of items")


def mirrored(line: Line) -> Line:
    """The same comparison seen from the other model."""
    turned = {None: None, "a": "b", "b": "a"}
    low, high = (None if line[end] is None else -line[end] for end in ("high", "low"))
    diff = None if line["diff"] is None else -line["diff"]
    return {
        **line, "a": line["b"], "b": line["a"], "diff": diff, "low": low, "high": high, "ups": line["downs"], "downs": line["ups"],
        "leader": turned[line["leader"]],
    }  # fmt: skip


class _Axis:
    def __init__(self, low: float, high: float, start: float = NAME + 8) -> None:
        self.low, self.high, self.start = low, high, start

    def __call__(self, value: float) -> str:
        return f"{self.start + PLOT * (value - self.low) / (self.high - self.low):.1f}"


def _domain(scale: Sequence[float] | None, lines: Sequence[Line]) -> tuple[float, float]:
    if scale is not None:
        return float(scale[0]), float(scale[1])
    values = [line[end] for line in lines for end in ("low", "score", "high") if line[end] is not None]
    return (min(values), max(values)) if min(values) < max(values) else (min(values) - 1, max(values) + 1)


def _limits(report: Mapping[str, Any]) -> list[tuple[float, str]]:
    saturation, card = report["sheet"]["saturation"], report["card"] or {}
    found = []
    if saturation is not None and saturation["ceiling"] < 1:
        found.append((saturation["ceiling"], f"ceiling {percent(saturation['ceiling'])}"))
    options = card.get("options")
    if isinstance(options, int | float) and options >= 2:
        found.append((1 / options, f"guessing {percent(1 / options, 0)}"))
    return found


def _ticks(low: float, high: float) -> list[float]:
    return [low + (high - low) * part / 4 for part in range(5)]


def _grid(at: _Axis, ticks: Sequence[float], height: float, *, of_one: bool = True) -> str:
    parts = []
    for tick in ticks:
        label = percent(tick, 0) if of_one else f"{tick:g}"
        parts.append(f'<line class="grid" x1="{at(tick)}" x2="{at(tick)}" y1="16" y2="{height - 22}"/>')
        parts.append(
            f'<text class="soft" x="{at(tick)}" y="{height - 8}" text-anchor="middle">{label}</text>'
        )
    return "".join(parts)


def _name(name: str, y: float, end: float = NAME + 8, most: int = LONGEST_NAME) -> str:
    title = f"<title>{escape(name)}</title>"
    return f'<text x="{end - 10}" y="{y + 4:g}" text-anchor="end">{escape(_cut(name, most))}{title}</text>'


def _cut(name: str, most: int) -> str:
    """A long name without its middle: names of one family differ at the end."""
    return name if len(name) <= most else f"{name[: most // 2 - 3]}…{name[-(most - most // 2 + 2) :]}"


def _mean(cells: str) -> float | None:
    known = [1.0 if cell == "X" else int(cell) / 10 for cell in cells if cell != "-"]
    return round(sum(known) / len(known), 1) if known else None


def _runs(values: Sequence[float | None]) -> list[tuple[int, int, float | None]]:
    found: list[tuple[int, int, float | None]] = []
    for place, value in enumerate(values):
        if found and found[-1][2] == value:
            found[-1] = (found[-1][0], place + 1, value)
        else:
            found.append((place, place + 1, value))
    return found


def _svg(width: float, height: float, parts: Sequence[str], title: str) -> str:
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return f'<svg class="bench" xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}">{"".join(parts)}</svg>'
