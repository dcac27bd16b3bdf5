"""Covariates: scaled but not centred, and dropped by name where votes cannot determine them."""

from __future__ import annotations

import numpy as np
import pytest

from arena.votes import Outcome, Vote, VoteTable
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse, rank
from tests.ratings.votes_for_tests import line


def votes_with(
    rng: np.random.Generator, traits: dict[str, np.ndarray], outcomes: np.ndarray | None = None, n: int = 200
) -> list[Vote]:
    """Random pairs of three models with (n, 2) traits; random outcomes unless given."""
    chosen = rng.integers(0, 3, n) if outcomes is None else outcomes
    votes = []
    for i in range(n):
        a, b = rng.permutation(list("abc"))[:2]
        sides = {name: (float(trait[i, 0]), float(trait[i, 1])) for name, trait in traits.items()}
        votes.append(Vote(f"v{i}", str(a), str(b), Outcome(int(chosen[i])), voter=f"s{i % 30}", traits=sides))
    return votes


def dropped(table: VoteTable, plan: Plan) -> dict[str, str]:
    return {line.name: line.why for line in rank(table, plan).dropped}


def test_a_column_of_zeros_is_dropped_and_named(rng: np.random.Generator) -> None:
    table = VoteTable.of(
        votes_with(rng, {"length": rng.gamma(2.0, 1.0, (200, 2)), "lists": np.zeros((200, 2))})
    )

    found = dropped(table, Plan(rounds=0, style=("length", "lists")))

    assert list(found) == ["lists"]
    assert "zero in every vote" in found["lists"]


def test_what_one_component_drops_and_another_keeps_is_said_with_its_place(rng: np.random.Generator) -> None:
    board = votes_with(rng, {"length": rng.gamma(2.0, 1.0, (200, 2))})
    island = [
        Vote(f"i{n}", "x", "y", Outcome(n % 2), voter=f"s{n % 9}", traits={"length": (3.0, 3.0)})
        for n in range(20)
    ]

    found = dropped(VoteTable.of(board + island), Plan(rounds=0, style=("length",)))

    assert found == {"length": "not identifiable: zero in every vote (component 2)"}


def test_the_same_trait_under_two_names_is_kept_once(rng: np.random.Generator) -> None:
    trait = rng.gamma(2.0, 1.0, (200, 2))
    table = VoteTable.of(votes_with(rng, {"length": trait, "words": 3 * trait}))

    board = rank(table, Plan(rounds=0, style=("length", "words")))

    assert [c.name for c in board.coefficients] == ["length"]
    assert [d.name for d in board.dropped] == ["words"]
    assert "confounded" in board.dropped[0].why


def test_a_side_that_goes_with_the_model_is_dropped_and_named() -> None:
    votes = [Vote(f"v{n}", "a", "b", Outcome(n % 2), voter=f"s{n % 9}") for n in range(50)]

    board = rank(VoteTable.of(votes), Plan(rounds=0, side=True))

    assert [d.name for d in board.dropped] == ["side"]
    assert board.coefficients == ()
    assert line(board, "a").rating == pytest.approx(1000.0)


def test_a_side_that_always_wins_has_no_finite_estimate() -> None:
    sides = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("a", "c"), ("c", "a")]
    # Their draws are recorded, so the sides are true ones.
    votes = [Vote(f"v{n}", *sides[n % 6], Outcome.A, voter=f"s{n % 9}", drawn_p=1 / 3) for n in range(60)]

    board = rank(VoteTable.of(votes), Plan(rounds=0, side=True))

    assert [(d.name, "no finite estimate" in d.why) for d in board.dropped] == [("side", True)]
    assert {row.rating for row in board.models} == {1000.0}


@pytest.mark.slow
def test_a_trait_that_decides_every_vote_has_no_finite_estimate(rng: np.random.Generator) -> None:
    trait, other = rng.gamma(2.0, 1.0, (200, 2)), rng.gamma(2.0, 1.0, (200, 2))
    longer_wins = np.where(trait[:, 0] > trait[:, 1], Outcome.A, Outcome.B)
    table = VoteTable.of(votes_with(rng, {"length": trait, "bold": other}, longer_wins))

    board = rank(table, Plan(rounds=0, style=("bold", "length")))

    assert [d.name for d in board.dropped] == ["length"]
    assert [c.name for c in board.coefficients] == ["bold"]


@pytest.mark.slow
def test_a_trait_that_ran_only_beside_others_is_kept_without_them() -> None:
    # Three traits and a side separate these eight votes together; the length alone does not.
    heron = [
        ("siskin", "B", 51, 52, 1, 2, 3, 4), ("siskin", "T", 51, 102, 0, 2, 2, 0), ("osprey", "B", 51, 102, 1, 2, 1, 3),
        ("siskin", "B", 51, 102, 1, 1, 3, 4), ("osprey", "B", 201, 202, 2, 0, 1, 0), ("siskin", "B", 1, 102, 0, 0, 1, 1),
        ("wren", "B", 2, 101, 2, 1, 2, 3), ("wren", "T", 52, 201, 0, 1, 2, 1),
    ]  # fmt: skip
    said = {"B": Outcome.B, "T": Outcome.TIE}
    table = VoteTable.of(
        [
            Vote(f"v{n}", a, "heron", said[word], voter=f"s{n}", traits={"length": (x, y), "headers": (h, i), "bold": (c, d)})
            for n, (a, word, x, y, h, i, c, d) in enumerate(heron)
        ]
    )  # fmt: skip

    board = rank(table, Plan(rounds=0, style=("length", "headers", "bold"), side=True))
    alone = rank(table, Plan(rounds=0, style=("length",)))

    assert [c.name for c in alone.coefficients] == ["length"]
    kept = {c.name for c in board.coefficients}
    assert kept
    assert kept | {d.name for d in board.dropped} == {"length", "headers", "bold", "side"}
    assert all(c.value is not None and abs(c.value) < 20 for c in board.coefficients)


def test_votes_without_a_trait_are_excluded_in_both_fits(rng: np.random.Generator) -> None:
    votes = votes_with(rng, {"length": rng.gamma(2.0, 1.0, (200, 2))})
    bare = [Vote(f"x{n}", "a", "b", Outcome.A, voter="s1") for n in range(25)]

    board = rank(VoteTable.of([*votes, *bare]), Plan(rounds=0, style=("length",)))

    plain = rank(VoteTable.of(votes), Plan(rounds=0))
    assert board.snapshot.excluded == {"missing_traits": 25}
    assert {row.model: row.rating_without_style for row in board.models} == pytest.approx(
        {row.model: row.rating for row in plain.models}
    )


def test_columns_are_divided_by_their_root_mean_square_and_not_centred(rng: np.random.Generator) -> None:
    trait = rng.gamma(2.0, 1.0, (200, 2)) + np.array([4.0, 0.0])
    votes = votes_with(rng, {"length": trait})

    part = analyse(VoteTable.of(votes), Plan(rounds=0, style=("length",))).parts[0]

    ratio = (trait[:, 0] - trait[:, 1]) / trait.sum(axis=1)
    assert part.styled.rms == pytest.approx([np.sqrt((ratio**2).mean())], rel=1e-6)
    assert np.sort(np.abs(part.data.x[:, 0])) == pytest.approx(
        np.sort(np.abs(ratio / part.styled.rms[0])), rel=1e-6
    )


def test_swapping_sides_moves_no_rating(rng: np.random.Generator) -> None:
    votes = votes_with(rng, {"length": rng.gamma(2.0, 1.0, (200, 2)) + np.array([4.0, 0.0])})
    turned = [
        Vote(v.vote_id, v.model_b, v.model_a, v.outcome.mirrored, voter=v.voter, traits={"length": v.traits["length"][::-1]})
        if n % 3
        else v
        for n, v in enumerate(votes)
    ]  # fmt: skip

    one, other = (rank(VoteTable.of(x), Plan(rounds=0, style=("length",))) for x in (votes, turned))

    assert {r.model: r.rating for r in one.models} == pytest.approx(
        {r.model: r.rating for r in other.models}, abs=1e-6
    )
    assert one.coefficients[0].value == pytest.approx(other.coefficients[0].value)


def test_a_coefficient_that_one_voter_holds_gets_no_interval(rng: np.random.Generator) -> None:
    trait = np.ones((200, 2))
    # Only voter s3 ever saw a difference in length.
    trait[3::30, 0] = rng.gamma(2.0, 1.0, len(trait[3::30]))
    table = VoteTable.of(votes_with(rng, {"length": trait}))

    board = rank(table, Plan(rounds=64, style=("length",)))

    (length,) = board.coefficients
    assert length.value is not None
    assert (length.low, length.high) == (None, None)
    assert all(row.low is not None for row in board.models)


def test_a_true_effect_is_recovered(rng: np.random.Generator) -> None:
    trait = rng.gamma(2.0, 1.0, (6000, 2))
    ratio = (trait[:, 0] - trait[:, 1]) / trait.sum(axis=1)
    won = np.where(rng.random(6000) < 1 / (1 + np.exp(-1.5 * ratio)), Outcome.A, Outcome.B)
    table = VoteTable.of(votes_with(rng, {"length": trait}, won, n=6000))

    part = analyse(table, Plan(rounds=0, style=("length",))).parts[0]

    per_ratio = part.fit.params[-1] / part.styled.rms[0]
    error = np.sqrt(part.spread.cr3[-1, -1]) / part.styled.rms[0]
    assert abs(per_ratio - 1.5) < 4 * error
    assert error < 0.1


def test_a_side_that_runs_away_together_with_ties_is_dropped_and_named() -> None:
    # The left wins only as `b`, and every other vote is a tie: the side and nu go to infinity together, neither alone.
    shown = [("b", "a", Outcome.TIE), ("b", "a", Outcome.B), ("a", "b", Outcome.B), ("a", "b", Outcome.TIE)]
    times = (3, 3, 1, 3)
    votes = [one for one, n in zip(shown, times, strict=True) for _ in range(n)]
    table = VoteTable.of([Vote(f"v{n}", a, b, outcome) for n, (a, b, outcome) in enumerate(votes)])

    board = rank(table, Plan(rounds=0, side=True, ties="davidson"))

    assert [(line.name, line.why) for line in board.dropped] == [
        ("side", "no finite estimate: it separates wins, losses and ties")
    ]
    assert all(row.se is not None for row in board.models)
