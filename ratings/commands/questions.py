"""Commands that answer questions about a board: compare, plan-votes, diagnose."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from ratings.commands import console
from ratings.commands.votes import show, source_options, votes_and_plan
from ratings.diagnostics import diagnosis, differences, sample_size
from ratings.ranking.rank import analyse
from ratings.reports import diagnosis_tables
from ratings.reports.comparison_tables import comparison_section, planning_section


@click.command()
@click.argument("models", nargs=-1, required=True)
@source_options
def compare(models: tuple[str, ...], as_: str, out: str | None, **options: Any) -> None:
    """Is A better than B? Gap, probability of a win and test, for every pair of the MODELS named."""
    if len(models) < 2:
        raise click.UsageError("name at least two models")
    table, plan = votes_and_plan(options)
    with console.progress("ranking") as progress:
        found = differences.compare(analyse(table, plan, progress=progress), models)
    show(comparison_section(found), [asdict(gap) for gap in found], as_, out)


@click.command("plan-votes")
@click.argument("models", nargs=-1)
@click.option(
    "--top", type=click.IntRange(1), help="Votes until the first K are settled, in place of two models."
)
@click.option(
    "--power",
    type=float,
    default=sample_size.POWER,
    show_default=True,
    help="Wanted probability of telling them apart, if the gap is as estimated.",
)
@click.option(
    "--alpha",
    type=float,
    default=sample_size.ALPHA,
    show_default=True,
    help="Probability of an error in the two-sided test.",
)
@click.option(
    "--check", type=click.IntRange(1), metavar="RUNS", help="Try the answer in RUNS simulated futures."
)
@source_options
def plan_votes(
    models: tuple[str, ...],
    top: int | None,
    power: float,
    alpha: float,
    check: int | None,
    as_: str,
    out: str | None,
    **options: Any,
) -> None:
    """How many more votes to tell MODELS A and B apart, at the present sampling and voters."""
    if (top is None) == (not models) or len(models) not in (0, 2):
        raise click.UsageError("name two models, or --top K")
    table, plan = votes_and_plan(options)
    analysis = analyse(table, plan)
    if top is None:
        found = sample_size.plan_votes(analysis, *models, power=power, alpha=alpha)
    else:
        found = sample_size.plan_top(analysis, top, power=power, alpha=alpha)
    simulated = None
    if check and found.factor is not None:
        simulated = sample_size.simulated_power(table, plan, found, runs=check, seed=plan.seed)
    answer = asdict(found) | {"simulated_power": simulated}
    show(planning_section(found, simulated), answer, as_, out)


@click.command()
@source_options
def diagnose(as_: str, out: str | None, **options: Any) -> None:
    """Can I trust this board? Connectivity, position bias, fit on unseen votes, robustness of rank 1, tiers."""
    table, plan = votes_and_plan(options)
    with console.progress("ranking") as progress:
        found = diagnosis.diagnose(table, plan, progress=progress)
    show(diagnosis_tables.section(found), asdict(found), as_, out)
