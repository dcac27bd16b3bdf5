"""The arrays that are fitted: cells of voters and pairs, groups of equal voters, weights of mean one."""

from __future__ import annotations

import numpy as np
import pytest

from arena.votes import Outcome, Vote, VoteTable
from ratings.design.comparisons import Comparisons, gather, runs
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.leaderboard import Plan


def comparisons(votes: list[Vote], plan: Plan = Plan(), members: list[int] | None = None) -> Comparisons:  # noqa: B008
    table = VoteTable.of(votes)
    _, rows = select(prepare(table, plan.style), plan)
    chosen = np.arange(len(table.models)) if members is None else np.array(members)
    return gather(rows, chosen, len(table.models), ties=True)


def test_a_voters_votes_on_a_pair_are_one_cell() -> None:
    votes = [
        Vote("1", "a", "b", Outcome.A, voter="x"),
        Vote("2", "b", "a", Outcome.A, voter="x"),
        Vote("3", "a", "b", Outcome.TIE, voter="x"),
        Vote("4", "a", "b", Outcome.A, voter="y"),
    ]

    data = comparisons(votes)

    assert data.voter.tolist() == [0, 1]
    assert data.weight.tolist() == [3.0, 1.0]
    assert data.score.tolist() == [1.5, 1.0]
    assert data.ties.tolist() == [1.0, 0.0]
    assert data.size.tolist() == [1, 1]


def test_equal_nameless_votes_are_one_group_of_many() -> None:
    votes = [Vote(f"{n}", "a", "b", Outcome.A) for n in range(5)] + [Vote("x", "a", "b", Outcome.B, count=3)]

    data = comparisons(votes)

    assert sorted(data.size.tolist()) == [3, 5]
    assert data.voters == 8


def test_covariates_keep_rows_apart() -> None:
    votes = [
        Vote(f"{n}", "a", "b", Outcome.A, voter="x", traits={"length": (n + 1.0, 2.0)}) for n in range(4)
    ]

    data = comparisons(votes, Plan(style=("length",)))

    assert len(data.voter) == 4
    assert data.size.tolist() == [1]


def test_only_votes_among_the_members_stay() -> None:
    votes = [
        Vote("1", "a", "b", Outcome.A, voter="x"),
        Vote("2", "b", "c", Outcome.A, voter="y"),
        Vote("3", "c", "d", Outcome.A, voter="z"),
    ]

    data = comparisons(votes, members=[1, 2])

    assert (data.models, data.pair_a.tolist(), data.pair_b.tolist()) == (2, [0], [1])
    assert data.size.tolist() == [1]


def test_weights_have_mean_one_over_the_votes() -> None:
    votes = [Vote("1", "a", "b", Outcome.A, weight=2.0, count=3), Vote("2", "a", "b", Outcome.B, weight=8.0)]

    data = comparisons(votes)

    assert data.weight.sum() == pytest.approx(4.0)
    assert sorted(data.weight / data.count) == pytest.approx([4 / 7 * 1.0, 4 / 7 * 4.0])


def test_runs_of_equal_rows() -> None:
    assert runs(np.array([1, 1, 2, 2, 2]), np.array([0, 0, 0, 1, 1])).tolist() == [0, 2, 3, 5]
    assert runs(np.array([], dtype=np.int64)).tolist() == [0]


@pytest.mark.parametrize("n", [100, 250_001])
@pytest.mark.parametrize("kept", [[0, 1, 2], [2, 0]])
def test_covariates_are_divided_by_their_scale(rng: np.random.Generator, n: int, kept: list[int]) -> None:
    x = rng.normal(0, 5, (n, 3)).astype(np.float32)[:, kept]
    scale = np.array([0.3, 7.0, 2.5])[kept]
    none = np.zeros(0)
    data = Comparisons(2, none, none, none, none, none, none, none, none, x, none)  # type: ignore[arg-type]

    divided = data.over(scale)

    # numpy compares hundreds of thousands of numbers in no time, where pytest.approx takes seconds.
    np.testing.assert_allclose(divided.x, x / scale, rtol=3e-7, atol=1e-12)
    assert divided.max_abs == pytest.approx(np.abs(divided.x).max(axis=0), rel=1e-12)
    np.testing.assert_array_equal(divided.x, x * data.factor(scale))
