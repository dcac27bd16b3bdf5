"""Which two models meet: rules that weigh pairs, and the draw that records its own probability."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from arena.bank import shares
from arena.bank.shares import MOST, Pair, ShareBounds

Rule = Callable[[Sequence[int]], list[float]]

RULES: dict[str, Rule] = {}
NOBODY: Mapping[str, str | None] = {}
DEFAULT_RULE = "few-votes-first/2"


@dataclass(frozen=True)
class Draw:
    """A drawn pair, the probability with which this rule drew it, and the rule's name and version."""

    pair: Pair
    p: float
    rule: str


@dataclass(frozen=True)
class Chances:
    """The probability of every pair under one rule. They add up to 1, none is 0, and every share keeps its bound."""

    rule: str
    pairs: tuple[Pair, ...]
    p: tuple[float, ...]
    bounds: ShareBounds

    def draw(self, rng: random.Random) -> Draw:
        """One pair at random."""
        ends = list(accumulate(self.p))
        index = min(bisect_right(ends, rng.random() * ends[-1]), len(self.pairs) - 1)
        return Draw(self.pairs[index], self.p[index], self.rule)


def rule(name: str) -> Callable[[Rule], Rule]:
    """Register the decorated function: votes of each pair -> a positive weight for each.

    The name ends in a version: whoever changes the weights or how shares are bounded changes it, since it is kept
    with every vote. (Version 1 bounded no share.)
    """

    def register(function: Rule) -> Rule:
        if name in RULES:
            raise ValueError(f"sampling rule {name!r} is registered already")
        RULES[name] = function
        return function

    return register


@rule(DEFAULT_RULE)
def few_votes_first(votes: Sequence[int]) -> list[float]:
    """1 / (1 + votes): a newcomer's pairs come often, and no pair ever stops."""
    return [1.0 / (1.0 + count) for count in votes]


@rule("uniform/2")
def uniform(votes: Sequence[int]) -> list[float]:
    """Every pair alike."""
    return [1.0] * len(votes)


def chances(
    pairs: Sequence[Pair],
    votes: Mapping[Pair, int],
    name: str = DEFAULT_RULE,
    *,
    most: float = MOST,
    providers: Mapping[str, str | None] = NOBODY,
) -> Chances:
    """The probability of each of `pairs`, given the votes so far, after the bounds of `shares`.

    `providers`: model -> provider, whose newcomers together keep the bound of one model.
    """
    weights = np.array(RULES[name]([votes.get(pair, 0) for pair in pairs]))
    groups = shares.newcomers(pairs, votes, providers)
    p, bounds = shares.bounded(weights / weights.sum(), pairs, groups, most)
    return Chances(name, tuple(pairs), tuple(p.tolist()), bounds)
