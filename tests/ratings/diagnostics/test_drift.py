"""Drift over time: size under voters who differ, a model that moved, periods by votes, and none without times."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from arena.errors import NoData
from arena.votes import Outcome, Vote, VoteTable
from ratings.diagnostics.diagnosis import diagnose
from ratings.diagnostics.drift import Drift, drift
from ratings.diagnostics.periods import periods
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse
from ratings.ranking.standings import leaderboard

START = datetime(2025, 1, 6, tzinfo=UTC).timestamp()  # a Monday
MONTH = 31 * 86_400


def crowd(
    rng: np.random.Generator, votes: int, move: float = 0.0, taste: float = 0.7, months: int = 3
) -> VoteTable:
    """Eight models and 80 voters with tastes, who come mostly in one month; model m0 moves in the last month."""
    theta, tastes = rng.normal(0, 0.6, 8), rng.normal(0, taste, (80, 8))
    home = rng.integers(0, months, 80)
    found = []
    for n in range(votes):
        voter = int(80 * rng.random() ** 2)
        month = int(home[voter]) if rng.random() < 0.6 else int(rng.integers(months))
        a, b = (int(x) for x in rng.permutation(8)[:2])
        moved = theta + tastes[voter] + move * (month == months - 1) * (np.arange(8) == 0)
        first = rng.random() < 1 / (1 + np.exp(moved[b] - moved[a]))
        at = START + month * MONTH + rng.random() * 20 * 86_400
        found.append(
            Vote(f"{n}", f"m{a}", f"m{b}", Outcome.A if first else Outcome.B, at=at, voter=f"v{voter}")
        )
    return VoteTable.of(found)  # fmt: skip


def asked(table: VoteTable, plan: Plan | None = None) -> Drift:
    analysis = analyse(table, plan or Plan(rounds=0))
    rating = {row.model: row.rating for row in leaderboard(table, analysis).models if row.rating is not None}
    return drift(table, analysis, rating)


def test_a_model_that_moved_is_found_with_its_size() -> None:
    found = asked(crowd(np.random.default_rng(7), 2000, move=1.5, taste=0.3))

    assert (found.unit, len(found.starts), found.tested) == ("month", 3, 8)
    first = found.models[0]
    assert (first.model, first.drifted) == ("m0", True)
    last, before = first.periods[-1], first.periods[0]
    # 1.5 log-odds are 261 Elo; a one-step estimate, relative to seven others, of a crowd with tastes.
    assert 150 < last.rating - before.rating < 300
    assert all(one.low < one.rating < one.high for one in first.periods)


@pytest.mark.slow
def test_tastes_of_voters_who_come_and_go_are_no_drift() -> None:
    """200 boards of ten models gave 5.2 % below .05; here 80 tests: 4 expected, 10 or more with probability below 1 %."""
    rng = np.random.default_rng(7)

    p = [model.p for _ in range(10) for model in asked(crowd(rng, 800)).models]

    assert len(p) == 80
    assert sum(value < 0.05 for value in p) <= 9


def test_with_style_and_side_the_test_stands_on_the_same_residuals() -> None:
    table = crowd(np.random.default_rng(7), 900)
    lengths = np.random.default_rng(8).uniform(10, 20, (len(table), 2))

    found = asked(replace(table, traits={"length": lengths}), Plan(rounds=0, style=("length",), side=True))

    assert found.tested == 8
    assert all(0 <= model.p <= model.p_adjusted <= 1 for model in found.models)


def test_the_unit_is_the_finest_with_votes_enough() -> None:
    days = START + np.arange(0, 90, 0.5) * 86_400
    many, few = np.full(180, 40), np.full(180, 1)

    assert periods(days, many, 5).unit == "week"  # type: ignore[union-attr]
    assert periods(days, few * 3, 5).unit == "month"  # type: ignore[union-attr]
    assert periods(days, few, 50).unit == "quarter"  # type: ignore[union-attr]
    assert periods(np.full(9, np.nan), few[:9], 2) is None
    assert periods(np.full(9, START), few[:9], 2) is None


def test_periods_begin_on_mondays_and_firsts() -> None:
    at = np.array([START + 6.99 * 86_400, START + 7 * 86_400, np.nan])

    found = periods(at, np.array([900, 900, 900]), 2)

    assert found is not None
    assert found.starts == (START, START + 7 * 86_400)
    assert found.code.tolist() == [0, 1, -1]


def test_votes_without_times_have_no_drift_and_diagnose_says_why() -> None:
    votes = [Vote(f"{n}", "a", "b", Outcome(n % 3), voter=f"v{n % 8}") for n in range(60)]

    with pytest.raises(NoData, match="no times"):
        asked(VoteTable.of(votes))
    found = diagnose(VoteTable.of(votes), Plan(rounds=0))
    assert found.drift is None
    assert any("drift over time: the votes have no times" in note for note in found.notes)
