"""Gaps against closed forms and the engine's own covariance; planning against the textbook and simulated futures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, t

from arena.errors import BadInput
from arena.importers.reading import read
from arena.votes import Outcome, Vote, VoteTable
from ratings.bradley_terry import intervals
from ratings.diagnostics.difference_table import gap_table
from ratings.diagnostics.differences import _inverted, compare
from ratings.diagnostics.sample_size import plan_top, plan_votes, simulated_power
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse
from ratings.scale import ELO

DATA = Path(__file__).resolve().parents[3] / "data"


def duel(wins: int, losses: int, ties: int = 0) -> VoteTable:
    """Anonymous votes between two models."""
    counts = ((Outcome.A, wins), (Outcome.B, losses), (Outcome.TIE, ties))
    return VoteTable.of(Vote(o.word, "heron", "wren", o, count=n) for o, n in counts if n)


def test_the_gap_of_two_models_is_the_log_odds_and_its_error_the_binomial_one() -> None:
    (gap,) = compare(analyse(duel(700, 300), Plan(rounds=0)), ["heron", "wren"])

    # Independent votes: se of the log-odds is 1 / sqrt(n p q); the jackknife adds a factor of about 1 + 1 / n.
    assert gap.gap == pytest.approx(ELO * math.log(7 / 3), abs=1e-6)
    assert gap.se == pytest.approx(ELO / math.sqrt(1000 * 0.7 * 0.3), rel=0.002)
    assert gap.win_probability == pytest.approx(0.7)
    assert (gap.wins, gap.losses, gap.ties) == (700, 300, 0)
    assert gap.effective_voters == pytest.approx(1000)


def test_asking_the_other_way_round_mirrors_everything() -> None:
    analysis = analyse(duel(70, 30, 10), Plan(rounds=200))

    (one,), (other,) = compare(analysis, ["heron", "wren"]), compare(analysis, ["wren", "heron"])

    assert one.gap == pytest.approx(-other.gap)  # type: ignore[operator]
    assert one.low == pytest.approx(-other.high)  # type: ignore[operator]
    assert one.win_low == pytest.approx(1 - other.win_high)  # type: ignore[operator]
    assert one.p == pytest.approx(other.p)
    assert (one.wins, one.losses) == (other.losses, other.wins)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["lmsys_2024_08/counts.json", "llmfao/votes.csv"])
def test_gap_intervals_have_the_width_of_the_engines_covariance(file: str) -> None:
    analysis = analyse(read([DATA / file]).table, Plan(rounds=100))
    part = analysis.parts[0]
    names = [analysis.selection.models[index] for index in part.members]
    covariance = part.covariance()

    for a, b in ((0, 1), (5, 17), (40, 3)):
        (gap,) = compare(analysis, [names[a], names[b]])

        se = math.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b])
        nu = min(part.spread.effective[[a, b]])
        assert gap.gap == pytest.approx(ELO * (part.fit.theta[a] - part.fit.theta[b]), abs=1e-6)
        assert gap.high - gap.low == pytest.approx(2 * t.ppf(0.975, nu) * se * ELO, rel=1e-6)


def test_without_rounds_the_test_is_the_t_test_of_the_error() -> None:
    (gap,) = compare(analyse(duel(32, 18), Plan(rounds=0)), ["heron", "wren"])

    assert gap.p == pytest.approx(2 * t.sf(gap.gap / gap.se, gap.effective_voters))  # type: ignore[operator]


@pytest.mark.slow
def test_a_small_p_and_an_interval_without_zero_are_the_same_news() -> None:
    table = gap_table(analyse(read([DATA / "llmfao/votes.csv"]).table, Plan(rounds=200)))
    low, high, p = (np.array(table.content[name], dtype=float) for name in ("low", "high", "p"))
    known = np.isfinite(p)

    assert known.sum() > 1000
    assert ((p < 0.05) == ((low > 0) | (high < 0)))[known].all()


def test_rounds_all_on_one_side_leave_the_t_test() -> None:
    """A round distribution with its end at the estimate says nothing about the side of zero."""
    gap, bounds = (
        np.array([1.0]),
        intervals.ContrastIntervals(*(np.array([v]) for v in (1.0, 3.0, 0.5, False, 1.0))),
    )

    assert _inverted(gap, bounds, np.array([30.0])) == pytest.approx(2.0)


def test_models_without_a_common_scale_get_no_number_and_a_reason() -> None:
    votes = [Vote("1", "heron", "wren", Outcome.TIE), Vote("2", "osprey", "lark", Outcome.TIE)]

    (gap,) = compare(analyse(VoteTable.of(votes), Plan(rounds=0)), ["heron", "lark"])

    assert gap.gap is None
    assert gap.win_probability is None
    assert "no common scale" in str(gap.why)


@pytest.mark.parametrize("models", [["heron", "eagle"], ["heron"], ["heron", "heron"]])
def test_unknown_lone_and_repeated_names_are_refused(models: list[str]) -> None:
    with pytest.raises(BadInput):
        compare(analyse(duel(7, 3), Plan(rounds=0)), models)


def test_many_votes_needed_as_the_textbook_says() -> None:
    """With thousands of independent votes: n = (z_.975 + z_.8)^2 / (delta^2 p q), delta the gap in log-odds."""
    found = plan_votes(analyse(duel(2575, 2425), Plan(rounds=0)), "heron", "wren")

    p = 0.515
    needed = (norm.ppf(0.975) + norm.ppf(0.8)) ** 2 / (math.log(p / (1 - p)) ** 2 * p * (1 - p))
    assert found.more_votes is not None
    assert found.votes_now + found.more_votes == pytest.approx(needed, rel=0.005)


def test_nothing_more_is_needed_where_the_gap_is_plain() -> None:
    assert plan_votes(analyse(duel(900, 100), Plan(rounds=0)), "heron", "wren").more_votes == 0


def test_equal_models_are_never_told_apart() -> None:
    found = plan_votes(analyse(duel(50, 50), Plan(rounds=0)), "heron", "wren")

    assert found.more_votes is None


def test_the_top_is_settled_by_its_hardest_pair() -> None:
    votes = [
        Vote(f"{a}{b}{o}", a, b, o, count=n)
        for a, b, wins, losses in (
            ("heron", "wren", 90, 60),
            ("wren", "lark", 80, 70),
            ("heron", "lark", 95, 55),
        )
        for o, n in ((Outcome.A, wins), (Outcome.B, losses))
    ]
    analysis = analyse(VoteTable.of(votes), Plan(rounds=0))

    assert {plan_top(analysis, 2).a, plan_top(analysis, 2).b} == {"wren", "lark"}
    assert plan_top(analysis, 1).alpha == pytest.approx(0.025)
    with pytest.raises(BadInput, match="--top 3"):
        plan_top(analysis, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("wins", "losses"), [(540, 460), (1060, 940), (330, 270)])
def test_futures_with_the_planned_votes_have_the_power_asked_for(wins: int, losses: int) -> None:
    table = duel(wins, losses)
    found = plan_votes(analyse(table, Plan(rounds=0)), "heron", "wren")

    power = simulated_power(table, Plan(), found, runs=600, seed=7)

    assert 0.75 <= power <= 0.85


@pytest.mark.slow
def test_the_power_holds_for_voters_who_differ_in_taste() -> None:
    """LLMFAO's voters cast up to 343 votes each; planned by voter, the power is right, within Monte Carlo error."""
    table = read([DATA / "llmfao" / "votes.csv"]).table
    found = plan_votes(analyse(table, Plan(rounds=0)), "GPT 4", "Claude v1.2")

    assert 0.7 <= simulated_power(table, Plan(), found, runs=100, seed=7) <= 0.9


def test_a_future_of_voters_keeps_whole_voters() -> None:
    from ratings.diagnostics.sample_size import _future

    votes = [Vote(f"{v}{n}", "heron", "wren", Outcome.A, voter=f"v{v}") for v in range(40) for n in range(5)]

    future = _future(VoteTable.of(votes), 3.0, np.random.default_rng(7))

    assert len(future) == 600
    assert set(np.bincount(future.voter).tolist()) == {5}
