"""Judges: AlpacaEval's draws, MT-bench's failures and orders, Arena-Hard's swapped games."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.ratings.benchmarks.readers.writing import cells, put, put_lines, reading, refusal, results


def preference(value: Any, instruction: str = "q", **more: Any) -> dict[str, Any]:
    return {
        "instruction": instruction,
        "generator_1": "base",
        "generator_2": "m",
        "preference": value,
        **more,
    }


@pytest.mark.parametrize(
    ("value", "outcome"),
    [(1, (0.0, "ok")), (2, (1.0, "ok")), (0, (0.5, "ok")), (1.5, (0.5, "ok")), (1.25, (0.25, "ok")),
     (None, (None, "unscored")), (math.nan, (None, "unscored"))],
)  # fmt: skip
def test_preferences(tmp_path: Path, value: Any, outcome: tuple[float | None, str]) -> None:
    assert cells(put(tmp_path / "annotations.json", [preference(value)])) == {("m", "q", 0): outcome}


@pytest.mark.parametrize("value", [True, "2", 0.5, -1, 3, [2]])
def test_other_preferences_are_refused(tmp_path: Path, value: Any) -> None:
    error = refusal(put(tmp_path / "annotations.json", [preference(1), preference(value, "r")]))

    assert [(problem.row, problem.column) for problem in error.problems] == [(2, "preference")]


def test_an_instruction_twice_counts_once(tmp_path: Path) -> None:
    rows = [preference(2, "q"), preference(2, "q"), preference(1, "r"), preference(None, "s")]
    file = put(tmp_path / "annotations.json", rows)

    result, figure = results(file)["alpaca_eval"], reading(file).account.figures[0]

    assert (result.duplicates, len(result.items), result.tally("m")["unscored"]) == (1, 3, 1)
    assert (figure.value, figure.n) == (0.5, 2)


def test_another_baseline_is_another_benchmark(tmp_path: Path) -> None:
    rows = [preference(2), preference(1, generator_1="other")]

    found = results(put(tmp_path / "annotations.json", rows))

    assert sorted(found) == ["alpaca_eval:base", "alpaca_eval:other"]


def test_baselines_of_two_files_are_kept_apart(tmp_path: Path) -> None:
    one = put(tmp_path / "one" / "annotations.json", [preference(2)])
    two = put(tmp_path / "two" / "annotations.json", [preference(1, generator_1="other", generator_2="n")])

    assert sorted(results(one, two)) == ["alpaca_eval:base", "alpaca_eval:other"]


def grade(score: Any, turn: int = 1, **more: Any) -> dict[str, Any]:
    return {"question_id": 81, "model": "m", "judge": ["j", "v1"], "score": score, "turn": turn, **more}


def test_grades_from_1_to_10_become_0_to_1_and_turns_items_of_a_question(tmp_path: Path) -> None:
    file = put_lines(tmp_path / "single.jsonl", [grade(1), grade(5.5, 2)])

    assert cells(file) == {("m", "81/turn1", 0): (0.0, "ok"), ("m", "81/turn2", 0): (0.5, "ok")}
    assert results(file)["mt_bench"].grouped


def test_minus_one_is_a_judge_who_was_not_understood(tmp_path: Path) -> None:
    file = put_lines(tmp_path / "single.jsonl", [grade(-1)])

    assert cells(file) == {("m", "81/turn1", 0): (None, "unscored")}
    assert reading(file).account.reasons == {"parse_error": 1}


@pytest.mark.parametrize("score", [0, 11, -2, True, "9"])
def test_other_grades_are_refused(tmp_path: Path, score: Any) -> None:
    assert refusal(put_lines(tmp_path / "single.jsonl", [grade(score)])).problems[0].column == "score"


def test_judges_are_kept_apart(tmp_path: Path) -> None:
    file = put_lines(tmp_path / "single.jsonl", [grade(9), grade(3, judge=["k", "v1"])])

    assert sorted(results(file)) == ["mt_bench:j", "mt_bench:k"]


def test_judges_of_two_files_are_kept_apart(tmp_path: Path) -> None:
    one = put_lines(tmp_path / "j_single.jsonl", [grade(9)])
    two = put_lines(tmp_path / "k_single.jsonl", [grade(3, judge=["k", "v1"])])

    assert sorted(results(one)) == ["mt_bench"]
    assert sorted(results(one, two)) == ["mt_bench:j", "mt_bench:k"]


def test_judges_of_pairs_are_kept_apart(tmp_path: Path) -> None:
    rows = [pair("model_1", "model_1"), {**pair("model_2", "model_2"), "judge": ["k", "p"]}]

    assert sorted(results(put_lines(tmp_path / "pair.jsonl", rows))) == ["mt_bench_pair:j", "mt_bench_pair:k"]


def pair(first: str, second: str, question: int = 81, one: str = "m1", two: str = "m2") -> dict[str, Any]:
    return {
        "question_id": question, "model_1": one, "model_2": two, "g1_winner": first, "g2_winner": second, "turn": 1,
        "judge": ["j", "p"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [("model_1", "model_1", (1.0, "ok")), ("model_2", "model_2", (0.0, "ok")), ("tie", "tie", (0.5, "ok")),
     ("model_1", "model_2", (0.5, "ok")), ("tie", "model_1", (0.5, "ok")), ("error", "model_1", (None, "unscored"))],
)  # fmt: skip
def test_pairs_in_both_orders(
    tmp_path: Path, first: str, second: str, outcome: tuple[float | None, str]
) -> None:
    assert cells(put_lines(tmp_path / "pair.jsonl", [pair(first, second)]))["m1", "81/turn1", 0] == outcome


def test_an_unknown_winner_is_refused(tmp_path: Path) -> None:
    assert (
        refusal(put_lines(tmp_path / "pair.jsonl", [pair("model_1", "m1")])).problems[0].column == "g2_winner"
    )


def test_models_are_compared_on_what_they_were_judged_on_together(tmp_path: Path) -> None:
    rows = [
        pair("tie", "tie"),
        pair("tie", "tie", one="m2", two="m3"),
        pair("tie", "tie", one="m1", two="m3"),
    ]

    found = results(put_lines(tmp_path / "pair.jsonl", rows))["mt_bench_pair"]

    assert len(found.items) == 3


def test_against_one_baseline_the_others_share_the_questions(tmp_path: Path) -> None:
    rows = [pair("model_1", "model_1", two="base"), pair("tie", "tie", one="m9", two="base")]

    found = results(put_lines(tmp_path / "pair.jsonl", rows))["mt_bench_pair"]

    assert (found.models, found.items) == (("m1", "m9"), ("81/turn1",))


def hard(*scores: Any) -> dict[str, Any]:
    return {"question_id": "q", "model": "m", "judge": "j", "games": [{"score": score} for score in scores]}


@pytest.mark.parametrize(
    ("scores", "outcomes"),
    [(("A>>B", "A>>B"), [0.0, 1.0]), (("B>A", "B>A"), [1.0, 0.0]), (("A=B", "A<B"), [0.5, 0.0]), (("A<<B", "B>>A"), [1.0, 0.0])],
)  # fmt: skip
def test_the_second_game_is_swapped(tmp_path: Path, scores: tuple[str, ...], outcomes: list[float]) -> None:
    found = cells(put_lines(tmp_path / "m.jsonl", [hard(*scores)]))

    assert [score for score, _ in found.values()] == outcomes


def test_no_verdict_is_unscored_and_strong_ones_weigh_three(tmp_path: Path) -> None:
    file = put_lines(tmp_path / "m.jsonl", [hard("A>>B", None), {**hard("B>A", "A=B"), "question_id": "r"}])

    assert cells(file)["m", "q/game2", 0] == (None, "unscored")
    assert [figure.value for figure in reading(file).account.figures] == [0.5, 1.5 / 5]


@pytest.mark.parametrize("verdict", ["A>C", "A", "A>A", 1, "tie"])
def test_another_verdict_is_refused(tmp_path: Path, verdict: Any) -> None:
    assert refusal(put_lines(tmp_path / "m.jsonl", [hard("A=B", verdict)])).problems[0].row == 1
