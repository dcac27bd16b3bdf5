"""Bench commands on results: records, report, comparison, baselines, attempts, saturation and capability."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click
import numpy as np

from arena.errors import BadInput
from ratings.benchmarks.methods.attempts import mean_pass_at_k, mean_pass_hat_k, pass_at_k, pass_hat_k
from ratings.benchmarks.methods.baselines import baselines as baselines_of
from ratings.benchmarks.methods.grouping import taken
from ratings.benchmarks.methods.joint_bootstrap import joint_bootstrap
from ratings.benchmarks.reports import writing
from ratings.benchmarks.reports.comparison import compare as compare_pairs
from ratings.benchmarks.reports.report import report as make_report
from ratings.benchmarks.reports.score_line import grouped_interval
from ratings.benchmarks.reports.score_table import score_sheet
from ratings.benchmarks.results.assembly import records as records_of
from ratings.benchmarks.results.results import ItemResults
from ratings.commands import console
from ratings.commands.inputs import (
    as_option,
    emit,
    input_options,
    load,
    out_option,
    policy_options,
    read_files,
)
from ratings.commands.texts import read_findings
from ratings.tables import json_text, to_plain


@click.command()
@input_options
@out_option
def records(sources: tuple[str, ...], out: str | None, **options: Any) -> None:
    """Result files as neutral records, one JSON object a line; `reason` says what became of an attempt that is not ok."""
    reading = read_files(sources, **options)
    found = zip(records_of(reading.entries, options["benchmark"]), reading.entries, strict=True)
    lines = [
        json.dumps(
            {**record, "group": list(record["group"] or ()), "reason": entry.reason}, ensure_ascii=False
        )
        for record, entry in found
    ]
    console.write(("\n".join(lines) + "\n").encode("utf-8", "surrogatepass"), out)


@click.command()
@input_options
@policy_options
@click.option("--card", type=click.Path(), help="Benchmark card (TOML): ceiling, options, flaws.")
@click.option(
    "--published",
    type=click.Path(),
    help="Stated scores to check against the items: model and score, CSV or JSON.",
)
@click.option("--tries", type=click.IntRange(1), help="Configurations tried before these were reported.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seed of bootstraps and random halves.",
)
@click.option(
    "--patches",
    type=click.Path(),
    help="The models' diffs, JSON lines with an item, a patch and perhaps a model: audit findings become flags.",
)
@click.option(
    "--as",
    "as_",
    type=click.Choice(["markdown", "json", "html"]),
    default="markdown",
    show_default=True,
    help="Format of the report.",
)
@out_option
def report(
    sources: tuple[str, ...], errors: Any, level: float, tries: int | None, seed: int, patches: str | None, as_: str,
    out: str | None, **options: Any,
) -> None:  # fmt: skip
    """Scores with intervals, pairs with tests, items, stated scores checked: the whole report.

    Several benchmarks (or variants) come one after the other in markdown, as a list in JSON; html takes one.
    """
    loaded = load(sources, **options)
    findings = {} if patches is None else read_findings(patches)
    made = [
        make_report(
            results, card=loaded.card, claims=loaded.claims, origins=loaded.origins.get(name), figures=loaded.figures, account=loaded.account, findings=findings, errors=errors,
            level=level, tries=tries, seed=seed,
        )
        for name, results in loaded.results.items()
    ]  # fmt: skip
    if as_ == "html":
        if len(made) > 1:
            raise BadInput(
                f"a page shows one of {len(made)} benchmarks: {', '.join(loaded.results)}; choose by --variant or --benchmark"
            )
        text = writing.html(made[0])
    elif as_ == "json":
        objects = [found.to_object() for found in made]
        text = json_text(to_plain(objects[0] if len(objects) == 1 else objects)) + "\n"
    else:
        text = "\n".join(writing.markdown(found) for found in made)
    console.write(text.encode("utf-8", "replace"), out)


@click.command()
@input_options
@policy_options
@click.option("--pair", nargs=2, metavar="A B", help="Only these two models.")
@click.option("--bootstrap", type=click.IntRange(0), default=0, show_default=True,
              help="Rounds of the joint bootstrap: intervals of all pairs that hold together.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Its seed.")
@as_option
@out_option
def compare(
    sources: tuple[str, ...], errors: Any, level: float, pair: tuple[str, str] | None, bootstrap: int, seed: int, as_: str,
    out: str | None, **options: Any,
) -> None:  # fmt: skip
    """Every pair of models on common items: difference, interval, exact test, Holm over all pairs."""
    results = load(sources, **options).only
    if pair:
        results = results.take(pair)
    if len(results.models) < 2:
        raise BadInput("a comparison needs two models")
    found = asdict(compare_pairs(results, errors=errors, level=level))
    if bootstrap:
        together = {(row["a"], row["b"]): row for row in _together(results, errors, level, bootstrap, seed)}
        found["together"] = [together[line["a"], line["b"]] for line in found["lines"]]
    emit(found, as_, out)


def _together(
    results: ItemResults, errors: Any, level: float, rounds: int, seed: int
) -> list[dict[str, Any]]:
    how = taken(results)
    parts = {"clustered": "cluster", "stratified": "strata"}.get(how.dependence)
    by: dict[str, Any] = {} if parts is None else {parts: how.codes}
    joint = joint_bootstrap(
        results.means(errors), np.random.default_rng(seed), **by, rounds=rounds, level=level
    )
    columns = zip(
        joint.pairs.a, joint.pairs.b, joint.pairs.diff, joint.low, joint.high, joint.low_together, joint.high_together, joint.p_together,
        strict=True,
    )  # fmt: skip
    names = ("diff", "low", "high", "low_together", "high_together", "p_together")
    return [
        {"a": results.models[a], "b": results.models[b], **dict(zip(names, map(float, values), strict=True))}
        for a, b, *values in columns
    ]


@click.command()
@input_options
@click.option(
    "--null", "null_", metavar="MODEL", help="The agent that does nothing, where it has another name."
)
@click.option("--echo", metavar="MODEL", help="The agent that repeats the task.")
@click.option("--oracle", metavar="MODEL", help="The reference solutions.")
@as_option
@click.pass_context
def baselines(
    ctx: click.Context, /, sources: tuple[str, ...], null_: str | None, echo: str | None, oracle: str | None, as_: str, **options: Any
) -> None:  # fmt: skip
    """Do nothing, echo and oracle: PASS or FAIL. A FAIL is the benchmark's fault; the exit status is then 1."""
    results = load(sources, **options).only
    found = baselines_of(results, {"null": null_, "echo": echo, "oracle": oracle})
    emit([{**asdict(baseline), "dependence": results.dependence} for baseline in found], as_)
    if all(baseline.verdict == "not run" for baseline in found):
        raise BadInput("no baseline among the models; name it by --null, --echo or --oracle")
    ctx.exit(int(any(baseline.verdict == "FAIL" for baseline in found)))


@click.command("pass-k")
@input_options
@policy_options
@click.option(
    "-k",
    "ks",
    type=click.IntRange(1),
    multiple=True,
    help="How many attempts; may be repeated. All that the data allow when left out.",
)
@as_option
def pass_k(
    sources: tuple[str, ...], errors: Any, level: float, ks: tuple[int, ...], as_: str, **options: Any
) -> None:
    """pass@k (some of k attempts pass) and pass^k (all of k pass), unbiased, with intervals over tasks (or their clusters, or within their strata)."""
    results = load(sources, **options).only
    emit([row for model in results.models for row in _passing(results, model, errors, level, ks)], as_)


def _passing(
    results: ItemResults, model: str, errors: Any, level: float, ks: tuple[int, ...]
) -> list[dict[str, Any]]:
    scores = results.counted(errors)[results.row(model)]
    known = ~np.isnan(scores)
    if not np.isin(scores[known], (0, 1)).all():
        raise BadInput(f"{model}: pass@k needs passes and failures, and some scores are in between")
    tried, passed = known.sum(axis=1), np.nansum(scores, axis=1)
    tasks = [(int(n), int(c)) for n, c in zip(tried, passed, strict=True) if n]
    how = taken(results, tried > 0)
    most = min((n for n, _ in tasks), default=0)
    rows = []
    for k in ks or range(1, most + 1):
        if k > most:
            raise BadInput(f"{model}: some task has {most} attempts only; pass@{k} is undefined")
        some, every = mean_pass_at_k(tasks, k, level), mean_pass_hat_k(tasks, k, level)
        at, hat = (
            grouped_interval([estimate(n, c, k) for n, c in tasks], how, level) or (plain.low, plain.high)
            for estimate, plain in ((pass_at_k, some), (pass_hat_k, every))
        )
        rows.append({
            "model": model, "k": k, "tasks": some.tasks, "pass@k": some.value, "at_low": at[0], "at_high": at[1],
            "pass^k": every.value, "hat_low": hat[0], "hat_high": hat[1], "dependence": how.dependence, "dependence_why": how.why,
        })  # fmt: skip
    return rows


@click.command()
@input_options
@policy_options
@click.option("--card", type=click.Path(), help="Benchmark card (TOML): ceiling, options, people's score.")
@as_option
def saturation(sources: tuple[str, ...], errors: Any, level: float, as_: str, **options: Any) -> None:
    """Can the benchmark still tell the leaders apart, and can anyone still rise?"""
    loaded = load(sources, **options)
    rows = []
    for name, results in loaded.results.items():
        sheet = score_sheet(results, card=loaded.card, errors=errors, level=level)
        if sheet.saturation is None:
            raise BadInput(f"{name}: saturation needs scores from 0 to 1")
        rows.append(
            {
                "benchmark": name,
                **asdict(sheet.saturation),
                "ceiling_known": sheet.ceiling_known,
                "tied_by_paired_tests": sheet.tied_with_best,
                "dependence": sheet.dependence,
                "dependence_why": sheet.dependence_why,
            }
        )
    emit(rows, as_)
