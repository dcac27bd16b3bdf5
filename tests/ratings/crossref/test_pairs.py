"""The pair table and the exchange rate against published definitions, worked examples and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.crossref.exchange import deming, exchange
from ratings.crossref.measures import Measure
from ratings.crossref.pairs import agreement_code, agreement_paper, brier, pair_table, separability

# The hand example: Li et al. 2024 (arXiv:2406.11939), section 3 and its published code.
ARENA = {"A": (1200, 1190, 1210), "B": (1180, 1170, 1190.5), "C": (1150, 1140, 1160), "D": (1100, 1090, 1110)}
BENCH = {"A": (0.8, 0.77, 0.83), "B": (0.75, 0.72, 0.78), "C": (0.79, 0.785, 0.81), "D": (0.6, 0.57, 0.63)}
MODELS = ("A", "B", "C", "D")


def test_the_two_published_agreement_scales_differ_on_the_hand_example() -> None:
    assert agreement_paper(ARENA, BENCH) == pytest.approx(1 / 3, abs=1e-12)
    assert agreement_code(ARENA, BENCH) == pytest.approx(0.7, abs=1e-12)


def test_separability_of_the_hand_example() -> None:
    assert (separability(ARENA), separability(BENCH)) == (pytest.approx(5 / 6), pytest.approx(4 / 6))


def hand(se_arena: float) -> tuple[Measure, Measure]:
    arena = Measure(MODELS, np.array([1200.0, 1180, 1150, 1100]), np.eye(4) * se_arena**2)
    se = np.array([0.0153, 0.0153, 0.0064, 0.0153])
    return arena, Measure(MODELS, np.array([0.8, 0.75, 0.79, 0.6]), np.diag(se**2))


def test_brier_scores_of_the_hand_example() -> None:
    found = pair_table(*hand(5.0)).brier

    assert found is not None
    assert found.hard == pytest.approx(0.17649574787849134, abs=1e-10)
    assert found.soft == pytest.approx(0.17687562241966348, abs=1e-10)


def test_the_floor_is_reached_by_the_arenas_own_probabilities() -> None:
    q = [0.9, 0.6, 0.2]

    found = brier(q, q)

    assert found.soft == pytest.approx(found.floor, abs=1e-15)


def test_cells_name_conflicts_and_silence() -> None:
    arena = Measure(MODELS, np.array([300.0, 200, 100, 99]), np.eye(4))
    bench = Measure(MODELS, np.array([0.2, 0.9, 0.9, 0.1]), np.eye(4) * 1e-4)

    cells = {(row.a, row.b): row.cell for row in pair_table(arena, bench).pairs}

    assert cells == {
        ("A", "B"): "conflict", ("A", "C"): "conflict", ("A", "D"): "agree",
        ("B", "C"): "benchmark silent", ("B", "D"): "agree", ("C", "D"): "arena silent",
    }  # fmt: skip


def test_a_benchmark_without_errors_is_silent() -> None:
    found = pair_table(hand(5.0)[0], Measure(MODELS, np.array([0.8, 0.75, 0.79, 0.6]), None))

    assert (found.agreement_code, found.brier, found.counts["agree"]) == (None, None, 0)


def test_deming_of_ratio_one_is_the_first_principal_axis(rng: np.random.Generator) -> None:
    x, e = rng.normal(size=(2, 40))
    y = 2 * x + e
    axis = np.linalg.eigh(np.cov(x, y))[1][:, -1]

    assert deming(x, y, 1.0)[0] == pytest.approx(axis[1] / axis[0], rel=1e-10)


def test_deming_goes_to_least_squares_when_scores_are_exact(rng: np.random.Generator) -> None:
    x, e = rng.normal(size=(2, 40))
    y = -3 * x + e

    assert deming(x, y, 1e9)[0] == pytest.approx(deming(x, y, None)[0], rel=1e-6)
    assert deming(x, y, None)[0] == pytest.approx(np.polyfit(x, y, 1)[0], rel=1e-10)


@pytest.mark.slow
def test_the_slope_is_found_through_noise_in_both(rng: np.random.Generator) -> None:
    covered = []
    for _ in range(200):
        truth = rng.normal(0.6, 0.1, 30)
        ratings = Measure(tuple(map(str, range(30))), 800 * truth + rng.normal(0, 20, 30), np.eye(30) * 400)
        scores = Measure(ratings.models, truth + rng.normal(0, 0.04, 30), np.eye(30) * 0.0016)
        found = exchange(ratings, scores)
        covered.append(found.low <= 800 <= found.high)

    assert np.mean(covered) >= 0.9


def test_a_model_off_the_line_is_flagged_alone(rng: np.random.Generator) -> None:
    x = np.linspace(0.2, 0.8, 12)
    y = 1000 + 500 * x + rng.normal(0, 5, 12)
    y[4] += 120

    found = exchange(Measure(tuple("abcdefghijkl"), y, np.eye(12)), Measure(tuple("abcdefghijkl"), x, None))

    assert [row.model for row in found.residuals if row.flagged] == ["e"]
    assert found.residuals[4].residual == pytest.approx(120, abs=15)
