"""Bench commands against cheating: leaked items, scores that fall after a cut-off, and suspicious diffs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import numpy as np

from arena.errors import BadInput
from ratings.benchmarks import contamination as leaks
from ratings.benchmarks.audit import audit as audit_diff
from ratings.benchmarks.cutoff import cutoff_report
from ratings.benchmarks.readers.sources import Source, refuse_whole
from ratings.benchmarks.readers.tables import text_rows
from ratings.commands_bench_inputs import as_option, emit, input_options, load

IDS = ("item", "item_id", "id", "task_id", "instance_id", "question_id", "prompt_id")
TEXTS = ("text", "question", "prompt", "problem", "problem_statement", "instruction", "input")
PATCHES = ("patch", "gold_patch")
MILLISECONDS = 1e11  # epoch numbers above it are milliseconds


@click.command()
@click.option(
    "--items",
    required=True,
    type=click.Path(),
    help="The benchmark's items: JSON, JSON lines or CSV with an id and a text.",
)
@click.option(
    "--corpus",
    multiple=True,
    type=click.Path(),
    help="Text to look in: files or folders of texts, or JSON lines with texts. May be repeated.",
)
@click.option(
    "--prompts",
    type=click.Path(),
    help="Battle prompts of an arena (a bank's JSON lines): which of them are benchmark items?",
)
@click.option("--text", "text_field", metavar="FIELD", help="Field that holds an item's text.")
@click.option("--patches", is_flag=True, help="Look for the items' gold patches as well.")
@click.option(
    "-n",
    "--n",
    "n",
    type=click.IntRange(1, 1000),
    default=leaks.WORDS,
    show_default=True,
    help="Words in a row that make a match.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    help="Share from which an item is flagged.  [default: 0.2 in a corpus, 0.5 in prompts]",
)
@click.option("--all", "show_all", is_flag=True, help="Show clean items too.")
@as_option
def contamination(
    items: str, corpus: tuple[str, ...], prompts: str | None, text_field: str | None, patches: bool, n: int, threshold: float | None,
    show_all: bool, as_: str,
) -> None:  # fmt: skip
    """How much of each item occurs word for word in a body of text, or among the prompts of an arena.

    It does not see a paraphrase or a translation: a clean report is no proof.
    """
    if not corpus and prompts is None:
        raise click.UsageError("name a --corpus, or --prompts of an arena")
    texts = read_texts(items, text_field)
    found: dict[str, Any] = {"items": len(texts), "n": n}
    if corpus:
        if patches:
            texts |= leaks.gold_patches(read_texts(items, None, PATCHES))
        index = leaks.Index([pair for path in corpus for pair in _documents(path)], n)
        rows = leaks.contamination_report(texts, index, threshold or leaks.THRESHOLD)
        found |= {
            flag: sum(row.flag == flag for row in rows) for flag in ("CONTAMINATED?", "clean", "too short")
        }
        found["rows"] = [
            {
                "item": row.item,
                "flag": row.flag,
                "fraction": row.fraction,
                "exact": row.exact,
                "sources": list(row.sources),
            }
            for row in rows
            if show_all or row.flag != "clean"
        ]
    if prompts is not None:
        hits = leaks.items_among_prompts(read_texts(prompts, None), texts, n, threshold or 0.5)
        found["prompts that are items"] = [
            {"prompt": hit.prompt, "item": hit.item, "fraction": hit.fraction, "how": hit.how} for hit in hits
        ]
    emit(found, as_)


def read_texts(path: str, field: str | None, fields: Sequence[str] = TEXTS) -> dict[str, str]:
    """id -> text of a file of records; a record without an id goes by its row."""
    source = Source(Path(path))
    rows = list(source.rows() if source.first else text_rows(source))
    found: dict[str, str] = {}
    for row, record in rows:
        if not isinstance(record, Mapping):
            raise refuse_whole(source, "not an object", row=row)
        names = [field] if field else fields
        text = next((record[name] for name in names if isinstance(record.get(name), str)), None)
        if text is None:
            raise refuse_whole(source, f"no text; known fields: {', '.join(names)} (--text)", row=row)
        key = next((str(record[name]) for name in IDS if record.get(name) not in (None, "")), f"row {row}")
        found.setdefault(key, text)
    if not found:
        raise refuse_whole(source, "no items in it")
    return found


def _documents(path: str) -> list[tuple[str, str]]:
    here = Path(path)
    if here.is_dir():
        return [pair for file in sorted(here.rglob("*")) if file.is_file() for pair in _documents(str(file))]
    source = Source(here)
    if source.first:
        return [(f"{here.name}:{key}", text) for key, text in _all_texts(source).items()]
    return [(here.name, source.text)]


def _all_texts(source: Source) -> dict[str, str]:
    rows = source.rows() if not isinstance(source.document, dict) else [(1, source.document)]
    return {
        str(row): " ".join(str(value) for value in record.values() if isinstance(value, str))
        for row, record in rows
        if isinstance(record, Mapping)
    }


@click.command()
@input_options
@click.option(
    "--dates", required=True, type=click.Path(), help="When each item appeared: columns item and date."
)
@click.option(
    "--cutoffs",
    required=True,
    type=click.Path(),
    help="When each model's training ended: columns model and date.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="1 - level is the size of the tests.",
)
@as_option
def cutoff(
    sources: tuple[str, ...], dates: str, cutoffs: str, level: float, as_: str, **options: Any
) -> None:
    """Which models do worse on items that appeared after their training ended, beyond what their peers do.

    A model is named (flagged) where its score falls more than that of the others, after Holm's correction.
    """
    results = load(sources, **options).only
    when = _dates(dates, ("item", *IDS))
    ends = {model: at for model, at in _dates(cutoffs, ("model", "name")).items() if model in results.models}
    if not ends:
        raise BadInput(f"{cutoffs}: names none of the models")
    known = [when.get(item, np.nan) for item in results.items]
    rows = cutoff_report(results.means("zero"), known, results.models, ends, level)
    emit({
        "items": len(results.items), "dated": int((~np.isnan(known)).sum()), "flagged": [row.model for row in rows if row.flagged],
        "models": [
            {"model": row.model, "cutoff": datetime.fromtimestamp(row.cutoff, UTC).date().isoformat(), "before": row.plain.before,
             "after": row.plain.after, "n_before": row.plain.n_before, "n_after": row.plain.n_after, "drop": row.plain.drop,
             "low": row.plain.low, "high": row.plain.high, "p": row.plain.p, "beyond_peers": row.beyond_peers.drop,
             "p_holm": row.p_holm, "flagged": row.flagged}
            for row in rows
        ],
    }, as_)  # fmt: skip


def _dates(path: str, keys: Sequence[str]) -> dict[str, float]:
    source = Source(Path(path))
    rows = source.rows() if source.first else text_rows(source)
    found: dict[str, float] = {}
    for row, record in rows:
        name = next((record[key] for key in keys if record.get(key) not in (None, "")), None)
        text = next(
            (
                record[key]
                for key in ("date", "released", "cutoff", "release_date")
                if record.get(key) not in (None, "")
            ),
            None,
        )
        if name is None or text is None:
            raise refuse_whole(source, f"needs the columns {keys[0]} and date", row=row)
        found[str(name)] = _instant(source, row, text)
    return found


def _instant(source: Source, row: int, value: Any) -> float:
    try:
        number = float(value)
        return number / 1000 if number > MILLISECONDS else number
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        raise refuse_whole(
            source, "not a date such as 2025-01-31", row=row, column="date", value=str(value)
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("--strict", is_flag=True, help="MED findings fail as well.")
@as_option
@click.pass_context
def audit(ctx: click.Context, /, files: tuple[str, ...], strict: bool, as_: str) -> None:
    """Look over unified diffs of agents' work: edited tests, skips, forced exits, patched graders.

    FILES are diffs (- for standard input), or JSON lines of items with a `patch`. The exit status is 1 when anything HIGH is found: a gate.
    """
    found = [
        {"item": item, "severity": finding.severity, "path": finding.path, "message": finding.message}
        for item, diff in _diffs(files).items()
        for finding in audit_diff(diff)
    ]
    emit(found, as_) if as_ == "json" else _print(found)
    severities = {row["severity"] for row in found}
    ctx.exit(int("HIGH" in severities or (strict and bool(found))))


def _print(found: Sequence[Mapping[str, str]]) -> None:
    for row in found:
        click.echo(f"{row['item']}: [{row['severity']}] {row['path']}: {row['message']}")
    click.echo(f"{len(found)} findings; a clean audit is no proof", err=True)


def _diffs(files: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in files:
        if file == "-":
            found["-"] = sys.stdin.read()
            continue
        source = Source(Path(file))
        if source.first:
            found |= read_texts(file, None, (*PATCHES, "model_patch", "diff"))
        else:
            found[file] = source.content.decode("utf-8", "replace")
    return found
