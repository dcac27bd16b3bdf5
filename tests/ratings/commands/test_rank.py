"""`python -m ratings rank` as people run it: exact keys, exact counts, exit statuses, the same bytes every time."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ratings.__main__ import COMMANDS, main
from ratings.leaderboard import Coefficient, Plan, Snapshot, Standing

ROOT = Path(__file__).resolve().parents[3]
HEADER = "battle_id,model_a,model_b,winner,session_id\n"
# Ten voters, three models in a ring: every model has beaten every other, with more votes for the first of a pair.
RING = (("heron", "osprey", 7, 3), ("osprey", "wren", 6, 4), ("heron", "wren", 8, 2))
GAP_OF_TWO_TO_ONE = 120.41199826559248  # 400 log10(2): the closed form for two models at 2:1


def votes_csv(lines: list[tuple[str, str, str]], voters: int = 10) -> str:
    rows = [f"b{n},{a},{b},{winner},s{n % voters}\n" for n, (a, b, winner) in enumerate(lines)]
    return HEADER + "".join(rows)


def two_to_one() -> list[tuple[str, str, str]]:
    return [("heron", "wren", "model_a")] * 20 + [("heron", "wren", "model_b")] * 10


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    lines = [(a, b, w) for a, b, i, j in RING for w in ["model_a"] * i + ["model_b"] * j]
    path = tmp_path / "votes.csv"
    path.write_text(votes_csv(lines))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["rank", *map(str, arguments)])


def as_json(*arguments: object) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    result = run(*arguments, "--as", "json")
    assert result.exit_code == 0, result.stderr
    value: dict[str, Any] = json.loads(result.stdout, parse_constant=refuse)
    return value


def command(*arguments: object, cwd: Path = ROOT, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """The real command in a process of its own."""
    words = [sys.executable, "-m", "ratings", "rank", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, check=False, **more)


def test_the_rating_gap_is_the_closed_form(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(votes_csv(two_to_one()))

    board = as_json(tmp_path / "v.csv", "--rounds", 0)

    ratings = {row["model"]: row["rating"] for row in board["models"]}
    assert ratings["heron"] - ratings["wren"] == pytest.approx(GAP_OF_TWO_TO_ONE, abs=1e-6)
    assert (ratings["heron"] + ratings["wren"]) / 2 == pytest.approx(1000.0, abs=1e-9)


def test_the_object_has_the_documented_keys(ring: Path) -> None:
    board = as_json(ring, "--rounds", 20)

    assert list(board) == ["snapshot", "models", "coefficients", "dropped", "warnings"]
    assert list(board["snapshot"]) == [field.name for field in fields(Snapshot)]
    assert list(board["snapshot"]["plan"]) == [field.name for field in fields(Plan)]
    assert all(list(row) == [field.name for field in fields(Standing)] for row in board["models"])
    assert board["snapshot"]["converged"] is True


def test_a_side_term_is_among_the_coefficients(ring: Path) -> None:
    board = as_json(ring, "--rounds", 20, "--side")

    assert [one["name"] for one in board["coefficients"]] == ["side"]
    assert list(board["coefficients"][0]) == [field.name for field in fields(Coefficient)]


def test_every_vote_is_accounted_for(tmp_path: Path) -> None:
    lines = [*two_to_one(), ("heron", "heron", "tie")]
    text = votes_csv(lines) + "b0,heron,wren,model_a,s0\nbx,heron,wren,won,s1\nby,heron,,tie,s1\n"
    (tmp_path / "v.csv").write_text(text)

    result = run(tmp_path / "v.csv", "--rounds", 0, "--skip-bad", "--as", "json")

    snapshot = json.loads(result.stdout)["snapshot"]
    assert (snapshot["votes_read"], snapshot["votes_used"]) == (34, 30)
    assert (snapshot["rejected"], snapshot["duplicates"], snapshot["not_votes"]) == (2, 1, 0)
    assert snapshot["excluded"] == {"self_battle": 1}
    assert "read 34 = accepted 31 + rejected 2 + duplicates 1 + not votes 0" in result.stderr
    assert "row 32 (line 33)" not in result.stderr  # the duplicate is no fault
    assert "row 33 (line 34), column winner: 'won'" in result.stderr


def test_rejected_rows_end_the_command_with_status_1_and_nothing_on_standard_output(tmp_path: Path) -> None:
    bad = [f"x{n},heron,wren,maybe,s1\n" for n in range(23)]
    (tmp_path / "v.csv").write_text(votes_csv(two_to_one()) + "".join(bad))

    result = run(tmp_path / "v.csv", "--rounds", 0)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.count("'maybe'") == 1
    assert "(and 22 more like it)" in result.stderr


def test_a_file_without_votes_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(HEADER)

    result = run(tmp_path / "v.csv", "--as", "json")

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].endswith("v.csv: no votes, nothing to rank")


def test_votes_of_which_none_counts_give_a_board_of_unrated_models(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(votes_csv([("heron", "heron", "tie")]))

    board = as_json(tmp_path / "v.csv")

    assert [(row["model"], row["status"], row["rating"]) for row in board["models"]] == [
        ("heron", "unrated", None)
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        ["--ties", "thirds"],
        ["--anchor", "heron"],
        ["--anchor", "=1000"],
        ["--anchor", "heron=nan"],
        ["--rounds", "-1"],
        ["--rounds", "many"],
        ["--since", "May"],
        ["--outcomes", "won"],
        ["--outcomes", "won=lost"],
        ["--columns", "choice=verdict"],
        ["--format", "kaggle-of-old"],
        ["--as", "xlsx"],
        ["--colour", "red"],
    ],
)
def test_wrong_usage_is_status_2(ring: Path, wrong: list[str]) -> None:
    assert run(ring, *wrong).exit_code == 2


def test_without_a_file_it_is_wrong_usage() -> None:
    assert run().exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--anchor", "eagle=1000"], "eagle"),
        (["--style", "length"], "no trait 'length'"),
        (["--columns", "winner=verdict"], "has no column verdict; it has battle_id"),
        (["--category", "mahts"], "no vote has the category 'mahts'; known: none"),
        (["--language", "de"], "no vote has the language 'de'"),
        (["--reweight"], "no vote says how probable its draw was"),
    ],
)
def test_what_the_input_does_not_have_is_status_1_and_named(
    ring: Path, arguments: list[str], reason: str
) -> None:
    result = run(ring, *arguments)

    assert result.exit_code == 1
    assert reason in result.stderr


def test_questions_about_what_no_vote_has_are_status_1_too(ring: Path) -> None:
    asked = ["compare", "heron", "osprey", "--votes", str(ring), "--category", "mahts"]

    result = CliRunner().invoke(main, asked)

    assert result.exit_code == 1
    assert "no vote has the category 'mahts'" in result.stderr


def test_a_missing_file_is_status_1_and_named() -> None:
    result = run("/nowhere/votes.csv")

    assert result.exit_code == 1
    assert result.stderr == "error: /nowhere/votes.csv: no such file\n"


def test_an_anchor_may_name_a_model_with_an_equals_sign(tmp_path: Path) -> None:
    lines = [(a.replace("heron", "a=b"), b, w) for a, b, w in two_to_one()]
    (tmp_path / "v.csv").write_text(votes_csv(lines))

    board = as_json(tmp_path / "v.csv", "--rounds", 0, "--anchor", "a=b=1114")

    assert board["models"][0]["model"] == "a=b"
    assert board["models"][0]["rating"] == pytest.approx(1114.0, abs=1e-9)


def test_the_plan_is_what_was_asked(ring: Path) -> None:
    board = as_json(
        ring, "--rounds", 30, "--seed", 5, "--cluster", "none", "--ties", "drop", "--prior", "pairs",
        "--min-votes", 3, "--until", "2026-01-02",
    )  # fmt: skip

    plan = board["snapshot"]["plan"]
    assert (plan["rounds"], plan["seed"], plan["cluster"]) == (30, 5, "none")
    assert (plan["ties"], plan["prior"], plan["min_votes"]) == ("drop", "pairs", 3)
    assert (plan["since"], plan["until"]) == (None, 1767312000.0)
    assert board["snapshot"]["excluded"] == {"outside_time": 30}  # a vote without a time is in no window


def test_other_words_and_columns_are_understood(tmp_path: Path) -> None:
    text = votes_csv(two_to_one()).replace("winner", "verdict")
    text = text.replace("heron,wren,model_a", "heron,wren,left").replace(
        "heron,wren,model_b", "heron,wren,right"
    )
    (tmp_path / "v.csv").write_text(text)

    board = as_json(
        tmp_path / "v.csv", "--rounds", 0, "--columns", "winner=verdict", "--outcomes", "left=model_a,right=model_b"
    )  # fmt: skip

    assert board["snapshot"]["votes_used"] == 30


def test_several_files_are_one_vote_set(ring: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text(votes_csv(two_to_one()).replace("\nb", "\nc"))

    board = as_json(ring, tmp_path / "more.csv", "--rounds", 0)

    assert board["snapshot"]["votes_read"] == 60


@pytest.mark.slow
def test_standard_input_is_a_file(ring: Path) -> None:
    done = command("-", "--rounds", 0, "--as", "csv", input=ring.read_bytes())

    assert done.returncode == 0
    assert [row["model"] for row in csv.DictReader(io.StringIO(done.stdout.decode()))] == [
        "heron",
        "osprey",
        "wren",
    ]


@pytest.mark.slow
def test_the_same_votes_give_the_same_bytes_whatever_the_place_and_the_order(
    ring: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "deeper" / "other name.csv"
    elsewhere.parent.mkdir()
    header, *rows = ring.read_text().splitlines(keepends=True)
    elsewhere.write_text(header + "".join(reversed(rows)))

    one = command(ring, "--rounds", 50, "--seed", 3, "--as", "json")
    two = command(elsewhere.name, "--rounds", 50, "--seed", 3, "--as", "json", cwd=elsewhere.parent)

    assert one.returncode == two.returncode == 0
    assert one.stdout == two.stdout
    assert str(tmp_path).encode() not in one.stdout


@pytest.mark.slow
def test_a_chart_is_written_as_a_picture(ring: Path, tmp_path: Path) -> None:
    result = run(ring, "--rounds", 0, "--as", "svg", "--chart", "winrates", "--out", tmp_path / "c.svg")

    assert result.exit_code == 0
    assert b">heron</text>" in (tmp_path / "c.svg").read_bytes()


def test_every_command_can_be_asked_for_help() -> None:
    for name in COMMANDS:
        result = CliRunner().invoke(main, [name, "--help"])
        assert result.exit_code == 0, name
        assert "Usage:" in result.output


@pytest.mark.slow
def test_either_engine_gives_the_same_numbers(tmp_path: Path) -> None:
    votes = tmp_path / "v.csv"
    votes.write_text(votes_csv(two_to_one()))

    plain, compiled = (
        json.loads(run(votes, "--as", "json", "--rounds", 50, "--engine", engine).stdout)["models"]
        for engine in ("reference", "compiled")
    )

    for one, other in zip(plain, compiled, strict=True):
        numbers = [name for name, value in one.items() if isinstance(value, float)]
        assert [one[name] for name in numbers] == pytest.approx([other[name] for name in numbers], abs=1e-4)


def test_an_unknown_engine_is_wrong_usage(tmp_path: Path) -> None:
    assert run(tmp_path, "--engine", "numpy").exit_code == 2
