"""The whole method on small tables with known answers, each number from the definition."""

from __future__ import annotations

import math
from typing import Literal

import pytest

from arena.errors import BadInput, NotConverged
from arena.votes import Outcome, Vote, VoteTable
from ratings.leaderboard import Plan
from ratings.ranking.rank import rank, rank_many
from tests.ratings.votes_for_tests import (
    line,
    of_counts,
    of_voters,
)

QUICK = Plan(rounds=0)


def test_two_models_have_the_gap_of_their_odds() -> None:
    # 8 wins to 4: odds of 2 are 400 log10(2) = 120.41 points.
    board = rank(of_voters([("wren", "heron", "model_a", 8), ("wren", "heron", "model_b", 4)]), QUICK)

    assert line(board, "wren").rating == pytest.approx(1000 + 60.206, abs=1e-3)
    assert line(board, "heron").rating == pytest.approx(1000 - 60.206, abs=1e-3)


def test_a_tie_is_half_a_win_each() -> None:
    # 5 wins, 4 ties, 3 losses score 7 to 5.
    board = rank(of_voters([("a", "b", "model_a", 5), ("a", "b", "tie", 2), ("a", "b", "both_bad", 2), ("a", "b", "model_b", 3)]), QUICK)  # fmt: skip

    gap = line(board, "a").rating - line(board, "b").rating
    assert gap == pytest.approx(400 * math.log10(7 / 5), abs=1e-6)
    assert (line(board, "a").ties, line(board, "a").both_bad) == (2, 2)
    assert line(board, "a").win_rate == pytest.approx(7 / 12)


def test_dropped_ties_are_left_out_and_counted() -> None:
    votes = of_voters([("a", "b", "model_a", 20), ("a", "b", "tie", 7), ("a", "b", "model_b", 10)])

    board = rank(votes, Plan(rounds=0, ties="drop"))

    assert line(board, "a").rating - line(board, "b").rating == pytest.approx(120.412, abs=1e-3)
    assert board.snapshot.excluded == {"ties_dropped": 7}
    assert (board.snapshot.votes_used, board.snapshot.votes_read) == (30, 37)


def test_only_ties_give_everyone_exactly_a_thousand_and_rank_one() -> None:
    board = rank(of_voters([("a", "b", "tie", 6), ("b", "c", "both_bad", 6), ("a", "c", "tie", 6)]), Plan())

    assert [row.rating for row in board.models] == [1000.0] * 3
    assert [(row.rank, row.rank_low, row.rank_high) for row in board.models] == [(1, 1, 3)] * 3
    assert {row.status for row in board.models} == {"preliminary"}
    assert all(row.low < 1000.0 < row.high for row in board.models)
    assert [row.p_best for row in board.models] == pytest.approx([1 / 3] * 3)


def test_an_empty_table_gives_unrated_models_and_a_warning() -> None:
    board = rank(VoteTable.of([]), Plan())

    assert board.models == ()
    assert board.warnings == ("no usable vote: nothing is rated",)


def test_an_undefeated_model_is_separated_and_leaves_the_others_alone() -> None:
    others = [("a", "b", "model_a", 9), ("a", "b", "model_b", 5), ("b", "c", "model_a", 8), ("b", "c", "model_b", 7), ("a", "c", "tie", 6)]  # fmt: skip
    alone = rank(of_voters(others), QUICK)

    board = rank(of_voters([*others, ("top", "a", "model_a", 4), ("top", "c", "model_a", 3)]), QUICK)

    top = line(board, "top")
    assert (top.status, top.rank, top.rating, top.low, top.high) == ("separated", None, None, None, None)
    assert "undefeated" in top.why
    assert board.models[-1] == top
    assert [line(board, m).rating for m in "abc"] == pytest.approx([line(alone, m).rating for m in "abc"])


@pytest.mark.slow
def test_a_separated_group_is_rated_on_its_own_scale_and_open_above() -> None:
    inner = [("x", "y", "model_a", 8), ("x", "y", "model_b", 4)]
    board_votes = [("a", "b", "model_a", 9), ("a", "b", "model_b", 5), ("b", "c", "model_a", 8), ("b", "c", "model_b", 7)]  # fmt: skip

    board = rank(of_voters([*board_votes, *inner, ("x", "a", "model_a", 6)]), Plan())

    x = line(board, "x")
    assert x.status == "separated"
    assert x.rating == pytest.approx(1060.206, abs=1e-3)
    assert x.rank is None
    assert x.high is None
    assert x.low is not None
    assert x.low < x.rating


CHAIN = [(f"m{n}", f"m{n + 1}", "model_a", 1) for n in range(8)]


@pytest.mark.parametrize("prior", ["none", "pairs"])
def test_models_alike_in_a_chain_are_treated_alike(prior: Literal["none", "pairs"]) -> None:
    board = rank(of_voters(CHAIN), Plan(rounds=0, prior=prior))

    first, *inner, last = sorted(board.models, key=lambda row: row.model)
    assert {(row.status, row.low, row.high, row.rank) for row in board.models} == {
        ("separated", None, None, None)
    }
    assert "undefeated" in (first.why or "")
    assert "winless" in (last.why or "")
    assert len({row.why for row in inner}) == 1
    assert "beat some and lost to others" in (inner[0].why or "")
    assert any("an order, no ranks" in text for text in board.warnings)


@pytest.mark.parametrize("leaves", [6, 7])
def test_the_hub_that_every_link_cuts_off_gets_no_interval_either(leaves: int) -> None:
    star = [("hub", f"leaf{n}", "tie", 1) for n in range(leaves)]

    board = rank(of_voters(star), QUICK)

    assert {(row.low, row.high) for row in board.models} == {(None, None)}
    assert all("hangs on one voter" in (row.why or "") for row in board.models)


def test_islands_are_ranked_inside_themselves() -> None:
    one = [("a", "b", "model_a", 9), ("a", "b", "model_b", 3)]
    two = [("x", "y", "model_a", 6), ("x", "y", "model_b", 2)]

    board = rank(of_voters([*one, *two]), QUICK)

    assert board.snapshot.components == 2
    assert line(board, "a").rating - line(board, "b").rating == pytest.approx(190.85, abs=0.01)
    assert line(board, "x").rating - line(board, "y").rating == pytest.approx(190.85, abs=0.01)
    assert {row.model: row.component for row in board.models} == {"a": 1, "b": 1, "x": 2, "y": 2}


def test_an_island_changes_nothing_elsewhere() -> None:
    one = [("a", "b", "model_a", 9), ("a", "b", "model_b", 5), ("b", "c", "model_a", 8), ("b", "c", "model_b", 7), ("a", "c", "tie", 6)]  # fmt: skip
    before = rank(of_voters(one), Plan(rounds=64))

    # The new island comes last in the file, is named first, and brings new voters.
    table = VoteTable.join(
        [of_voters(one), of_voters([("0", "1", "model_a", 30), ("0", "1", "model_b", 20)], voters=11)]
    )
    after = rank(table, Plan(rounds=64))

    for model in "abc":
        old, new = line(before, model), line(after, model)
        assert (new.rating, new.low, new.high, new.se, new.rank) == (
            old.rating,
            old.low,
            old.high,
            old.se,
            old.rank,
        )


def test_a_model_that_hangs_on_one_voter_gets_no_interval_and_stays_out_of_the_mean() -> None:
    crowd = [
        ("a", "b", "model_a", 30),
        ("a", "b", "model_b", 20),
        ("b", "c", "model_a", 30),
        ("b", "c", "model_b", 25),
    ]
    fan = [Vote(f"f{n}", "new", "a", Outcome(n % 2), voter="fan") for n in range(40)]
    without = rank(of_voters(crowd), Plan(rounds=64))

    board = rank(VoteTable.join([of_voters(crowd), VoteTable.of(fan)]), Plan(rounds=64))

    new = line(board, "new")
    assert (new.status, new.rank, new.low, new.high, new.se) == ("preliminary", None, None, None, None)
    assert "one voter" in new.why
    assert new.rating == pytest.approx(line(board, "a").rating)
    assert line(board, "a").rating == pytest.approx(line(without, "a").rating)
    assert line(board, "a").se == pytest.approx(line(without, "a").se, rel=0.1)


def test_fewer_than_five_voters_give_no_interval() -> None:
    votes = of_voters([("a", "b", "model_a", 40), ("a", "b", "model_b", 30)], voters=4)

    board = rank(votes, Plan())

    assert [(row.status, row.rank, row.low, row.se) for row in board.models] == [
        ("preliminary", None, None, None)
    ] * 2
    assert all("voters" in row.why for row in board.models)


def test_the_anchor_shifts_every_number_by_one_constant() -> None:
    votes = of_voters(
        [
            ("a", "b", "model_a", 9),
            ("a", "b", "model_b", 5),
            ("b", "c", "model_a", 8),
            ("b", "c", "model_b", 7),
        ]
    )
    free = rank(votes, Plan(rounds=64))

    board = rank(votes, Plan(rounds=64, anchor=("b", 1114.0)))

    shift = 1114.0 - line(free, "b").rating
    assert line(board, "b").rating == pytest.approx(1114.0)
    for model in "abc":
        assert line(board, model).low == pytest.approx(line(free, model).low + shift)
        assert line(board, model).high == pytest.approx(line(free, model).high + shift)


def test_the_reference_mean_is_over_models_with_enough_votes() -> None:
    votes = of_voters([("a", "b", "model_a", 20), ("a", "b", "model_b", 15), ("new", "a", "model_a", 2), ("new", "a", "model_b", 1)])  # fmt: skip

    board = rank(votes, QUICK)

    assert line(board, "a").rating + line(board, "b").rating == pytest.approx(2000.0)
    assert line(board, "new").status == "preliminary"


def test_the_prior_adds_half_a_win_each_way_per_observed_pair() -> None:
    # 4 to 0 becomes 4.5 to 0.5.
    board = rank(of_voters([("a", "b", "model_a", 4)]), Plan(rounds=0, prior="pairs"))

    gap = line(board, "a").rating - line(board, "b").rating
    assert gap == pytest.approx(400 * math.log10(9), abs=1e-6)
    assert line(board, "b").status == "separated"


def test_votes_read_add_up() -> None:
    class Tally:
        rejected_count = 3
        duplicates = 2
        not_votes = {"skipped": 4}  # noqa: RUF012

    votes = [Vote("1", "a", "b", Outcome.A), Vote("2", "a", "b", Outcome.B, count=2), Vote("3", "a", "a", Outcome.A), Vote("4", "a", "b", Outcome.A, reason="not_blind", count=5)]  # fmt: skip

    board = rank(VoteTable.of(votes), QUICK, tally=Tally())

    snapshot = board.snapshot
    assert snapshot.excluded == {"not_blind": 5, "self_battle": 1}
    assert (snapshot.votes_used, snapshot.votes_read) == (3, 3 + 6 + 3 + 2 + 4)


def test_an_unknown_anchor_or_trait_is_refused() -> None:
    votes = of_voters([("a", "b", "model_a", 2)])

    with pytest.raises(BadInput, match="anchor"):
        rank(votes, Plan(anchor=("c", 1.0)))
    with pytest.raises(BadInput, match="trait"):
        rank(votes, Plan(style=("length",)))


def test_many_plans_give_what_each_gives_alone() -> None:
    votes = of_voters(
        [
            ("a", "b", "model_a", 9),
            ("a", "b", "model_b", 5),
            ("b", "c", "model_a", 8),
            ("b", "c", "model_b", 7),
        ]
    )
    plans = {"half": Plan(rounds=32), "side": Plan(rounds=32, side=True)}

    boards = rank_many(votes, plans)

    assert boards == {name: rank(votes, plan) for name, plan in plans.items()}


def test_the_same_seed_gives_the_same_bytes() -> None:
    votes = of_voters([("a", "b", "model_a", 9), ("a", "b", "model_b", 5)])

    assert rank(votes, Plan(rounds=32)).to_json() == rank(votes, Plan(rounds=32)).to_json()
    assert rank(votes, Plan(rounds=32)).models != rank(votes, Plan(rounds=32, seed=1)).models


def test_counts_without_voters_draw_as_many_voters() -> None:
    # Counted votes are independent voters: about the binomial error of a log-odds, 2 / sqrt(n) at even odds.
    board = rank(of_counts([("a", "b", "model_a", 50_000), ("a", "b", "model_b", 50_000)]), Plan())

    a = line(board, "a")
    gap_error = 2 / math.sqrt(100_000) * 400 / math.log(10)
    assert board.snapshot.voters is None  # nobody is named
    assert a.high - a.low == pytest.approx(2 * 1.96 * gap_error / 2, rel=0.01)


def test_rounds_without_an_end_leave_symmetric_intervals_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object, **__: object) -> None:
        raise NotConverged("no convergence", 200, 1e4)

    votes = of_voters([("a", "b", "model_a", 12), ("a", "b", "model_b", 8)])
    expected = rank(votes, QUICK)
    monkeypatch.setattr("ratings.bradley_terry.bootstrap.rounds", endless)

    board = rank(votes, Plan(rounds=500))

    a = line(board, "a")
    assert (a.rating, a.low, a.high) == (line(expected, "a").rating, line(expected, "a").low, line(expected, "a").high)  # fmt: skip
    assert any("without rounds" in warning for warning in board.warnings)
