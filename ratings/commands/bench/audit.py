"""`bench audit`: a gate over the diffs of coding agents."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ratings.benchmarks.audit.rules import audit as audit_diff
from ratings.benchmarks.readers.sources import Source
from ratings.commands.inputs import as_option, emit
from ratings.commands.texts import FIELDS, checked_diff, read_texts


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
        for finding in audit_diff(checked_diff(item, diff))
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
            found |= read_texts(file, None, FIELDS)
        else:
            found[file] = source.content.decode("utf-8", "replace")
    return found
