"""Does the side on which an answer stands matter: the share of decisive votes for the left, and an exact test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtri

from arena.votes import Outcome, VoteTable
from ratings.stats.intervals import score_bounds

FLAGGED = 0.05  # two-sided P value below which the bias is named


@dataclass(frozen=True)
class PositionBias:
    """Decisive votes by side. None where no vote is decisive or no side is known."""

    left_wins: int
    decisive: int
    left_share: float | None
    low: float | None  # Wilson, 95 %
    high: float | None
    p: float | None  # exact two-sided binomial against one half
    flagged: bool


def position_bias(table: VoteTable) -> PositionBias:
    """Left and right wins among the votes that count and whose sides are known.

    A fair draw of sides makes each decisive vote a fair coin, whatever the models. Votes of one person are not
    independent, so read a small P beside the side term of the fit, whose interval knows voters. Bounds: Wilson 1927.
    """
    counted = table.used & table.side_known & (table.a != table.b)
    left = int(table.count[counted & (table.outcome == Outcome.A)].sum())
    right = int(table.count[counted & (table.outcome == Outcome.B)].sum())
    decisive = left + right
    if not decisive:
        return PositionBias(0, 0, None, None, None, None, flagged=False)
    # Under one half both tails are alike, so the smaller one counts twice.
    p = min(1.0, 2.0 * float(bdtr(min(left, right), decisive, 0.5)))
    low, high = score_bounds(left, decisive, float(ndtri(0.975)))
    return PositionBias(
        left_wins=left,
        decisive=decisive,
        left_share=left / decisive,
        low=float(low),
        high=float(high),
        p=p,
        flagged=p < FLAGGED,
    )


@dataclass(frozen=True)
class OutcomeShares:
    """How the votes that count came out, as shares of them."""

    votes: int
    left: float
    right: float
    tie: float
    both_bad: float


def outcome_shares(table: VoteTable) -> OutcomeShares | None:
    """The shares of each outcome; None without a vote."""
    counted = table.used & (table.a != table.b)
    votes = np.bincount(table.outcome[counted], weights=table.count[counted], minlength=len(Outcome))
    total = int(votes.sum())
    return OutcomeShares(total, *(votes / total).tolist()) if total else None


@dataclass(frozen=True)
class TieProfile:
    """Ties and both-bad votes of one model among its votes that count."""

    model: str
    votes: int
    tie_share: float
    both_bad_share: float


def tie_profile(table: VoteTable) -> tuple[TieProfile, ...]:
    """Each model that has votes, by name: how often its battles end in a tie, how often both are bad."""
    counted = table.take(table.used & (table.a != table.b))
    k = len(table.models)

    def of_each(rows: np.ndarray) -> np.ndarray:
        sides = (counted.a[rows], counted.b[rows])
        return sum(np.bincount(side, weights=counted.count[rows], minlength=k) for side in sides)  # type: ignore[return-value]

    votes = of_each(np.ones(len(counted), dtype=np.bool_))
    ties, both_bad = of_each(counted.outcome == Outcome.TIE), of_each(counted.outcome == Outcome.BOTH_BAD)
    found = [
        TieProfile(name, int(votes[at]), float(ties[at] / votes[at]), float(both_bad[at] / votes[at]))
        for at, name in enumerate(table.models)
        if votes[at]
    ]
    return tuple(sorted(found, key=lambda row: row.model))
