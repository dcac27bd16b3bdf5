"""Counts of pairs, matrices and results of games; the classic data sets."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from arena.importers import read
from arena.votes import VoteTable
from tests.arena.importers.conftest import Write
from tests.arena.importers.test_formats import votes


def counted(table: VoteTable) -> list[tuple[str, str, str, int]]:
    return [(*vote, int(count)) for vote, count in zip(votes(table), table.count, strict=True)]


def test_pair_counts_keep_models_without_votes(write: Write) -> None:
    document = {"models": ["rook", "teal", "idle"], "X": [[0, 1]], "Y": [[2, 0, 1, 3]]}

    reading = read([write(json.dumps(document), "counts.json")])

    assert counted(reading.table) == [
        ("rook", "teal", "model_a", 2),
        ("rook", "teal", "tie", 1),
        ("rook", "teal", "both_bad", 3),
    ]
    assert reading.table.models == ("idle", "rook", "teal")
    assert not reading.table.side_known.any()


@pytest.mark.parametrize(
    "change",
    [
        {"X": [[0, 2]]}, {"X": [[0, -1]]}, {"X": [[0]]}, {"X": [0]}, {"X": [["rook", "teal"]]}, {"X": [[0, True]]}, {"X": []}, {"X": 3},
        {"Y": [[1, 2]]}, {"Y": [[1, 2, 3, 4, 5]]}, {"Y": [[1, -2, 3, 0]]}, {"Y": [[1, 2.5, 3, 0]]}, {"Y": [["a", 2, 3, 0]]},
        {"models": ["rook", ""]}, {"models": ["rook", 7]}, {"models": "rook"},
    ],
)  # fmt: skip
def test_wrong_pair_counts_are_rejected(write: Write, change: dict[str, Any]) -> None:
    document = {"models": ["rook", "teal"], "X": [[0, 1]], "Y": [[2, 0, 1, 3]], **change}

    assert read([write(json.dumps(document), "counts.json")], skip_bad=True).tally.rejected_count >= 1


@pytest.mark.parametrize("header", ["team1,team2,win1,win2", "home.team,away.team,home.wins,away.wins", "player_a,player_b,wins_a,wins_b", "model_a,model_b,wins_a,wins_b"])  # fmt: skip
def test_tables_of_wins_of_both_sides(write: Write, header: str) -> None:
    table = read([write(header + "\nrook,teal,3,1\nteal,rook,0,2\n")]).table

    assert counted(table) == [
        ("rook", "teal", "model_a", 3),
        ("rook", "teal", "model_b", 1),
        ("teal", "rook", "model_b", 2),
    ]
    assert table.side_known.all()


def test_no_counts_are_no_votes_and_voters_are_read(write: Write) -> None:
    reading = read(
        [
            write(
                "student,school1,school2,win1,win2,tied\n7,rook,teal,1.0,0.0,0.0\n7,rook,wren,NA,NA,NA\n8,rook,teal,,,\n"
            )
        ]
    )

    assert counted(reading.table) == [("rook", "teal", "model_a", 1)]
    assert reading.tally.not_votes == {"no_counts": 2}
    assert reading.table.voters == ("7",)
    assert "wren" in reading.table.models


def test_a_square_table_is_read_by_rows(write: Write) -> None:
    reading = read([write("beat,rook,teal,wren\nrook,9,4,0\nteal,1,9,0\nwren,0,0,9\n")])

    assert counted(reading.table) == [("rook", "teal", "model_a", 4), ("teal", "rook", "model_a", 1)]
    assert reading.table.models == ("rook", "teal", "wren")


@pytest.mark.parametrize(("words", "outcomes"), [(("W1", "W2", "D"), (0, 1, 2)), (("1", "0", "0.5"), (0, 1, 2)), (("1-0", "0-1", "1/2-1/2"), (0, 1, 2)), (("1.0", "0.0", ".5"), (0, 1, 2))])  # fmt: skip
def test_results_of_the_first_side(write: Write, words: tuple[str, ...], outcomes: tuple[int, ...]) -> None:
    rows = "".join(f"rook,teal,{word}\n" for word in words)

    assert tuple(read([write("player1,player2,outcome\n" + rows)]).table.outcome) == outcomes


def test_an_unknown_result_is_rejected_and_none_is_no_vote(write: Write) -> None:
    tally = read(
        [write("player1,player2,outcome\nrook,teal,W3\nrook,teal,\n")], format="results_table", skip_bad=True
    ).tally

    assert (tally.rejected_count, tally.not_votes) == (1, {"no_result": 1})


def test_on_neutral_ground_no_side_is_known(write: Write) -> None:
    table = read([write("visitor,opponent,result,home.ice\nrook,teal,1,True\nrook,teal,0,False\n")]).table

    assert table.side_known.tolist() == [True, False]


def test_other_names_for_winner_and_loser(write: Write) -> None:
    path = write("gagnant,perdant,date\nrook,teal,2020-01-02\n")

    table = read([path], columns={"gagnant": "winner_name", "perdant": "loser_name"}).table

    assert votes(table) == [("rook", "teal", "model_a")]
    assert not table.side_known.any()


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "count", "models"),
    [
        # From the data sets' own descriptions.
        ("lmsys_arena_counts_20240814/chatbotarena_20240814.json", 1_670_250, 129),
        ("lmsys_arena_counts_20240814/category_specific_data.json.gz", 1_670_250, 129),
        ("tennis_atp/atp_matches_2023.csv.gz", 2986, 440),
        ("tennis_atp/atp_matches_2024.csv.gz", 3076, 443),
        ("bt_classic/baseball_1987.csv", 273, 7),
        ("bt_classic/citations_stigler.csv", 3727, 4),
        ("bt_classic/citations_stigler_matrix.csv", 3727, 4),
        ("bt_classic/icehockey_2009_10.csv", 1083, 58),
        ("bt_classic/toy_disconnected.csv", 17, 8),
        ("llmfao/crowd-comparisons.csv", 8931, 59),
        ("llmfao/evalica/simple.csv", 16, 5),
        ("llmfao/evalica/food.csv", 30, 5),
        ("arena_row_schema_samples/chatbot_arena_conversations.sample.jsonl", 10, 7),
        ("arena_row_schema_samples/copilot_arena_examples_v1.csv.gz", 112, 11),
        ("arena_row_schema_samples/mt_bench_gpt-4_pair.phi3_vs_phi3dpo.jsonl.gz", 73, 2),
        ("mtbench_repro_en/pairwise_original_schema.gpt4omini.gemma_vs_phi.jsonl.gz", 80, 2),
        ("alpacaeval2_judge_prefs/vicuna-13b-v1.5.annotations.json.gz", 150, 2),
        ("llmbar_gold_vs_judges/dataset_natural.json", 100, 2),
    ],
)  # fmt: skip
def test_real_vote_sets_are_read_by_content(shared: Path, file: str, count: int, models: int) -> None:
    reading = read([shared / "data" / file])

    assert reading.tally.accepted == count
    assert reading.tally.rejected_count == 0
    assert len(reading.table.models) == models


@pytest.mark.shared
def test_choices_of_students_without_an_outcome_are_no_votes(shared: Path) -> None:
    reading = read([shared / "data" / "bt_classic" / "cems_preferences.csv.gz"])

    assert reading.tally.read == 4545
    assert reading.tally.not_votes == {"no_counts": 91}
    assert len(reading.table.voters) == 303


@pytest.mark.shared
def test_llmfao_by_outcome_and_voter(shared: Path) -> None:
    table = read([shared / "data" / "llmfao" / "crowd-comparisons.csv"]).table

    assert Counter(table.outcome.tolist()) == {0: 2911, 1: 2549, 2: 3471}
    assert len(table.voters) == 124
    assert len(table.prompts) == 13
