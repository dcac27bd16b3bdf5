"""Davidson's ties: moments by finite differences, the fit by a general optimiser, and where nu does not exist."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from arena.votes import Outcome, Vote, VoteTable
from ratings.bradley_terry import fit
from ratings.engine.reference import davidson
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse, rank
from tests.ratings.votes_for_tests import line, of_counts, of_voters, pair_counts

DAVIDSON = Plan(rounds=0, ties="davidson", cluster="none")
Z = np.linspace(-6.0, 6.0, 25)
STEP = 1e-6


def log_total(z: np.ndarray, log_nu: float) -> np.ndarray:
    """The log of the normalising sum; its derivatives are the moments."""
    return np.log(np.exp(z / 2) + np.exp(-z / 2) + np.exp(log_nu))


def test_moments_are_the_derivatives_of_the_log_likelihood() -> None:
    log_nu = np.full(1, 0.2)

    at = davidson.moments(Z, log_nu)

    up, down = davidson.moments(Z + STEP, log_nu), davidson.moments(Z - STEP, log_nu)
    more, less = davidson.moments(Z, log_nu + STEP), davidson.moments(Z, log_nu - STEP)
    slope = (log_total(Z + STEP, 0.2) - log_total(Z - STEP, 0.2)) / (2 * STEP)
    assert at.score - 0.5 == pytest.approx(slope, abs=1e-8)
    assert at.score_var == pytest.approx((up.score - down.score) / (2 * STEP), abs=1e-8)
    assert at.tie_var == pytest.approx((more.tie - less.tie) / (2 * STEP), abs=1e-8)
    assert at.covariance == pytest.approx((more.score - less.score) / (2 * STEP), abs=1e-8)


def test_extreme_log_odds_do_not_overflow() -> None:
    at = davidson.moments(np.array([-2000.0, 2000.0]), np.full(1, 1.0))

    assert at.score.tolist() == [0.0, 1.0]


def test_without_ties_it_is_bradley_terry() -> None:
    at = davidson.moments(Z, np.full(1, -np.inf))

    assert at.score == pytest.approx(1 / (1 + np.exp(-Z)))
    assert at.tie.max() == 0.0


def test_two_even_models_have_the_closed_form() -> None:
    # P(tie) / sqrt(P(a) P(b)) = 40 / sqrt(30 * 30).
    board = rank(of_voters([("a", "b", "model_a", 30), ("a", "b", "tie", 40), ("a", "b", "model_b", 30)]), Plan(rounds=200, ties="davidson"))  # fmt: skip

    (nu,) = board.coefficients
    assert (nu.name, nu.value) == ("nu", pytest.approx(40 / 30))
    assert nu.low < 40 / 30 < nu.high
    assert nu.elo is None


def test_the_fit_is_the_maximum_of_the_likelihood(rng: np.random.Generator) -> None:
    lines = [
        (a, b, word, int(rng.integers(3, 30)))
        for a, b in (("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"))
        for word in ("model_a", "model_b", "tie")
    ]

    def loss(params: np.ndarray) -> float:
        strength = dict(zip("abcd", np.append(0.0, params[:3]), strict=True))
        total = 0.0
        for a, b, word, count in lines:
            z = strength[a] - strength[b]
            chosen = {"model_a": z / 2, "model_b": -z / 2, "tie": params[3]}[word]
            total -= count * (chosen - log_total(np.array(z), params[3]))
        return float(total)

    part = analyse(of_counts(lines), DAVIDSON).parts[0]

    peer = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    assert part.fit.theta[1:] - part.fit.theta[0] == pytest.approx(peer.x[:3], abs=1e-5)
    assert part.fit.params[-1] == pytest.approx(peer.x[3], abs=1e-5)


def test_rounds_move_nu_as_the_jackknife_says() -> None:
    votes = of_voters([("a", "b", "model_a", 120), ("a", "b", "tie", 160), ("a", "b", "model_b", 90), ("b", "c", "model_a", 80), ("b", "c", "tie", 70), ("b", "c", "model_b", 60)], voters=580)  # fmt: skip

    part = analyse(votes, Plan(rounds=1000, ties="davidson")).parts[0]

    assert part.rounds[:, -1].std() == pytest.approx(np.sqrt(part.spread.cr3[-1, -1]), rel=0.1)


@pytest.mark.parametrize(
    "lines",
    [
        [("a", "b", "model_a", 9), ("a", "b", "model_b", 4)],  # no ties
        [("a", "b", "tie", 9), ("b", "c", "tie", 4)],  # nothing but ties
        [("a", "b", "model_a", 9), ("a", "b", "tie", 4)],  # the wins hold no cycle
    ],
)
def test_where_nu_has_no_finite_estimate_ties_are_half_wins(lines: list[tuple[str, str, str, int]]) -> None:
    board = rank(of_voters(lines), Plan(rounds=0, ties="davidson"))

    half = rank(of_voters(lines), Plan(rounds=0))
    assert [d.name for d in board.dropped if d.name == "nu"] == (["nu"] if half.models[0].rating else [])
    assert [row.rating for row in board.models] == [row.rating for row in half.models]


def test_a_cycle_with_more_wins_than_ties_holds_nu() -> None:
    # a over b over c, and a tied with c: gaps that grow along the two wins make the tie unlikely.
    lines = [("a", "b", "model_a", 3), ("b", "c", "model_a", 2), ("c", "a", "tie", 4)]

    board = rank(of_counts(lines), DAVIDSON)

    def loss(x: np.ndarray) -> float:
        gaps = np.array([x[0], x[1], x[0] + x[1]])
        said = np.array([gaps[0] / 2, gaps[1] / 2, x[2]])
        return float(np.array([3, 2, 4]) @ (log_total(gaps, x[2]) - said))

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    assert not board.dropped
    assert board.coefficients[0].value == pytest.approx(np.exp(best.x[2]), rel=1e-5)
    gap = line(board, "a").rating - line(board, "b").rating
    assert gap == pytest.approx(best.x[0] * 400 / np.log(10), abs=1e-3)


def test_a_cycle_with_as_many_ties_as_wins_lets_nu_go() -> None:
    lines = [("a", "b", "model_a", 3), ("b", "c", "model_a", 2), ("c", "d", "tie", 4), ("d", "a", "tie", 1)]

    assert [d.name for d in rank(of_counts(lines), DAVIDSON).dropped] == ["nu"]


def test_the_prior_is_half_a_decisive_vote_each_way_on_pairs_and_on_rows() -> None:
    lines = [
        ("a", "b", "model_a", 9),
        ("b", "c", "tie", 4),
        ("c", "a", "model_b", 5),
        ("a", "b", "model_b", 2),
    ]
    data = analyse(of_counts(lines), DAVIDSON).parts[0].data
    halves = [(a, b, word, 1) for a, b in ("ab", "bc", "ca") for word in ("model_a", "model_b")]
    doubled = analyse(of_counts([*((a, b, word, 2 * n) for a, b, word, n in lines), *halves]), DAVIDSON)

    on_pairs = fit.fit(data, ties=True, prior=True)
    rows = fit.on_rows(data, None, ties=True, prior=True)
    gradient, _ = rows(on_pairs.params[None], fit.ONE_LANE)

    # Doubling all votes and adding whole ones doubles the likelihood and leaves its maximum.
    assert on_pairs.params == pytest.approx(doubled.parts[0].fit.params, abs=1e-8)
    assert gradient == pytest.approx(0.0, abs=1e-8)


def test_with_the_prior_any_tie_holds_nu() -> None:
    lines = [("a", "b", "model_a", 9), ("a", "b", "tie", 4)]

    board = rank(of_counts(lines), Plan(rounds=0, ties="davidson", prior="pairs"))

    # Half a win each way beside nine: odds of 19 between the two, and 4 ties to sqrt(9.5 * .5).
    assert board.coefficients[0].value == pytest.approx(4 / np.sqrt(9.5 * 0.5), rel=1e-6)
    assert line(board, "a").rating - line(board, "b").rating == pytest.approx(400 * np.log10(19), abs=1e-4)


def test_ties_beside_a_covariate_are_fitted_together(rng: np.random.Generator) -> None:
    votes = []
    for n in range(300):
        a, b = rng.permutation(list("abc"))[:2]
        traits = {"length": (float(rng.gamma(2.0)), float(rng.gamma(2.0)))}
        votes.append(Vote(f"{n}", a, b, Outcome(int(rng.integers(0, 3))), voter=f"s{n % 40}", traits=traits))

    part = analyse(VoteTable.of(votes), Plan(rounds=32, ties="davidson", style=("length",))).parts[0]

    ratio = np.array(
        [(v.traits["length"][0] - v.traits["length"][1]) / sum(v.traits["length"]) for v in votes]
    )
    x = ratio / np.sqrt((ratio**2).mean())
    theta = dict(zip("abc", part.fit.theta, strict=True))
    z = np.array([theta[v.model_a] - theta[v.model_b] for v in votes]) + part.fit.params[3] * x
    at = davidson.moments(z, part.fit.params[-1:])
    score = np.array([v.outcome.score for v in votes])
    tied = np.array([v.outcome == Outcome.TIE for v in votes])
    # At the maximum the scores of both further parameters vanish.
    assert ((score - at.score) * x).sum() == pytest.approx(0.0, abs=1e-5)
    assert (tied - at.tie).sum() == pytest.approx(0.0, abs=1e-6)
    assert np.isfinite(part.rounds).all()


@pytest.mark.shared
def test_nu_of_the_lmsys_votes(shared: Path) -> None:
    votes = pair_counts(shared / "data/lmsys_arena_counts_20240814/chatbotarena_20240814.json")

    board = rank(votes, DAVIDSON)

    # An independent plain Davidson fit of these counts, ties and both-bad pooled.
    (nu,) = board.coefficients
    assert nu.value == pytest.approx(1.1225, abs=5e-5)
    assert line(board, "chatgpt-4o-latest").rank == 1
