"""The whole method on the acceptance cases and on real votes, against published and independently computed numbers."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from arena.votes import Outcome, Vote, VoteTable
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse, rank
from tests.ratings.votes_for_tests import case, conversations, line, llmfao, pair_counts, ratings, read_csv

QUICK = Plan(rounds=0)
STYLE = ("length", "headers", "lists", "bold")
ROOT = Path(__file__).resolve().parents[3]
DATA, GOLDEN = ROOT / "data", ROOT / "tests/golden"


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


@pytest.mark.slow
def test_official_lmsys_board_is_reproduced() -> None:
    votes = pair_counts(DATA / "lmsys_2024_08/counts.json")
    official = {row["model"]: float(row["rating"]) for row in read_csv(DATA / "lmsys_2024_08/official.csv")}

    board = rank(votes, Plan(rounds=32, anchor=("mixtral-8x7b-instruct-v0.1", 1114.0)))

    found = ratings(board)
    difference = np.abs([found[model] - rating for model, rating in official.items()])
    assert len(difference) == 129
    assert difference.mean() <= 0.25
    assert difference.max() <= 2.0


@pytest.mark.slow
def test_llmfao_strengths_match_evalica() -> None:
    # Scores of the algorithm bradley_terry in evalica's llmfao-golden.csv (evalica, Apache-2.0).
    golden = {row["item"]: float(row["score"]) for row in read_csv(GOLDEN / "llmfao_bradley_terry.csv")}

    board = rank(llmfao(DATA / "llmfao/votes.csv"), Plan(rounds=16))

    strength = {row.model: 10 ** (row.rating / 400) for row in board.models}
    total = sum(strength.values())
    assert {model: value / total for model, value in strength.items()} == pytest.approx(golden, rel=1e-6)
    assert board.snapshot.voters == 124


@pytest.mark.shared
def test_case_gap_of_each_vote_its_own_voter(shared: Path) -> None:
    analysis = analyse(case(shared / "cases/r12_sparse_bootstrap.csv"), Plan(cluster="none"))

    gap = analysis.gap("heron-7b", "osprey")

    assert (gap.low, gap.high) == pytest.approx((2, 143), abs=6)


@pytest.mark.shared
def test_college_hockey_has_the_krach_ratings(shared: Path) -> None:
    games = read_csv(shared / "data/bt_classic/icehockey_2009_10.csv")
    said = {1.0: Outcome.A, 0.5: Outcome.TIE, 0.0: Outcome.B}
    votes = VoteTable.of(
        [
            Vote(
                "", g["visitor"], g["opponent"], said[float(g["result"])], side_known=g["home.ice"] == "True"
            )
            for g in games
        ]
    )

    board, at_home = rank(votes, QUICK), rank(votes, Plan(rounds=0, side=True, ties="davidson"))

    # KRACH of 2009-10, from an independent fit: odds of ten are 400 points.
    krach = {
        "Denver": 543.0,
        "Miami": 488.2,
        "Wisconsin": 481.3,
        "North Dakota": 434.3,
        "Boston College": 346.2,
    }
    found = ratings(board)
    for team, strength in krach.items():
        assert 10 ** ((found[team] - found["Denver"]) / 400) == pytest.approx(strength / 543.0, abs=2e-3)
    # The visitor stands left: ice at home is worth points, and a tie is a third as likely as a win.
    side, nu = at_home.coefficients
    assert side.high < 0
    assert 0.2 < nu.low < nu.high < 0.5


@pytest.mark.shared
def test_tennis_has_undefeated_players_and_islands_and_no_absurd_rating(shared: Path) -> None:
    with gzip.open(shared / "data/tennis_atp/atp_matches_2024.csv.gz", "rt", encoding="utf-8") as lines:
        matches = list(csv.DictReader(lines))
    votes = [Vote("", m["winner_name"], m["loser_name"], Outcome.A, side_known=False) for m in matches]

    board = rank(VoteTable.of(votes), Plan(rounds=16))

    assert (board.snapshot.components, board.snapshot.models) == (221, 443)
    assert sum(row.component == 1 for row in board.models) == 220
    assert sum("undefeated" in (row.why or "") for row in board.models) == 31
    assert sum("winless" in (row.why or "") for row in board.models) == 136
    assert [row.model for row in board.models[:3]] == ["Jannik Sinner", "Carlos Alcaraz", "Novak Djokovic"]
    assert all(0 < row.rating < 2000 for row in board.models if row.rating is not None)


@pytest.mark.shared
def test_every_board_is_strict_json(shared: Path) -> None:
    board = rank(case(shared / "cases/r03_undefeated.csv"), Plan(rounds=16))

    assert "NaN" not in board.to_json()
    assert json.loads(board.to_json())["models"][-1]["rating"] is None
