"""From a chart to a file: SVG that follows light and dark, PNG and PDF without a browser, and the specification for a page."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import altair as alt
import vl_convert
from altair.utils import schemapi

from arena.errors import BadInput
from ratings.charts import palette

Chart = alt.LayerChart | alt.VConcatChart | alt.HConcatChart | alt.FacetChart
VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])  # of Vega-Lite, as vl-convert names it
PNG_SCALE = 2.0


def render(chart: Chart, as_: str = "svg", *, dark: bool = False) -> bytes:
    """The chart as a file. An SVG follows the reader's light or dark by itself unless `dark` is forced."""
    return rendered(specification(chart), as_, dark=dark)


def rendered(spec: Mapping[str, Any], as_: str = "svg", *, dark: bool = False) -> bytes:
    """The same from a specification of ours."""
    if as_ not in palette.PICTURES:
        raise BadInput(f"unknown picture format {as_!r}; known: {', '.join(palette.PICTURES)}")
    drawn = {**spec, "config": palette.config(paper=dark or as_ != "svg")}
    if dark:
        drawn = palette.darkened(drawn)
    if as_ == "png":
        return bytes(vl_convert.vegalite_to_png(drawn, vl_version=VERSION, scale=PNG_SCALE))
    if as_ == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(drawn, vl_version=VERSION))
    svg = str(vl_convert.vegalite_to_svg(drawn, vl_version=VERSION))
    return (svg if dark else palette.themed(svg)).encode()


def unchecked() -> AbstractContextManager[None]:
    """Charts made within are not held against Vega-Lite's schema part by part, which costs more than to draw them.

    Our tests do that.
    """
    return schemapi.debug_mode(False)


def specification(chart: Chart) -> dict[str, Any]:
    """The chart as Vega-Lite in our colours, on whatever lies below. Plain JSON values."""
    found: dict[str, Any] = chart.to_dict(validate=False) | {"config": palette.config()}
    return found
