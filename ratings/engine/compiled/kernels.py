"""Compiled versions of the heavy sums: the only place that knows numba. Each does what its namesake in numpy does.

Input is checked before it comes here: with fast mathematics a NaN would pass unseen. All kernels let go of
Python's lock, so that rounds run in threads.
"""

from ratings.engine.compiled.jackknife import shares, voters
from ratings.engine.compiled.pairs import assemble, pair_to_model_sums, pairs, scores
from ratings.engine.compiled.rounds import exponentials, gradient, voter_pair_sums, weighted_sums
from ratings.engine.compiled.rows import rows
from ratings.engine.compiled.vectors import REPLICATES

__all__ = [
    "REPLICATES",
    "assemble",
    "exponentials",
    "gradient",
    "pair_to_model_sums",
    "pairs",
    "rows",
    "scores",
    "shares",
    "voter_pair_sums",
    "voters",
    "weighted_sums",
]  # fmt: skip
