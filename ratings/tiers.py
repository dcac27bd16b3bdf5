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
    """Ranked models in tiers, from the top: a tier ends where a model's upper bound is below its first's lower bound."""
    found: list[list[str]] = []
    floor = math.inf
    for row in standings:
        if row.rank is None or row.low is None or row.high is None:
            continue
        if not found or row.high < floor:
            found.append([])
            floor = row.low
        found[-1].append(row.model)
    return tuple(Tier(number, tuple(models)) for number, models in enumerate(found, 1))
