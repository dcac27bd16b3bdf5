"""Separability, agreement and pair Brier score by hand, and at the edges."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from ratings.benchmarks.methods.resolution import agreement_with_confidence, pair_rank_brier, separability
from ratings.stats.arguments import BadNumber, Undefined

REFERENCE = {"A": (30, 28, 32), "B": (20, 18, 22), "C": (19, 17, 21)}  # A above both; B and C overlap


def test_touching_intervals_are_apart_and_equal_points_are_not():
    assert separability({"A": (2, 1, 3), "B": (4, 3, 5)}) == 1
    assert separability({"A": (2, 1, 3), "B": (3, 2.9, 5)}) == 0
    assert separability({"A": (2, 2, 2), "B": (2, 2, 2)}) == 0
    assert separability(REFERENCE) == pytest.approx(2 / 3)


def test_both_scales_by_hand():
    same = agreement_with_confidence(REFERENCE, REFERENCE)
    opposite = agreement_with_confidence(REFERENCE, {"A": (0, -1, 1), "B": (10, 9, 11), "C": (9, 8, 10)})
    silent = agreement_with_confidence(REFERENCE, dict.fromkeys("ABC", (5, 0, 9)))

    assert (same.by_paper, same.by_code) == (pytest.approx(2 / 3), 1)
    assert (opposite.by_paper, opposite.by_code) == (pytest.approx(-2 / 3), 0)
    assert (silent.by_paper, silent.by_code) == (0, 0.5)
    assert (same.pairs, same.reference_pairs) == (3, 2)


def test_only_shared_models_are_compared():
    found = agreement_with_confidence(REFERENCE, {"A": (3, 2, 4), "C": (1, 0, 2), "Z": (9, 9, 9)})

    assert (found.pairs, found.by_paper) == (1, 1)
    with pytest.raises(Undefined):
        agreement_with_confidence(REFERENCE, {"A": (3, 2, 4), "Z": (9, 9, 9)})


def test_a_reference_that_separates_nothing_leaves_the_code_scale_open():
    assert (
        agreement_with_confidence(dict.fromkeys("AB", (5, 0, 9)), {"A": (1, 0, 2), "B": (3, 2, 4)}).by_code
        is None
    )


def test_brier_by_hand():
    board = {"A": (0.8, 0.7, 0.9), "B": (0.7, 0.6, 0.8)}
    p = norm.cdf(0.1 / math.hypot(0.03, 0.04))

    assert pair_rank_brier({"A": (2, 1, 3), "B": (1, 0, 2)}, board, board_se=[0.03, 0.04]) == pytest.approx(
        (1 - p) ** 2
    )
    assert pair_rank_brier({"A": (1, 0, 2), "B": (2, 1, 3)}, board, board_se=[0.03, 0.04]) == pytest.approx(
        p**2
    )
    assert pair_rank_brier({"A": (1, 0, 2), "B": (1, 0, 2)}, board, board_se=[0.03, 0.04]) == pytest.approx(
        (p - 0.5) ** 2
    )
    q = norm.cdf(1 / math.hypot(1, 2))
    soft = pair_rank_brier(
        {"A": (2, 1, 3), "B": (1, 0, 2)}, board, board_se=[0.03, 0.04], reference_se=[1, 2]
    )
    assert soft == pytest.approx(q * (1 - p) ** 2 + (1 - q) * p**2)


def test_certain_boards_are_right_or_wrong():
    board = {"A": (2, 2, 2), "B": (1, 1, 1)}

    assert pair_rank_brier(board, board) == 0
    assert pair_rank_brier({"A": (1, 1, 1), "B": (2, 2, 2)}, board) == 1


@pytest.mark.parametrize("board", [{}, {"A": (1, 0, 2)}, {"A": (1, 2, 0), "B": (1, 0, 2)}, {"A": (1, 0), "B": (1, 0, 2)},
                                   {"A": (math.nan, 0, 2), "B": (1, 0, 2)}, {"A": ("1", 0, 2), "B": (1, 0, 2)}])  # fmt: skip
def test_what_is_no_board_is_refused(board):
    for call in (
        separability,
        lambda b: agreement_with_confidence(b, REFERENCE),
        lambda b: pair_rank_brier(b, REFERENCE),
    ):
        with pytest.raises(BadNumber):
            call(board)


def test_errors_must_fit_the_board():
    for errors in ([1], [-1, 1, 1], 3, ["1", 1, 1]):
        with pytest.raises(BadNumber):
            pair_rank_brier(REFERENCE, REFERENCE, board_se=errors)
