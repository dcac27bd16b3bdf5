"""The content address: blind to the order and the merging of rows, awake to any change of a vote or of the plan."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.votes import Outcome, Vote, VoteTable
from ratings.design import content_hash
from ratings.leaderboard import Plan

VOTE = Vote(
    "v1",
    "heron",
    "wren",
    Outcome.A,
    at=1.5,
    voter="p",
    prompt="q",
    language="en",
    categories=("code",),
    traits={"length": (3.0, 5.0)},
    drawn_p=0.25,
)

votes = st.builds(
    Vote,
    vote_id=st.just("v"),
    model_a=st.sampled_from("abc"),
    model_b=st.sampled_from("abc"),
    outcome=st.sampled_from(Outcome),
    voter=st.sampled_from(["p", "q", None]),
    at=st.sampled_from([None, 0.0, 7.5]),
    traits=st.sampled_from([{}, {"length": (1.0, 2.0)}]),
    categories=st.sampled_from([(), ("code",), ("code", "hard")]),
    reason=st.sampled_from([None, "not_blind"]),
)


@pytest.mark.slow
@given(st.lists(votes, min_size=1, max_size=12), st.randoms())
def test_the_order_of_rows_does_not_matter(rows: list[Vote], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(rows, len(rows))

    assert content_hash.votes_hash(VoteTable.of(shuffled)) == content_hash.votes_hash(VoteTable.of(rows))


@pytest.mark.slow
@given(st.lists(votes, min_size=1, max_size=6), st.integers(1, 4))
def test_a_row_of_count_n_equals_n_rows(rows: list[Vote], n: int) -> None:
    counted = VoteTable.of([replace(row, count=n) for row in rows])
    repeated = VoteTable.of(rows * n)

    assert content_hash.votes_hash(counted) == content_hash.votes_hash(repeated)


@pytest.mark.parametrize(
    "change",
    [
        {"model_a": "osprey"},
        {"model_b": "osprey"},
        {"outcome": Outcome.TIE},
        {"outcome": Outcome.BOTH_BAD},
        {"at": 1.25},
        {"at": None},
        {"voter": "o"},
        {"voter": None},
        {"prompt": "r"},
        {"language": "fr"},
        {"categories": ("hard",)},
        {"traits": {"length": (3.0, 5.5)}},
        {"traits": {"lists": (3.0, 5.0)}},
        {"drawn_p": 0.5},
        {"reason": "not_blind"},
        {"side_known": False},
        {"count": 2},
        {"weight": 0.5},
    ],
)
def test_a_change_of_any_part_of_a_vote_changes_the_address(change: dict[str, object]) -> None:
    changed = VoteTable.of([VOTE, replace(VOTE, **change)])  # type: ignore[arg-type]

    assert content_hash.votes_hash(changed) != content_hash.votes_hash(VoteTable.of([VOTE, VOTE]))


def test_a_model_without_votes_is_part_of_the_address() -> None:
    table = VoteTable.of([VOTE])

    with_another = replace(table, models=(*table.models, "zeta"))

    assert content_hash.votes_hash(with_another) != content_hash.votes_hash(table)


def test_who_the_voters_are_is_no_part_of_the_address_but_who_cast_what_is() -> None:
    two = VoteTable.of([VOTE, replace(VOTE, voter="z", outcome=Outcome.B)])
    renamed = replace(two, voters=("v1", "v2"))
    exchanged = replace(two, voter=1 - two.voter)

    assert content_hash.votes_hash(renamed) == content_hash.votes_hash(two)
    assert content_hash.votes_hash(exchanged) != content_hash.votes_hash(two)


def test_names_that_no_row_uses_do_not_matter_otherwise() -> None:
    table = VoteTable.of([VOTE, replace(VOTE, voter="z", reason="not_blind")])

    assert content_hash.votes_hash(table.take(np.array([0]))) == content_hash.votes_hash(VoteTable.of([VOTE]))


def test_the_order_in_which_names_are_numbered_does_not_matter() -> None:
    table = VoteTable.of([VOTE])
    turned = replace(table, models=table.models[::-1], a=1 - table.a, b=1 - table.b)

    assert content_hash.votes_hash(turned) == content_hash.votes_hash(table)


@pytest.mark.parametrize("name", [field.name for field in fields(Plan)])
def test_every_field_of_the_plan_is_part_of_the_address(name: str) -> None:
    table = VoteTable.of([VOTE])
    other = replace(Plan(), **{name: "other"})

    assert content_hash.snapshot_id(table, other) != content_hash.snapshot_id(table, Plan())


def test_two_rows_with_one_mix_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [replace(VOTE, at=float(n % 3)) for n in range(7)]
    monkeypatch.setattr(content_hash, "_mix", lambda mixed, words: mixed.fill(0))

    there = content_hash.votes_hash(VoteTable.of(rows))
    back = content_hash.votes_hash(VoteTable.of(rows[::-1]))

    assert there == back
    assert there != content_hash.votes_hash(VoteTable.of([*rows[:-1], rows[1]]))


def test_an_empty_table_has_an_address() -> None:
    assert len(content_hash.snapshot_id(VoteTable.of([]), Plan())) == 64
