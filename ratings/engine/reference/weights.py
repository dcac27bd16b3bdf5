"""Random weights of the rounds, keyed by component, voter and round, so that order and batches do not matter."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Key = npt.NDArray[np.uint64]
Single = npt.NDArray[np.float32]

ROUND_BITS = 24  # a counter is the voter's place shifted by these, plus the round
STRIDE = 16  # rounds that share one generator of gamma draws


def key(seed: int, names: Sequence[str]) -> Key:
    """(4,) the key of the draws of the component of models `names`."""
    text = "\x1f".join([str(seed), *sorted(names)])
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    words = np.frombuffer(digest, dtype="<u8").astype(np.uint64)
    words[0] |= np.uint64(1)
    return words


def bootstrap_weights(
    size: npt.NDArray[np.int64],
    draw_key: Key,
    first_round: int,
    replicates: int,
    exponentials: Callable[..., Single],
) -> Single:
    """(G, replicates) weights of rounds `first_round` on: Exp(1), or Gamma(n, 1) / n for n equal voters."""
    out = exponentials(len(size), draw_key[0], first_round, replicates)
    many = np.flatnonzero(size > 1)
    for low in range(0, replicates if len(many) else 0, STRIDE):
        rng = np.random.Generator(np.random.SFC64([*draw_key[1:].tolist(), first_round + low]))
        gammas = rng.standard_gamma(size[many, None], (len(many), STRIDE))
        out[many, low : low + STRIDE] = gammas / size[many, None]
    return out


def exponentials(groups: int, word: np.uint64, first_round: int, replicates: int) -> Single:
    """(groups, replicates) standard exponentials: -log of 32 random bits of each (group, round)."""
    out = np.empty((groups, replicates), dtype=np.float32)
    turn = np.arange(first_round, first_round + replicates, dtype=np.uint64)
    # In pieces, so that the 64-bit work stays in cache.
    for low in range(0, groups, 256):
        place = np.arange(low, min(low + 256, groups), dtype=np.uint64)[:, None] << np.uint64(ROUND_BITS)
        bits = squares(np.asarray(place + turn, dtype=np.uint64), word)
        out[low : low + 256] = -np.log((bits + 0.5) * 2.0**-32)
    return out


def squares(counter: npt.NDArray[np.uint64], word: np.uint64) -> npt.NDArray[np.uint64]:
    """32 random bits for each counter: four rounds of Widynski's Squares generator (2020)."""
    half = np.uint64(32)
    x = counter * word
    y, z = x, x + word
    for addend in (y, z, y):
        x = x * x + addend
        x = (x >> half) | (x << half)
    return np.asarray((x * x + z) >> half, dtype=np.uint64)
