"""Unseen votes foretold by scores: against a peer's logistic regression and simulated voters."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
import statsmodels.api as sm

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.crossref.votes import foretold, slope
from ratings.diagnostics.held_out import HeldOut
from ratings.leaderboard import Plan

NAMES = tuple("abcdef")
STRENGTH = np.array([1.2, 0.7, 0.2, -0.2, -0.7, -1.2])  # log-odds


def crowd(rng: np.random.Generator, votes: int = 3000) -> VoteTable:
    made = []
    for number in range(votes):
        a, b = rng.choice(6, 2, replace=False)
        wins = rng.random() < 1 / (1 + np.exp(STRENGTH[b] - STRENGTH[a]))
        outcome = Outcome.A if wins else Outcome.B
        made.append(Vote(str(number), NAMES[a], NAMES[b], outcome, voter=f"v{number % 150}"))
    return VoteTable.of(made)


def losses(found: HeldOut) -> dict[str, float]:
    return {loss.name: loss.log_loss for loss in found.losses}


def scored(values: np.ndarray) -> dict[str, float]:
    return dict(zip(NAMES, values.tolist(), strict=True))


def test_the_slope_is_the_peers_logistic_regression(rng: np.random.Generator) -> None:
    votes, score = crowd(rng, 500), 0.5 + 0.1 * STRENGTH
    gap, won = score[votes.a] - score[votes.b], (votes.outcome == Outcome.A).astype(float)

    peer = sm.Logit(won, gap[:, None]).fit(disp=0)

    assert slope(votes, score) == pytest.approx(float(peer.params[0]), rel=1e-5)


@pytest.mark.slow
def test_scores_that_are_the_truth_foretell_as_well_as_the_fit(rng: np.random.Generator) -> None:
    found = losses(foretold(crowd(rng), Plan(), scored(0.6 + 0.05 * STRENGTH)))

    assert found["coin"] == pytest.approx(log(2))
    assert found["benchmark"] == pytest.approx(found["bradley_terry"], abs=0.004)
    assert found["benchmark"] < log(2) - 0.05


def test_scores_of_no_relation_are_no_better_than_a_coin(rng: np.random.Generator) -> None:
    unrelated = np.array([0.1, 0.5, 0.3, 0.3, 0.5, 0.1])  # even in strength

    found = losses(foretold(crowd(rng), Plan(), scored(unrelated)))

    assert found["benchmark"] == pytest.approx(log(2), abs=0.003)


def test_scores_that_run_against_people_are_turned_round(rng: np.random.Generator) -> None:
    found = losses(foretold(crowd(rng), Plan(), scored(-STRENGTH)))

    assert found["benchmark"] < log(2) - 0.05


def test_only_votes_between_scored_models_count(rng: np.random.Generator) -> None:
    votes = crowd(rng, 600)
    inside = int(((votes.a < 4) & (votes.b < 4)).sum())

    found = foretold(votes, Plan(), dict(zip("abcd", STRENGTH[:4].tolist(), strict=True)))

    assert (found.votes, found.unpredicted) == (inside, 600 - inside)


def test_models_without_a_common_vote_cannot_be_foretold(rng: np.random.Generator) -> None:
    with pytest.raises(NoData):
        foretold(crowd(rng, 200), Plan(), {"a": 1.0, "x": 0.5})
