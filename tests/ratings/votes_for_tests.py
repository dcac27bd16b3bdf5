"""Vote tables for the tests of ratings: from short records, and from the extra material beside the checkout."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path

from arena.votes import Outcome, Vote, VoteTable
from ratings.leaderboard import Leaderboard, Standing

Line = tuple[str, str, str, int]  # model_a, model_b, outcome word, how many
LEFT_RIGHT = {"left": Outcome.A, "right": Outcome.B, "tie": Outcome.TIE}


def ratings(board: Leaderboard) -> dict[str, float | None]:
    return {row.model: row.rating for row in board.models}


def line(board: Leaderboard, model: str) -> Standing:
    return next(row for row in board.models if row.model == model)


def of_counts(lines: Iterable[Line]) -> VoteTable:
    """A table of counts, each vote its own voter."""
    return VoteTable.of(
        [Vote(f"v{n}", a, b, Outcome.parse(word), count=count) for n, (a, b, word, count) in enumerate(lines)]
    )


def of_voters(lines: Iterable[Line], voters: int = 7) -> VoteTable:
    """One row a vote, dealt to `voters` voters in turn."""
    votes = [(a, b, word) for a, b, word, count in lines for _ in range(count)]
    return VoteTable.of(
        [
            Vote(f"v{n}", a, b, Outcome.parse(word), voter=f"s{n % voters}")
            for n, (a, b, word) in enumerate(votes)
        ]
    )


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def case(path: Path) -> VoteTable:
    """A generic vote file of the acceptance cases."""
    return VoteTable.of(
        [
            Vote(row["battle_id"], row["model_a"], row["model_b"], Outcome.parse(row["winner"]), voter=row["session_id"])
            for row in read_csv(path)
        ]
    )  # fmt: skip


def conversations(path: Path) -> VoteTable:
    """LMSYS conversation rows with style counts."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return VoteTable.of(
        [
            Vote(
                row["question_id"],
                row["model_a"],
                row["model_b"],
                Outcome.parse(row["winner"]),
                voter=row["judge"],
                traits={
                    "length": _sides(row, "sum_assistant_{}_tokens"),
                    "headers": _sides(row, "header_count_{}"),
                    "lists": _sides(row, "list_count_{}"),
                    "bold": _sides(row, "bold_count_{}"),
                },
            )
            for row in rows
        ]
    )


def _sides(row: dict[str, dict[str, object]], field: str) -> tuple[float, float]:
    found = [row["conv_metadata"][field.format(side)] for side in "ab"]
    a, b = (sum(value.values()) if isinstance(value, dict) else value for value in found)
    return float(a), float(b)


def pair_counts(path: Path) -> VoteTable:
    """The LMSYS pair counts: i against j with wins of i, wins of j, ties, both bad."""
    data = json.loads(path.read_text(encoding="utf-8"))
    names = data["models"]
    return VoteTable.of(
        [
            Vote("", names[i], names[j], outcome, count=count, side_known=False)
            for (i, j), counts in zip(data["X"], data["Y"], strict=True)
            for outcome, count in zip(Outcome, counts, strict=True)
            if count
        ]
    )


def llmfao(path: Path) -> VoteTable:
    """The crowd votes of LLMFAO, with their workers."""
    return VoteTable.of(
        [
            Vote(row["id"], row["left"], row["right"], LEFT_RIGHT[row["winner"]], voter=row["worker"])
            for row in read_csv(path)
        ]
    )
