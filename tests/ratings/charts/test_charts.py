"""Pictures: drawn without a browser, the same every time, with names as they are and nothing drawn that is not known."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import BadInput, NoData
from ratings.charts import charts, forest, heat_maps, palette
from ratings.leaderboard import Leaderboard, PairRecord
from ratings.releases.release import HistoryPoint
from tests.ratings.boards_for_tests import SEPARATED, board, standing

HISTORY = [
    HistoryPoint(
        f"r{day}", 1_767_225_600.0 + 86_400 * day, "s", {"heron-7b": (1000.0 + day, 990.0, 1010.0, 1)}
    )
    for day in range(3)
]


def large(models: int = 100) -> Leaderboard:
    """A board of many models, each of which met the next two; only neighbours in tens are in one tier."""
    lines = [standing(f"m{n:03}", 3000.0 - 4 * n - 60 * (n // 10), n + 1) for n in range(models)]
    near = [(n, m) for n in range(models) for m in (n + 1, n + 2) if m < models]
    pairs = tuple(PairRecord(f"m{n:03}", f"m{m:03}", 3, 2, 1, 0) for n, m in near)
    return replace(board(*lines), pairs=pairs)


def example(name: str) -> Leaderboard:
    """A board that the chart `name` has something to show of."""
    return large(31) if name == "meetings" else board()


def texts(svg: bytes) -> list[str]:
    return [text for node in ET.fromstring(svg).iter() if node.tag.endswith("text") and (text := node.text)]


def drawn(shown: Leaderboard, name: str) -> list[dict[str, object]]:
    """The values of the first panel of a chart."""
    return values(charts.plot(shown, name).to_dict())


def values(spec: dict[str, Any]) -> list[dict[str, object]]:
    """The values of the first panel of a specification, wherever in it they stand."""
    panel = spec.get("vconcat", [spec])[0]
    return list((panel.get("data") or spec.get("data") or panel["layer"][0]["data"])["values"])


def scale_of(spec: dict[str, Any]) -> tuple[float, float]:
    low, high = spec["vconcat"][0]["layer"][1]["encoding"]["x"]["scale"]["domain"]
    return low, high


def whisker(shown: Leaderboard) -> dict[object, dict[str, object]]:
    """The lines that the first panel of the whisker chart draws, by model."""
    return {line["model"]: line for line in drawn(shown, "whiskers")}


def test_the_names_known_without_drawing_are_those_that_can_be_drawn() -> None:
    assert list(palette.CHARTS) == list(charts.CHARTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(charts.CHARTS))
def test_every_chart_is_an_svg_that_follows_light_and_dark(name: str) -> None:
    svg = charts.write(example(name), name, history=HISTORY)

    assert ET.fromstring(svg).tag.endswith("svg")
    assert b"prefers-color-scheme:dark" in svg
    assert b"http://" not in svg.replace(b"http://www.w3.org/", b"")


@pytest.mark.slow
@pytest.mark.parametrize("name", list(charts.CHARTS))
def test_every_chart_can_be_a_png_and_a_pdf(name: str) -> None:
    assert charts.write(example(name), name, as_="png", history=HISTORY).startswith(b"\x89PNG")
    assert charts.write(example(name), name, as_="pdf", history=HISTORY).startswith(b"%PDF")


@pytest.mark.slow
def test_the_same_board_gives_the_same_bytes() -> None:
    assert charts.write(board()) == charts.write(board())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["模型-7b", "نموذج", "a<b>&\"c'", "#ffffff", "x_y\\z", "${x}", "datum.rating"]
)
def test_names_stand_as_they_are(name: str) -> None:
    shown = board(standing(name, 1010.0), standing("wren", 990.0))

    assert name in texts(charts.write(shown))
    assert name in texts(charts.write(shown, dark=True))


@pytest.mark.slow
def test_the_dark_picture_has_dark_ground_and_light_ink() -> None:
    svg = charts.write(board(), dark=True).decode()

    assert palette.DARK[palette.PAPER] in svg
    assert palette.DARK[palette.INK] in svg
    assert palette.INK not in svg


@pytest.mark.slow
def test_a_rating_stands_at_its_place_between_its_bounds() -> None:
    line = whisker(board(standing("heron", 1000.0), standing("wren", 900.0)))["heron"]

    assert (line["low"], line["rating"], line["high"]) == (979.5, 1000.0, 1021.25)
    assert not line["open_low"]
    assert not line["open_high"]


@pytest.mark.slow
def test_an_open_bound_and_one_beyond_the_edge_are_arrows() -> None:
    open_above = replace(standing("heron", 1000.0), high=None)
    far_below = replace(standing("wren", 900.0), low=-3800.0)

    lines = whisker(board(open_above, far_below))

    assert lines["heron"]["open_high"]
    assert lines["wren"]["open_low"]
    assert float(str(lines["wren"]["low"])) > 0


@pytest.mark.slow
def test_a_model_without_a_rating_is_named_with_its_reason_and_not_placed() -> None:
    shown = board(standing("heron", 1000.0), SEPARATED)

    assert "merlin-xl" not in whisker(shown)
    assert {"merlin-xl", "won every vote: no finite rating"} <= set(texts(charts.write(shown)))


@pytest.mark.slow
def test_tiers_are_numbered_where_they_begin() -> None:
    opens = [line["opens_tier"] for line in whisker(large(12)).values()]

    assert opens == ["tier 1", *[None] * 9, "tier 2", None]


@pytest.mark.slow
def test_a_large_board_is_drawn_in_pieces_that_show_their_intervals() -> None:
    specs = [part.to_dict() for part in forest.parts(large())]

    shown = [[line["model"] for line in values(spec)] for spec in specs]
    spans = [high - low for spec in specs for low, high in [scale_of(spec)]]

    assert [model for part in shown for model in part] == [f"m{n:03}" for n in range(100)]
    assert max(map(len, shown)) <= forest.PAGE_ROWS
    assert max(spans) < 1000  # of the 1,000 points of the whole board


def test_pairs_that_never_met_are_marked_and_not_left_blank() -> None:
    spec = heat_maps.win_rates(large(5)).to_dict()

    assert {(one["row"], one["column"]) for one in spec["layer"][1]["data"]["values"]} >= {("m000", "m004")}
    assert ("m000", "m001") not in {(one["row"], one["column"]) for one in spec["layer"][1]["data"]["values"]}


@pytest.mark.parametrize(("models", "cell"), [(5, 34), (16, 34), (17, 22), (30, 22)])
def test_a_map_has_a_cell_for_each_model_both_ways_and_numbers_where_they_fit(models: int, cell: int) -> None:
    for draw in (heat_maps.win_rates, heat_maps.counts):
        spec = draw(large(models)).to_dict()

        assert (spec["width"], spec["height"]) == (cell * models, cell * models)
        assert any(layer["mark"]["type"] == "text" for layer in spec["layer"]) == (models <= 16)


def test_a_map_of_all_models_has_a_small_cell_for_each() -> None:
    spec = heat_maps.meetings_of_all(large(31)).to_dict()

    assert (spec["width"], spec["height"]) == (6 * 31, 6 * 31)


@pytest.mark.slow
def test_the_map_of_all_models_holds_each_pair_once() -> None:
    shown = large()

    assert len(drawn(shown, "meetings")) == len(shown.pairs)
    assert {"1  m000", "91  m090"} <= {
        text.replace(chr(160), " ") for text in texts(charts.write(shown, "meetings"))
    }


@pytest.mark.slow
def test_components_have_a_scale_each() -> None:
    shown = board(standing("heron", 1000.0), replace(standing("owl", 1000.0), component=2))

    titles = [text for text in texts(charts.write(shown)) if text.startswith("Component")]

    assert titles == [f"Component {number}: ratings compare within it only" for number in (1, 2)]


def test_a_win_rate_counts_ties_half() -> None:
    rates = {(cell["row"], cell["column"]): cell["rate"] for cell in drawn(board(), "winrates")}

    assert rates["heron-7b", "osprey"] == (9 + 3 / 2) / 15  # 9 won, 3 lost, 3 without a winner
    assert rates["osprey", "heron-7b"] == pytest.approx((3 + 3 / 2) / 15)


@pytest.mark.parametrize("name", list(charts.CHARTS))
def test_where_there_is_nothing_to_draw_there_is_no_picture(name: str) -> None:
    empty = replace(board(), models=(), pairs=(), coefficients=())

    with pytest.raises(NoData):
        charts.write(empty, name, history=HISTORY[:1])


def test_unknown_names_are_refused() -> None:
    with pytest.raises(BadInput, match="unknown chart"):
        charts.write(board(), "pie")
    with pytest.raises(BadInput, match="unknown picture format"):
        charts.write(board(), as_="gif")
