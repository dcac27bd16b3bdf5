"""Rounds: each is the exact fit of the reweighted votes, whichever code computes it and on however many threads."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from arena.votes import VoteTable
from ratings.bradley_terry import bootstrap, simulate
from ratings.bradley_terry.simulate import Crowd
from ratings.design import threads
from ratings.engine.reference import weights as reference_weights
from ratings.leaderboard import Plan
from ratings.ranking.analysis import ComponentFit
from ratings.ranking.rank import analyse
from ratings.scale import ELO

STYLE = simulate.TRAITS
ENGINES = ("reference", "compiled")
EACH = pytest.mark.parametrize("engine", ["reference", pytest.param("compiled", marks=pytest.mark.slow)])


def table(rng: np.random.Generator, models: int = 8, votes: int = 2500, voters: int = 60) -> VoteTable:
    return simulate.votes(simulate.models(models, rng, spread_elo=150.0), Crowd(votes, voters), rng)


def weights_of(part: ComponentFit, models: tuple[str, ...], rounds: int) -> np.ndarray:
    key = reference_weights.key(0, [models[m] for m in part.members])
    return reference_weights.bootstrap_weights(part.data.size, key, 0, 64, reference_weights.exponentials)[
        :, :rounds
    ]


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("style", [(), STYLE])
def test_a_round_is_the_fit_of_the_reweighted_votes(
    rng: np.random.Generator, style: tuple[str, ...], engine: str
) -> None:
    votes = table(rng)
    analysis = analyse(votes, Plan(rounds=20, style=style), engine=engine)
    part = analysis.parts[0]

    weights = weights_of(part, analysis.selection.models, 5)

    # The same votes with each voter's weight written on them, fitted from scratch.
    for number in range(5):
        heavy = dataclasses.replace(votes, weight=weights[votes.voter, number].astype(np.float64))
        again = analyse(heavy, Plan(rounds=0, cluster="none", style=style)).parts[0]
        assert part.rounds[number, :8] * ELO == pytest.approx(again.fit.theta * ELO, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("style", [(), STYLE])
def test_kernels_and_numpy_give_the_same_rounds(rng: np.random.Generator, style: tuple[str, ...]) -> None:
    votes = table(rng)

    one, other = (
        analyse(votes, Plan(rounds=96, style=style), engine=name).parts[0].rounds for name in ENGINES
    )

    assert other * ELO == pytest.approx(one * ELO, abs=1e-4)


@pytest.mark.slow
@EACH
def test_threads_do_not_change_a_bit(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    votes = table(rng)
    plan = Plan(rounds=150, style=STYLE)
    found = []
    for processors in (1, 3):
        monkeypatch.setattr(threads, "processors", lambda count=processors: count)
        found.append(analyse(votes, plan, engine=engine).parts[0].rounds.tobytes())

    assert found[0] == found[1]


def test_fewer_rounds_are_the_first_of_more(rng: np.random.Generator) -> None:
    votes = table(rng)

    few, many = (analyse(votes, Plan(rounds=count)).parts[0].rounds for count in (10, 70))

    assert few.tolist() == many[:10].tolist()


def test_rounds_far_from_the_full_fit_are_refitted_exactly(rng: np.random.Generator) -> None:
    # Six voters and lopsided strengths: weights near zero take rounds far away.
    votes = table(rng, models=5, votes=160, voters=6)
    analysis = analyse(votes, Plan(rounds=64, style=STYLE))
    part = analysis.parts[0]

    exact = bootstrap.exactly(
        part.data, part.fit, weights_of(part, analysis.selection.models, 64), ties=False, prior=False
    )

    assert part.rounds * ELO == pytest.approx(exact * ELO, abs=1e-3)


def test_the_prior_stays_in_every_round(rng: np.random.Generator) -> None:
    votes = table(rng, models=4, votes=60, voters=12)
    plan = Plan(rounds=32, prior="pairs", style=("length",))

    part = analyse(votes, plan).parts[0]

    assert np.isfinite(part.rounds).all()
    assert part.rounds.std(axis=0).min() > 0


@pytest.mark.slow
def test_progress_is_told(rng: np.random.Generator) -> None:
    told: list[tuple[int, int]] = []

    analyse(
        table(rng),
        Plan(rounds=100),
        progress=lambda done, total: told.append((done, total)),
        engine="compiled",
    )

    assert told[-1] == (100, 100)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.slow
def test_spread_of_the_rounds_is_near_the_jackknife_with_many_voters(rng: np.random.Generator) -> None:
    votes = simulate.votes(simulate.models(6, rng), Crowd(4000, 800, zipf=0.0), rng)

    part = analyse(votes, Plan(rounds=800)).parts[0]

    rows = part.contrasts
    of_rounds = (part.rounds @ rows.T).std(axis=0)
    assert of_rounds == pytest.approx(np.sqrt(np.diag(part.covariance())), rel=0.12)


@EACH
@pytest.mark.parametrize("style", [(), STYLE])
def test_a_round_that_was_not_asked_for_cannot_fail(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, style: tuple[str, ...], engine: str
) -> None:
    drawn = reference_weights.bootstrap_weights

    def without_end_after_five(*args: Any) -> np.ndarray:
        weights = drawn(*args).copy()
        weights[:, 5:] = 0.0
        return weights

    monkeypatch.setattr(bootstrap.weights, "bootstrap_weights", without_end_after_five)

    found = analyse(table(rng), Plan(rounds=5, style=style), engine=engine).parts[0].rounds

    assert found is not None
    assert found.shape[0] == 5
    assert np.isfinite(found).all()
