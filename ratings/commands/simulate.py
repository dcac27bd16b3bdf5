"""`python -m ratings simulate`: votes drawn from a known truth, as a vote file that `rank` reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import click
import numpy as np

from arena.errors import BadInput
from arena.votes import Outcome, VoteTable
from ratings import scale
from ratings.bradley_terry import simulate
from ratings.commands import console
from ratings.scale import ELO

# The columns of `python -m arena export votes` that say something here.
COLUMNS = (
    "battle_id", "model_a", "model_b", "winner", "voter", "side_known", "excluded", "drawn_p", "weight", "traits",
)  # fmt: skip


@click.command("simulate")
@click.option("--models", type=click.IntRange(2), default=20, show_default=True, help="How many models.")
@click.option("--votes", type=click.IntRange(1), default=5000, show_default=True, help="How many votes.")
@click.option("--voters", type=click.IntRange(1), default=200, show_default=True, help="How many voters.")
@click.option(
    "--zipf",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="How uneven voters are: a voter's share falls as this power of its place.",
)
@click.option(
    "--spread",
    type=click.FloatRange(0),
    default=100.0,
    show_default=True,
    help="Standard deviation of the models' strengths, Elo.",
)
@click.option(
    "--taste",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Standard deviation of each voter's own view of each model, Elo.",
)
@click.option("--side", type=float, default=0.0, show_default=True, help="Advantage of the left answer, Elo.")
@click.option("--no-ties", is_flag=True, help="Only decisive votes; else about 37 % are ties.")
@click.option(
    "--style", is_flag=True, help="Answers have traits (length, headers, lists, bold) that sway the votes."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of all draws.")
@click.option(
    "--truth",
    "truth_out",
    type=click.Path(),
    help="CSV to write: each model's true rating, which `rank` estimates (with --style, given all four traits).",
)
@click.option("--out", type=click.Path(), help="File to write, whole or not at all; else standard output.")
def simulate_command(
    *,
    models: int,
    votes: int,
    voters: int,
    zipf: float,
    spread: float,
    taste: float,
    side: float,
    no_ties: bool,
    style: bool,
    seed: int,
    truth_out: str | None,
    out: str | None,
) -> None:
    """Draw votes from a known truth, as CSV: to plan a study, or to see whether `rank` finds what was put in."""
    if not np.isfinite([zipf, spread, taste, side]).all():
        raise BadInput("zipf, spread, taste and side must be finite numbers")
    rng = np.random.default_rng(seed)
    truth = replace(simulate.models(models, rng, spread_elo=spread), side=side / ELO, taste=taste / ELO)
    truth = truth if style else replace(truth, coef={}, habits={})
    truth = replace(truth, nu=0.0) if no_ties else truth
    crowd = simulate.Crowd(votes, voters, zipf=zipf)
    popularity = rng.permutation(simulate.power_law(models, crowd.popularity))
    table = simulate.votes(truth, crowd, rng, popularity=popularity)
    if truth_out is not None:
        console.write(_truth(table.models, truth, popularity), truth_out)
    console.write(_csv(COLUMNS, _rows(table)), out)


def _truth(names: Sequence[str], truth: simulate.Truth, popularity: scale.Floats) -> bytes:
    """The ratings that infinitely many votes would give, mean 1000, best first."""
    found = simulate.population(replace(truth, side=0.0), popularity)  # sides are drawn evenly
    even = np.full(len(names), 1.0 / len(names))
    ratings = scale.rating(found.theta, even)
    order = np.argsort(-ratings, kind="stable").tolist()
    return _csv(("model", "rating"), [(names[place], float(ratings[place])) for place in order])


def _rows(table: VoteTable) -> Iterable[tuple[object, ...]]:
    words = [outcome.word for outcome in Outcome]
    traits = {name: values.tolist() for name, values in table.traits.items()}
    columns = (table.a.tolist(), table.b.tolist(), table.outcome.tolist(), table.voter.tolist())
    for row, (a, b, outcome, voter) in enumerate(zip(*columns, strict=True)):
        measures = json.dumps({name: values[row] for name, values in traits.items()}) if traits else ""
        yield (
            f"b{row:07d}", table.models[a], table.models[b], words[outcome], table.voters[voter], "true", "", "", "",
            measures,
        )  # fmt: skip


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()
