"""Random weights: exponential, keyed by component, voter and round, and the same from numpy and the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gamma, kstest

from ratings.engine.compiled import kernels
from ratings.engine.reference import weights

SIZES = np.array([1, 1, 7, 1, 400])


def test_named_voters_draw_standard_exponentials() -> None:
    values = weights.exponentials(2000, weights.key(1, ["a"])[0], 0, 64)

    assert kstest(values.ravel(), "expon").pvalue > 0.001
    assert np.abs(np.corrcoef(values.T) - np.eye(64)).max() < 0.1
    assert values.min() > 0


def test_equal_voters_draw_the_mean_of_as_many() -> None:
    key = weights.key(1, ["a"])

    values = np.concatenate(
        [
            weights.bootstrap_weights(SIZES, key, first, 64, weights.exponentials)
            for first in range(0, 2048, 64)
        ],
        axis=1,
    )

    for group in (2, 4):
        shape = SIZES[group]
        assert kstest(values[group] * shape, gamma(shape).cdf).pvalue > 0.001


def test_draws_do_not_depend_on_the_batches() -> None:
    key = weights.key(5, ["a", "b"])

    wide = weights.bootstrap_weights(SIZES, key, 0, 64, weights.exponentials)

    narrow = [
        weights.bootstrap_weights(SIZES, key, first, 16, weights.exponentials) for first in range(0, 64, 16)
    ]
    assert np.concatenate(narrow, axis=1).tolist() == wide.tolist()


def test_a_voter_draws_the_same_whoever_comes_after() -> None:
    word = weights.key(5, ["a", "b"])[0]

    assert weights.exponentials(3, word, 0, 16).tolist() == weights.exponentials(9, word, 0, 16)[:3].tolist()


def test_seed_and_models_make_the_key() -> None:
    keys = [weights.key(0, ["a", "b"]), weights.key(1, ["a", "b"]), weights.key(0, ["a", "c"])]

    assert len({key.tobytes() for key in keys}) == 3
    assert weights.key(0, ["b", "a"]).tolist() == keys[0].tolist()


@pytest.mark.slow
def test_kernels_draw_the_same_numbers() -> None:
    word = weights.key(3, ["x"])[0]

    assert kernels.exponentials(500, word, 32, 16) == pytest.approx(
        weights.exponentials(500, word, 32, 16), rel=1e-6
    )
