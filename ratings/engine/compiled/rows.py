"""Kernel of the full fit with covariates: one pass over the rows, exact in float64 or roughly in float32."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ratings.design import threads
from ratings.design.comparisons import LARGE, Comparisons
from ratings.engine.compiled.compiling import compiled, expit
from ratings.engine.reference.rows import How, RowSums
from ratings.scale import Floats

BLOCKS = 8  # of a pass over many rows, so that threads can share it
TILES = {np.float64: 256, np.float32: 512}  # rows whose values stay in the first cache
u64 = np.uint64


def rows(data: Comparisons, params: Floats, scale: Floats, how: How = "exact") -> RowSums:
    """`rowwise.single`."""
    k, f, pairs = data.models, data.x.shape[1], len(data.pair_a)
    residual, q, cross_by_pair = np.zeros(pairs), np.zeros(pairs), np.zeros((pairs, f))
    factor = data.factor(scale)
    # Few rows are not worth a kernel of their own at zero.
    moved, information = bool(params.any()) or len(data.voter) <= LARGE, how != "scores"
    z, starts = params[data.pair_a] - params[data.pair_b], data.starts.astype(u64)
    kernel = _pass(f, np.float32 if how == "single_precision" else np.float64, moved, information)

    def block(some: slice) -> tuple[Floats, Floats, Floats]:
        score_coef, information_coef, max_abs_shift = np.zeros(f), np.zeros((f, f)), np.zeros(f)
        bounds = starts[some.start : some.stop + 1]
        kernel(
            bounds, z[some], data.weight, data.score, data.x, factor, params[k:],
            residual[some], q[some], cross_by_pair[some], score_coef, information_coef, max_abs_shift,
        )  # fmt: skip
        return score_coef, np.tril(information_coef) + np.tril(information_coef, -1).T, max_abs_shift

    # The same blocks on any machine, added in order: the same bits.
    parts = list(threads.in_order(block, _blocks(data.starts)))
    score_coef, information_coef = (np.sum([part[place] for part in parts], axis=0) for place in (0, 1))
    max_abs_shift = None if moved else np.max([part[2] for part in parts], axis=0)
    return RowSums(
        residual[None],
        q[None],
        cross_by_pair.T[:, None],
        score_coef[None],
        information_coef[None],
        max_abs_shift,
    )


def _blocks(starts: npt.NDArray[np.int64]) -> list[slice]:
    """Ranges of pairs with about equally many rows."""
    rows, pairs = int(starts[-1]), len(starts) - 1
    count = BLOCKS if rows > LARGE else 1
    bounds = np.searchsorted(starts, [rows * number // count for number in range(1, count)])
    return [slice(int(low), int(high)) for low, high in pairwise([0, *bounds, pairs]) if low < high]


@cache
def _pass(features: int, kind: Any, moved: bool, information: bool) -> Any:
    """The kernel for that many covariates, in floats of a kind; at parameters all zero where nothing `moved`.

    Then it finds the largest |x| too. Without `information` only scores are summed. A tile of rows may hold many
    pairs or a part of one.
    """
    tile = TILES[kind]
    zero, one, half = kind(0), kind(1), kind(0.5)

    def kernel(
        starts: Any, z_pair: Any, weight: Any, score: Any, x: Any, factor: Any, coef: Any,
        residual: Any, info: Any, cross_by_pair: Any, score_coef: Any, information_coef: Any, max_abs_shift: Any,
    ) -> None:  # fmt: skip
        z, r, q = np.empty(tile, kind), np.empty(tile, kind), np.empty(tile, kind)
        wide, across = np.empty((features, tile), kind), np.empty((features, tile), kind)
        end = starts[u64(starts.shape[0] - 1)]
        low = starts[u64(0)]
        pair = u64(0)
        while low < end:
            m = min(u64(tile), end - low)
            for i in range(m):
                for f in range(u64(features)):
                    wide[f, i] = x[low + i, f] * factor[f]
            if not moved:
                for f in range(u64(features)):
                    most = zero
                    for i in range(m):
                        most = max(most, abs(wide[f, i]))
                    max_abs_shift[f] = max(max_abs_shift[f], most)
            if moved:
                at, p = u64(0), pair
                while at < m:
                    stop = min(starts[p + u64(1)] - low, m)
                    of_pair = kind(z_pair[p])
                    for i in range(at, stop):
                        z[i] = of_pair
                    at = stop
                    p += u64(1)
                for f in range(u64(features)):
                    slope = kind(coef[f])
                    for i in range(m):
                        z[i] += slope * wide[f, i]
            for i in range(m):
                chance = expit(z[i]) if moved else half
                w = kind(weight[low + i])
                r[i] = kind(score[low + i]) - w * chance
                if information:
                    q[i] = w * chance * (one - chance)
            for f in range(u64(features)):
                total = zero
                for i in range(m):
                    total += r[i] * wide[f, i]
                score_coef[f] += total
                if information:
                    for i in range(m):
                        across[f, i] = q[i] * wide[f, i]
                    for g in range(f + u64(1)):
                        total = zero
                        for i in range(m):
                            total += across[f, i] * wide[g, i]
                        information_coef[f, g] += total
            at = u64(0)
            while at < m:
                stop = min(starts[pair + u64(1)] - low, m)
                total = zero
                for i in range(at, stop):
                    total += r[i]
                residual[pair] += total
                if information:
                    total = zero
                    for i in range(at, stop):
                        total += q[i]
                    info[pair] += total
                    for f in range(u64(features)):
                        total = zero
                        for i in range(at, stop):
                            total += across[f, i]
                        cross_by_pair[pair, f] += total
                at = stop
                if starts[pair + u64(1)] <= low + m:
                    pair += u64(1)
            low += m

    return compiled(kernel)
