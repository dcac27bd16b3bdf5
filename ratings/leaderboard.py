"""A plan (what was asked) and a leaderboard (what came out): frozen, strict JSON both ways, no arithmetic."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

MIN_ROUNDS_PUBLISHED = 500  # below this the ends of a 95 % interval are too noisy to publish
METHOD_VERSION = "1"  # raise whenever the same votes and plan would give other numbers

Status = Literal["ranked", "preliminary", "separated", "unrated"]


@dataclass(frozen=True)
class Plan:
    """Everything that decides the numbers, besides the votes."""

    rounds: int = 1000  # bootstrap rounds; 0: the quick interval, est +- t(nu) se_CR3
    seed: int = 0
    cluster: Literal["voter", "none"] = "voter"
    ties: Literal["half", "drop", "davidson"] = "half"
    prior: Literal["none", "pairs"] = "none"
    anchor: tuple[str, float] | None = None  # (model, rating)
    style: tuple[str, ...] = ()  # names of traits
    side: bool = False  # fit a side (position) term
    category: str | None = None
    language: str | None = None
    since: float | None = None  # seconds UTC, inclusive
    until: float | None = None  # seconds UTC, exclusive
    reweight: bool = False  # weight votes by 1 / drawn_p
    min_votes: int = 30  # below: preliminary, and outside the reference mean


@dataclass(frozen=True)
class Standing:
    """One model's line. Numbers unrounded; None for what is not known."""

    model: str
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    rating: float | None
    low: float | None
    high: float | None
    se: float | None
    votes: int
    wins: int
    losses: int
    ties: int
    both_bad: int
    win_rate: float | None
    status: Status
    component: int | None
    effective_voters: float | None
    rating_without_style: float | None
    why: str | None
    p_best: float | None = None


@dataclass(frozen=True)
class Coefficient:
    """A style or side coefficient; value and bounds in log-odds (per RMS for style), `elo` its value in Elo.

    `nu` of Davidson ties stands among them as the ratio it is, P(tie) / sqrt(P(a wins) P(b wins)), with no Elo.
    """

    name: str
    component: int | None
    value: float | None
    elo: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Dropped:
    """A covariate that was asked for and left out, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Snapshot:
    """What a leaderboard was made of. Counts are of votes, not rows.

    votes_read = votes_used + sum(excluded) + rejected + duplicates + not_votes
    """

    id: str
    method_version: str
    seed: int
    plan: Plan
    votes_read: int
    votes_used: int
    rejected: int
    duplicates: int
    not_votes: int
    excluded: Mapping[str, int]
    models: int
    voters: int | None  # None: no vote names a voter, each is taken as its own
    components: int
    converged: bool
    iterations: int

    @property
    def voters_said(self) -> str:
        """How many voters, in words that stand after "votes": never a count of votes taken for one of people."""
        if self.voters is None:
            return "voters not known, each vote taken as its own"
        return f"{self.voters:,} voters"


@dataclass(frozen=True)
class PairRecord:
    """Votes between two models, as seen from `a`."""

    a: str
    b: str
    wins: int
    losses: int
    ties: int
    both_bad: int


@dataclass(frozen=True)
class Leaderboard:
    """A ranking with its settings. `models` are in display order; every model named in the input is there."""

    snapshot: Snapshot
    models: tuple[Standing, ...]
    coefficients: tuple[Coefficient, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    pairs: tuple[PairRecord, ...] = field(default=(), repr=False)

    def to_object(self) -> dict[str, Any]:
        """Plain data as `rank --as json` prints it (without the pair records)."""
        return {
            "snapshot": asdict(self.snapshot),
            "models": [asdict(row) for row in self.models],
            "coefficients": [asdict(row) for row in self.coefficients],
            "dropped": [asdict(row) for row in self.dropped],
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """Strict JSON: a NaN or an infinity anywhere raises `ValueError`."""
        return json.dumps(self.to_object(), allow_nan=False, ensure_ascii=False, indent=1)

    @classmethod
    def from_object(cls, value: Mapping[str, Any], pairs: Sequence[PairRecord] = ()) -> Leaderboard:
        """The leaderboard that `to_object` gave; `pairs` travel beside it."""
        return cls(
            snapshot=_snapshot(value["snapshot"]),
            models=tuple(Standing(**row) for row in value["models"]),
            coefficients=tuple(Coefficient(**row) for row in value["coefficients"]),
            dropped=tuple(Dropped(**row) for row in value["dropped"]),
            warnings=tuple(value["warnings"]),
            pairs=tuple(pairs),
        )


def _snapshot(value: Mapping[str, Any]) -> Snapshot:
    plan = {**value["plan"], "style": tuple(value["plan"]["style"])}
    if plan["anchor"] is not None:
        model, rating = plan["anchor"]
        plan["anchor"] = (model, rating)
    return Snapshot(**{**value, "plan": Plan(**plan)})


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
