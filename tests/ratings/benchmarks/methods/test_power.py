"""What so many items can show: by the spread of the scores at hand, in words and against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.benchmarks.methods.planning import detectable_gap, detectable_gap_of_se
from ratings.benchmarks.reports.report import report
from ratings.benchmarks.reports.writing import markdown
from ratings.benchmarks.results.results import ItemResults
from tests.bench.power import CELLS, found_share

BOTH = 1.959963985 + 0.841621234  # the two normal quantiles of 5 % and 80 %


def of(scores: object, groups: list[str] | None = None) -> ItemResults:
    x = np.asarray(scores, dtype=float)[None]
    return ItemResults.from_matrix("b", ["m"], [f"i{n:03d}" for n in range(x.shape[1])], x, groups=groups)


def test_single_passes_keep_the_formula_of_a_share() -> None:
    power = report(of([1] * 60 + [0] * 40)).power

    assert power is not None
    assert power.detectable == pytest.approx(detectable_gap(0.6, 100))
    assert detectable_gap_of_se(np.sqrt(0.24 / 100)) == pytest.approx(detectable_gap(0.6, 100))


def test_partial_credit_shows_smaller_gaps_than_passes() -> None:
    scores = np.tile([0.2, 0.4, 0.6, 0.8], 15)

    power = report(of(scores)).power

    assert power is not None
    assert power.detectable == pytest.approx(BOTH * np.sqrt(2) * scores.std(ddof=1) / np.sqrt(60), rel=1e-6)
    assert power.detectable < detectable_gap(0.5, 60) / 2


def test_attempts_count_by_the_spread_of_the_items_means() -> None:
    attempts = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 0, 1]] * 6)

    power = report(of(attempts)).power

    assert power is not None
    means = attempts.mean(axis=1)
    assert power.detectable == pytest.approx(BOTH * np.sqrt(2) * means.std(ddof=1) / np.sqrt(30), rel=1e-6)


def test_groups_are_named_as_what_they_are_worth() -> None:
    scores = np.repeat([1, 0, 1, 1, 0, 0, 1, 0, 1, 1] * 2, 5)

    text = markdown(report(of(scores, [f"g{n // 5}" for n in range(100)])))

    assert "100 items (worth 19 independent ones) show a gap of" in text


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_the_gap_is_found_four_times_in_five(cell: object, rng: np.random.Generator) -> None:
    share = found_share(cell, 400, rng)  # type: ignore[arg-type]

    assert share == pytest.approx(0.8, abs=0.08)  # four standard errors of 400 tries
