"""Ratings as contrasts: what the mean is taken over, and how points read as odds."""

from __future__ import annotations

import numpy as np
import pytest

from ratings import scale


def test_the_mean_is_over_models_with_enough_votes() -> None:
    weights = scale.reference(np.array([40, 30, 29]), 30)

    assert weights.tolist() == [0.5, 0.5, 0.0]


def test_with_fewer_than_two_such_models_it_is_over_all() -> None:
    weights = scale.reference(np.array([40, 10, 10, 10]), 30)

    assert weights.tolist() == [0.25] * 4


def test_barred_models_stay_out() -> None:
    weights = scale.reference(np.array([40, 40, 40]), 30, np.array([False, True, False]))

    assert weights.tolist() == [0.5, 0.0, 0.5]


def test_barred_models_count_when_nobody_else_is_left() -> None:
    weights = scale.reference(np.array([40, 40]), 30, np.array([False, True]))

    assert weights.tolist() == [0.5, 0.5]


def test_a_rating_is_its_contrast_on_the_elo_scale() -> None:
    theta, weights = np.array([0.3, -0.1, 0.7]), np.array([0.5, 0.5, 0.0])

    rows = scale.contrasts(weights, 4)

    assert scale.rating(theta, weights) == pytest.approx(1000 + scale.ELO * rows @ np.append(theta, 9.0))


def test_four_hundred_points_are_odds_of_ten_to_one() -> None:
    assert scale.win_probability(400.0) == pytest.approx(10 / 11)
    assert scale.win_probability(0.0) == 0.5
