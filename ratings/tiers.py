"""Tiers: groups of neighbouring models that the votes cannot tell from the first of each. Values only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ratings.leaderboard import Standing


@dataclass(frozen=True)
class Tier:
    """Models whose intervals all reach that of the first of them."""

    tier: int
    models: tuple[str, ...]


def tiers(standings: Sequence[Standing]) -> tuple[Tier, ...]:
    """Ranked models in tiers, from the top: a tier ends where a model's upper bound is below its first's lower bound.

    Models of different components share no scale, so no tier either; the first component's tiers come first.
    """
    found: list[list[str]] = []
    floor, component = math.inf, None
    for row in sorted(standings, key=lambda row: row.component or 0):
        if row.rank is None or row.low is None or row.high is None:
            continue
        if not found or row.high < floor or row.component != component:
            found.append([])
            floor, component = row.low, row.component
        found[-1].append(row.model)
    return tuple(Tier(number, tuple(models)) for number, models in enumerate(found, 1))
