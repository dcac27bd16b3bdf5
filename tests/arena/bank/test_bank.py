"""Bringing a bank of answers: holes, conflicts, empty and error texts, answers that give their model away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.bank import bank
from arena.bank.roster import ModelInfo, Roster

ROSTER = Roster((ModelInfo("egret-9b", "egret-9b"), ModelInfo("plover mini", "plover-mini")))


def written(folder: Path, *rows: tuple[str, str, str]) -> Path:
    path = folder / "bank.jsonl"
    lines = [
        json.dumps(
            {"prompt_id": p, "prompt": f"Question {p}", "model": model, "response": text}, ensure_ascii=False
        )
        for p, model, text in rows
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def servable(path: Path, **options: bool) -> set[str]:
    """Prompts on which at least two models have an answer that can be served."""
    return {pair[0] for pair in pairs(path, **options)}


def pairs(path: Path, **options: bool) -> list[tuple[str, str, str]]:
    found, _ = bank.read([path], ROSTER, **options)
    models = {p: sorted(m for (at, m) in found.answers if at == p) for p in found.prompts}
    return [(p, *two) for p, names in models.items() if len(names) >= 2 for two in [tuple(names[:2])]]


def test_a_whole_bank_serves_and_has_no_problem(tmp_path: Path) -> None:
    path = written(tmp_path, ("q1", "egret-9b", "Yes."), ("q1", "plover mini", "No."))

    report = bank.check([path], ROSTER)

    assert report.problems == ()
    assert servable(path) == {"q1"}


@pytest.mark.parametrize(
    "text", ["", "  \n\t ", "\u200b\u200b", "**NETWORK ERROR DUE TO HIGH TRAFFIC. PLEASE REGENERATE**"]
)
def test_empty_blank_and_error_answers_are_never_served(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, ("q1", "egret-9b", text), ("q1", "plover mini", "No."))

    report = bank.check([path], ROSTER)

    assert servable(path) == set()
    assert report.problems or report.warnings


def test_an_error_text_is_servable_when_the_list_is_off(tmp_path: Path) -> None:
    path = written(tmp_path, ("q1", "egret-9b", "rate limit exceeded"), ("q1", "plover mini", "No."))

    assert servable(path, error_patterns=False) == {"q1"}


def test_two_texts_for_one_answer_are_a_conflict_with_its_line(tmp_path: Path) -> None:
    path = written(
        tmp_path, ("q1", "egret-9b", "Yes."), ("q1", "plover mini", "No."), ("q1", "plover mini", "Perhaps.")
    )

    problems = bank.check([path], ROSTER).problems

    assert any(problem.line == 3 and "plover mini" in f"{problem.value} {problem}" for problem in problems)


def test_a_prompt_with_one_model_is_not_served(tmp_path: Path) -> None:
    assert servable(written(tmp_path, ("q1", "egret-9b", "Yes."))) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I am Egret-9B.",
        "As EGRET 9B I cannot",
        "Better than plo\u200bver-mini",
        "e\u200bgret\u20119b here",
        "I am ＥＧＲＥＴ-9B",
    ],
)
def test_answers_that_name_a_model_of_the_roster_are_told(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, ("q1", "egret-9b", text), ("q1", "plover mini", "No."))

    report = bank.check([path], ROSTER)

    assert any(
        "identity" in str(found) or "names" in str(found) for found in (*report.problems, *report.warnings)
    )


@pytest.mark.parametrize(
    "text", ["An egret is a white bird.", "The golden plover flies far; a mini bus does not."]
)
def test_a_common_word_of_a_name_gives_nothing_away(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, ("q1", "egret-9b", text), ("q1", "plover mini", "No."))

    report = bank.check([path], ROSTER)

    assert report.problems == ()
    assert servable(path) == {"q1"}


def test_a_broken_line_is_named_and_nothing_else_is_lost(tmp_path: Path) -> None:
    path = written(tmp_path, ("q1", "egret-9b", "Yes."), ("q1", "plover mini", "No."))
    path.write_text(path.read_text(encoding="utf-8") + '{"prompt_id": "q2", \n', encoding="utf-8")

    report = bank.check([path], ROSTER)

    assert [problem.line for problem in report.problems] == [3]
