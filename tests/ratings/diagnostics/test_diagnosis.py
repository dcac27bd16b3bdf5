"""Diagnosis of a board: bias of sides, ties, misfits, tiers, and the commands that show them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

from arena.votes import Outcome, Vote, VoteTable
from ratings.__main__ import main
from ratings.diagnostics.diagnosis import diagnose
from ratings.diagnostics.position import position_bias, tie_profile
from ratings.diagnostics.residuals import misfits
from ratings.leaderboard import Plan, tiers
from ratings.ranking.rank import analyse, rank


def cells(*rows: tuple[str, str, Outcome, int]) -> VoteTable:
    return VoteTable.of(Vote(str(n), a, b, o, count=count) for n, (a, b, o, count) in enumerate(rows))


def test_forty_one_left_wins_of_sixty_are_flagged_by_the_exact_test() -> None:
    # Exact two-sided binomial, 41 of 60 against one half: P = 0.00622 (sum of the tails, by hand and by R's binom.test).
    found = position_bias(
        cells(("a", "b", Outcome.A, 25), ("b", "a", Outcome.A, 16), ("a", "b", Outcome.B, 19))
    )

    assert found.left_share == pytest.approx(0.6833, abs=1e-4)
    assert found.p == pytest.approx(0.00622, abs=1e-5)
    assert found.flagged


@pytest.mark.parametrize(("left", "right"), [(0, 7), (9, 9), (41, 19), (1, 0), (820_400, 818_000)])
def test_the_share_of_the_left_agrees_with_the_exact_test_and_wilsons_bounds(left: int, right: int) -> None:
    counts = ((Outcome.A, left), (Outcome.B, right))
    votes = [Vote(f"v{n}", "a", "b", outcome, count=n) for outcome, n in counts if n]

    found, exact = position_bias(VoteTable.of(votes)), binomtest(left, left + right, 0.5)

    bounds = exact.proportion_ci(0.95, method="wilson")
    assert found.p == pytest.approx(exact.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high), abs=1e-12)


def test_ties_and_votes_of_unknown_side_say_nothing_of_sides() -> None:
    votes = [Vote("1", "a", "b", Outcome.TIE), Vote("2", "a", "b", Outcome.A, side_known=False)]

    assert position_bias(VoteTable.of(votes)).p is None


def test_the_tie_profile_counts_votes_not_rows() -> None:
    a, b = tie_profile(
        cells(("a", "b", Outcome.TIE, 3), ("a", "b", Outcome.BOTH_BAD, 1), ("b", "a", Outcome.A, 4))
    )

    assert (a.votes, a.tie_share, a.both_bad_share) == (8, 3 / 8, 1 / 8)
    assert b.votes == 8


def circle(strength: int) -> VoteTable:
    """Three models in a ring: each beats the next, which no scale can say."""
    ring = (("a", "b"), ("b", "c"), ("c", "a"))
    return cells(
        *((x, y, o, n) for x, y in ring for o, n in ((Outcome.A, 50 + strength), (Outcome.B, 50 - strength)))
    )


def test_a_ring_of_wins_is_a_misfit_of_every_pair() -> None:
    found, tested = misfits(analyse(circle(20), Plan(rounds=0)))

    assert tested == 3
    assert len(found) == 3
    assert found[0].expected == pytest.approx(0.5)
    # 70 of 100 against 50: residual sum 20, its spread 5 over 100 voters (CR1).
    assert abs(found[0].z) == pytest.approx(20 / np.sqrt(100 / 99 * 25), rel=1e-6)


def test_votes_that_follow_the_scale_show_no_misfit() -> None:
    assert misfits(analyse(circle(0), Plan(rounds=0)))[0] == ()


def test_a_tier_ends_where_the_first_of_it_is_out_of_reach() -> None:
    votes = cells(
        ("a", "b", Outcome.A, 510), ("a", "b", Outcome.B, 490), ("b", "c", Outcome.A, 900), ("b", "c", Outcome.B, 100)
    )  # fmt: skip

    assert [tier.models for tier in tiers(rank(votes, Plan(rounds=0)).models)] == [("a", "b"), ("c",)]


def test_an_island_is_named_and_the_leader_comes_from_the_board() -> None:
    votes = cells(
        ("a", "b", Outcome.A, 6), ("a", "b", Outcome.B, 5), ("b", "c", Outcome.TIE, 9), ("x", "y", Outcome.TIE, 5)
    )  # fmt: skip

    found = diagnose(votes, Plan(rounds=0))

    assert found.leader == "a"
    assert found.connectivity.islands == (("x", "y"),)
    assert (found.connectivity.board, found.connectivity.models) == (3, 5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["compare", "heron", "wren"],
        ["plan-votes", "heron", "wren"],
        ["plan-votes", "--top", "1"],
        ["diagnose"],
    ],
)
def test_the_commands_print_strict_json_and_tables(words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    lines = [f"heron,wren,{'model_a' if n % 3 else 'model_b'},v{n % 20}" for n in range(120)]
    file.write_text("\n".join(["model_a,model_b,winner,voter", *lines]), encoding="utf-8")

    for as_ in ("json", "table", "markdown"):
        done = CliRunner().invoke(main, [*words, "--votes", str(file), "--rounds", "0", "--as", as_])

        assert done.exit_code == 0, done.output
        assert "nan" not in done.stdout.lower()
        if as_ == "json":
            json.loads(done.stdout, parse_constant=pytest.fail)


def test_usage_errors_are_two_and_bad_names_one(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("model_a,model_b,winner\nheron,wren,tie\n", encoding="utf-8")

    assert CliRunner().invoke(main, ["compare", "heron", "--votes", str(file)]).exit_code == 2
    assert CliRunner().invoke(main, ["compare", "heron", "owl", "--votes", str(file)]).exit_code == 1
