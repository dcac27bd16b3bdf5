"""The whole method on the acceptance cases and on real votes, against published and independently computed numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ratings.leaderboard import Plan
from ratings.ranking import rank
from tests.ratings.votes_for_tests import case, conversations, line, llmfao, pair_counts, ratings, read_csv

QUICK = Plan(rounds=0)
STYLE = ("length", "headers", "lists", "bold")
LMSYS = "data/lmsys_arena_counts_20240814"
LLMFAO = "data/llmfao"


# The numbers of the cases' index come from an independent Newton fit (statsmodels, choix).
@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "plan", "expected"),
    [
        ("r01_bt_basic", QUICK, {"heron-7b": 1117.77, "osprey": 983.82, "wren-mini": 898.41}),
        ("r02_permuted_swapped", QUICK, {"heron-7b": 1117.77, "osprey": 983.82, "wren-mini": 898.41}),
        ("r03_undefeated", QUICK, {"merlin-xl": None, "wren-mini": 1021.20, "osprey": 1011.97, "siskin": 966.82}),
        ("r03_undefeated", Plan(rounds=0, prior="pairs"), {"merlin-xl": 1265.75, "wren-mini": 930.82, "osprey": 920.17, "siskin": 883.26}),
        ("r03_winless", QUICK, {"plover": None, "curlew-q": 1012.92, "siskin": 1012.92, "dunlin-s": 974.16}),
        ("r03_winless", Plan(rounds=0, prior="pairs"), {"siskin": 1129.76, "curlew-q": 1118.65, "dunlin-s": 1069.15, "plover": 682.44}),
        ("r04_disconnected", QUICK, {"heron-7b": 1095.425, "osprey": 904.575, "plover": 1095.425, "siskin": 904.575}),
        ("r05_all_ties", Plan(), {"heron-7b": 1000.0, "osprey": 1000.0, "wren-mini": 1000.0}),
        ("r12_sparse_bootstrap", Plan(), {"plover": 1100.52, "heron-7b": 1050.54, "osprey": 980.11, "wren-mini": 969.36}),
    ],
)  # fmt: skip
def test_case_ratings(shared: Path, name: str, plan: Plan, expected: dict[str, float | None]) -> None:
    board = rank(case(shared / "cases" / f"{name}.csv"), plan)

    found = ratings(board)
    assert found.keys() == expected.keys()
    known = [model for model, value in expected.items() if value is not None]
    assert [found[m] for m in known] == pytest.approx([expected[m] for m in known], abs=0.05)
    assert all(found[m] is None for m in expected.keys() - set(known))


@pytest.mark.shared
def test_case_side_effect(shared: Path) -> None:
    votes = case(shared / "cases/r07_left_bias.csv")

    without, beside = rank(votes, QUICK), rank(votes, Plan(side=True))

    assert line(without, "heron-7b").rating - line(without, "osprey").rating == pytest.approx(11.59, abs=0.05)
    assert line(beside, "heron-7b").rating - line(beside, "osprey").rating == pytest.approx(13.39, abs=0.05)
    (side,) = beside.coefficients
    assert (side.name, side.elo) == ("side", pytest.approx(133.80, abs=0.05))
    assert side.low < side.value < side.high


@pytest.mark.shared
def test_case_style_control(shared: Path) -> None:
    votes = conversations(shared / "cases/r11_style_control.json")

    board = rank(votes, Plan(style=STYLE))

    expected = {"heron-7b": 1146.87, "osprey": 1028.49, "wren-mini": 931.02, "siskin": 893.62}
    plain = {"heron-7b": 1090.78, "osprey": 1018.74, "wren-mini": 954.92, "siskin": 935.56}
    assert ratings(board) == pytest.approx(expected, abs=0.05)
    assert {row.model: row.rating_without_style for row in board.models} == pytest.approx(plain, abs=0.05)
    assert {c.name: c.value for c in board.coefficients} == pytest.approx({"length": 0.4596, "headers": -0.1035, "bold": 0.1516}, abs=1e-4)  # fmt: skip
    assert [d.name for d in board.dropped] == ["lists"]


@pytest.mark.shared
def test_case_sparse_model_has_a_wide_finite_interval(shared: Path) -> None:
    votes = case(shared / "cases/r12_sparse_bootstrap.csv")

    plover = line(rank(votes, Plan(cluster="none")), "plover")

    assert plover.status == "preliminary"
    assert -3800 < plover.low < plover.rating < plover.high
    assert plover.high - plover.low > 500


@pytest.mark.shared
def test_official_lmsys_board_is_reproduced(shared: Path) -> None:
    votes = pair_counts(shared / LMSYS / "chatbotarena_20240814.json")
    official = {
        row["key"]: float(row["rating"])
        for row in read_csv(shared / LMSYS / "published/lmsys_leaderboard_20240813_20240822.csv")
        if row["date"] == "20240822"
    }

    board = rank(votes, Plan(rounds=32, anchor=("mixtral-8x7b-instruct-v0.1", 1114.0)))

    found = ratings(board)
    difference = np.abs([found[model] - rating for model, rating in official.items() if model in found])
    assert len(difference) == 129
    assert difference.mean() <= 0.25
    assert difference.max() <= 2.0


@pytest.mark.shared
def test_llmfao_strengths_match_evalica(shared: Path) -> None:
    golden = read_csv(shared / LLMFAO / "evalica/llmfao-golden.csv")
    published = {row["item"]: float(row["score"]) for row in golden if row["algorithm"] == "bradley_terry"}

    board = rank(llmfao(shared / LLMFAO / "crowd-comparisons.csv"), Plan(rounds=16))

    strength = {row.model: 10 ** (row.rating / 400) for row in board.models}
    total = sum(strength.values())
    assert {model: value / total for model, value in strength.items()} == pytest.approx(published, rel=1e-6)
    assert board.snapshot.voters == 124


@pytest.mark.shared
def test_every_board_is_strict_json(shared: Path) -> None:
    board = rank(case(shared / "cases/r03_undefeated.csv"), Plan(rounds=16))

    assert "NaN" not in board.to_json()
    assert json.loads(board.to_json())["models"][-1]["rating"] is None
