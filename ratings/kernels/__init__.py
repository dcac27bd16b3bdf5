"""Compiled versions of the heavy sums: the only place that knows numba. Each does what its namesake in numpy does.

Input is checked before it comes here: with fast mathematics a NaN would pass unseen. All kernels let go of
Python's lock, so that rounds run in threads.
"""

from ratings.kernels.fits import assemble, edges, pairs, scores
from ratings.kernels.rounds import cells, exponentials, gradient, weighted_sums
from ratings.kernels.rowsums import rows
from ratings.kernels.vectors import LANES
from ratings.kernels.voters import shares, voters

__all__ = [
    "LANES", "assemble", "cells", "edges", "exponentials", "gradient", "pairs", "rows", "scores", "shares", "voters",
    "weighted_sums",
]  # fmt: skip
