"""Sides that follow the models are not taken for drawn, and islands share no tier."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, chisquare

from arena.errors import BadInput
from arena.votes import Outcome, Vote, VoteTable
from ratings.design.sides import NOT_DRAWN, SORTED_TABLE, drawn_by_lot, sides_p, winners_first
from ratings.diagnostics.diagnosis import diagnose
from ratings.leaderboard import Plan, tiers
from ratings.ranking.rank import rank
from ratings.reports.diagnosis_tables import section


def cells(*rows: tuple[str, str, Outcome, int]) -> VoteTable:
    return VoteTable.of(Vote(str(n), a, b, o, count=count) for n, (a, b, o, count) in enumerate(rows))


def test_the_p_of_one_pair_is_pearsons() -> None:
    votes = cells(("a", "b", Outcome.A, 20), ("a", "b", Outcome.TIE, 12), ("b", "a", Outcome.B, 18))

    assert sides_p(votes) == pytest.approx(chisquare([32, 18]).pvalue)


def test_drawn_sides_are_as_often_uneven_as_p_says() -> None:
    rng = np.random.default_rng(7)
    ps = [
        sides_p(cells(*((f"m{k}", "z", Outcome.A, int(n)) for k, n in enumerate(left) if n),
                      *(("z", f"m{k}", Outcome.A, int(40 - n)) for k, n in enumerate(left) if n < 40)))
        for left in rng.binomial(40, 0.5, (300, 5))
    ]  # fmt: skip

    assert 0.02 <= np.mean([p < 0.05 for p in ps if p is not None]) <= 0.08


def test_many_votes_on_one_battle_are_one_draw_of_sides() -> None:
    """Five prompts of 30 votes each, of which four were drawn one way: 3^2 * 30^2 / (5 * 30^2) = 1.8 with one degree."""
    sides = [("a", "b")] * 4 + [("b", "a")]
    votes = [Vote(f"v{n}", *sides[n % 5], Outcome.A, prompt=f"p{n % 5}") for n in range(150)]

    assert sides_p(VoteTable.of(votes)) == pytest.approx(chi2.sf(1.8, 1))


def test_a_better_model_always_on_the_left_is_no_bias_of_sides() -> None:
    found = diagnose(cells(("a", "b", Outcome.A, 60), ("a", "b", Outcome.B, 20)), Plan(rounds=0))

    text = str(section(found))

    assert NOT_DRAWN in found.notes
    assert "the side matters" not in text


def test_sides_that_nobody_knows_are_not_doubted() -> None:
    assert drawn_by_lot(VoteTable.of([Vote("1", "a", "b", Outcome.A, side_known=False)]))


@pytest.fixture
def sorted_table() -> VoteTable:
    """Winners first, in both orders of each pair."""
    rows = [("a", "b", 9), ("b", "a", 5), ("a", "c", 8), ("c", "a", 4), ("b", "c", 7), ("c", "b", 6)]
    return cells(*((a, b, Outcome.A, count) for a, b, count in rows), ("a", "c", Outcome.TIE, 5))


def test_a_table_that_lists_winners_first_has_no_side(sorted_table: VoteTable) -> None:
    found = diagnose(sorted_table, Plan(rounds=0))

    text = str(section(found))

    assert SORTED_TABLE in found.notes
    assert (found.position.p, found.position.left_share, found.side_term) == (None, None, None)
    assert "lists winners" in text
    assert "100.0%" not in text


def test_a_side_term_of_a_table_that_lists_winners_first_is_refused(sorted_table: VoteTable) -> None:
    with pytest.raises(BadInput, match="lists the winner first"):
        rank(sorted_table, Plan(rounds=0, side=True))


def test_a_table_that_lists_losers_first_has_no_side_either(sorted_table: VoteTable) -> None:
    turned = np.where(sorted_table.outcome == Outcome.A, np.int8(Outcome.B), sorted_table.outcome)

    assert winners_first(replace(sorted_table, outcome=turned))


@pytest.mark.parametrize(
    ("left", "right", "is_sorted"),
    [(10, 0, False), (11, 0, True), (98, 2, True), (95, 5, False), (700, 300, False), (0, 0, False)],
)
def test_only_a_share_that_no_voter_reaches_is_taken_for_sorted(
    left: int, right: int, is_sorted: bool
) -> None:
    assert winners_first(cells(("a", "b", Outcome.A, left), ("b", "a", Outcome.B, right))) is is_sorted


def test_sides_that_were_drawn_and_recorded_are_believed() -> None:
    votes = [Vote(f"v{n}", "a", "b", Outcome.A, drawn_p=0.5) for n in range(60)]

    assert not winners_first(VoteTable.of(votes))


def test_islands_share_no_tier() -> None:
    """Two rings without a vote between them, all pairs even: the ratings are alike, the scales are not."""
    rings = [("a", "b"), ("b", "c"), ("c", "a"), ("x", "y"), ("y", "z"), ("z", "x")]
    votes = cells(*((a, b, outcome, 100) for a, b in rings for outcome in (Outcome.A, Outcome.B)))

    found = tiers(rank(votes, Plan(rounds=0)).models)

    assert [sorted(tier.models) for tier in found] == [["a", "b", "c"], ["x", "y", "z"]]
