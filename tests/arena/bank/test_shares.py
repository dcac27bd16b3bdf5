"""Bounds on the share of battles: kept whatever the votes, exactly what is stored, and raised only where they cannot hold."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from arena.bank.sampling import Chances, chances
from arena.bank.shares import bound

NAMES = tuple(f"m{number:02d}" for number in range(12))
PAIRS = tuple(combinations(NAMES, 2))
OLD = {pair: 1000 for pair in PAIRS if pair[1] < "m09"}  # m09, m10 and m11 have no vote yet


def share(drawn: Chances, *models: str) -> float:
    """Of battles with any of `models`."""
    return sum(p for pair, p in zip(drawn.pairs, drawn.p, strict=True) if set(models) & set(pair))


@pytest.mark.parametrize(("models", "most"), [(2, 1.0), (3, 2.5 / 3), (6, 2.5 / 6), (8, 1 / 3), (50, 1 / 3)])
def test_the_bound_is_a_third_or_a_quarter_above_the_even_share(models: int, most: float) -> None:
    assert bound(models) == pytest.approx(most)


def test_a_newcomer_is_in_a_third_of_battles_at_most() -> None:
    pairs = PAIRS[:]
    votes = {pair: 1000 for pair in pairs if "m11" not in pair}

    free, kept = chances(pairs, votes, most=1.0), chances(pairs, votes)

    assert share(free, "m11") > 0.99
    assert share(kept, "m11") == pytest.approx(1 / 3, abs=1e-6)
    assert kept.rule == "few-votes-first/2"


def test_newcomers_of_one_provider_share_one_bound() -> None:
    alone = chances(PAIRS, OLD)
    together = chances(PAIRS, OLD, providers={"m09": "new", "m10": "new", "m11": "new"})

    assert share(alone, "m09", "m10", "m11") > 0.7
    assert share(together, "m09", "m10", "m11") <= together.bounds.newcomers <= 1 / 3


def test_models_that_are_no_longer_new_leave_the_bound_of_their_provider() -> None:
    even = dict.fromkeys(PAIRS, 40)

    drawn = chances(PAIRS, even, providers=dict.fromkeys(NAMES, "all"))

    assert drawn.p == pytest.approx([1 / len(PAIRS)] * len(PAIRS))


@given(
    st.integers(3, 9),
    st.lists(st.integers(0, 10**6), min_size=36, max_size=36),
    st.lists(st.sampled_from(["x", "y", None]), min_size=9, max_size=9),
)
def test_bounds_hold_for_all_votes(models: int, counts: list[int], owners: list[str | None]) -> None:
    names = NAMES[:models]
    pairs = tuple(combinations(names, 2))
    votes = dict(zip(pairs, counts, strict=False))

    drawn = chances(pairs, votes, providers=dict(zip(names, owners, strict=False)))

    assert sum(drawn.p) == pytest.approx(1, abs=1e-9)
    assert min(drawn.p) > 0
    assert max(share(drawn, name) for name in names) <= drawn.bounds.model + 1e-12
    assert drawn.bounds.model == bound(models)


def test_pairs_keep_their_order_of_weights_among_models_below_the_bound() -> None:
    drawn = chances(PAIRS, {**dict.fromkeys(PAIRS, 100), ("m00", "m01"): 300})
    p = dict(zip(drawn.pairs, drawn.p, strict=True))

    assert p["m00", "m01"] / p["m02", "m03"] == pytest.approx(101 / 301)


def test_a_model_that_every_pair_needs_raises_the_bound() -> None:
    drawn = chances(tuple(("hub", name) for name in NAMES), {})

    assert drawn.bounds.model == 1.0
    assert share(drawn, "hub") == pytest.approx(1.0)


def test_pairs_come_as_often_as_the_bounded_probabilities_say() -> None:
    rng, asked = random.Random(7), chances(PAIRS, OLD, providers={"m09": "new", "m10": "new"})
    drawn = [asked.draw(rng) for _ in range(60_000)]

    counts = Counter(draw.pair for draw in drawn)
    stated = dict(zip(asked.pairs, asked.p, strict=True))
    assert all(draw.p == stated[draw.pair] for draw in drawn)
    assert chisquare([counts[pair] for pair in PAIRS], [60_000 * p for p in asked.p]).pvalue > 0.001
