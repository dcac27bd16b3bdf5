"""The front door: a path, several, or a table in memory give the command's numbers in a form that notebooks like."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import ratings
from arena.errors import BadInput, NoData
from ratings.__main__ import main
from ratings.api.tables import RankedBoard
from tests.ratings.commands.test_rank import HEADER, two_to_one, votes_csv


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(votes_csv(two_to_one()))
    return path


def test_the_call_and_the_command_give_the_same_bytes(votes: Path) -> None:
    called = ratings.rank(votes, rounds=30, seed=4, ties="drop")
    words = ["rank", str(votes), "--rounds", "30", "--seed", "4", "--ties", "drop", "--as", "json"]

    assert CliRunner().invoke(main, words).stdout == called.to_json() + "\n"


@pytest.mark.parametrize(
    "read", [pd.read_csv, pl.read_csv, pl.scan_csv, lambda path: pa.Table.from_pandas(pd.read_csv(path))]
)
def test_a_table_in_memory_is_as_good_as_its_file(votes: Path, read) -> None:  # type: ignore[no-untyped-def]
    assert ratings.rank(read(votes), rounds=0) == ratings.rank(votes, rounds=0)


def test_a_list_of_paths_is_one_vote_set(votes: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.csv"
    more.write_text(votes.read_text().replace("\nb", "\nc"))

    board = ratings.rank([votes, str(more)], rounds=0)

    assert board.snapshot.votes_used == 60


def test_a_fault_of_a_table_names_its_row_and_column(votes: Path) -> None:
    frame = pd.read_csv(votes)
    frame.loc[3, "winner"] = "perhaps"

    with pytest.raises(BadInput) as caught:
        ratings.rank(frame)

    (problem,) = caught.value.problems
    assert (problem.file, problem.row, problem.column, problem.value) == ("table", 4, "winner", "perhaps")
    assert ratings.rank(frame, skip_bad=True, rounds=0).snapshot.rejected == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"style": "length"}, "style is a list"),
        ({"rounds": -1}, "`rounds`"),
        ({"ties": "thirds"}, "`ties`"),
        ({"colour": "red"}, "unknown option colour"),
        ({"style": ["length"]}, "no trait 'length'"),
    ],
)
def test_wrong_options_are_refused_by_name(votes: Path, options: dict[str, object], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        ratings.rank(votes, **options)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(BadInput, match="not int"):
        ratings.rank(7)
    with pytest.raises(BadInput, match="mixes kinds"):
        ratings.rank(pd.DataFrame({"model_a": [1, "x"], "model_b": ["b", "c"], "winner": ["tie", "tie"]}))


def test_an_empty_file_is_no_ranking(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(HEADER)

    with pytest.raises(NoData, match="nothing to rank"):
        ratings.rank(tmp_path / "v.csv")


def test_a_frame_has_a_row_a_model_with_honest_types(votes: Path) -> None:
    frame = ratings.rank(votes, rounds=0).to_frame()

    assert frame["model"].tolist() == ["heron", "wren"]
    assert frame.dtypes[["rank", "votes", "rating", "rating_without_style"]].astype(str).tolist() == [
        "Int64", "Int64", "float64", "float64",
    ]  # fmt: skip
    assert frame["rating"].diff().iloc[1] == pytest.approx(-120.41199826559248)  # 400 log10(2)


def test_a_board_shows_itself(votes: Path) -> None:
    board = ratings.rank(votes, rounds=0)

    assert board.summary().lstrip().startswith("Rank")
    assert "heron" in board._repr_html_()
    assert repr(board).startswith("<RankedBoard ")
    assert board.plot().to_dict()["vconcat"]
    with pytest.raises(NoData):
        board.plot("style")


def test_a_board_is_frozen(votes: Path) -> None:
    board = ratings.rank(votes, rounds=0)

    assert isinstance(board, RankedBoard)
    with pytest.raises(FrozenInstanceError):
        board.models = ()  # type: ignore[misc]


def test_importing_ratings_loads_no_scipy() -> None:
    code = "import sys, ratings, ratings.leaderboard; print('scipy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_what_ratings_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'rang'"):
        _ = ratings.rang
