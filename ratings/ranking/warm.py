"""Compile every kernel ahead of use, once for all processes to come: `python -m ratings.ranking.warm`.

A few simulated votes are ranked in each way that has kernels of its own. What is compiled is kept on disk (see
`ratings.engine.compiled.compiling`), where the tests, the service and the commands find it.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np

from ratings.bradley_terry import simulate
from ratings.design.comparisons import LARGE
from ratings.engine import choice
from ratings.leaderboard import Plan
from ratings.ranking.rank import rank

VOTES = (2_000, LARGE + 20_000)  # few and many rows go different ways
VOTERS, MODELS = 70, 9
TRAITS = range(len(simulate.TRAITS) + 1)


def warm(traits: Collection[int] = TRAITS) -> None:
    """Compile what rankings with these numbers of traits need, as far as it has not been."""
    if choice.compiled() is None:
        return
    rng = np.random.default_rng(1)
    few, many = (simulate.votes(simulate.models(MODELS, rng), simulate.Crowd(n, VOTERS), rng) for n in VOTES)
    for count in traits:
        plan = Plan(rounds=32, style=simulate.TRAITS[:count])
        # A prior and Davidson ties take arrays that lie otherwise in memory.
        others = (replace(plan, prior="pairs"), replace(plan, ties="davidson")) if count <= 2 else ()
        for table, wanted in ((few, plan), (many, plan), *((few, other) for other in others)):
            rank(table, wanted, engine="compiled")
    _factor_a_weak_link()


def _factor_a_weak_link() -> None:
    """Information so uneven that its factors are taken in float64."""
    engine = choice.choose("compiled", 0, 0, 0)
    pair_a, pair_b, q = np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([[1.0], [1e-6]])
    for kind, count in ((np.float64, 0), (np.float32, 1)):
        engine.factor(pair_a, pair_b, q.astype(kind), np.zeros((1, 3, count)), np.ones((1, count, count)))


def main() -> None:
    """Do it unless it has been done with these sources by this Python."""
    if choice.compiled() is None:
        return
    from ratings.engine.compiled import compiling

    done = Path(compiling.cache_folder(), f"whole-{sys.implementation.cache_tag}-{compiling.processor()}")
    if not done.exists():
        print("arena: compiling kernels (once; about a minute)", file=sys.stderr, flush=True)
        warm()
        if done.parent.is_dir():
            done.touch()


if __name__ == "__main__":
    main()
