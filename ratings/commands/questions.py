"""Commands that answer questions about a board: compare, plan-votes, diagnose."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from arena.archive.archive import Archive
from arena.errors import BadInput, NoData
from arena.settings import settings
from arena.votes import VoteTable
from ratings.commands import console
from ratings.commands.files import file_options
from ratings.commands.options import PLAN_FIELDS, plan_of, plan_options, stack
from ratings.commands.rank import read_votes, refuse_unknown
from ratings.diagnostics import diagnosis, differences, sample_size
from ratings.leaderboard import Plan
from ratings.ranking.rank import analyse
from ratings.releases.boards import checked, read_boards
from ratings.reports import diagnosis_tables
from ratings.tables import Sheet, markdown, plain

TEST = "P is two-sided and belongs to the interval: below .05 just where the 95 % interval of the gap leaves out 0"
F = TypeVar("F", bound=Callable[..., Any])


def source_options(command: F) -> F:
    """Which votes are asked: files, or the collection of a declared board; how to rank them; how to write."""
    which = stack(
        click.option("--votes", "files", multiple=True, metavar="FILE", help="Vote files; may be repeated."),
        click.option(
            "--board",
            metavar="NAME",
            help="A declared board, ranked as declared but for the options given here; without --votes the first that has votes.",
        ),
    )
    how = stack(
        click.option("--as", "as_", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True,
                     help="Format of the answer."),
        click.option("--out", type=click.Path(), help="File to write, whole or not at all; else standard output."),
    )  # fmt: skip
    return which(file_options(plan_options(how(command))))


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
    show(gaps_sheet(found), [asdict(gap) for gap in found], as_, out)


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
    show(planning_sheet(found, simulated), answer, as_, out)


@click.command()
@source_options
def diagnose(as_: str, out: str | None, **options: Any) -> None:
    """Can I trust this board? Connectivity, position bias, fit on unseen votes, robustness of rank 1, tiers."""
    table, plan = votes_and_plan(options)
    with console.progress("ranking") as progress:
        found = diagnosis.diagnose(table, plan, progress=progress)
    show(diagnosis_tables.sheet(found), asdict(found), as_, out)


def votes_and_plan(options: dict[str, Any]) -> tuple[VoteTable, Plan]:
    """The votes asked, and the plan to rank them by: a board's own, but for the options that were given.

    Raises `NoData` where there are no votes.
    """
    files, board = options.pop("files"), options.pop("board")
    if files and board:
        raise click.UsageError("--votes or --board, not both")
    if files:
        table = read_votes(files, **options).table
        refuse_unknown(table, options)
        return table, plan_of(options)
    values = settings.load()
    archive = Archive.open(values)
    for declared in read_boards(values.boards):
        if board not in (None, declared.name):
            continue
        table = archive.read(declared.collection, declared.source)
        if len(table):
            console.say(f"board {declared.name}: {int(table.count.sum()):,} archived votes")
            refuse_unknown(table, _given(options))
            return table, checked(replace(declared.plan, **_given(options)))
        if board is not None:
            raise NoData(
                f"board {board} has no archived votes yet: `python -m ratings refresh` archives them"
            )
    if board is not None:
        raise BadInput(f"no board {board!r} is declared in {values.boards}")
    raise NoData("no board has votes: name files by --votes")


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a plan that were given: neither left to their default nor unknown to a plan."""
    source = click.get_current_context().get_parameter_source
    return {name: options[name] for name in PLAN_FIELDS if source(name) is not ParameterSource.DEFAULT}


def show(sheet: Sheet, answer: object, as_: str, out: str | None) -> None:
    """The answer in the form asked for."""
    if as_ == "json":
        text = json.dumps(answer, allow_nan=False, ensure_ascii=False, indent=1)
    else:
        text = markdown(sheet) if as_ == "markdown" else plain(sheet)
    console.write((text.rstrip("\n") + "\n").encode(), out)


def gaps_sheet(found: Sequence[differences.Gap]) -> Sheet:
    rows = [
        (
            f"{gap.a} − {gap.b}",
            number(gap.gap, "{:+.1f}"),
            interval(gap.low, gap.high, "{:+.1f}"),
            number(gap.win_probability, "{:.1%}"),
            interval(gap.win_low, gap.win_high, "{:.1%}"),
            number(gap.p, "{:.4f}"),
            number(gap.p_adjusted, "{:.4f}"),
            number(gap.effective_voters, "{:.0f}"),
            f"{gap.wins}–{gap.losses}–{gap.ties + gap.both_bad}",
            gap.why or "",
        )
        for gap in found
    ]
    columns = (
        "Pair", "Gap (Elo)", "95 % interval", "A wins", "95 % interval", "P", "P (Holm)", "Eff. voters",
        "Won–lost–tied", "Remark",
    )  # fmt: skip
    note = f"; Holm's correction is for the {len(rows)} pairs asked" if len(rows) > 1 else ""
    return Sheet("Comparison", ((columns, tuple(rows)),), (f"{TEST}{note}.",))


def planning_sheet(found: sample_size.VotePlan, simulated: float | None) -> Sheet:
    more = "not in practice" if found.more_votes is None else f"{found.more_votes:,}"
    rows = [
        (
            "Gap now (Elo)",
            f"{found.gap:+.1f} (se {found.se:.1f}, {found.effective_voters:.0f} effective voters)",
        ),
        ("Votes now", f"{found.votes_now:,} (power {found.power_now:.2f})"),
        (f"More votes for power {found.power:.2f} at alpha {found.alpha:.4g}", more),
    ]
    if simulated is not None:
        rows.append(("Power in simulated futures", f"{simulated:.2f}"))
    return Sheet(
        f"Votes to tell {found.a} and {found.b} apart",
        ((("Question", "Answer"), tuple(rows)),),
        (found.assumption,),
    )


def number(value: float | None, form: str) -> str:
    """`value` in `form`, a dash when it is not known."""
    return "–" if value is None else form.format(value)


def interval(low: float | None, high: float | None, form: str) -> str:
    return "–" if low is None or high is None else f"{form.format(low)} … {form.format(high)}"
