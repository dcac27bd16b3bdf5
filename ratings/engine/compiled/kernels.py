"""Compiled versions of the heavy sums: the only place that knows numba. Each does what its namesake in numpy does.

Input is checked before it comes here: with fast mathematics a NaN would pass unseen. All kernels let go of
Python's lock, so that rounds run in threads.
"""

from ratings.engine.compiled.jackknife import shares, voters
from ratings.engine.compiled.pairs import assemble, edges, pairs, scores
from ratings.engine.compiled.rounds import cells, exponentials, gradient, weighted_sums
from ratings.engine.compiled.rows import rows
from ratings.engine.compiled.vectors import LANES

__all__ = [
    "LANES", "assemble", "cells", "edges", "exponentials", "gradient", "pairs", "rows", "scores", "shares", "voters",
    "weighted_sums",
]  # fmt: skip
