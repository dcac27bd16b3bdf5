"""Commands about records: write votes out, back everything up and bring it back, the ledger."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from arena.archive import backups, exports
from arena.archive.partitions import OWN
from arena.commands.context import CliContext, open_context
from arena.errors import BadInput
from arena.store import ledger

HOUR = 3600.0


@click.group("export")
def export() -> None:
    """Write votes or battles to a file."""


def _exporter(what: str, help_: str) -> click.Command:
    @click.command(name=what, help=help_)
    @click.option(
        "--format", "format_", type=click.Choice(sorted(exports.WRITERS)), default="csv", show_default=True
    )
    @click.option(
        "--out",
        type=click.Path(path_type=Path),
        help="File, written beside and renamed; else standard output.",
    )
    @click.option(
        "--collection",
        "--into",
        "collection",
        metavar="COLLECTION",
        default=OWN,
        show_default=True,
        help="Collection to write.",
    )
    @click.option(
        "--delay-hours",
        type=click.FloatRange(min=0),
        default=0.0,
        show_default=True,
        help="Leave out votes younger than this, as the public export does.",
    )
    @click.option("--with-private", is_flag=True, help="Votes on models that are not published as well.")
    @click.option(
        "--release",
        metavar="ID",
        help="The votes cast here that this release was made of: `rank` computes its snapshot from them.",
    )
    def command(
        format_: str,
        out: Path | None,
        collection: str,
        delay_hours: float,
        with_private: bool,
        release: str | None,
    ) -> None:
        if release is not None and (what != "votes" or collection != OWN or delay_hours):
            raise click.UsageError(
                "--release goes with `export votes`, without --collection and --delay-hours"
            )
        with open_context() as context:
            if release is not None:
                _write_release(context, release, format_, out, with_private)
                return
            if collection != OWN and context.archive.manifest(collection) is None:
                raise BadInput(f"there is no collection {collection!r}")
            with tempfile.TemporaryFile() as draft:
                rows = context.archive.write_votes(
                    context.store,
                    format_,
                    draft,
                    collection=collection,
                    what=what,
                    before=time.time() - HOUR * delay_hours if delay_hours else None,
                    with_private=with_private,
                    tell=lambda line: click.echo(line, err=True),
                )
                _hand_over(draft, out)
        click.echo(f"{rows:,} rows of the collection {collection!r}", err=True)

    return command  # fmt: skip


def _write_release(
    context: CliContext, release: str, format_: str, out: Path | None, with_private: bool
) -> None:
    with tempfile.TemporaryFile() as draft:
        rows = context.archive.write_release(
            context.release(release), format_, draft, with_private=with_private
        )
        _hand_over(draft, out)
    click.echo(f"{rows:,} rows of the release {release}", err=True)


def _hand_over(draft: IO[bytes], out: Path | None) -> None:
    draft.seek(0)
    if out is None:
        shutil.copyfileobj(draft, sys.stdout.buffer)
    else:
        backups.put(out, draft)


export.add_command(_exporter("votes", "Every vote, in the columns of the generic vote table and more."))
export.add_command(
    _exporter("battles", "Every vote with what is known of its battle: dwell, digests of the texts.")
)


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
def backup(path: Path) -> None:
    """Write store, archive, kept bank and secret to one file at PATH. Whoever has it can link voters: keep it safe."""
    if path.exists():
        raise BadInput(f"{path} exists already; a backup never replaces one")
    with open_context() as context:
        found = backups.write(context.store, context.archive.folder, context.settings, path)
    click.echo(f"{path}: {found.entries:,} entries of the store, {found.files:,} archived files")


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def restore(path: Path) -> None:
    """Bring a backup back into an empty arena, all or nothing."""
    with open_context() as context:
        found = backups.read(context.store, context.archive.folder, context.settings, path)
        context.archive.continue_stream_after(context.store)
        context.record("restore", {"entries": found.entries, "files": found.files})
    click.echo(f"restored {found.entries:,} entries of the store, {found.files:,} archived files")


@click.group("ledger")
def ledger_group() -> None:
    """What was done to models, votes and boards, in a chain of hashes."""


@ledger_group.command("show")
def show_ledger() -> None:
    """Every deed, oldest first."""
    with open_context() as context:
        for entry in ledger.entries(context.store.ledger):
            at = datetime.fromtimestamp(entry.at, UTC).isoformat(timespec="seconds")
            data = ", ".join(f"{key}={value}" for key, value in entry.data.items())
            click.echo(f"{at}  {entry.kind}  {data}  ({entry.by})  {entry.digest[:12]}")


@ledger_group.command("verify")
def verify_ledger() -> None:
    """Whether the chain is whole: nothing changed, missing, moved or added."""
    with open_context() as context:
        faults = ledger.faults(context.store.ledger)
        number = len(ledger.entries(context.store.ledger))
    if faults:
        raise BadInput("; ".join(faults))
    click.echo(f"{number:,} entries, the chain is whole")
