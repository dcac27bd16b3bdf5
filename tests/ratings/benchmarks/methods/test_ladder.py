"""Release policies: worked sequences, exactness at steps, and the attack that they must withstand."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from arena.errors import ArenaError
from ratings.benchmarks.methods.ladder import (
    BudgetSpent,
    Thresholdout,
    attack_heuristic,
    boosting_attack,
    constant_board,
    exact_board,
    ladder,
    majority,
    moves,
    parameter_free_ladder,
)
from ratings.benchmarks.methods.winners_curse import best_of_noise
from ratings.stats.arguments import BadNumber


def by_fractions(scores: list[int], per: int, eta: Fraction) -> list[Fraction]:
    """The rule in exact arithmetic; scores in units of 1/per."""
    best, shown = 0, []
    for score in scores:
        steps = Fraction(score, per) / eta
        if steps > best + 1:
            best = math.floor(steps + Fraction(1, 2))
        shown.append(best * eta)
    return shown


@pytest.mark.slow
@given(st.lists(st.integers(0, 1000), max_size=30), st.sampled_from([1, 2, 5, 7, 10, 20, 30, 50, 100]))
def test_the_ladder_is_exact_in_decimals(scores, thousandths):
    shown = ladder([score / 1000 for score in scores], thousandths / 1000)

    assert shown.tolist() == pytest.approx(
        [float(x) for x in by_fractions(scores, 1000, Fraction(thousandths, 1000))], abs=1e-12
    )


@pytest.mark.slow
@given(st.lists(st.integers(0, 198), max_size=30))
def test_scores_of_counted_items_are_exact_too(counts):
    # A step of one item on 198: a rise of exactly one item is one step and must not move.
    shown = ladder([count / 198 for count in counts], 1 / 198)

    assert shown.tolist() == pytest.approx(
        [float(x) for x in by_fractions(counts, 198, Fraction(1, 198))], abs=1e-9
    )


def test_rounding_noise_of_the_caller_is_no_step():
    assert ladder([0.28, 0.1 + 0.2], 0.02).tolist() == [0.28, 0.28]  # .30000000000000004


def test_the_first_step_must_be_beaten_too():
    assert ladder([0.02, 0.05, 1.0], 0.02).tolist() == [0.0, 0.06, 1.0]
    assert ladder([0.5, 1.0], 2.0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("scores", "eta"),
    [([0.5], 0), ([0.5], math.nan), ([0.5], "0.1"), ([1.5], 0.1), ([-0.1], 0.1), ([math.nan], 0.1), (["0.5"], 0.1),
     (0.5, 0.1), ([[0.5]], 0.1), ([None], 0.1), ([0.5], math.inf), ([0.5], None)],
)  # fmt: skip
def test_what_is_no_ladder_is_refused(scores, eta):
    with pytest.raises(BadNumber):
        ladder(scores, eta)


@pytest.mark.slow
@given(st.integers(3, 40), st.integers(0, 10**6))
def test_without_a_step_the_rule_is_a_t_statistic_above_one(n, seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 2, (2, n))

    shown = parameter_free_ladder(scores.tolist())

    best = scores[0] if shown[0] > 0 else np.zeros(n)
    d = scores[1] - best
    if np.ptp(d) > 0:
        t = ttest_1samp(d, 0).statistic
        if abs(t - 1) > 1e-9:
            assert (shown[1] != shown[0]) == (t > 1)


def test_exact_ties_of_the_rule_do_not_move():
    # One item more of ten: mean .1, s/sqrt(n) = .1 exactly.
    assert parameter_free_ladder(
        [[1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]]
    ).tolist() == [0.2, 0.2]
    assert parameter_free_ladder([]).tolist() == []
    assert parameter_free_ladder([[0, 0], [0, 0]]).tolist() == [0, 0]
    assert parameter_free_ladder([[1]]).tolist() == [0]  # one item is never clear
    for scores in ([[2]], [["1"]], [1, 0], [[1], [1, 0]], None):
        with pytest.raises(BadNumber):
            parameter_free_ladder(scores)


def test_thresholdout_answers_until_its_budget_is_spent():
    holdout = Thresholdout(0.04, 0, budget=1)

    assert holdout.answer(0.8, 0.78) == 0.8
    assert holdout.answer(0.82, 0.78) == 0.82  # a disagreement of exactly the threshold
    assert holdout.answer(0.8, 0.7) == 0.7
    with pytest.raises(BudgetSpent):
        holdout.answer(0.8, 0.8)


def test_no_budget_refuses_at_once_and_the_error_is_ours():
    with pytest.raises(ArenaError):
        Thresholdout(0.04, 0, budget=0).answer(0.8, 0.8)


def test_thresholdout_with_noise_is_centred_on_the_holdout():
    rng = np.random.default_rng(7)
    told = [Thresholdout(0.01, 0.02, rng=rng).answer(1.0, 0.5) for _ in range(4000)]

    assert np.mean(told) == pytest.approx(0.5, abs=0.01)
    assert np.std(told) == pytest.approx(math.sqrt(2) * 0.02, rel=0.15)


@pytest.mark.parametrize(
    "arguments", [(-0.1, 0), (0.1, -1), (0.1, 0.1), (math.nan, 0), (0.1, 0, -1), (0.1, 0, 1.5)]
)
def test_impossible_holdouts_are_refused(arguments):
    with pytest.raises(BadNumber):
        Thresholdout(*arguments)
    with pytest.raises(BadNumber):
        Thresholdout(0.1, 0).answer(math.nan, 0.5)


@pytest.mark.slow
def test_the_attack_climbs_an_exact_board_as_far_as_foretold():
    n, k = 2000, 1000
    reached, private = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 2, 2 * n)
        public = np.arange(2 * n) < n
        guess = boosting_attack(exact_board(labels, public), 2 * n, k, rng)
        reached.append((guess == labels)[public].mean())
        private.append((guess == labels)[~public].mean())

    assert np.mean(reached) == pytest.approx(attack_heuristic(k, n), abs=0.01)
    assert np.mean(private) == pytest.approx(0.5, abs=0.01)


@pytest.mark.slow
def test_the_ladder_withstands_the_attack():
    n, k, eta = 2000, 1000, 0.01
    ends = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 2, n)
        guesses = rng.integers(0, 2, (k, n))
        scores = (guesses == labels).mean(axis=1)
        moved = moves(ladder(scores, eta))
        vote = majority(guesses[moved])
        ends.append(ladder([*scores, (vote == labels).mean()], eta)[-1])

    assert np.mean(ends) <= best_of_noise(k, n) + 2 * eta
    assert attack_heuristic(k, n) > best_of_noise(k, n) + 2 * eta  # what the exact board would have given


def test_the_attack_without_anything_to_keep_guesses_one():
    assert boosting_attack(constant_board(0.4), 3, 5, np.random.default_rng(7)).tolist() == [1, 1, 1]
    assert boosting_attack(constant_board(0.6), 3, 0, np.random.default_rng(7)).tolist() == [1, 1, 1]
    assert boosting_attack(constant_board(0.6), 3, 1, np.random.default_rng(7)).dtype.kind == "i"
    with pytest.raises(BadNumber):
        exact_board([1, 0], [0, 0])
