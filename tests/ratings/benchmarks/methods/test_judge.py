"""A judge on trial: planted biases must be found, and fairness must look fair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from arena.votes import Outcome, Vote, VoteTable
from ratings.benchmarks.methods.judge import judge_against_votes, length_report, order_report
from ratings.stats.arguments import BadNumber

A, B, TIE, BAD = Outcome.A, Outcome.B, Outcome.TIE, Outcome.BOTH_BAD


def test_order_is_counted_by_hand():
    # Stands by it, takes the first twice, takes the second twice, tie both times, tie then first, no answer.
    shown = [A, A, B, TIE, TIE, None]
    swapped = [B, A, B, BAD, A, A]

    found = order_report(shown, swapped)

    assert (found.pairs, found.missing) == (5, 1)
    assert found.consistent.value == 2 / 5
    assert (found.flips_to_first, found.flips_to_second) == (1, 1)
    assert (found.first.taken, found.first.n) == (4, 7)
    assert found.first.p == binomtest(4, 7).pvalue


def test_a_judge_that_takes_what_comes_first_is_found():
    rng = np.random.default_rng(7)
    better = rng.random(400) < 0.5
    lazy = rng.random((2, 400)) < 0.3
    shown = [A if lazy[0, i] or better[i] else B for i in range(400)]
    swapped = [A if lazy[1, i] or not better[i] else B for i in range(400)]

    found = order_report(shown, swapped)

    assert found.first.p < 1e-6
    assert found.first.share.low > 0.5
    assert found.flips_to_second == 0


def test_no_verdicts_are_no_number():
    found = order_report([], [])

    assert (found.consistent.value, found.first.p) == (None, None)
    with pytest.raises(BadNumber):
        order_report([A], [])


def test_length_is_counted_by_hand():
    found = length_report(
        [A, B, A, TIE, None, A], [9, 1, 1, 9, 9, 5], [1, 9, 9, 1, 1, 5], people=[A, A, A, A, A, B]
    )

    assert (found.judge.taken, found.judge.n) == (2, 3)  # equal lengths, ties and gaps left out
    assert (found.people.taken, found.people.n) == (3, 5)
    assert found.gap.value == pytest.approx((1 - 1 + 1 - 0 + 0 - 0) / 3)


def test_a_taste_for_length_beyond_that_of_people_is_found():
    rng = np.random.default_rng(7)
    a, b = rng.integers(1, 1000, (2, 600))
    longer = np.where(a > b, A, B)
    shorter = np.where(a > b, B, A)
    judge = [Outcome(int(x)) for x in np.where(rng.random(600) < 0.8, longer, shorter)]
    people = [Outcome(int(x)) for x in np.where(rng.random(600) < 0.55, longer, shorter)]

    found = length_report(judge, a, b, people)

    assert found.gap.low > 0.15
    assert found.gap.high < 0.35
    assert length_report(judge, a, b).people is None
    assert length_report([A], [2], [1], [A]).gap.low is None


def votes(rows) -> VoteTable:
    return VoteTable.of(
        Vote(f"v{i}", a, b, outcome, voter=voter, prompt=prompt)
        for i, (prompt, a, b, outcome, voter) in enumerate(rows)
    )


def test_sides_do_not_matter_and_unjudged_votes_do_not_count():
    table = votes(
        [
            ("p1", "x", "y", A, "u"),  # x
            ("p1", "y", "x", B, "v"),  # x, too
            ("p1", "x", "y", B, "w"),  # y
            ("p2", "x", "y", BAD, "u"),  # tie
            ("p3", "x", "y", A, "u"),  # not judged
            (None, "x", "y", A, "u"),
        ]
    )

    found = judge_against_votes({("p1", "y", "x"): B, ("p2", "x", "y"): TIE}, table)

    assert (found.votes, found.prompts) == (4, 2)
    assert found.agreement.value == pytest.approx(3 / 4)
    assert found.agreement_decisive.value == pytest.approx(2 / 3)
    assert found.kappa.value == pytest.approx(1 - (1 / 4) / (1 - (2 / 4 * 3 / 4 + 0 + 1 / 4 * 1 / 4)))
    # Of p1's three pairs of votes one agrees; p2 has one vote.
    assert found.people.value is None


def test_equal_votes_stand_for_their_count():
    table = VoteTable.of([Vote("v", "x", "y", A, prompt="p", count=3), Vote("w", "x", "y", B, prompt="q")])

    found = judge_against_votes({("p", "x", "y"): A, ("q", "x", "y"): A}, table)

    assert (found.votes, found.agreement.value) == (4, 0.75)


def test_people_agree_with_each_other_as_often_as_simulated():
    # Each pair has a favourite that a voter takes with chance .8: two voters agree with .68.
    rng = np.random.default_rng(7)
    rows = [
        (f"p{p}", "x", "y", A if (rng.random() < 0.8) == (p % 2 == 0) else B, f"u{v}")
        for p in range(400)
        for v in range(5)
    ]
    judge = {(f"p{p}", "x", "y"): A if p % 2 == 0 else B for p in range(400)}

    found = judge_against_votes(judge, votes(rows))

    assert found.people.low < 0.68 < found.people.high
    assert found.agreement.low < 0.8 < found.agreement.high
    assert found.kappa.low < 0.6 < found.kappa.high


def test_nothing_in_common_is_no_number():
    found = judge_against_votes({("p9", "x", "y"): A}, votes([("p1", "x", "y", A, "u")]))

    assert (found.votes, found.agreement.value) == (0, None)
    with pytest.raises(BadNumber):
        judge_against_votes({("p", "x", "x"): A}, votes([]))


def test_a_judge_that_always_agrees_has_an_interval_with_width():
    table = votes([(f"p{p}", "x", "y", A, "u") for p in range(8)])

    found = judge_against_votes({(f"p{p}", "x", "y"): A for p in range(8)}, table)

    assert (found.agreement.value, found.agreement.high) == (1, 1)
    assert found.agreement.low == pytest.approx(0.6756, abs=5e-5)  # Wilson, 8 of 8
    assert found.kappa.low is None
