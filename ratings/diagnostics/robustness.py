"""How few votes decide rank 1: the smallest set found whose removal puts another model on top, confirmed by refits.

The gap of leader l and challenger c is c' theta with c = e_l - e_c. By influence, dropping one vote of score s on
the pair (a, b) moves it by -(M c)' x (s - p), M the inverse information and p the fitted share (Broderick, Giordano
& Meager 2020, first order). Votes are dropped in the order of that influence; how many it takes is found by
refits, so the number is exact for its order and an upper bound on the smallest number of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arena.errors import NoData, NotConverged
from ratings.bradley_terry import fit
from ratings.design.comparisons import Comparisons
from ratings.engine.reference.pairs import expit
from ratings.leaderboard import PairRecord
from ratings.scale import Floats

CHALLENGERS = 10  # models below these are never the cheapest to lift
SCORES = np.array([1.0, 0.0, 0.5])  # a wins, b wins, tie or both bad

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class DroppedVotes:
    """Votes of one kind among those dropped. `winner` None: ties."""

    a: str
    b: str
    winner: str | None
    votes: int


@dataclass(frozen=True)
class Flip:
    """Dropping `votes_dropped` of `votes` puts `challenger` above `leader`; one vote fewer, in this order, does not."""

    leader: str
    challenger: str
    votes_dropped: int
    votes: int
    share: float
    dropped: tuple[DroppedVotes, ...]


@dataclass(frozen=True)
class _Board:
    """One component as counts: pairs (P, 2) of models and votes (P, 3) by outcome, as SCORES."""

    models: tuple[str, ...]
    pairs: npt.NDArray[np.int32]
    votes: Counts


def smallest_flip(records: Sequence[PairRecord]) -> Flip:
    """The fewest votes found whose removal changes who is first among the models of `records`.

    `records` are those of one component (every model has a finite rating). Raises `NoData` with fewer than two
    models, or when no removal leaves a finite fit with another model on top.
    """
    board = _board(records)
    if len(board.models) < 2:
        raise NoData("fewer than two models: nobody to be overtaken by")
    theta, covariance = _fit(board, board.votes)
    order = np.argsort(-theta, kind="stable")
    flips = [
        flip
        for challenger in order[1 : CHALLENGERS + 1]
        if (flip := _against(board, theta, covariance, int(order[0]), int(challenger)))
    ]
    if not flips:
        raise NoData("no removal of votes puts another model first")
    return min(flips, key=lambda flip: (flip.votes_dropped, flip.challenger))


def is_overtaken(records: Sequence[PairRecord], flip: Flip, votes: int) -> bool:
    """Whether dropping the first `votes` votes in the order of `flip` puts its challenger above its leader."""
    board = _board(records)
    theta, covariance = _fit(board, board.votes)
    leader, challenger = board.models.index(flip.leader), board.models.index(flip.challenger)
    order = _order(board, theta, covariance, leader, challenger)
    return _overtakes(board, order, votes, leader, challenger)


def _board(records: Sequence[PairRecord]) -> _Board:
    models = tuple(sorted({name for record in records for name in (record.a, record.b)}))
    index = {name: at for at, name in enumerate(models)}
    rows = sorted(records, key=lambda record: (record.a, record.b))
    pairs = np.array([(index[r.a], index[r.b]) for r in rows], dtype=np.int32).reshape(-1, 2)
    votes = np.array([(r.wins, r.losses, r.ties + r.both_bad) for r in rows], dtype=np.int64).reshape(-1, 3)
    return _Board(models, pairs, votes)


def _fit(board: _Board, votes: Counts) -> tuple[Floats, Floats]:
    """theta (K,) and the covariance (K, K) of its contrasts. Raises `NotConverged` where there is no finite fit."""
    total = votes.sum(axis=1).astype(np.float64)
    kept = np.flatnonzero(total > 0)
    data = Comparisons(
        models=len(board.models),
        pair_a=board.pairs[kept, 0],
        pair_b=board.pairs[kept, 1],
        starts=np.arange(len(kept) + 1, dtype=np.int64),
        voter=np.arange(len(kept), dtype=np.int32),
        count=votes.sum(axis=1)[kept],
        weight=total[kept],
        score=(votes @ SCORES)[kept],
        ties=votes[kept, 2].astype(np.float64),
        x=np.zeros((len(kept), 0), dtype=np.float32),
        size=votes.sum(axis=1)[kept],
    )
    best = fit.fit(data)
    return best.theta, np.asarray(np.linalg.inv(fit.centred(best.information, len(board.models))))


def _against(board: _Board, theta: Floats, covariance: Floats, leader: int, challenger: int) -> Flip | None:
    order = _order(board, theta, covariance, leader, challenger)
    few, many = 0, int(board.votes.reshape(-1)[order].sum())
    # Doubling from the first-order estimate finds a number that is enough, bisection the least one.
    trial = min(max(_first_order(board, theta, covariance, order, leader, challenger), 1), many)
    while not _overtakes(board, order, trial, leader, challenger):
        if trial == many:
            return None
        few, trial = trial, min(2 * trial, many)
    many = trial
    while many - few > 1:
        trial = (few + many) // 2
        if _overtakes(board, order, trial, leader, challenger):
            many = trial
        else:
            few = trial
    total = int(board.votes.sum())
    return Flip(
        leader=board.models[leader],
        challenger=board.models[challenger],
        votes_dropped=many,
        votes=total,
        share=many / total,
        dropped=_named(board, order, many),
    )


def _influence(board: _Board, theta: Floats, covariance: Floats, leader: int, challenger: int) -> Floats:
    """(P, 3) by how much the gap falls when one vote of the cell is dropped, to first order."""
    along = covariance[:, leader] - covariance[:, challenger]
    a, b = board.pairs.T
    expected = expit(theta[a] - theta[b])
    return np.asarray((along[a] - along[b])[:, None] * (SCORES - expected[:, None]))


def _order(board: _Board, theta: Floats, covariance: Floats, leader: int, challenger: int) -> Counts:
    """Cells of votes (flat over (P, 3)) whose removal helps the challenger, the most helpful first."""
    influence = _influence(board, theta, covariance, leader, challenger).reshape(-1)
    order = np.argsort(-influence, kind="stable")
    return np.asarray(order[(influence[order] > 0) & (board.votes.reshape(-1)[order] > 0)], dtype=np.int64)


def _first_order(
    board: _Board, theta: Floats, covariance: Floats, order: Counts, leader: int, challenger: int
) -> int:
    each = _influence(board, theta, covariance, leader, challenger).reshape(-1)[order]
    votes = board.votes.reshape(-1)[order]
    fallen = np.cumsum(each * votes)
    gap = theta[leader] - theta[challenger]
    cell = int(np.searchsorted(fallen, gap))
    if cell == len(order):
        return int(votes.sum())
    before = fallen[cell - 1] if cell else 0.0
    return int(votes[:cell].sum() + np.ceil((gap - before) / each[cell]))


def _dropped(board: _Board, order: Counts, count: int) -> Counts:
    """(P, 3) votes dropped when the first `count` in `order` go."""
    available = board.votes.reshape(-1)[order]
    before = np.concatenate([[0], np.cumsum(available)[:-1]])
    gone = np.zeros(board.votes.size, dtype=np.int64)
    gone[order] = np.clip(count - before, 0, available)
    return gone.reshape(board.votes.shape)


def _overtakes(board: _Board, order: Counts, count: int, leader: int, challenger: int) -> bool:
    try:
        theta, _ = _fit(board, board.votes - _dropped(board, order, count))
    except (NotConverged, np.linalg.LinAlgError):
        return False  # what is left does not link all models
    return bool(theta[challenger] > theta[leader])


def _named(board: _Board, order: Counts, count: int) -> tuple[DroppedVotes, ...]:
    gone = _dropped(board, order, count)
    found = []
    for cell in order:
        pair, outcome = divmod(int(cell), 3)
        if votes := int(gone[pair, outcome]):
            a, b = (board.models[index] for index in board.pairs[pair])
            found.append(DroppedVotes(a, b, (a, b, None)[outcome], votes))
    return tuple(found)
