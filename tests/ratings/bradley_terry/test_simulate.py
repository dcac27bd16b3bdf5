"""Simulated votes have the shares they were drawn with, and the fit recovers what they estimate."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ratings.bradley_terry import simulate
from ratings.bradley_terry.simulate import Crowd, Truth
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse


def test_about_37_percent_of_the_votes_are_ties(rng: np.random.Generator) -> None:
    table = simulate.votes(simulate.models(20, rng), Crowd(40_000, 400), rng)

    assert (table.outcome >= 2).mean() == pytest.approx(0.37, abs=0.02)


def test_no_ties_when_nu_is_nothing(rng: np.random.Generator) -> None:
    table = simulate.votes(Truth(theta=np.zeros(3), nu=0.0), Crowd(1000, 10), rng)

    assert table.outcome.max() == 1


def test_nobody_meets_itself(rng: np.random.Generator) -> None:
    table = simulate.votes(Truth(theta=np.zeros(3)), Crowd(5000, 10), rng)

    assert not (table.a == table.b).any()


def test_voters_are_active_by_zipfs_law(rng: np.random.Generator) -> None:
    table = simulate.votes(Truth(theta=np.zeros(3)), Crowd(50_000, 50, zipf=1.0), rng)

    counts = np.bincount(table.voter)
    assert counts[0] / counts[9] == pytest.approx(10.0, rel=0.1)


def test_few_voters_can_cast_half_the_votes() -> None:
    shares = simulate.activity(Crowd(1000, 200, heavy=0.05))

    assert shares[:10].sum() == pytest.approx(0.5)
    assert shares.sum() == pytest.approx(1.0)


def test_the_left_side_can_have_an_advantage(rng: np.random.Generator) -> None:
    table = simulate.votes(Truth(theta=np.zeros(3), nu=0.0, side=1.0), Crowd(20_000, 10), rng)

    assert (table.outcome == 0).mean() == pytest.approx(1 / (1 + np.exp(-1)), abs=0.02)


def test_without_taste_the_population_of_decisive_votes_is_the_truth() -> None:
    truth = Truth(theta=np.array([0.5, 0.0, -0.5]), nu=0.0)

    found = simulate.population(truth, np.full(3, 1 / 3))

    assert found.theta == pytest.approx(truth.theta, abs=1e-9)


def test_tastes_draw_expected_scores_together() -> None:
    z = np.array([1.0])

    flat, varied = simulate.expected_score(z, 0.0, 0.0), simulate.expected_score(z, 0.0, 0.8)

    # By Monte Carlo over two independent views.
    views = np.random.default_rng(3).normal(0, 0.8, (2, 400_000))
    assert flat == pytest.approx(1 / (1 + np.exp(-1)))
    assert varied == pytest.approx((1 / (1 + np.exp(-(1 + views[0] - views[1])))).mean(), abs=2e-3)


@pytest.mark.slow
def test_the_fit_recovers_the_population(rng: np.random.Generator) -> None:
    truth = dataclasses.replace(simulate.models(5, rng), taste=0.5)
    shares = np.full(5, 0.2)
    table = simulate.votes(truth, Crowd(40_000, 4_000, zipf=0.0), rng, popularity=shares)

    part = analyse(table, Plan(rounds=0, style=simulate.TRAITS)).parts[0]

    target = simulate.population(truth, shares)
    errors = np.sqrt(np.diag(part.covariance()))
    assert np.abs((part.fit.theta - target.theta) / errors).max() < 4
    found = part.fit.params[5:] / part.styled.rms
    wanted = np.array([target.coef[name] for name in part.styled.names])
    assert np.abs((found - wanted) * part.styled.rms / np.sqrt(np.diag(part.spread.cr3)[5:])).max() < 4
