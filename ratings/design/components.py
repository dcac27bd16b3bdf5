"""Who can be compared with whom: strong and weak components of the win graph, and models that hang on one voter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from ratings.scale import Bools

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Components:
    """The components of the graph "has beaten or tied" over the votes used (Ford 1957; Hunter 2004).

    Numbers are by size: models, then votes, then first index, so component 0 is the largest. A model without
    a vote has component and piece -1.
    """

    component: Codes  # (K,) strong component of each model
    piece: Codes  # (K,) weak piece of each model
    board: Codes  # (pieces,) the strong component that is the board of each piece; -1: no two models are linked both ways
    above: Bools  # (K,) the model's component has beaten its board, directly or through others, never the reverse
    below: Bools  # (K,) the reverse

    @property
    def count(self) -> int:
        return int(self.component.max(initial=-1)) + 1

    def members(self, component: int) -> npt.NDArray[np.intp]:
        return np.flatnonzero(self.component == component)

    def on_board(self) -> Bools:
        """(K,) the model belongs to the largest strong component of its piece."""
        voted = self.piece >= 0
        on = np.zeros(len(self.piece), dtype=np.bool_)
        on[voted] = self.component[voted] == self.board[self.piece[voted]]
        return on


def split(models: int, winner: Codes, loser: Codes, votes: npt.NDArray[np.int64]) -> Components:
    """Components from edges winner -> loser (a tie gives both). `votes` (models,) is each model's vote count."""
    edges = coo_array((np.ones(len(winner)), (winner, loser)), shape=(models, models)).tocsr()
    _, strong = connected_components(edges, connection="strong")
    _, weak = connected_components(edges, connection="weak")
    component = _by_size(strong, votes)
    piece = _by_size(weak, votes)
    board = np.full(int(piece.max(initial=-1)) + 1, -1, dtype=np.int32)
    # Components are numbered by size, so the smallest number of a piece is its largest component.
    size = np.bincount(component[component >= 0])
    for number in range(len(board)):
        largest = component[piece == number].min()
        # One model alone is no scale: which of them it were would hang on the order of names.
        board[number] = largest if size[largest] > 1 else -1
    above, below = _sides(edges, component, piece, board)
    return Components(component, piece, board, above, below)


def _by_size(label: Codes, votes: npt.NDArray[np.int64]) -> Codes:
    """Labels renumbered by size; -1 for models without votes."""
    size = np.bincount(label)
    total = np.bincount(label, weights=votes)
    first = np.full(len(size), len(label))
    np.minimum.at(first, label, np.arange(len(label)))
    rank = np.empty(len(size), dtype=np.int32)
    empty = total == 0
    rank[np.lexsort((first, -total, -size, empty))] = np.arange(len(size), dtype=np.int32)
    return np.where(votes > 0, rank[label], -1).astype(np.int32)


def _sides(
    edges: csr_array[Any, tuple[int, int]], component: Codes, piece: Codes, board: Codes
) -> tuple[Bools, Bools]:
    """Which models lie above and below the board of their piece."""
    k = len(component)
    above = np.zeros(k, dtype=np.bool_)
    below = np.zeros(k, dtype=np.bool_)
    backwards = edges.T.tocsr()
    for main in board[board >= 0]:
        inside = component == main
        start = int(np.flatnonzero(inside)[0])
        below[breadth_first_order(edges, start, return_predecessors=False)] = True
        above[breadth_first_order(backwards, start, return_predecessors=False)] = True
        below[inside] = above[inside] = False
    return above, below


@dataclass(frozen=True)
class Cut:
    """A voter whose removal cuts models off: `rest` stays connected, the others would fall away."""

    voter: int
    rest: Bools  # (K,)


def cuts(models: int, pair_a: Codes, pair_b: Codes, sole: Codes, votes: npt.NDArray[np.int64]) -> list[Cut]:
    """Voters without whom a connected graph of pairs falls apart.

    `sole` (P,) is the voter who alone voted on the pair, -1 where two or more did. Only a voter who owns an
    edge of one spanning tree can cut, so at most `models` - 1 voters are tried; a tree that prefers shared
    pairs keeps them few.
    """
    if not (sole >= 0).any():
        return []
    cost = np.where(sole >= 0, 2.0, 1.0)
    shape = (models, models)
    tree = minimum_spanning_tree(coo_array((cost, (pair_a, pair_b)), shape=shape).tocsr()).tocoo()
    in_tree = set(zip(*(side.tolist() for side in (tree.row, tree.col)), strict=True))
    candidates = {
        int(voter)
        for a, b, voter in zip(pair_a.tolist(), pair_b.tolist(), sole.tolist(), strict=True)
        if voter >= 0 and (a, b) in in_tree
    }
    found = []
    for voter in sorted(candidates):
        kept = sole != voter
        graph = coo_array((np.ones(int(kept.sum())), (pair_a[kept], pair_b[kept])), shape=shape)
        parts, label = connected_components(graph, directed=False)
        if parts > 1:
            found.append(Cut(voter, _largest(label, votes)))
    return found


def _largest(label: Codes, votes: npt.NDArray[np.int64]) -> Bools:
    sizes = np.bincount(label)
    totals = np.bincount(label, weights=votes)
    best = max(range(len(sizes)), key=lambda part: (sizes[part], totals[part], -part))
    return np.asarray(label == best, dtype=np.bool_)
