"""What gives a careless or automatic session away: one side only, too fast, too regular.

Everything here is a reason to look, never a verdict: an owner quarantines, nothing is deleted (`arena/voters/moderation.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arena.voters.identity import LEVEL
from arena.votes import UNKNOWN, Outcome, VoteTable

FEWEST_VOTES = 20  # below, an honest voter and a cheat look alike (measured power at 10 votes: .26)
FAST_SECONDS = 2.0  # nobody reads two answers in less
FAST_SHARE = 0.5
REGULAR_SPREAD = 0.1  # standard deviation of the pauses between votes over their mean; a person's is near 1


@dataclass(frozen=True)
class Behaviour:
    """How one voter votes. None where there is nothing to measure."""

    voter: str
    votes: int
    decisive: int  # votes for a side
    left_share: float | None  # of the decisive ones
    left_p: float | None  # exact two-sided binomial against one half
    fast_share: float | None  # of votes within `FAST_SECONDS` of opening the battle
    spread: float | None  # of the pauses between votes
    flags: tuple[str, ...]


def behaviours(table: VoteTable, dwell_seconds: npt.NDArray[np.float64] | None = None) -> list[Behaviour]:
    """How each voter with at least `FEWEST_VOTES` votes votes, flagged ones first. Excluded votes are looked at too.

    `dwell_seconds`: (n,) from opening to voting, nan unknown. A row that stands for several votes is one click.
    """
    order = np.argsort(table.voter, kind="stable")
    order = order[table.voter[order] != UNKNOWN]
    starts = np.flatnonzero(np.diff(table.voter[order], prepend=UNKNOWN))
    groups = [rows for rows in np.split(order, starts[1:]) if len(rows) >= FEWEST_VOTES]
    found = [_behaviour(table, dwell_seconds, rows, len(groups)) for rows in groups]
    return sorted(found, key=lambda row: (not row.flags, -row.votes, row.voter))


def _behaviour(
    table: VoteTable, dwell: npt.NDArray[np.float64] | None, rows: npt.NDArray[np.intp], voters: int
) -> Behaviour:
    sided = rows[table.side_known[rows]]
    left = int(np.sum(table.outcome[sided] == Outcome.A))
    decisive = left + int(np.sum(table.outcome[sided] == Outcome.B))
    left_p = fair_coin_p(left, decisive) if decisive else None
    fast = _share(dwell[rows] < FAST_SECONDS, ~np.isnan(dwell[rows])) if dwell is not None else None
    spread = _spread(table.at[rows])
    flags = []
    if left_p is not None and left_p < LEVEL / voters:
        flags.append("one side")
    if fast is not None and fast > FAST_SHARE:
        flags.append("too fast")
    if spread is not None and spread < REGULAR_SPREAD:
        flags.append("too regular")
    voter = table.voters[table.voter[rows[0]]]
    share = left / decisive if decisive else None
    return Behaviour(voter, len(rows), decisive, share, left_p, fast, spread, tuple(flags))


def fair_coin_p(heads: int, tosses: int) -> float:
    """Two-sided P value of `heads` in `tosses` of a fair coin, exact (Clopper & Pearson 1934)."""
    far = max(heads, tosses - heads)
    tail = sum(math.comb(tosses, count) for count in range(far, tosses + 1))
    return min(1.0, float(2 * tail / (1 << tosses)))


def _share(hit: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]) -> float | None:
    return float(np.mean(hit[known])) if known.any() else None


def _spread(at: npt.NDArray[np.float64]) -> float | None:
    """Standard deviation of the pauses over their mean, with the longest tenth left out (a voter may go and return)."""
    pauses = np.sort(np.diff(np.sort(at[~np.isnan(at)])))
    pauses = pauses[: len(pauses) - len(pauses) // 10]
    if len(pauses) < FEWEST_VOTES - 3 or pauses.mean() <= 0:
        return None
    return float(pauses.std() / pauses.mean())
