"""The rows in the order of their voters."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ratings.design import threads
from ratings.design.comparisons import Comparisons
from ratings.engine.compiled.compiling import compiled

u64 = np.uint64
LARGE = 100_000  # rows from which threads share them
BLOCKS = 4  # of pairs then; each counts all voters
Places = npt.NDArray[np.uint64]
Sorted = npt.NDArray[np.uint32]


def by_voter(data: Comparisons) -> tuple[Places, Sorted]:
    """(G + 1,) where each group's rows start in that order, and (n, 3) each row's place in `data` and its models."""
    starts, voter, groups = data.starts.astype(u64), data.voter.view(np.uint32), len(data.size)
    pairs = blocks(data.starts, BLOCKS if len(voter) > LARGE else 1)
    rows = [slice(int(starts[some.start]), int(starts[some.stop])) for some in pairs]
    counts = np.stack(list(threads.in_order(lambda some: np.bincount(voter[some], minlength=groups), rows)))
    offsets = np.concatenate([[0], np.cumsum(counts.sum(axis=0))]).astype(u64)
    place = (offsets[:-1] + np.cumsum(counts, axis=0).astype(u64) - counts.astype(u64)).astype(u64)
    out = np.empty((len(voter), 3), dtype=np.uint32)

    def block(number: int) -> None:
        some = pairs[number]
        _write(
            starts[some.start : some.stop + 1], data.pair_a[some].view(np.uint32), data.pair_b[some].view(np.uint32),
            voter, place[number], out,
        )  # fmt: skip

    list(threads.in_order(block, range(len(pairs))))
    return offsets, out


def blocks(starts: npt.NDArray[Any], count: int) -> list[slice]:
    """Ranges of runs with about equally many rows, `count` at the most; run r has rows starts[r]:starts[r + 1]."""
    rows = int(starts[-1])
    inner = np.searchsorted(starts, [rows * number // count for number in range(1, count)])
    return [slice(*bounds) for bounds in pairwise(sorted({0, *inner.tolist(), len(starts) - 1}))]


@compiled
def _write(starts: Any, pair_a: Any, pair_b: Any, voter: Any, place: Any, out: Any) -> None:
    for p in range(u64(pair_a.shape[0])):
        for i in range(starts[p], starts[p + u64(1)]):
            g = u64(voter[i])
            here = place[g]
            place[g] = here + u64(1)
            out[here, 0] = i
            out[here, 1] = pair_a[p]
            out[here, 2] = pair_b[p]
