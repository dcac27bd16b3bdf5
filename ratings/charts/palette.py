"""What charts there are, and their colours on light and on dark ground. Cheap to import: it draws nothing."""

from __future__ import annotations

from typing import Any

# Name -> what it shows, as the text of a picture that is not seen.
CAPTIONS = {
    "whiskers": "Ratings with their 95 % intervals, in tiers",
    "winrates": "Win rate of each model against each other one",
    "counts": "Number of votes between each two models",
    "meetings": "Number of votes between each two models of the whole board",
    "averages": "Average win rate over opponents with 95 % intervals",
    "style": "Effect of style in rating points with 95 % intervals",
    "history": "Ratings over releases with their 95 % intervals",
}
CHARTS = tuple(CAPTIONS)
# The same with style control as without, or kept of the plain view alone.
PLAIN_ONLY = ("counts", "meetings", "averages", "history")
PICTURES = ("svg", "png", "pdf")
# Each colour of the light theme and what it becomes on dark ground. Text has a contrast of 4.5 or more on its ground.
INK = "#1d1d21"
QUIET = "#5c5c66"
GRID = "#e2e2e8"
PAPER = "#ffffff"
ACCENT = "#1f66b0"
DARK = {INK: "#ececf1", QUIET: "#a9a9b6", GRID: "#3a3a44", PAPER: "#18181c", ACCENT: "#74b3f5"}
# Losing, even, winning: told apart by lightness as well as by hue, and readable to the colour-blind.
DIVERGING = ("#b35806", "#f4f1ea", "#2166ac")
SEQUENTIAL = ("#dbe7f3", "#7fb0d8", "#1f5fa8")  # few, many, most; the last shows on dark ground too
# Two orders of one pair: alike, opposed, or one or both silent. Apart by lightness too.
AGREEMENT = {
    "agree": "#2166ac",
    "conflict": "#b2381b",
    "benchmark silent": "#92c5de",
    "arena silent": "#f2c48f",
    "both silent": "#c3c3c9",
}
ON_STRONG, ON_WEAK = "#fffffe", "#1d1d22"  # text on a cell; the same in both themes, so no key of DARK
# Okabe & Ito's colours for the colour-blind, darkest yellow left out, mid-tones that show on both grounds.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"


def config(*, paper: bool = False) -> dict[str, Any]:
    """Vega-Lite's configuration in our colours; on white `paper`, or on whatever lies below."""
    text = {
        "labelColor": INK,
        "titleColor": QUIET,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 400,
    }
    return {
        "background": PAPER if paper else None,
        "aria": False,  # a page says in words what a picture shows; a thousand marks that speak would not help
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        "axis": {**text, "gridColor": GRID, "domainColor": GRID, "tickColor": GRID, "labelPadding": 6},
        "legend": {**text, "labelLimit": 220},
        "title": {
            "color": INK,
            "fontSize": 13,
            "fontWeight": 600,
            "anchor": "start",
            "frame": "bounds",
            "offset": 10,
        },
    }


def darkened(spec: Any, key: str = "") -> Any:
    """A chart's specification with every colour of the light theme exchanged for that of the dark one."""
    if isinstance(spec, dict):
        return {name: darkened(value, name) for name, value in spec.items()}
    if isinstance(spec, list):
        return [darkened(value) for value in spec]
    # Only where a colour stands: a model may be called #ffffff.
    is_colour = key.endswith("olor") or key in ("fill", "stroke", "background", "value")
    return DARK.get(spec, spec) if is_colour and isinstance(spec, str) else spec


def themed(svg: str) -> str:
    """`svg` of the light theme with a style sheet that turns its colours where the reader's ground is dark."""
    rules = "".join(
        f'[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}' for light, dark in DARK.items()
    )
    sheet = f"<style>@media screen and (prefers-color-scheme:dark){{{rules}}}</style>"
    head, end, rest = svg.partition(">")
    return head + end + sheet + rest
