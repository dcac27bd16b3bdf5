"""Which two models meet: rules that weigh pairs, and the draw that records its own probability."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

Pair = tuple[str, str]  # two models in order of name
Rule = Callable[[Sequence[int]], list[float]]

RULES: dict[str, Rule] = {}
DEFAULT_RULE = "few-votes-first/1"


@dataclass(frozen=True)
class Draw:
    """A drawn pair, the probability with which this rule drew it, and the rule's name and version."""

    pair: Pair
    p: float
    rule: str


@dataclass(frozen=True)
class Chances:
    """The probability of every pair under one rule. They add up to 1 and none is 0."""

    rule: str
    pairs: tuple[Pair, ...]
    p: tuple[float, ...]

    def draw(self, rng: random.Random) -> Draw:
        """One pair at random."""
        ends = list(accumulate(self.p))
        index = min(bisect_right(ends, rng.random() * ends[-1]), len(self.pairs) - 1)
        return Draw(self.pairs[index], self.p[index], self.rule)


def rule(name: str) -> Callable[[Rule], Rule]:
    """Register the decorated function: votes of each pair -> a positive weight for each.

    The name ends in a version: whoever changes the weights changes it, since it is kept with every vote.
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


@rule("uniform/1")
def uniform(votes: Sequence[int]) -> list[float]:
    """Every pair alike."""
    return [1.0] * len(votes)


def chances(pairs: Sequence[Pair], votes: Mapping[Pair, int], name: str = DEFAULT_RULE) -> Chances:
    """The probability of each of `pairs`, given the votes so far."""
    weights = RULES[name]([votes.get(pair, 0) for pair in pairs])
    total = sum(weights)
    return Chances(name, tuple(pairs), tuple(weight / total for weight in weights))
