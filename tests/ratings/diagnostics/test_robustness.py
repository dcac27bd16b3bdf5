"""Few votes decide rank 1: checked against every possible removal on a small board, and by refits on real ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from statsmodels.api import GLM, families

from arena.errors import NoData
from arena.importers.reading import read
from ratings.diagnostics.robustness import Flip, is_overtaken, smallest_flip
from ratings.leaderboard import PairRecord, Plan
from ratings.ranking.rank import rank

DATA = Path(__file__).resolve().parents[3] / "data"
SMALL = (
    PairRecord("heron", "osprey", 5, 3, 1, 0),
    PairRecord("heron", "wren", 4, 2, 0, 0),
    PairRecord("osprey", "wren", 4, 3, 0, 1),
)


def top_by_statsmodels(votes: np.ndarray) -> int:
    """Who is first by a binomial GLM, a tie half a win each: 0 heron, 1 osprey, 2 wren."""
    design = np.array([[1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])[[1, 0, 2]]  # wren is the reference
    wins, losses = votes[:, 0] + votes[:, 2] / 2, votes[:, 1] + votes[:, 2] / 2
    theta = GLM(np.column_stack([wins, losses]), design, family=families.Binomial()).fit(tol=1e-12).params
    return int(np.argmax([*theta, 0.0]))


@pytest.mark.slow
def test_no_smaller_removal_changes_the_first_of_a_small_board() -> None:
    votes = np.array([[r.wins, r.losses, r.ties + r.both_bad] for r in SMALL])
    assert top_by_statsmodels(votes) == 0
    smallest = min(
        sum(removed)
        for removed in product(*(range(min(n, 4) + 1) for n in votes.reshape(-1)))
        if sum(removed) <= 3
        and (left := votes - np.reshape(removed, votes.shape))[:, :2].min() > 0
        and top_by_statsmodels(left) != 0
    )

    flip = smallest_flip(SMALL)

    assert flip.leader == "heron"
    assert flip.votes_dropped == smallest
    assert sum(kind.votes for kind in flip.dropped) == smallest


@pytest.mark.slow
@pytest.mark.parametrize("file", ["lmsys_2024_08/counts.json", "llmfao/votes.csv"])
def test_the_votes_named_are_enough_and_a_fifth_fewer_are_not(file: str) -> None:
    board = rank(read([DATA / file]).table, Plan(rounds=0))

    flip = smallest_flip(board.pairs)

    assert flip.leader == board.models[0].model
    assert refitted_first(board.pairs, flip) == flip.challenger
    assert not is_overtaken(board.pairs, flip, int(flip.votes_dropped * 0.8))
    assert flip.share < 0.01


def refitted_first(records: tuple[PairRecord, ...], flip: Flip) -> str:
    """Who leads after the votes that `flip` names are taken out of the records, by the whole method."""
    from arena.votes import Outcome, Vote, VoteTable

    left = {(r.a, r.b): r for r in records}
    for kind in flip.dropped:
        record = left[kind.a, kind.b]
        if kind.winner is None:
            ties = min(kind.votes, record.ties)
            record = replace(record, ties=record.ties - ties, both_bad=record.both_bad - kind.votes + ties)
        elif kind.winner == kind.a:
            record = replace(record, wins=record.wins - kind.votes)
        else:
            record = replace(record, losses=record.losses - kind.votes)
        left[kind.a, kind.b] = record
    votes = [
        Vote(f"{r.a} {r.b} {outcome}", r.a, r.b, outcome, count=count)
        for r in left.values()
        for outcome, count in zip(Outcome, (r.wins, r.losses, r.ties, r.both_bad), strict=True)
        if count
    ]
    return rank(VoteTable.of(votes), Plan(rounds=0)).models[0].model


def test_a_single_model_has_nobody_to_be_overtaken_by() -> None:
    with pytest.raises(NoData, match="fewer than two models"):
        smallest_flip([])
