"""Style effects: a simulated one recovered, intervals from joint rounds narrower than those of either rating, reasons where none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.votes import Outcome, Vote, VoteTable
from ratings.diagnostics.diagnosis import diagnose
from ratings.diagnostics.style_effects import style_effects
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse, rank

STYLED, PLAIN = Plan(rounds=200, style=("length",)), Plan(rounds=200)


def wordy(rng: np.random.Generator, named: bool = True) -> VoteTable:
    """Four equal models of which m0 writes at length, and voters who like length."""
    votes = []
    for n in range(1600):
        a, b = (int(x) for x in rng.permutation(4)[:2])
        lengths = tuple(float(rng.uniform(10, 20) * (3 if model == 0 else 1)) for model in (a, b))
        z = 2.0 * (lengths[0] - lengths[1]) / sum(lengths)
        outcome = Outcome.A if rng.random() < 1 / (1 + np.exp(-z)) else Outcome.B
        voter = f"v{rng.integers(60)}" if named else None
        votes.append(Vote(f"{n}", f"m{a}", f"m{b}", outcome, voter=voter, traits={"length": lengths}))
    return VoteTable.of(votes)


@pytest.mark.slow
def test_the_wordy_model_loses_what_its_length_won() -> None:
    table = wordy(np.random.default_rng(7))
    styled, plain = analyse(table, STYLED), analyse(table, PLAIN)

    found = style_effects(styled, plain)

    assert found is not None
    assert found.why is None
    board = {row.model: row for row in rank(table, STYLED).models}
    for one in found.models:
        row = board[one.model]
        assert one.effect == pytest.approx(row.rating - row.rating_without_style, abs=1e-6)  # type: ignore[operator]
        assert one.low < one.effect < one.high  # type: ignore[operator]
    wordiest = found.models[0]
    assert wordiest.high < 0  # type: ignore[operator]
    assert wordiest.effect == min(one.effect for one in found.models)


@pytest.mark.slow
def test_votes_without_voters_give_no_interval_and_say_why() -> None:
    table = wordy(np.random.default_rng(7), named=False)

    found = style_effects(analyse(table, STYLED), analyse(table, PLAIN))

    assert found is not None
    assert "without a voter" in str(found.why)
    assert found.models[0].low is None


@pytest.mark.slow
def test_without_rounds_or_with_missing_traits_there_is_a_reason() -> None:
    table = wordy(np.random.default_rng(7))
    holes = table.traits["length"].copy()
    holes[:50] = np.nan
    holed = replace(table, traits={"length": holes})

    quick = style_effects(analyse(table, replace(STYLED, rounds=0)), analyse(table, replace(PLAIN, rounds=0)))
    partly = style_effects(analyse(holed, STYLED), analyse(holed, PLAIN))

    assert "rounds" in str(quick.why)  # type: ignore[union-attr]
    assert "lack the traits" in str(partly.why)  # type: ignore[union-attr]
    # `diagnose` compares on the votes that have the traits.
    assert diagnose(holed, replace(STYLED, rounds=40)).style_effects.why is None  # type: ignore[union-attr]
    assert style_effects(analyse(table, PLAIN), analyse(table, PLAIN)) is None
