"""Calibration, rating against score and the pair map: intervals shown, unknown ones left out, names legible."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from arena.errors import BadInput, NoData
from ratings.charts import agreement_map, calibration, palette, scatter
from ratings.charts.agreement_map import Order
from ratings.charts.calibration import Point
from ratings.charts.rendering import Chart, render, specification
from ratings.charts.scatter import Spot

SPOTS = (
    Spot("heron-7b", 0.8, 1100.0, 0.75, 0.85, 1080.0, 1120.0),
    Spot("نموذج", 0.6, 1000.0, 0.55, 0.65, 985.0, 1020.0, is_off=True),
    Spot("a-very-long-name-of-a-model-whose-end-tells-it-apart-v2", 0.4, 900.0, None, None, 880.0, 915.0),
)
CHARTS: dict[str, Chart] = {
    "calibration": calibration.draw([Point(0.2, 0.25, 0.1, 0.4, 30), Point(0.8, 0.75, 0.6, 0.9, 30)]),
    "scatter": scatter.draw(SPOTS, slope=500.0, intercept=700.0),
    "pairs": agreement_map.draw(["a", "b", "c"], [Order("b", "a", "conflict"), Order("a", "c", "agree")]),
}


def texts(svg: bytes) -> list[str]:
    return [text for node in ET.fromstring(svg).iter() if node.tag.endswith("text") and (text := node.text)]


def layers(chart: Chart) -> list[dict[str, Any]]:
    return list(specification(chart)["layer"])


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CHARTS))
def test_each_is_an_svg_that_follows_light_and_dark_and_loads_nothing(name: str) -> None:
    svg = render(CHARTS[name])

    assert b"prefers-color-scheme:dark" in svg
    assert b"http" not in svg.replace(b"http://www.w3.org/", b"")
    assert b"NaN" not in svg


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CHARTS))
def test_each_can_be_a_png_and_a_pdf(name: str) -> None:
    assert render(CHARTS[name], "png").startswith(b"\x89PNG")
    assert render(CHARTS[name], "pdf").startswith(b"%PDF")


def test_names_are_placed_and_long_ones_keep_their_end() -> None:
    found = texts(render(CHARTS["scatter"]))

    assert {"heron-7b", "نموذج"} <= set(found)
    assert any(text.endswith("v2") and "…" in text for text in found)


def test_a_bound_that_is_not_known_is_not_drawn() -> None:
    svg = render(scatter.draw([Spot("a", 0.5, 1000.0), Spot("b", 0.6, 1010.0)])).decode()

    assert svg.count('stroke-width="1.5"') == 0


def test_names_do_not_cover_each_other() -> None:
    crowd = [Spot(f"model-{n}", 0.5 + n * 1e-4, 1000.0 + n * 1e-2) for n in range(40)]

    found = scatter._names(crowd, [0.4, 0.6], [900.0, 1100.0])

    assert 1 <= sum(map(len, found.values())) <= 6


def test_a_conflict_is_told_by_a_cross_as_well_as_by_its_colour() -> None:
    cells = layers(CHARTS["pairs"])[0]

    assert cells["encoding"]["color"]["scale"]["range"] == list(palette.AGREEMENT.values())
    assert layers(CHARTS["pairs"])[1]["mark"]["shape"] == "cross"


def test_the_better_model_is_the_column() -> None:
    values = specification(CHARTS["pairs"])["data"]["values"] if "data" in specification(CHARTS["pairs"]) else layers(CHARTS["pairs"])[0]["data"]["values"]  # fmt: skip

    assert [(one["row"], one["column"]) for one in values] == [("b", "a"), ("c", "a")]


def test_the_line_stays_within_the_drawing() -> None:
    ends = scatter._line(500.0, 700.0, [0.3, 0.9], [850.0, 1150.0])

    assert all(0.3 <= end["score"] <= 0.9 and 850 <= end["rating"] <= 1150 for end in ends)
    assert ends[0]["score"] < ends[1]["score"]


def test_nothing_to_draw_is_said() -> None:
    for draw in (
        lambda: calibration.draw([]),
        lambda: scatter.draw([]),
        lambda: agreement_map.draw(["a"], []),
    ):
        with pytest.raises(NoData):
            draw()
    with pytest.raises(BadInput, match="unknown picture format"):
        render(CHARTS["pairs"], "gif")


def test_no_layer_stretches_the_scatter_to_zero() -> None:
    far = [
        Spot("a", 1200.0, 1000.0, 1150.0, 1260.0, 950.0, 1050.0),
        Spot("b", 1300.0, 1100.0, 1200.0, 1400.0, 1050.0, 1180.0),
    ]

    found = texts(render(scatter.draw(far)))

    assert "0" not in found
    assert "1000" in found
