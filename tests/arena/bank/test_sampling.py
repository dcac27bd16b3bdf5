"""The draw of pairs: probabilities that add up, that are recorded, and that the draws follow."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from scipy.stats import chisquare

from arena.bank.sampling import RULES, chances
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import MODELS, make_arena
from tests.conftest import FixedClock

PAIRS = tuple(combinations(("heron", "lark", "osprey", "wren"), 2))
VOTES = {PAIRS[0]: 9, PAIRS[1]: 1, PAIRS[2]: 4}


def test_a_pair_weighs_one_over_one_plus_its_votes() -> None:
    drawn = chances(PAIRS, VOTES, most=1.0)

    # Weights 1/10, 1/2, 1/5, 1, 1, 1: 3.8 in all.
    assert drawn.p == pytest.approx([0.1 / 3.8, 0.5 / 3.8, 0.2 / 3.8, *[1 / 3.8] * 3])


@pytest.mark.parametrize("rule", RULES)
def test_probabilities_add_up_and_none_is_zero(rule: str) -> None:
    drawn = chances(PAIRS, dict.fromkeys(PAIRS[:3], 10**9), rule)

    assert sum(drawn.p) == pytest.approx(1)
    assert min(drawn.p) > 0


def test_draws_come_as_often_as_they_say() -> None:
    rng, asked = random.Random(7), chances(PAIRS, VOTES)
    drawn = [asked.draw(rng) for _ in range(20_000)]

    counts = Counter(draw.pair for draw in drawn)
    assert all(draw.p == asked.p[PAIRS.index(draw.pair)] for draw in drawn[:100])
    assert chisquare([counts[pair] for pair in PAIRS], [20_000 * p for p in asked.p]).pvalue > 0.001


def test_a_vote_keeps_the_probability_and_rule_of_its_draw(store: Store, clock: FixedClock) -> None:
    arena = make_arena(store, clock=clock)
    view = arena.open_battle("u1")
    arena.cast_vote(view.battle_id, "u1", Outcome.A)

    ((_, vote),) = store.votes.read()

    assert vote.drawn_p == pytest.approx(1 / len(list(combinations(MODELS, 2))))
    assert vote.rule == "few-votes-first/2"
