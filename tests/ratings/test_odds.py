"""The odds of a block, by exp and by series, against the definition in float64."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from ratings import odds

ROWS, PAIRS, LANES = 300, 7, 5


@pytest.mark.parametrize("features", [1, 2, 4])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_products_are_in_the_order_of_combinations(
    features: int, degree: int, rng: np.random.Generator
) -> None:
    values, first = rng.normal(size=(features, 6)), rng.random(6)

    found = odds.products(values, first, degree)

    expected = [
        first * values[list(chosen)].prod(axis=0)
        for order in range(degree + 1)
        for chosen in combinations_with_replacement(range(features), order)
    ]
    assert found == pytest.approx(np.array(expected))


@pytest.mark.parametrize(
    ("most", "features", "degree"),
    [
        (0.0, 4, 1),
        (0.001, 4, 1),
        (0.012, 4, 2),
        (0.08, 4, 3),
        (0.2, 4, None),
        (1e6, 4, None),
        (np.inf, 4, None),
        (np.nan, 4, None),
        (0.012, 7, 2),
        (0.012, 8, None),
        (0.08, 5, None),
    ],
)
def test_small_changes_need_few_terms_and_many_covariates_go_by_exp(
    most: float, features: int, degree: int | None
) -> None:
    assert odds._degree(most, features) == degree


@pytest.mark.parametrize(
    ("spread", "most", "kind", "close"),
    [
        (0.1, 0.0, np.float32, 1e-6),
        (0.1, 0.001, np.float32, 1e-6),
        (1.5, 0.018, np.float32, 1e-6),
        (1.5, 0.09, np.float32, 1e-6),
        (1.5, 0.8, np.float32, 2e-6),
        (15.0, 0.018, np.float32, 2e-5),
        (1.5, 0.018, np.float64, 1e-13),
    ],
)
def test_odds_are_those_of_the_definition(
    spread: float, most: float, kind: type, close: float, rng: np.random.Generator
) -> None:
    x = rng.uniform(-2.0, 2.0, (4, ROWS)).astype(kind)
    reach = np.abs(x).max(axis=1)
    z, d = (rng.normal(0, spread, shape).astype(kind) for shape in (ROWS, (PAIRS, LANES)))
    c = rng.uniform(-1, 1, (4, LANES))
    c = (c * most / (reach @ np.abs(c))).astype(kind)
    pair = np.sort(rng.integers(0, PAIRS, ROWS))
    found, room = np.empty((2, ROWS, LANES), dtype=kind)

    odds.against(z, reach, d, c)(x, z, pair, found, room)

    at = z.astype(np.float64)[:, None] + d.astype(np.float64)[pair] + x.T.astype(np.float64) @ c
    assert found == pytest.approx(np.exp(-at), rel=close)


def test_log_odds_that_overflow_go_by_exp() -> None:
    z, zero = np.array([60.0, -60.0], dtype=np.float32), np.zeros((1, 1), dtype=np.float32)
    found, room = np.empty((2, 2, 1), dtype=np.float32)

    write = odds.against(z, np.ones(1, dtype=np.float32), np.full_like(zero, 60.0), zero)
    write(np.zeros((1, 2), dtype=np.float32), z, np.zeros(2, dtype=np.intp), found, room)

    assert found[:, 0] == pytest.approx([0.0, 1.0], abs=1e-30)
