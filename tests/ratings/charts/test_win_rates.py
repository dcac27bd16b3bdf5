"""Average win rates over opponents: the plain mean, and an interval that covers and is never of zero width."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.charts.win_rates import average_win_rates, meetings
from ratings.leaderboard import PairRecord


def test_each_opponent_counts_once() -> None:
    found = average_win_rates([PairRecord("a", "b", 9, 1, 0, 0), PairRecord("c", "a", 50, 40, 6, 4)])["a"]

    assert found.rate == pytest.approx((0.9 + 0.45) / 2)
    assert (found.opponents, found.votes) == (2, 110)


def test_one_who_won_every_vote_has_an_interval_too() -> None:
    found = average_win_rates([PairRecord("a", "b", 6, 0, 0, 0)])

    assert found["a"].low < found["a"].rate == found["a"].high == 1.0
    assert found["b"].low == found["b"].rate == 0.0 < found["b"].high


def test_pairs_without_votes_and_a_model_against_itself_are_no_meetings() -> None:
    assert meetings([PairRecord("a", "b", 0, 0, 0, 0), PairRecord("a", "a", 3, 0, 0, 0)]) == []


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("votes", [8, 40])
def test_the_interval_covers_the_true_mean(votes: int, share: float, rng: np.random.Generator) -> None:
    truth = np.clip(share + np.linspace(-0.08, 0.08, 6), 0.02, 0.98)
    covered = []
    for wins in rng.binomial(votes, truth, size=(1000, 6)).tolist():
        one = average_win_rates([PairRecord("a", f"o{n}", w, votes - w, 0, 0) for n, w in enumerate(wins)])[
            "a"
        ]
        covered.append(one.low <= truth.mean() <= one.high)

    assert 0.93 <= np.mean(covered) <= 1.0
