"""The command `prompts`: the arena's own prompts as items, as a benchmark's items are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from ratings.commands.votes import show, source_options, votes_and_plan
from ratings.diagnostics.prompt_items import PromptItem, PromptReport, prompt_items
from ratings.refresh.answers import plain
from ratings.tables import Columns, Rows, Section, Table, count, interval, number, p_value, percent

SHOWN = 40  # prompts of the table; JSON has all
COLUMNS: Columns = (
    "Votes", "Voters", "Pairs", "Ties", "Disagree", "Better than a coin by", "Discrimination", "95 % interval", "Shrunk",
    "Correlation", "95 % interval", "P (BH)", "Verdict",
)  # fmt: skip
NOTES = (
    "Each prompt's votes are held against ratings made from the votes on other prompts (tenths of the prompts).",
    "Discrimination: 1 votes follow the ratings as they should, 0 not at all, negative against them; noise of the ratings lowers it a little.",
    "Shrunk: drawn to the mean of all prompts by its error. Verdict: separates or reversed with false discoveries below 10 %, else silent.",
    "Disagree: how often two votes on the same prompt and pair of models differ. Errors by the jackknife over voters.",
)  # fmt: skip


@click.command("prompts")
@source_options
def prompts_command(as_: str, out: str | None, **options: Any) -> None:
    """Which prompts separate models: votes, disagreement and discrimination of each prompt and category."""
    table, plan = votes_and_plan(options)
    found = prompt_items(table, plan)
    show(section(found), plain(asdict(found)), as_, out)


def section(found: PromptReport) -> Section:
    """The report for people."""
    told = {
        word: sum(item.verdict == word for item in found.prompts)
        for word in ("separates", "reversed", "silent")
    }
    summary = (
        ("Prompts with enough votes to ask", f"{found.tested:,} of {len(found.prompts):,}"),
        ("Separate models as the ratings do", f"{told['separates']:,}"),
        ("Go against the ratings", f"{told['reversed']:,}"),
        ("Silent", f"{told['silent']:,}, of them {found.silent_for_few_votes:,} for too few votes"),
        ("Spread of true discriminations (sd)", number(found.spread, 2)),
        ("Votes that other prompts cannot foretell", f"{found.unpredicted:,}"),
    )
    tables: list[Table] = [(("Question", "Answer"), summary)]
    if found.categories:
        tables.append((("Category", *COLUMNS), _rows(found.categories)))
    tables.append((("Prompt", *COLUMNS), _rows(found.prompts[:SHOWN])))
    left = len(found.prompts) - SHOWN
    more = (f"{left:,} more prompts in JSON.",) if left > 0 else ()
    return Section("Prompts as items", tuple(tables), (*NOTES, *more))


def _rows(items: Sequence[PromptItem]) -> Rows:
    return tuple(
        (
            item.name, count(item.votes), count(item.voters), count(item.pairs), percent(item.tie_share, 0),
            percent(item.disagreement, 0), number(item.gain, 3, sign=True), number(item.discrimination, 2),
            interval(item.low, item.high, 2), number(item.shrunk, 2), number(item.correlation, 2),
            interval(item.correlation_low, item.correlation_high, 2), p_value(item.p_adjusted),
            item.verdict if item.why is None else f"silent: {item.why}",
        )
        for item in items
    )  # fmt: skip
