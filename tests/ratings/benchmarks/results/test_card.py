"""The benchmark card: what it accepts, what it refuses, and the questions that it leaves open."""

from __future__ import annotations

import math

import pytest

from arena.errors import BadInput
from ratings.benchmarks.results.card import QUESTIONS, Card, checklist, read_card, template

FULL = """
name = "quiz"
version = "2.1"
released = 2024-05-01
attempts = 4
label_error_rate = 0.0649
options = 4
human = 0.898
known_flaws = ["two keys per item", "typos"]
"""


def test_a_card_is_read():
    card = read_card(FULL)

    assert (card.version, card.released, card.attempts, card.options) == ("2.1", "2024-05-01", 4, 4.0)
    assert card.ceiling == pytest.approx(0.9351)
    assert card.floor == 0.25
    assert card.known_flaws == ("two keys per item", "typos")


def test_free_answers_have_no_floor():
    assert read_card('name = "x"\noptions = "open"').options == math.inf
    assert read_card('name = "x"\noptions = "open"').floor == 0


def test_the_checklist_prints_what_is_missing():
    found = checklist(read_card(FULL))

    assert {answer.key for answer in found.missing} == set(QUESTIONS) - {
        "version", "released", "attempts", "label_error_rate", "options", "human", "known_flaws",
    }  # fmt: skip
    text = str(found)
    assert text.splitlines()[0] == f"quiz: 7 of {len(QUESTIONS)} questions answered"
    assert QUESTIONS["exposure"] in text
    assert QUESTIONS["version"] not in text


def test_an_empty_card_leaves_everything_open():
    assert len(checklist(Card("x")).missing) == len(QUESTIONS) >= 15
    assert (Card("x").ceiling, Card("x").floor) == (None, None)
    assert checklist(read_card('name = "x"\nversion = "  "')).missing[0].key == "version"


def test_the_template_is_a_card():
    assert read_card(template('a "b" \\c')) == Card('a "b" \\c')
    uncommented = "\n".join(
        line.removeprefix("# ") if " = " in line else line for line in template("x").splitlines()
    )
    assert read_card(uncommented).attempts == 1


@pytest.mark.parametrize(
    "line",
    ["versoin = '1'", "attempts = 0", "attempts = 1.5", "attempts = true", "label_error_rate = 1.5", "label_error_rate = '6 %'",
     "options = 1", "options = 2.5", "options = 'many'", "human = nan", "released = 'spring'", "released = 2024", "version = 3",
     "known_flaws = 'none'", "known_flaws = [1]", "name = ''", "tries = -1"],
)  # fmt: skip
def test_faults_are_named_by_key(line):
    text = line if line.startswith("name") else f"name = 'x'\n{line}"

    with pytest.raises(BadInput) as caught:
        read_card(text, "quiz.toml")

    assert caught.value.problems[0].column == line.split()[0]
    assert caught.value.problems[0].file == "quiz.toml"


def test_broken_toml_and_a_missing_name_are_refused():
    for text in ("name = ", "version = '1'"):
        with pytest.raises(BadInput):
            read_card(text)
