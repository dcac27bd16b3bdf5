"""What must not matter to a ranking, and what must stay true of every ranking, over generated votes."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from arena.votes import Outcome, Vote, VoteTable
from ratings.leaderboard import Leaderboard, Plan, Standing
from ratings.ranking.rank import rank

pytestmark = pytest.mark.slow

SOME = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ONCE_OR_SO = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NAMES = ("ant", "bee", "cat", "dog", "eel")
VOTERS = (None, *(f"s{n}" for n in range(9)))
NUMBERS = ("rating", "low", "high", "se", "effective_voters")


@st.composite
def tables(draw: st.DrawFn, traits: bool = False, most: int = 60) -> VoteTable:
    """Any votes of up to five models: islands, undefeated models, lone voters and counts included."""
    votes = []
    for n in range(draw(st.integers(1, most))):
        a, b = draw(st.permutations(NAMES))[:2]
        sides = {"length": (float(draw(st.integers(0, 4))), float(draw(st.integers(0, 4))))} if traits else {}
        votes.append(
            Vote(
                f"v{n}", a, b, draw(st.sampled_from(Outcome)),
                voter=draw(st.sampled_from(VOTERS)), count=draw(st.integers(1, 3)), traits=sides,
                drawn_p=0.5,  # sides were drawn: a left side that always wins is no table of winners
            )
        )  # fmt: skip
    return VoteTable.of(votes)


def numbers(board: Leaderboard) -> dict[str, tuple]:
    return {row.model: tuple(getattr(row, name) for name in (*NUMBERS, "rank", "rank_low", "rank_high", "status", "component")) for row in board.models}  # fmt: skip


def same(
    one: Leaderboard,
    other: Leaderboard,
    names: dict[str, str] | None = None,
    fields: tuple[str, ...] = NUMBERS,
) -> None:
    """The two give each model the same numbers; the first's model x is called names[x] in the second."""
    lines = {row.model: row for row in other.models}
    for row in one.models:
        twin = lines[(names or {}).get(row.model, row.model)]
        assert (row.status, row.votes) == (twin.status, twin.votes)
        for name in fields:
            mine, theirs = getattr(row, name), getattr(twin, name)
            assert (mine is None) == (theirs is None), (row.model, name)
            if mine is not None:
                assert theirs == pytest.approx(mine, rel=1e-6, abs=1e-5)


@SOME
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter_at_all(table: VoteTable, random) -> None:
    order = list(range(len(table)))
    random.shuffle(order)

    one, other = (rank(t, Plan(rounds=32)) for t in (table, table.take(np.array(order))))

    assert one.to_json() == other.to_json()


@SOME
@given(tables())
def test_counts_and_repeated_rows_are_the_same_at_all(table: VoteTable) -> None:
    rows = np.repeat(np.arange(len(table)), table.count)
    spread = dataclasses.replace(table.take(rows), count=np.ones(len(rows), dtype=np.int64))

    one, other = (rank(t, Plan(rounds=32)) for t in (table, spread))

    assert one.to_json() == other.to_json()


@FEW
@given(tables(traits=True), st.randoms(use_true_random=False))
def test_order_and_repeated_rows_do_not_matter_to_style_either(table: VoteTable, random) -> None:
    order = np.repeat(np.arange(len(table)), table.count).tolist()
    random.shuffle(order)
    spread = dataclasses.replace(table.take(np.array(order)), count=np.ones(len(order), dtype=np.int64))

    one, other = (
        rank(t, Plan(rounds=32, style=("length",), side=True, ties="davidson")) for t in (table, spread)
    )

    assert one.to_json() == other.to_json()


@SOME
@given(tables(), st.permutations(NAMES))
def test_names_do_not_matter(table: VoteTable, order: list[str]) -> None:
    board = rank(table, Plan(rounds=0))
    # Of two components equal in models and votes the first by name is the board.
    assume(_no_two_alike(board))
    names = {name: f"x-{order.index(name)}" for name in NAMES}
    renamed = dataclasses.replace(table, models=tuple(names[name] for name in table.models))

    # Draws are keyed by name, so bounds agree within their Monte Carlo error only.
    same(board, rank(renamed, Plan(rounds=0)), names)


@ONCE_OR_SO
@given(tables(most=40), st.permutations(NAMES))
def test_names_move_bounds_by_the_noise_of_the_rounds_only(table: VoteTable, order: list[str]) -> None:
    votes = VoteTable.join([table, _everyone_met()])
    names = {name: f"x-{order.index(name)}" for name in NAMES}
    renamed = dataclasses.replace(votes, models=tuple(names[name] for name in votes.models))

    one, other = (rank(t, Plan(rounds=400)) for t in (votes, renamed))

    same(one, other, names, fields=("rating", "se"))
    twins = {row.model: row for row in other.models}
    for row in one.models:
        twin = twins[names[row.model]]
        assert twin.high - twin.low == pytest.approx(row.high - row.low, rel=1e-6)
        assert abs(twin.low - row.low) < 0.8 * row.se


def _everyone_met() -> VoteTable:
    """Each of twelve voters on each pair once, so that every model is ranked."""
    pairs = [(a, b) for a in NAMES for b in NAMES if a < b]
    return VoteTable.of(
        [
            Vote(f"m{n}-{v}", a, b, Outcome((n * v + v) % 3), voter=f"t{v}")
            for n, (a, b) in enumerate(pairs)
            for v in range(12)
        ]
    )


def _no_two_alike(board: Leaderboard) -> bool:
    sizes: dict[int, tuple[int, int]] = {}
    for row in board.models:
        if row.component is not None:
            models, votes = sizes.get(row.component, (0, 0))
            sizes[row.component] = (models + 1, votes + row.votes)
    return len(set(sizes.values())) == len(sizes)


@SOME
@given(tables(traits=True), st.lists(st.booleans(), min_size=60, max_size=60))
def test_sides_do_not_matter_without_a_side_term(table: VoteTable, flips: list[bool]) -> None:
    turn = np.array(flips[: len(table)])
    mirrored = np.array(
        [Outcome(o).mirrored if t else o for o, t in zip(table.outcome, turn, strict=True)], dtype=np.int8
    )
    trait = np.where(turn[:, None], table.traits["length"][:, ::-1], table.traits["length"])
    turned = dataclasses.replace(
        table, a=np.where(turn, table.b, table.a), b=np.where(turn, table.a, table.b), outcome=mirrored, traits={"length": trait}
    )  # fmt: skip

    for plan in (Plan(rounds=0), Plan(rounds=0, style=("length",))):
        same(rank(table, plan), rank(turned, plan))


@SOME
@given(tables())
def test_swapping_all_sides_flips_the_side_term(table: VoteTable) -> None:
    mirrored = np.array([Outcome(o).mirrored for o in table.outcome], dtype=np.int8)
    turned = dataclasses.replace(table, a=table.b, b=table.a, outcome=mirrored)

    one, other = (rank(t, Plan(rounds=0, side=True)) for t in (table, turned))

    same(one, other, fields=("rating", "se"))
    assert [c.value for c in other.coefficients] == pytest.approx(
        [-c.value for c in one.coefficients], abs=1e-7
    )


@SOME
@given(tables(), st.integers(2, 5))
def test_scaling_all_counts_leaves_the_points(table: VoteTable, factor: int) -> None:
    more = dataclasses.replace(table, count=table.count * factor)

    plan = Plan(rounds=0, min_votes=0)
    ratings = [{row.model: row.rating for row in rank(t, plan).models} for t in (table, more)]

    assert ratings[0].keys() == ratings[1].keys()
    for model, rating in ratings[0].items():
        assert (rating is None) == (ratings[1][model] is None)
        assert rating is None or ratings[1][model] == pytest.approx(rating, abs=1e-6)


@SOME
@given(tables(), st.integers(5, 12))
def test_an_island_leaves_the_others_bit_for_bit(table: VoteTable, voters: int) -> None:
    island = VoteTable.of(
        [Vote(f"i{n}", "aaa", "zzz", Outcome(n % 3), voter=f"s{n % voters}") for n in range(3 * voters)]
    )

    before, after = rank(table, Plan(rounds=32)), rank(VoteTable.join([table, island]), Plan(rounds=32))

    # Numbers of components may shift, numbers of models may not.
    found = {model: line[:-1] for model, line in numbers(after).items()}
    assert {model: found[model] for model in numbers(before)} == {
        m: line[:-1] for m, line in numbers(before).items()
    }


@FEW
@given(tables(traits=True))
def test_kernels_and_numpy_agree(table: VoteTable) -> None:
    for plan in (Plan(rounds=32), Plan(rounds=32, style=("length",), side=True)):
        one, other = (rank(table, plan, engine=name) for name in ("reference", "compiled"))
        same(one, other)


@SOME
@given(tables(traits=True), st.sampled_from([Plan(rounds=32), Plan(rounds=0), Plan(rounds=32, style=("length",), side=True), Plan(rounds=32, prior="pairs"), Plan(rounds=32, ties="davidson"), Plan(rounds=32, ties="drop", cluster="none")]))  # fmt: skip
def test_every_ranking_is_honest(table: VoteTable, plan: Plan) -> None:
    board = rank(table, plan)

    json.loads(board.to_json())
    snapshot = board.snapshot
    assert (
        snapshot.votes_read == snapshot.votes_used + sum(snapshot.excluded.values()) == int(table.count.sum())
    )
    assert {row.model for row in board.models} == set(table.models)
    for row in board.models:
        _honest(row, board)


def _honest(row: Standing, board: Leaderboard) -> None:
    assert row.votes == row.wins + row.losses + row.ties + row.both_bad
    assert row.rating is None or abs(row.rating) < 20_000
    for bound in (row.low, row.high):
        assert bound is None or row.rating is not None
    if row.low is not None and row.high is not None:
        assert row.low <= row.rating <= row.high
        assert row.high - row.low > 1e-6
    if row.rank is not None:
        above = [o for o in board.models if o.rank is not None and o.low is not None and o.low > row.high]
        # Other pieces have lists of their own.
        assert 1 <= row.rank_low <= row.rank <= row.rank_high
        assert row.rank <= 1 + len(above)
        assert row.status in ("ranked", "preliminary")
    if row.status == "separated":
        assert row.rank is None
        assert row.low is None or row.high is None
        assert row.why
    if row.status == "unrated":
        assert (row.rating, row.votes, row.component) == (None, 0, None)
    if row.rank is None:
        assert row.why
