"""Which votes a plan counts, why the others do not, and the records of models and pairs."""

from __future__ import annotations

import numpy as np
import pytest

from arena.errors import BadInput
from arena.votes import Outcome, Vote, VoteTable
from ratings.design.rows import prepare
from ratings.design.selection import Selection, select
from ratings.leaderboard import Plan


def chosen(votes: list[Vote], plan: Plan) -> Selection:
    return select(prepare(VoteTable.of(votes), plan.style), plan)[0]


def test_records_are_seen_from_each_model() -> None:
    votes = [
        Vote("1", "b", "a", Outcome.A, count=3),
        Vote("2", "a", "b", Outcome.A, count=2),
        Vote("3", "a", "b", Outcome.TIE),
        Vote("4", "b", "c", Outcome.BOTH_BAD, count=4),
    ]

    found = chosen(votes, Plan())

    assert found.models == ("a", "b", "c")
    assert found.record.wins.tolist() == [2, 3, 0]
    assert found.record.losses.tolist() == [3, 2, 0]
    assert found.record.ties.tolist() == [1, 1, 0]
    assert found.record.both_bad.tolist() == [0, 4, 4]
    assert list(zip(found.pair_a.tolist(), found.pair_b.tolist(), strict=True)) == [(0, 1), (1, 2)]
    assert found.pair_record.wins.tolist() == [2, 0]
    assert found.pair_record.losses.tolist() == [3, 0]


@pytest.mark.parametrize(
    ("plan", "excluded"),
    [
        (Plan(), {"not_blind": 7, "self_battle": 5}),
        (Plan(category="code"), {"outside_category": 17}),
        (Plan(category="poetry"), {"outside_category": 18}),
        (Plan(language="de"), {"outside_language": 17}),
        (Plan(since=100.0), {"outside_time": 16}),
        (Plan(since=100.0, until=200.0), {"outside_time": 17}),
        (Plan(ties="drop"), {"not_blind": 7, "self_battle": 5, "ties_dropped": 3}),
        (Plan(reweight=True), {"missing_draw": 5, "not_blind": 7, "self_battle": 5}),
        (Plan(style=("length",)), {"missing_traits": 5, "not_blind": 7, "self_battle": 5}),
    ],
)
def test_each_vote_left_out_has_one_reason(plan: Plan, excluded: dict[str, int]) -> None:
    votes = [
        Vote("1", "a", "b", Outcome.A, reason="not_blind", count=7),
        Vote("2", "a", "a", Outcome.A, count=5),
        Vote("3", "a", "b", Outcome.TIE, count=3, at=50.0),
        Vote("4", "a", "b", Outcome.B, at=100.0, language="de", traits={"length": (1.0, 2.0)}),
        Vote("5", "b", "a", Outcome.B, at=200.0, categories=("code",), drawn_p=0.1),
        Vote("6", "b", "a", Outcome.A),
    ]

    found = chosen(votes, plan)

    assert found.excluded == excluded
    assert found.used + sum(found.excluded.values()) == 18


def test_votes_of_no_rows_count_nothing() -> None:
    found = chosen([Vote("1", "a", "b", Outcome.A, count=0), Vote("2", "a", "b", Outcome.A)], Plan())

    assert found.used == 1


def test_voters_are_counted_once_and_nameless_votes_each() -> None:
    votes = [
        Vote("1", "a", "b", Outcome.A, voter="x"),
        Vote("2", "a", "b", Outcome.B, voter="x"),
        Vote("3", "a", "b", Outcome.B, voter="y", reason="not_blind"),
        Vote("4", "a", "b", Outcome.B, count=5),
    ]

    assert chosen(votes, Plan()).voters == 6
    assert chosen(votes, Plan(cluster="none")).voters == 7


def test_weights_by_the_draw() -> None:
    votes = [
        Vote("1", "a", "b", Outcome.A, drawn_p=0.5),
        Vote("2", "a", "c", Outcome.A, drawn_p=0.1, weight=0.5),
    ]

    _, rows = select(prepare(VoteTable.of(votes)), Plan(reweight=True))

    assert rows.weight.tolist() == [2.0, 5.0]


@pytest.mark.parametrize(
    ("plan", "word"),
    [
        (Plan(anchor=("z", 1000.0)), "anchor"),
        (Plan(anchor=("a", float("nan"))), "anchor"),
        (Plan(rounds=-1), "rounds"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(plan: Plan, word: str) -> None:
    with pytest.raises(BadInput, match=word):
        chosen([Vote("1", "a", "b", Outcome.A)], plan)


def test_an_overlap_of_categories_counts_in_each() -> None:
    votes = [
        Vote("1", "a", "b", Outcome.A, categories=("code", "math")),
        Vote("2", "a", "b", Outcome.A, categories=("math",)),
    ]

    assert [chosen(votes, Plan(category=name)).used for name in ("code", "math")] == [1, 2]


def test_a_table_without_rows_is_chosen_whole() -> None:
    found = chosen([], Plan())

    assert (found.used, found.voters, len(found.pair_a)) == (0, 0, 0)
    assert np.asarray(found.record.votes).tolist() == []
