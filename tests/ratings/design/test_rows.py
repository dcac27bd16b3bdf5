"""Rows in an order of their content alone, and columns no vote table may hold."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from arena.errors import BadInput
from arena.votes import Outcome, Vote, VoteTable
from ratings.design.rows import Rows, prepare, ratio
from ratings.design.selection import select
from ratings.leaderboard import Plan


def table(rng: np.random.Generator, n: int = 200) -> VoteTable:
    votes = []
    for i in range(n):
        a, b = rng.permutation(list("abcd"))[:2]
        traits = {"length": (float(rng.integers(0, 3)), float(rng.integers(0, 3)))}
        voter = None if i % 3 == 0 else f"s{rng.integers(0, 8)}"
        votes.append(
            Vote(f"v{i}", str(a), str(b), Outcome(int(rng.integers(0, 4))), voter=voter, traits=traits)
        )
    return VoteTable.of(votes)


def rows(votes: VoteTable, plan: Plan) -> Rows:
    return select(prepare(votes, plan.style), plan)[1]


def as_lists(found: Rows) -> dict[str, list]:
    return {name: getattr(found, name).tolist() for name in found.__dataclass_fields__}


@pytest.mark.parametrize(
    "plan", [Plan(), Plan(side=True, style=("length",)), Plan(cluster="none", style=("length",))]
)
def test_the_order_of_the_input_does_not_matter(rng: np.random.Generator, plan: Plan) -> None:
    votes = table(rng)

    shuffled = votes.take(rng.permutation(len(votes)))

    assert as_lists(rows(votes, plan)) == as_lists(rows(shuffled, plan))


@pytest.mark.parametrize("plan", [Plan(), Plan(cluster="none", style=("length",))])
def test_equal_rows_are_one(rng: np.random.Generator, plan: Plan) -> None:
    votes = table(rng)

    twice = VoteTable.join([votes, votes])

    once, both = as_lists(rows(votes, plan)), as_lists(rows(twice, plan))
    assert both.pop("count") == [2 * count for count in once.pop("count")]
    assert both == once


def test_the_order_of_the_names_does_not_matter(rng: np.random.Generator) -> None:
    votes = table(rng)
    turned = dataclasses.replace(
        votes,
        models=votes.models[::-1],
        a=len(votes.models) - 1 - votes.a,
        b=len(votes.models) - 1 - votes.b,
        voters=votes.voters[::-1],
        voter=np.where(votes.voter < 0, -1, len(votes.voters) - 1 - votes.voter).astype(np.int32),
    )

    assert as_lists(rows(votes, Plan(side=True))) == as_lists(rows(turned, Plan(side=True)))


def test_a_side_is_told_from_the_first_of_the_pair() -> None:
    votes = [
        Vote("1", "b", "a", Outcome.A, voter="x"),
        Vote("2", "a", "b", Outcome.A, voter="y"),
        Vote("3", "a", "b", Outcome.A, voter="z", side_known=False),
    ]

    found = rows(VoteTable.of(votes), Plan(side=True))

    # b beat a from the left; a beat b from the left; a beat b, sides unknown.
    assert found.outcome.tolist() == [1, 0, 0]
    assert found.x[:, 0].tolist() == [-1.0, 1.0, 0.0]


def test_ratios_are_zero_when_both_are_and_missing_when_one_is() -> None:
    trait = np.array([[3.0, 1.0], [0.0, 0.0], [0.0, 2.0], [np.nan, 1.0]])

    found = ratio(trait)

    assert found[:3].tolist() == [0.5, 0.0, -1.0]
    assert np.isnan(found[3])


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("a", np.array([7], dtype=np.int32), "column a"),
        ("outcome", np.array([4], dtype=np.int8), "outcome"),
        ("voter", np.array([5], dtype=np.int32), "voter"),
        ("count", np.array([-1]), "count"),
        ("weight", np.array([np.nan]), "weight"),
        ("weight", np.array([0.0]), "weight"),
        ("traits", {"length": np.array([[np.inf, 1.0]])}, "length"),
        ("traits", {"length": np.array([[-1.0, 1.0]])}, "length"),
        ("traits", {}, "length"),
        ("models", ("a", "a"), "twice"),
    ],
)
def test_a_column_that_no_table_may_hold_is_refused(field: str, value: object, word: str) -> None:
    votes = VoteTable.of([Vote("1", "a", "b", Outcome.A, voter="x", traits={"length": (1.0, 2.0)})])

    with pytest.raises(BadInput, match=word):
        prepare(dataclasses.replace(votes, **{field: value}), ("length",))
