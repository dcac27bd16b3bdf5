"""Bench commands that need no results: planning, error budgets, ceilings, luck of the best, release policies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.errors import BadInput
from ratings.benchmarks.methods import budget as budgets
from ratings.benchmarks.methods import ceiling as ceilings
from ratings.benchmarks.methods import ladder as methods_ladder
from ratings.benchmarks.methods import planning, winners_curse
from ratings.benchmarks.readers.sources import Source
from ratings.commands.inputs import as_option, emit

SHARE = click.FloatRange(0, 1)


class OptionCount(click.ParamType[float]):
    """A number of options, or `open` for free answers."""

    name = "N|open"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if value == "open":
            return math.inf
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor open", param, ctx)


@click.command()
@click.option("--p", type=SHARE, default=0.5, show_default=True, help="Score around which the models are.")
@click.option(
    "--delta",
    type=click.FloatRange(0, 1, min_open=True),
    help="Gap to be found: how many items does it need?",
)
@click.option("-n", "--n", "n", type=click.IntRange(1), help="Items there are: which gap do they show?")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Size of the test.",
)
@click.option(
    "--power",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="Chance to find it.",
)
@click.option(
    "--corr",
    type=click.FloatRange(-1, 1),
    default=0.0,
    show_default=True,
    help="Correlation of the two models' item scores.",
)
@click.option(
    "--half-width", type=click.FloatRange(0, 1, min_open=True), help="Half width of one model's interval."
)
@as_option
def plan(
    p: float, delta: float | None, n: int | None, alpha: float, power: float, corr: float, half_width: float | None, as_: str
) -> None:  # fmt: skip
    """How many items a claim needs, and what gap a number of items can show."""
    found: dict[str, Any] = {}
    if delta is not None:
        found["two models on different items"] = planning.required_n(p, delta, alpha, power)
        found["two models on the same items"] = planning.required_n_paired(p, delta, alpha, power, corr)
        found["gap equal to the interval, no power"] = planning.required_n_resolve(p, delta, alpha=alpha)
    if half_width is not None:
        found["one score within the half width"] = planning.required_n_for_width(p, half_width)
    if n is not None:
        found["smallest gap shown"] = planning.detectable_gap(p, n, alpha, power)
        found["smallest gap shown, same items"] = planning.detectable_gap(p, n, alpha, power, corr)
        found["items for half the interval"] = planning.price_of_halving(n)
    if not found:
        raise click.UsageError("name a gap (--delta), a width (--half-width) or a number of items (-n)")
    emit(found, as_)


@click.command()
@click.option("--p", type=SHARE, required=True, help="Score.")
@click.option("-n", "--n", "n", type=click.IntRange(1), required=True, help="Items.")
@click.option("--bias", type=float, required=True, help="Total bias: validity and measurement, as a share.")
@as_option
def budget(p: float, n: int, bias: float, as_: str) -> None:
    """Where a score's error comes from, and from how many items on more of them stop helping."""
    found: dict[str, Any] = {"budget": budgets.error_budget(p, n, bias)}
    if bias:
        found["items from which bias outweighs noise"] = budgets.crossover_n(p * (1 - p), 0.0, 1, bias)
    emit(found, as_)


@click.command()
@click.option("--label-error", type=SHARE, help="Share of items with a wrong key.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="SHARE:MATCH",
    help="A kind of fault: its share of items, and how often a perfect model still matches such a key.",
)
@click.option(
    "--options",
    type=OptionCount(),
    default=math.inf,
    metavar="N|open",
    help="Answers to choose from.  [default: open]",
)
@click.option("--observed", type=SHARE, help="A score: which accuracy does it imply?")
@click.option("-n", "--n", "n", type=click.IntRange(1), help="Items behind it.")
@as_option
def ceiling(
    label_error: float | None, kinds: tuple[str, ...], options: float, observed: float | None, n: int | None, as_: str
) -> None:  # fmt: skip
    """What a perfect model would score where some keys are wrong, and what a score then means."""
    if (label_error is None) == (not kinds):
        raise click.UsageError("name the faults by --label-error, or kind by kind by --kind")
    if kinds:
        emit({"ceiling": ceilings.typed_ceiling(dict(_kind(text) for text in kinds))}, as_)
        return
    assert label_error is not None
    found = {
        "ceiling": ceilings.ceiling(label_error),
        "guessing": ceilings.guessing_floor(options),
        "share of a true gap that is left": ceilings.gap_factor(label_error, options),
    }
    if observed is not None:
        if n is None:
            raise click.UsageError("an observed score needs its items: -n")
        found["implied accuracy"] = ceilings.implied_accuracy(observed, label_error, options, n)
    emit(found, as_)


def _kind(text: str) -> tuple[str, tuple[float, float]]:
    try:
        share, match = (float(part) for part in text.split(":"))
    except ValueError:
        raise BadInput(f"{text!r} is not of the form SHARE:MATCH") from None
    return text, (share, match)


@click.command("best-of")
@click.option(
    "--tries", type=click.IntRange(1), required=True, help="Configurations tried, private ones too."
)
@click.option("-n", "--n", "n", type=click.IntRange(1), required=True, help="Items.")
@click.option("--observed", type=SHARE, required=True, help="The best score.")
@click.option(
    "--rho", type=SHARE, default=0.0, show_default=True, help="Correlation of two tries' errors over items."
)
@as_option
def best_of(tries: int, n: int, observed: float, rho: float, as_: str) -> None:
    """How much of the best of several tries is luck."""
    plain = winners_curse.debiased_best(observed, tries, n, rho)
    found = {
        "without its luck": plain,
        "luck": winners_curse.best_of_m_inflation(tries, n, plain, rho),
        "standard errors of luck": winners_curse.expected_max_normal(tries),
        "bound": winners_curse.max_normal_bound(tries),
    }
    emit(found, as_)


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--eta",
    type=click.FloatRange(0, min_open=True),
    help="Step of the Ladder; without it the file holds items and the parameter-free Ladder is run.",
)
@as_option
def ladder(file: str, eta: float | None, as_: str) -> None:
    """What a board under the Ladder shows for a series of submissions.

    FILE holds one score a line, in order; or, for the parameter-free Ladder, one submission a line as 0/1 per item, by commas.
    """
    rows = [
        _numbers(file, line, text)
        for line, text in enumerate(Source(Path(file)).text.splitlines(), start=1)
        if text.strip()
    ]
    if not rows:
        raise BadInput(f"{file}: empty")
    if eta is None:
        if len({len(row) for row in rows}) > 1:
            raise BadInput(f"{file}: submissions of different length")
        shown = methods_ladder.parameter_free_ladder(np.array(rows))
    else:
        if any(len(row) != 1 for row in rows):
            raise BadInput(f"{file}: more than one score on a line")
        shown = methods_ladder.ladder([row[0] for row in rows], eta)
    emit([{"submission": place, "shown": float(value)} for place, value in enumerate(shown, start=1)], as_)


def _numbers(file: str, line: int, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(f"{file}, line {line}: {text.strip()!r} is no number") from None
