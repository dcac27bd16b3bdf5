"""Online Elo, for comparison only: its numbers depend on the order of the votes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arena.votes import Outcome, VoteTable
from ratings.scale import BASE, ELO, Floats

K_FACTOR = 4.0  # points at stake in one vote; the usual choice of public arenas
SCORES = np.array([outcome.score for outcome in Outcome])
LABEL = "online Elo: depends on the order of the votes, for comparison only"


def online(table: VoteTable, k_factor: float = K_FACTOR) -> Floats:
    """(K,) ratings after the votes of `table` that count, by time, then by row; 1000 for models without votes.

    R_a += k (s - p), R_b -= k (s - p), p = 1 / (1 + 10^((R_b - R_a) / 400)). Elo 1978. Votes without a time come
    in the order of the rows. A row that stands for n equal votes is n votes in a row.
    """
    rows = np.flatnonzero(table.used & (table.a != table.b))
    rows = rows[np.argsort(table.at[rows], kind="stable")]
    rating = [BASE] * len(table.models)
    columns = (table.a[rows], table.b[rows], SCORES[table.outcome[rows]], table.count[rows])
    for a, b, score, count in zip(*(column.tolist() for column in columns), strict=True):
        for _ in range(count):
            change = k_factor * (score - _expected(rating[a] - rating[b]))
            rating[a] += change
            rating[b] -= change
    return np.array(rating, dtype=np.float64)


def expected(gaps: npt.NDArray[np.float64]) -> Floats:
    """P(a beats b), a tie counting half, for rating gaps in Elo points."""
    return np.asarray(1.0 / (1.0 + np.exp(-gaps / ELO)))


def _expected(gap: float) -> float:
    return float(1.0 / (1.0 + 10.0 ** (-gap / 400.0)))
