"""Votes that name no voters are never counted as people."""

from __future__ import annotations

from arena.votes import Outcome, Vote, VoteTable
from ratings import exports
from ratings.leaderboard import Plan
from ratings.ranking.rank import rank

UNNAMED = "voters not known, each vote taken as its own"


def votes(voter: str | None) -> VoteTable:
    ring = [("a", "b"), ("b", "c"), ("c", "a")]
    return VoteTable.of(
        [
            Vote(f"v{n}", *ring[n % 3], Outcome.A, voter=voter and f"{voter}{n % 6}", count=2)
            for n in range(12)
        ]
    )


def test_votes_without_voters_have_no_number_of_voters() -> None:
    board = rank(votes(None), Plan(rounds=0))

    assert board.snapshot.voters is None
    assert UNNAMED in exports.write(board, "table").decode()


def test_named_voters_are_counted() -> None:
    assert rank(votes("s"), Plan(rounds=0)).snapshot.voters_said == "6 voters"


def test_a_board_with_some_votes_of_nobody_says_how_many() -> None:
    named, nobody = votes("s"), votes(None)
    mixed = VoteTable.of(
        Vote(f"{voter}{n}", "abc"[n % 3], "bca"[n % 3], Outcome.A, voter=voter and f"{voter}{n % 6}")
        for voter in ("s", None)
        for n in range(12)
    )
    said = "12 of 24 votes name no voter: each is taken as its own"

    assert said in rank(mixed, Plan(rounds=0)).warnings
    for table in (named, nobody):
        assert not any("name no voter" in line for line in rank(table, Plan(rounds=0)).warnings)
