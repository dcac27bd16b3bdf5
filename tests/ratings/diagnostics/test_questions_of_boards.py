"""Questions to a declared board are answered for the votes and the plan that it declares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.archive.archive import Archive
from arena.votes import Outcome, Vote, VoteTable
from ratings.__main__ import main
from tests.ratings.refresh_contexts import bring

BOARDS = """
[[board]]
name = "all"
collection = "birds"
rounds = 0

[[board]]
name = "code"
collection = "birds"
category = "code"
rounds = 0
ties = "drop"
anchor = ["heron", 1200]

[[board]]
name = "german"
collection = "birds"
language = "de"
rounds = 0

[[board]]
name = "late"
collection = "birds"
since = 2020-01-01T00:00:00Z
rounds = 0
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 votes on two birds: code 20 : 10, the rest 30 : 60; every fourth in German; before 2020 but for the last 24."""
    path = tmp_path_factory.mktemp("home")
    outcomes = [(Outcome.A, True)] * 20 + [(Outcome.B, True)] * 10 + [(Outcome.A, False)] * 30
    outcomes += [(Outcome.B, False)] * 60
    votes = [
        Vote(
            f"v{n}", "heron", "wren", outcome, voter=f"s{n % 12}", prompt=f"p{n % 5}",
            at=1.6e9 if n >= 96 else 1.5e9, language="de" if n % 4 == 0 else "en", categories=("code",) if code else (),
        )
        for n, (outcome, code) in enumerate(outcomes)
    ]  # fmt: skip
    bring(Archive(str(path / "archive")), VoteTable.of(votes))
    (path / "boards.toml").write_text(BOARDS)
    return path


def ask(home: Path, *words: str) -> Result:
    environment = {"ARENA_HOME": str(home), "ARENA_BOARDS": str(home / "boards.toml")}
    return CliRunner().invoke(main, words, env=environment)


def answer(home: Path, *words: str) -> Any:
    result = ask(home, *words, "--as", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("words", "record"),
    [
        (("--board", "all"), (50, 70)),
        (("--board", "code"), (20, 10)),
        (("--board", "german"), (12, 18)),
        (("--board", "late"), (0, 24)),
        (("--board", "german", "--language", "en"), (38, 52)),
        (("--board", "code", "--until", "2019-01-01", "--language", "de"), (5, 3)),
    ],
)
def test_a_board_is_asked_about_its_own_votes(
    home: Path, words: tuple[str, ...], record: tuple[int, int]
) -> None:
    (gap,) = answer(home, "compare", "heron", "wren", *words)

    assert (gap["wins"], gap["losses"]) == record


def test_a_board_is_asked_under_its_own_plan_but_for_what_is_given(home: Path) -> None:
    own = answer(home, "diagnose", "--board", "code")
    given = answer(home, "diagnose", "--board", "code", "--category", "code", "--ties", "half")

    assert own["held_out"]["votes"] == given["held_out"]["votes"] == 30


def test_what_is_given_must_be_among_the_votes_of_the_board(home: Path) -> None:
    result = ask(home, "compare", "heron", "wren", "--board", "all", "--category", "maths")

    assert result.exit_code == 1
    assert "no vote has the category 'maths'; known: code" in result.stderr
