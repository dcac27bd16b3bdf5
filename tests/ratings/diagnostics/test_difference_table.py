"""The gaps of all pairs at once: what `compare` and `plan-votes` say of each, packed, and the same from either side."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.importers.reading import read
from arena.votes import Outcome, Vote, VoteTable
from ratings.diagnostics.difference_table import gap_table
from ratings.diagnostics.differences import compare
from ratings.diagnostics.sample_size import plan_votes
from ratings.leaderboard import Plan
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse
from ratings.releases.payloads import Findings, GapTable

DATA = Path(__file__).resolve().parents[3] / "data"
SAME = ("gap", "low", "high", "se", "win_probability", "win_low", "win_high", "effective_voters")


@pytest.fixture(scope="module")
def crowd() -> Analysis:
    return analyse(read([DATA / "llmfao" / "votes.csv"]).table, Plan(rounds=50))


@pytest.mark.slow
def test_every_pair_says_what_compare_says(crowd: Analysis) -> None:
    table = gap_table(crowd)

    pairs = list(table)
    assert len(pairs) == 59 * 58 // 2 == table.tested
    for pair in pairs[::211]:
        (gap,) = compare(crowd, [pair.a, pair.b])
        for name in SAME:
            assert getattr(pair, name) == pytest.approx(getattr(gap, name), abs=1e-6)
        assert pair.p == pytest.approx(gap.p, rel=1e-3)


@pytest.mark.slow
def test_holms_correction_is_for_every_pair_of_the_board(crowd: Analysis) -> None:
    pairs = sorted(gap_table(crowd), key=lambda pair: pair.p)

    assert pairs[0].p_adjusted == pytest.approx(pairs[0].p * len(pairs), rel=1e-3)
    assert all(pair.p_adjusted >= pair.p for pair in pairs)


def test_the_votes_that_are_missing_are_those_of_plan_votes(crowd: Analysis) -> None:
    open_pairs = [pair for pair in gap_table(crowd) if pair.more_votes is not None]

    assert all(not pair.told_apart or pair.p > 0.05 for pair in open_pairs)
    for pair in open_pairs[::97]:
        planned = plan_votes(crowd, pair.a, pair.b)
        assert pair.more_votes == pytest.approx(planned.more_votes, rel=0.05)  # two digits are published


def test_a_pair_is_mirrored_from_the_other_side(crowd: Analysis) -> None:
    table = gap_table(crowd)

    one, other = table.find("GPT 4", "command"), table.find("command", "GPT 4")

    assert one is not None
    assert other is not None
    assert (other.gap, other.low, other.high) == (-one.gap, -one.high, -one.low)
    assert other.win_low == pytest.approx(1 - one.win_high)
    assert other.turned() == one
    assert table.against("command")["GPT 4"] == other
    assert len(table.against("command")) == 58


def test_islands_have_no_gap_and_few_voters_no_interval() -> None:
    votes = [
        Vote(f"{n}", *pair, Outcome.TIE, voter=f"v{n % 3}")
        for n, pair in enumerate([("a", "b"), ("x", "y")] * 6)
    ]

    table = gap_table(analyse(VoteTable.of(votes), Plan(rounds=0)))

    assert table.find("a", "x") is None
    pair = table.find("a", "b")
    assert pair is not None
    assert (pair.gap, pair.low, pair.p, pair.told_apart) == (0.0, None, None, None)
    assert "voters: no interval" in str(pair.why)
    assert table.tested == 0


def test_a_board_without_votes_has_an_empty_table() -> None:
    assert list(gap_table(analyse(VoteTable.of([]), Plan(rounds=0)))) == []


def test_the_same_gaps_have_the_same_bytes_and_come_back(crowd: Analysis) -> None:
    table = gap_table(crowd)

    assert gap_table(crowd).packed == table.packed
    assert list(GapTable(table.packed)) == list(table)


def test_nothing_but_numbers_is_packed() -> None:
    with pytest.raises(ValueError, match="JSON"):
        Findings.of({"p": float("nan")})
