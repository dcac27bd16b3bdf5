"""The account of a reading for people: one line for each cause, times that are missing or to come, signs that come back."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.archive import exports
from arena.errors import Problem, told
from arena.importers import FORMATS, read
from arena.votes import Outcome, Vote, VoteTable
from ratings.commands.rank import rank

HEAD = "model_a,model_b,winner,tstamp\n"
NOW = 1_760_000_000.0


def problem(row: int, value: str, reason: str = "unknown outcome") -> Problem:
    return Problem("v.csv", reason, row=row, line=row + 1, column="winner", value=value)


def test_rows_with_one_cause_take_one_line() -> None:
    lines = list(told([problem(1, "D"), problem(2, "D"), problem(3, "W"), problem(4, "X", "is odd")], 4, 20))

    assert lines == [
        "v.csv, row 1 (line 2), column winner: 'D': unknown outcome (and 2 more like it: 'W')",
        "v.csv, row 4 (line 5), column winner: 'X': is odd",
    ]


def test_twenty_causes_are_shown_and_the_rest_counted() -> None:
    lines = list(told([problem(row, "D", f"reason {row % 30}") for row in range(60)], 1_060, 20))

    assert len(lines) == 21
    assert lines[-1] == "... and 1,020 more"


def test_a_file_with_one_wrong_word_says_so_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text(HEAD + "a,b,model_a,\n" + "a,b,D,\n" * 300)

    found = CliRunner().invoke(rank, [str(path)])

    assert str(found.exception).count("300 of 301 votes are rejected") == 1
    assert len(list(told(found.exception.problems, 300, 20))) == 1  # type: ignore[union-attr]


def test_empty_and_future_times_are_counted_and_said(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text(HEAD + f"a,b,model_a,{NOW}\na,b,tie,\nb,a,tie,\na,b,model_b,{NOW + 86_400 * 30}\n")

    tally = read([path], clock=lambda: NOW).tally

    assert (tally.timeless, tally.future) == (2, 1)
    said = "\n".join(tally.lines())
    assert "times: 2 of 4 votes have none" in said
    assert "1 votes lie in the future" in said


def test_times_of_today_are_not_of_the_future(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text(HEAD + f"a,b,model_a,{NOW + 3600}\n")

    tally = read([path], clock=lambda: NOW).tally

    assert (tally.timeless, tally.future) == (0, 0)


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
def test_signs_of_formulas_are_guarded_and_come_back(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "votes.csv"
    votes = VoteTable.of([Vote("", f"{sign}x", f"'{sign}0", Outcome.A, voter=f"{sign}0", prompt=f"{sign}A1")])

    with path.open("wb") as file:
        exports.write(exports.columns(votes), "csv", file)
    found = read([path]).table

    cells = path.read_text(encoding="utf-8").splitlines()[1].split(",")
    assert not any(cell.strip('"').startswith(sign) for cell in cells)
    assert (found.models, found.voters, found.prompts) == (votes.models, votes.voters, votes.prompts)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_minus_zero_is_another_name_than_zero(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"v.{ending}"
    names = [("-0", "0"), ("0", "00")]
    path.write_text(
        HEAD + "".join(f"{a},{b},tie,\n" for a, b in names)
        if ending == "csv"
        else "".join(f'{{"model_a":"{a}","model_b":"{b}","winner":"tie"}}\n' for a, b in names)
    )

    assert read([path]).table.models == ("-0", "0", "00")


def test_the_help_of_rank_lists_the_formats() -> None:
    text = CliRunner().invoke(rank, ["--help"]).output

    assert all(name in text for name, each in FORMATS.items() if each.refusal is None)
