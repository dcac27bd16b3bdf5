"""Kernel of one voter's score and information, for the few voters who hold much of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratings.design.comparisons import Comparisons
from ratings.engine.compiled.compiling import compiled
from ratings.engine.reference import jackknife
from ratings.engine.reference.jackknife import RowTerms
from ratings.scale import Floats, Ints

u64 = np.uint64


def voter(data: Comparisons, at: RowTerms, rows: Ints, width: int) -> tuple[Floats, Floats]:
    """`leverage.voter`; Davidson ties go there."""
    if at.residual.shape[1] == 2:
        return jackknife.voter(data, at, rows, width)
    score, information = np.zeros(width), np.zeros((width, width))
    _voter(
        rows.astype(u64), data.starts.astype(u64), data.pair_a.view(np.uint32), data.pair_b.view(np.uint32),
        data.x, at.residual[:, 0], at.q[:, 0, 0], u64(data.models), score, information,
    )  # fmt: skip
    return score, information + np.triu(information, 1).T


@compiled
def _voter(
    rows: Any, starts: Any, pair_a: Any, pair_b: Any, x: Any, residual: Any, q: Any, k: Any, score: Any, out: Any
) -> None:  # fmt: skip
    features = u64(x.shape[1])
    p, count = u64(0), u64(rows.shape[0])
    for i in range(count):
        row = rows[i]
        # Rows are in order of pair.
        while starts[p + u64(1)] <= row:
            p += u64(1)
        a, b, r, row_information = pair_a[p], pair_b[p], residual[row], q[row]
        score[a] += r
        score[b] -= r
        out[a, a] += row_information
        out[b, b] += row_information
        out[a, b] -= row_information
        for f in range(features):
            side = row_information * x[row, f]
            score[k + f] += r * x[row, f]
            out[a, k + f] += side
            out[b, k + f] -= side
            for e in range(f + u64(1)):
                out[k + e, k + f] += side * x[row, e]
