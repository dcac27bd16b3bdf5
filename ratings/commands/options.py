"""Options that several commands share: which votes to read, under which plan to rank them, and how to write."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TypeVar

import click

from ratings import exports
from ratings.charts import palette
from ratings.leaderboard import Plan

F = TypeVar("F", bound=Callable[..., Any])
PLAN_FIELDS = tuple(field.name for field in fields(Plan))


class PairsType(click.ParamType[Mapping[str, str]]):
    """`A=B,C=D` as a mapping. The last `=` divides, so that a left side may hold one."""

    name = "A=B,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Mapping[str, str]:
        if not isinstance(value, str):
            return dict(value)
        pairs = [part.rpartition("=") for part in value.split(",")]
        for left, equals, right in pairs:
            if not (left and equals and right):
                self.fail(f"{value!r} is not of the form A=B,...", param, ctx)
        return {left.strip(): right.strip() for left, _, right in pairs}


class Anchor(click.ParamType[tuple[str, float]]):
    """`MODEL=RATING`. The last `=` divides: a model's name may hold one."""

    name = "MODEL=RATING"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        model, _, number = value.rpartition("=")
        try:
            rating = float(number)
        except ValueError:
            rating = math.nan
        if not model or not math.isfinite(rating):
            self.fail(f"{value!r} is not of the form MODEL=RATING", param, ctx)
        return model, rating


class NamesType(click.ParamType[tuple[str, ...]]):
    """`a,b,c` as a tuple; empty for none."""

    name = "NAME,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if not isinstance(value, str):
            return tuple(value)
        return tuple(name.strip() for name in value.split(",") if name.strip())


class Instant(click.ParamType[float]):
    """A date, a date and time (UTC unless it names a zone), or seconds since 1970."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return float(value)
        except ValueError:
            pass
        try:
            instant = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no time; write 2026-01-31, 2026-01-31T12:00:00Z or seconds", param, ctx)
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()


def stack(*options: Callable[[F], F]) -> Callable[[F], F]:
    """The options as one decorator, shown in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# How to rank them: under the names of `Plan`.
plan_options = stack(
    click.option("--rounds", type=click.IntRange(0), default=Plan.rounds, show_default=True,
                 help="Rounds of the voter bootstrap; 0: quick intervals without it."),
    click.option("--seed", type=click.IntRange(0), default=Plan.seed, show_default=True, help="Seed of the rounds."),
    click.option("--cluster", type=click.Choice(["voter", "none"]), default=Plan.cluster, show_default=True,
                 help="What is resampled as one: a voter, or (none) each vote."),
    click.option("--ties", type=click.Choice(["half", "drop", "davidson"]), default=Plan.ties, show_default=True,
                 help="Ties and both-bad as half a win each, left out, or modelled after Davidson."),
    click.option("--prior", type=click.Choice(["none", "pairs"]), default=Plan.prior, show_default=True,
                 help="pairs: half a win each way for every observed pair."),
    click.option("--anchor", type=Anchor(), help="Shift the scale so that MODEL has RATING."),
    click.option("--style", type=NamesType(), default=(), help="Traits to control for: length,headers,lists,bold."),
    click.option("--side", is_flag=True, help="Fit an effect of the side on which an answer stood."),
    click.option("--reweight", is_flag=True, help="Weight each vote by one over the probability of its draw."),
    click.option("--category", metavar="NAME", help="Only votes of this category."),
    click.option("--language", metavar="CODE", help="Only votes in this language."),
    click.option("--since", type=Instant(), help="Only votes at or after this time."),
    click.option("--until", type=Instant(), help="Only votes before this time."),
    click.option("--min-votes", type=click.IntRange(0), default=Plan.min_votes, show_default=True,
                 help="Models with fewer are preliminary and outside the reference mean."),
)  # fmt: skip

output_options = stack(
    click.option("--as", "as_", type=click.Choice([*exports.FORMATS, *palette.PICTURES]), default="table",
                 show_default=True, help="Format of the result; svg, png and pdf draw --chart."),
    click.option("--chart", type=click.Choice(palette.CHARTS), default="whiskers", show_default=True,
                 help="Which picture."),
    click.option("--out", type=click.Path(), help="File to write, whole or not at all; else standard output."),
)  # fmt: skip


def plan_of(options: Mapping[str, Any]) -> Plan:
    """The plan among the options of a command."""
    return Plan(**{name: options[name] for name in PLAN_FIELDS})
