"""Win rates of pairs and their average over opponents, from the pair records of a board. Values only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from ratings.leaderboard import PairRecord

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Meeting:
    """Two models as the first sees it: the share of the votes that it won, a tie or both-bad counting half."""

    model: str
    other: str
    votes: int
    rate: float


@dataclass(frozen=True)
class AverageWinRate:
    """The mean of a model's win rates, every opponent counted once however many votes they share."""

    model: str
    rate: float
    low: float
    high: float
    opponents: int
    votes: int


def meetings(pairs: Sequence[PairRecord]) -> list[Meeting]:
    """Both directions of every pair that met."""
    found = []
    for pair in pairs:
        votes = pair.wins + pair.losses + pair.ties + pair.both_bad
        if votes == 0 or pair.a == pair.b:
            continue
        rate = (pair.wins + (pair.ties + pair.both_bad) / 2) / votes
        found += [Meeting(pair.a, pair.b, votes, rate), Meeting(pair.b, pair.a, votes, 1 - rate)]
    return found


def average_win_rates(pairs: Sequence[PairRecord]) -> dict[str, AverageWinRate]:
    """By model, with 95 % intervals that take votes as independent.

        rate +- 1.96 sqrt(sum_o p_o (1 - p_o) / n_o) / opponents

    with p_o of each opponent after about two votes were added to each side (Agresti & Coull 1998), so that one who
    was always beaten adds its uncertainty too. The point is the plain mean.
    """
    by_model: dict[str, list[Meeting]] = {}
    for meeting in meetings(pairs):
        by_model.setdefault(meeting.model, []).append(meeting)
    return {model: _average(model, found) for model, found in by_model.items()}


def _average(model: str, found: Sequence[Meeting]) -> AverageWinRate:
    rate = sum(one.rate for one in found) / len(found)
    half = Z95 * sqrt(sum(_variance(one) for one in found)) / len(found)
    return AverageWinRate(
        model, rate, max(0.0, rate - half), min(1.0, rate + half), len(found), sum(one.votes for one in found)
    )


def _variance(one: Meeting) -> float:
    p = (one.rate * one.votes + Z95**2 / 2) / (one.votes + Z95**2)
    return p * (1 - p) / one.votes
