"""The voter bootstrap: rounds of Exp(1) weights, one for all of a voter's votes, each refitted from the full fit.

Positive weights keep every vote and so the win graph: no round separates (Rubin 1981, the Bayesian bootstrap).
A draw depends on the seed, the component's models, the voter's place in the component, and the round; not
on rows, islands, batches or threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ratings import bradley_terry
from ratings.bradley_terry import Fit, Sums
from ratings.comparisons import Comparisons
from ratings.scale import Floats

LANES = 16  # rounds refitted together; one cache line of float32 weights a voter
Progress = Callable[[int, int], None]  # rounds done, rounds in all
Key = npt.NDArray[np.uint64]


def key(seed: int, names: Sequence[str]) -> Key:
    """(4,) the key of the draws of the component of models `names`."""
    text = "\x1f".join([str(seed), *sorted(names)])
    return np.frombuffer(hashlib.blake2b(text.encode(), digest_size=32).digest(), dtype="<u8").copy()


def rounds(
    data: Comparisons,
    fit: Fit,
    draw_key: Key,
    count: int,
    *,
    ties: bool = False,
    prior: bool = False,
    progress: Progress | None = None,
) -> Floats:
    """(count, D) parameters of `count` refits, each to far below 1e-3 Elo."""
    params = np.empty((-(-count // LANES) * LANES, len(fit.params)))
    for first in range(0, count, LANES):
        lanes = weights(data.size, draw_key, first)
        params[first : first + LANES] = refit(data, fit, lanes, ties=ties, prior=prior)
        if progress is not None:
            progress(min(first + LANES, count), count)
    return params[:count]


def refit(data: Comparisons, fit: Fit, lanes: Floats, *, ties: bool, prior: bool) -> Floats:
    """(L, D) the fits with each group's weights multiplied by its lane's (G, L)."""
    sums = None if data.x.shape[1] else weighted_sums(data, lanes)
    evaluate = bradley_terry.evaluator(data, lanes, sums, ties=ties, prior=prior)
    start = np.tile(fit.params, (lanes.shape[1], 1))
    reach = bradley_terry.reach(data, ties)
    return bradley_terry.newton(evaluate, start, data.models, reach, bradley_terry.ROUND_TOLERANCE_ELO)[0]


def weighted_sums(data: Comparisons, lanes: Floats) -> Sums:
    """The pair sums of each lane, in blocks of rows."""
    shape = (lanes.shape[1], len(data.pair_a))
    out = Sums(np.empty(shape), np.empty(shape), np.empty(shape))
    for first, last in bradley_terry.blocks(data.starts):
        starts = data.starts[first : last + 1]
        rows = slice(int(starts[0]), int(starts[-1]))
        factor = lanes[data.voter[rows]]
        for column, into in ((data.weight, out.weight), (data.score, out.score), (data.ties, out.ties)):
            into[:, first:last] = np.add.reduceat(
                factor * column[rows, None], starts[:-1] - starts[0], axis=0
            ).T
    return out


def weights(size: npt.NDArray[np.int64], draw_key: Key, first_round: int) -> Floats:
    """(G, LANES) the weights of rounds `first_round` on: Exp(1), or Gamma(n, 1) / n for n equal voters."""
    group = np.arange(len(size), dtype=np.uint64)[:, None] << np.uint64(24)
    turn = np.arange(first_round, first_round + LANES, dtype=np.uint64)
    counter = np.asarray(group + turn, dtype=np.uint64)
    lanes = -np.log((squares(counter, draw_key[0] | np.uint64(1)) + 0.5) * 2.0**-32)
    many = np.flatnonzero(size > 1)
    if len(many):
        rng = np.random.Generator(np.random.SFC64([*draw_key[1:].tolist(), first_round]))
        lanes[many] = rng.standard_gamma(size[many, None], (len(many), LANES)) / size[many, None]
    return np.asarray(lanes, dtype=np.float64)


def squares(counter: npt.NDArray[np.uint64], draw_key: np.uint64) -> npt.NDArray[np.uint64]:
    """32 random bits for each counter: four rounds of Widynski's Squares generator (2020)."""
    half = np.uint64(32)
    x = counter * draw_key
    y, z = x, x + draw_key
    for addend in (y, z, y):
        x = x * x + addend
        x = (x >> half) | (x << half)
    return np.asarray((x * x + z) >> half, dtype=np.uint64)
