"""Declared boards: what the file says is what is published; whatever it should not say is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import BadInput
from ratings.leaderboard import Plan
from ratings.releases.boards import Board, read_boards


def declared(folder: Path, text: str) -> tuple[Board, ...]:
    path = folder / "boards.toml"
    path.write_text(text, encoding="utf-8")
    return read_boards(path)


def test_our_own_votes_come_first_and_then_the_example() -> None:
    assert [(board.name, board.collection) for board in read_boards()] == [
        ("arena", "arena"),
        ("llmfao", "llmfao"),
    ]


def test_a_board_carries_its_plan_and_its_style_apart(tmp_path: Path) -> None:
    text = """
    [[board]]
    name = "code"
    title = "Code"
    collection = "arena"
    category = "code"
    language = "en"
    since = 2026-01-01T00:00:00Z
    until = 1767312000
    rounds = 700
    anchor = ["a=b", 1100]
    ties = "drop"
    style = ["length"]
    """

    (board,) = declared(tmp_path, text)

    assert board.style == ("length",)
    assert board.plan == Plan(
        rounds=700,
        anchor=("a=b", 1100.0),
        ties="drop",
        category="code",
        language="en",
        since=1767225600.0,
        until=1767312000.0,
    )


def test_a_board_may_be_of_one_import(tmp_path: Path) -> None:
    (board,) = declared(tmp_path, '[[board]]\nname = "x"\ncollection = "birds"\nsource = "may.csv"')

    assert board.source == "may.csv"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[[board]]\nname = "x"\ncollection = "arena"\nsource = "may.csv"', "come from none"),
        ('[[board]]\nname = "x"\ncollection = "birds"\nsource = 3', "`source` is a text"),
        ("", "no [[board]]"),
        ("[[board]]\ncollection = 'a'", "`name` is missing"),
        ("[[board]]\nname = 'a'", "`collection` is missing"),
        ("[[board]]\nname = 'A b'\ncollection = 'a'", "small letters"),
        ("[[board]]\nname = '../up'\ncollection = 'a'", "small letters"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\ncolour = 'red'", "`colour`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\nrounds = 'many'", "`rounds`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\nrounds = -1", "`rounds`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\nties = 'half win'", "`ties`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\nanchor = 'a=1'", "`anchor`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\nstyle = 'length'", "`style`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\nside = 1", "`side`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\nsince = 'May'", "`since`"),
        ("[[board]]\nname = 'a'\ncollection = 'a'\n[[board]]\nname = 'a'\ncollection = 'b'", "two boards"),
        ("name = 'a'", "unknown key `name`"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(BadInput) as caught:
        declared(tmp_path, text)

    assert reason in " ".join(problem.reason for problem in caught.value.problems)


@pytest.mark.parametrize("content", [b"[[board", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "boards.toml").write_bytes(content)

    with pytest.raises(BadInput, match="cannot read the boards"):
        read_boards(tmp_path / "boards.toml")


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot read the boards"):
        read_boards(tmp_path / "none.toml")
