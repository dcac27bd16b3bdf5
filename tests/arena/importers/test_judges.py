"""Judges as voters: AlpacaEval, Arena-Hard, MT-bench pairs; order consistency is reported."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from arena.importers import read
from arena.importers.formats.judges import ORDER
from tests.arena.importers.conftest import Write
from tests.arena.importers.test_formats import votes


def annotation(preference: Any, item: str = "q", **more: Any) -> dict[str, Any]:
    return {
        "instruction": item,
        "generator_1": "base",
        "generator_2": "rook",
        "output_1": "x",
        "output_2": "y z",
        "annotator": "j",
        "preference": preference,
        **more,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preference", "word"),
    [
        (1, "model_a"),
        (2, "model_b"),
        (1.5, "tie"),
        (0, "tie"),
        (0.0, "tie"),
        (1.4999, "model_a"),
        (1.5001, "model_b"),
        (2.0, "model_b"),
    ],
)
def test_a_preference_is_a_choice(write_lines: Write, preference: float, word: str) -> None:
    assert votes(read([write_lines([annotation(preference)])]).table) == [("base", "rook", word)]


@pytest.mark.parametrize("preference", [-1, 0.5, 2.1, 3, "good", True, float("inf")])
def test_a_preference_outside_is_rejected(write_lines: Write, preference: Any) -> None:
    assert read([write_lines([annotation(preference)])], skip_bad=True).tally.rejected_count == 1


def test_the_mean_preference_counts_each_item_once(write_lines: Write) -> None:
    rows = [annotation(p, f"q{i}") for i, p in enumerate((2, 1, 1.5, None, float("nan"), 1.8))]

    tally = read([write_lines([*rows, annotation(2, "q0")])]).tally

    ((total, number),) = tally.measures["mean preference"].values()
    assert (round(total, 9), number) == (2.3, 4)
    assert tally.not_votes == {"unscored": 2}
    assert tally.duplicates == 1


def test_lengths_of_answers_are_traits(write: Write) -> None:
    path = write(
        "instruction_index,generator_1,generator_2,len_output_1,len_output_2,preference\n0,base,rook,20,5,1.25\n"
    )

    table = read([path]).table

    assert table.traits["length"].tolist() == [[20, 5]]
    assert not table.side_known.any()


def games(*scores: Any, **more: Any) -> dict[str, Any]:
    return {
        "uid": "h1",
        "judge": "j",
        "model": "rook",
        "baseline": "base",
        "games": [{"score": score} for score in scores],
        **more,
    }


def test_the_second_game_has_its_sides_exchanged(write_lines: Write) -> None:
    table = read(
        [write_lines([games("A>B", "B>>A"), games("B>>A", "A=B", uid="h2"), games("A<B", "A>>B", uid="h3")])]
    ).table

    assert votes(table) == [
        ("base", "rook", "model_a"), ("rook", "base", "model_b"),
        ("base", "rook", "model_b"), ("rook", "base", "tie"),
        ("base", "rook", "model_b"), ("rook", "base", "model_a"),
    ]  # fmt: skip


def test_consistency_of_the_two_games_is_reported(write_lines: Write) -> None:
    tally = read(
        [write_lines([games("A>B", "B>A"), games("A>B", "A>B", uid="h2"), games(None, "A>B", uid="h3")])]
    ).tally

    assert tally.measures[ORDER] == {"j": (1, 2)}
    assert tally.accepted == 5
    assert "games without a verdict: 1" in tally.warnings


def test_a_judgment_without_any_verdict_is_counted(write_lines: Write) -> None:
    assert read([write_lines([games("A>B", "A>B"), games(None, None, uid="h2")])]).tally.not_votes == {
        "unscored": 1
    }


@pytest.mark.parametrize("score", ["A~B", "a>b", 1, ["A>B"]])
def test_an_unknown_verdict_is_rejected(write_lines: Write, score: Any) -> None:
    assert read([write_lines([games(score, "A>B")])], skip_bad=True).tally.rejected_count == 1


def test_a_baseline_that_is_not_named_is_told(write_lines: Write) -> None:
    record = games("A>B", "A>B")
    del record["baseline"]

    reading = read([write_lines([record])])

    assert reading.table.models == ("baseline", "rook")
    assert any("does not name the baseline" in warning for warning in reading.tally.warnings)


def pair(one: Any, two: Any, question: int = 81) -> dict[str, Any]:
    return {
        "question_id": question,
        "model_1": "rook",
        "model_2": "teal",
        "g1_winner": one,
        "g2_winner": two,
        "judge": ["j", "pair"],
        "turn": 1,
    }


@pytest.mark.parametrize(
    ("one", "two", "word"),
    [
        ("model_1", "model_1", "model_a"),
        ("model_2", "model_2", "model_b"),
        ("tie", "tie", "tie"),
        ("model_1", "model_2", "tie"),
        ("tie", "model_1", "tie"),
    ],
)
def test_orders_that_disagree_are_a_tie(write_lines: Write, one: str, two: str, word: str) -> None:
    reading = read([write_lines([pair(one, two)])])

    assert votes(reading.table) == [("rook", "teal", word)]
    assert reading.tally.measures[ORDER] == {"j/pair": (float(one != two), 1)}
    assert not reading.table.side_known.any()


def test_an_error_of_the_judge_is_no_vote(write_lines: Write) -> None:
    tally = read([write_lines([pair("model_1", "error"), pair("model_1", "model_1", 82)])]).tally

    assert tally.not_votes == {"judge_error": 1}


def test_an_unknown_winner_of_a_game_is_rejected(write_lines: Write) -> None:
    assert read([write_lines([pair("model_1", "model_3")])], skip_bad=True).tally.rejected_count == 1


ORDERS = "question_id,model_a,model_b,judge_id,winner,winner_ab,winner_ba,turn\n"


@pytest.mark.parametrize("winner", ["rook", "tie", "teal", ""])
def test_a_winner_that_the_two_games_do_not_say_is_rejected(write: Write, winner: str) -> None:
    reading = read([write(ORDERS + f"81,rook,teal,j,{winner},A,A,2\n")], skip_bad=True)

    assert reading.tally.rejected_count == 1
    assert "inconsistent" in reading.tally.rejected[0].reason


# --- published figures ---


@pytest.mark.shared
def test_published_win_rates_of_alpacaeval(shared: Any) -> None:
    folder = shared / "data" / "alpacaeval2_judge_prefs"
    reading = read([folder / "preferences.csv.gz"])

    means = {
        who.split(" over ")[0]: 100 * total / n
        for who, (total, n) in reading.tally.measures["mean preference"].items()
    }
    table = reading.table
    for name, win_rate, discrete in published(folder / "published_leaderboard.csv"):
        assert means[name] == pytest.approx(win_rate, abs=1e-6)
        mine = table.b == table.models.index(name)
        shares = np.array([0.0, 1.0, 0.5, 0.5])[table.outcome[mine]]
        assert 100 * shares.mean() == pytest.approx(discrete, abs=1e-6)


def published(path: Any) -> list[tuple[str, float, float]]:
    header, *lines = path.read_text().splitlines()
    rows = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    return [(row["model"], float(row["win_rate"]), float(row["discrete_win_rate"])) for row in rows]


@pytest.mark.shared
def test_published_inconsistency_of_mt_bench_judges(shared: Any) -> None:
    reading = read([shared / "data" / "mtbench_repro_en" / "pairwise_judgments.csv.gz"])

    # Table 5 of the reproduction (English): inconsistent, valid.
    assert reading.tally.measures[ORDER] == {
        "Qwen2.5-7B-Instruct": (951, 1200),
        "Qwen2.5-14B-Instruct": (541, 1200),
        "Qwen2.5-32B-Instruct": (371, 1198),
        "EXAONE-3.5-32B-Instruct-AWQ": (506, 1200),
        "gpt-4o-mini": (399, 1193),
        "Gemma-4-12B-it": (234, 1180),
    }
    assert reading.tally.accepted == 7171
    assert reading.tally.not_votes == {"judge_error": 29}


@pytest.mark.shared
def test_published_accuracy_of_llmbar_judges(shared: Any) -> None:
    folder = shared / "data" / "llmbar_gold_vs_judges"
    measures = read([folder / "judge_verdicts.csv.gz"]).tally.measures

    for line in (folder / "published_statistics.csv").read_text().splitlines()[1:]:
        _, judge, prompting, text = line.split(",", 3)
        statistics = json.loads(text.strip('"').replace('""', '"'))
        for order, key in (("as given", "correct_False"), ("swapped", "correct_True")):
            right, number = (int(part.split("=")[0]) for part in statistics[key].split(" / "))
            assert measures[f"agreement with the gold label, {order}"][f"{judge}/{prompting}"] == (
                right,
                number,
            )
