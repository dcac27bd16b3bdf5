"""`bench card`: the benchmark card and the questions that it leaves open."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.results.card import checklist, read_card, template
from ratings.commands import console
from ratings.commands.inputs import as_option, emit, out_option


@click.command()
@click.argument("file", type=click.Path(), required=False)
@click.option("--template", "name", metavar="NAME", help="Print an empty card for this benchmark instead.")
@as_option
@out_option
def card(file: str | None, name: str | None, as_: str, out: str | None) -> None:
    """Read a card (TOML) and print which of a careful reader's questions it leaves open."""
    if (file is None) == (name is None):
        raise click.UsageError("name a card, or --template NAME")
    if name is not None:
        console.write(template(name).encode(), out)
        return
    assert file is not None
    found = checklist(read_card(Source(Path(file)).text, file))
    if as_ == "json":
        emit(
            {
                "name": found.name,
                "missing": [answer.key for answer in found.missing],
                "answers": [asdict(answer) for answer in found.answers],
            },
            as_,
            out,
        )
    else:
        console.write(f"{found}\n".encode(), out)
