"""`bench import`, `list`, `remove` and `formats`: the benchmarks that this arena keeps and shows."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arena.errors import BadInput
from ratings.benchmarks.library.claims import read_published
from ratings.benchmarks.library.store import Kept
from ratings.benchmarks.readers import FORMATS
from ratings.benchmarks.readers.sources import Source
from ratings.benchmarks.reports import drawing
from ratings.benchmarks.reports.report import report
from ratings.benchmarks.results.assembly import assemble, origins
from ratings.benchmarks.results.card import checklist, read_card, template
from ratings.commands import console
from ratings.commands.inputs import (
    as_option,
    emit,
    input_options,
    out_option,
    policy_options,
    read_files,
    shelf,
)

LARGEST_PAGE_PAIRS = 5_000  # pairs that a published report may hold


@click.command("import")
@input_options
@policy_options
@click.option("--card", type=click.Path(), help="Benchmark card (TOML).")
@click.option("--published", type=click.Path(), help="Stated scores to check: model and score, CSV or JSON.")
@click.option("--tries", type=click.IntRange(1), help="Configurations tried before these were reported.")
@as_option
def import_(
    sources: tuple[str, ...], card: str | None, published: str | None, tries: int | None, errors: Any, level: float, as_: str,
    **options: Any,
) -> None:  # fmt: skip
    """Keep result files under one name, and show them on the page /benchmarks.

    Files of more models or items add to what is there; the same files again change nothing. All or nothing: a fault leaves the
    benchmark as it was.
    """
    name = options["benchmark"]
    if not name or not name.strip():
        raise click.UsageError("name the benchmark by --benchmark NAME")
    options["variant"], variant = None, options["variant"]
    if variant is not None:
        raise click.UsageError("all variants are imported; --variant is for reports")
    reading = read_files(sources, **options)
    text = None if card is None else Source(Path(card)).text
    if text is not None:
        read_card(text, str(card))
    found = shelf()
    claims = () if published is None else read_published(published)
    kept = found.with_import(name, reading, at=time.time(), claims=claims, card=text)
    pages = pages_of(kept, errors=errors, level=level, tries=tries)
    changed = found.put(kept, pages)
    console.say(f"{name}: {'imported' if changed else 'nothing new'}")
    emit([_row(page) for page in pages.values()], as_)


def pages_of(kept: Kept, **settings: Any) -> dict[str, bytes]:
    """The report of each variant as the pages show it: no paths of this machine."""
    found = {}
    places = origins(kept.settled, kept.name) if kept.claims else {}
    for name, results in assemble(kept.settled, kept.name, kept.labels).items():
        made = report(
            results,
            card=kept.card,
            claims=kept.claims,
            origins=places.get(name),
            figures=kept.figures,
            **settings,
        ).to_object()
        if len(made["comparison"]["lines"]) > LARGEST_PAGE_PAIRS:
            raise BadInput(f"{name}: {len(results.models)} models make more pairs than a page can show")
        for check in made["checks"]:
            del check["source"]
        made["sheet"]["warnings"] = [
            _without_paths(line, results.sources) for line in made["sheet"]["warnings"]
        ]
        made["pictures"] = drawing.pictures(made)
        found[name] = json.dumps(made, allow_nan=False, ensure_ascii=False).encode()
    return found


def _without_paths(line: str, sources: tuple[str, ...]) -> str:
    for source in sorted(sources, key=len, reverse=True):
        line = line.replace(source, Path(source).name)
    return line


def _row(page: bytes) -> dict[str, Any]:
    sheet = json.loads(page)["sheet"]
    best = sheet["lines"][0] if sheet["lines"] else {"model": None, "score": None}
    return {
        "benchmark": sheet["benchmark"], "models": sheet["models"], "items": sheet["items"], "best": best["model"],
        "score": best["score"],
    }  # fmt: skip


@click.command("list")
@as_option
def list_(as_: str) -> None:
    """The imported benchmarks."""
    found = shelf()
    rows = []
    for name in found.names():
        kept = found.load(name)
        if kept is not None:
            models = {entry.model for entry in kept.entries}
            rows.append(
                {
                    "benchmark": name,
                    "models": len(models),
                    "attempts": len(kept.entries),
                    "imports": len(kept.imports),
                }
            )
    emit(rows, as_)


@click.command()
@click.argument("name")
def remove(name: str) -> None:
    """Take an imported benchmark away."""
    if not shelf().remove(name):
        raise BadInput(f"no imported benchmark {name!r}")
    console.say(f"{name}: removed")


@click.command()
@as_option
def formats(as_: str) -> None:
    """The formats that are read, in the order in which a file is tried."""
    emit([{"format": found.name, "what": found.about} for found in FORMATS.values()], as_)


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
