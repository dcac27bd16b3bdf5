"""`python -m ratings simulate`: its votes are read by `rank`, which finds the truth that was put in."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ratings.__main__ import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.slow
@pytest.mark.parametrize("style", [[], ["--style"]])
def test_rank_finds_the_truth(tmp_path: Path, style: list[str]) -> None:
    votes, truth = tmp_path / "votes.csv", tmp_path / "truth.csv"

    made = run(
        "simulate", "--models", 8, "--votes", 6000, "--side", 40, *style, "--out", votes, "--truth", truth
    )
    asked = ["--style", "length,headers,lists,bold"] if style else []
    board = json.loads(run("rank", votes, "--side", "--rounds", 0, "--as", "json", *asked).stdout)

    assert made.exit_code == 0
    with truth.open(encoding="utf-8") as lines:
        true = {row["model"]: float(row["rating"]) for row in csv.DictReader(lines)}
    off = [(row["rating"] - true[row["model"]]) / row["se"] for row in board["models"]]
    assert len(off) == 8
    # Eight errors in units of their standard error.
    assert np.abs(off).max() < 4
    assert np.sqrt(np.mean(np.square(off))) < 1.7
    (side,) = [one for one in board["coefficients"] if one["name"] == "side"]
    assert side["low"] > 0
    assert board["snapshot"]["votes_used"] == 6000


def test_the_seed_makes_the_votes() -> None:
    one, same, other = (run("simulate", "--votes", 50, "--seed", seed).stdout for seed in (1, 1, 2))

    assert one == same != other


def test_votes_without_ties() -> None:
    lines = run("simulate", "--votes", 300, "--no-ties").stdout.splitlines()

    assert {row["winner"] for row in csv.DictReader(lines)} == {"model_a", "model_b"}


@pytest.mark.parametrize("wrong", [["--models", "1"], ["--votes", "0"], ["--taste", "-3"]])
def test_wrong_usage_is_status_2(wrong: list[str]) -> None:
    assert run("simulate", *wrong).exit_code == 2


def test_a_number_without_end_is_status_1() -> None:
    assert run("simulate", "--side", "inf").exit_code == 1
