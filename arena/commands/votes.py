"""Commands about votes: bring files in, list and remove collections, write votes out."""

from __future__ import annotations

import time
from pathlib import Path

import click

from arena.archive import imports
from arena.archive.partitions import OWN
from arena.commands.context import CliContext, open_context, progress, say_problems
from arena.errors import BadInput
from arena.importers import FORMATS
from arena.importers.formats import registry
from arena.importers.rules import aliases as alias_files
from arena.importers.rules.tally import RowsRejected, Tally
from arena.settings import bounds
from arena.store import ledger


@click.command("import")
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--into",
    "--collection",
    "into",
    metavar="COLLECTION",
    help="Collection to add to; made from the file's name if not given.",
)
@click.option(
    "--format",
    "format_",
    default="auto",
    metavar="auto|NAME",
    help=f"Format of the files: {registry.known()}.",
)
@click.option("--aliases", metavar="FILE", help="CSV of old,new names of models to merge; can be taken back.")
@click.option("--skip-bad", is_flag=True, help="Leave rejected rows out instead of refusing the file.")
@click.option(
    "--outcomes",
    metavar="A=B,...",
    help="Other words for outcomes, such as left=model_a,right=model_b; by=name: winners are told by name; "
    "blank=none: an empty outcome is no vote; score=match: 4-1 is won by the first.",
)
@click.option(
    "--columns",
    metavar="A=B,...",
    help="Columns under other names, such as winner=verdict or importance=weight.",
)
@click.option("--dry-run", is_flag=True, help="Read and report; write nothing.")
def import_votes(
    files: tuple[str, ...],
    into: str | None,
    format_: str,
    aliases: str | None,
    skip_bad: bool,
    outcomes: str | None,
    columns: str | None,
    dry_run: bool,
) -> None:
    """Import vote files into a collection, all or nothing. The same file twice adds nothing."""
    if format_ != "auto" and format_ not in FORMATS:
        raise click.BadParameter(f"known: auto, {', '.join(sorted(FORMATS))}", param_hint="--format")
    wish = imports.Wish(
        files,
        into,
        format_,
        aliases,
        skip_bad,
        outcomes,
        columns,
    )
    if into == OWN:
        raise BadInput(f"the collection {OWN!r} holds this arena's own votes; import into another")
    try:
        with progress("reading") as told:
            found = imports.prepare(wish, at=time.time(), progress=told)
    except RowsRejected as error:
        tell_account(error.tally)
        raise
    tell_account(found.reading.tally)
    say_problems(found.reading.tally.rejected, found.reading.tally.rejected_count)
    if dry_run:
        click.echo(f"dry run: nothing is written; it would go into the collection {found.collection!r}")
        return
    with open_context() as context:
        kept = imports.keep(context.archive, found)
        if kept.added or _is_unrecorded(context, kept):
            context.record(
                "import",
                {"collection": kept.collection, "votes": kept.source.accepted, "source": kept.source.source},
            )
    where = f"the collection {kept.collection!r}"
    click.echo(f"added to {where}" if kept.added else f"{where} has these votes already: nothing is added")
    for line in _board_wanted(context.settings.boards, kept.collection):
        click.echo(line)


def _board_wanted(boards: Path, collection: str) -> list[str]:
    """How a collection that no board shows gets one; nothing for one that a board shows."""
    declared = bounds.read_toml(boards).get("board", [])
    if any(isinstance(board, dict) and board.get("collection") == collection for board in declared):
        return []
    name = collection.replace("_", "-")
    return [
        f"no board shows it yet; declare one in a file of yours that ARENA_BOARDS names (a copy of {boards}):",
        f'[[board]]\nname = "{name}"\ntitle = "{collection}"\ncollection = "{collection}"',
        "and run `python -m ratings refresh`",
    ]


def _is_unrecorded(context: CliContext, kept: imports.Imported) -> bool:
    """Was an earlier import of this file killed between archive and ledger?"""
    manifest = context.archive.manifest(kept.collection)
    if manifest is None or kept.source.source not in {one.source for one in manifest.sources}:
        return False
    told = False
    for entry in ledger.entries(context.store.ledger):
        if entry.data.get("collection") != kept.collection:
            continue
        if entry.kind == "remove":
            told = False
        elif entry.kind == "import":
            told = told or entry.data.get("source") == kept.source.source
    return not told


def tell_account(tally: Tally) -> None:
    """What became of every vote that was read."""
    for line in tally.lines():
        click.echo(line)


@click.group("collections")
def collections() -> None:
    """The collections of votes: list, remove, merge names."""


@collections.command("list")
def list_collections() -> None:
    """Every collection with its votes and models."""
    with open_context() as context:
        own = context.store.votes.count()
        click.echo(f"{OWN}: {own:,} votes cast here")
        for found in context.archive.collections():
            if found.name != OWN:
                files = ", ".join(file for source in found.sources for file in source.files)
                click.echo(f"{found.name}: {found.votes:,} votes, {found.models} models, from {files}")


@collections.command("remove")
@click.argument("name")
def remove_collection(name: str) -> None:
    """Remove an imported collection. Its boards are gone after the next refresh."""
    with open_context() as context:
        if not context.archive.remove(name):
            raise BadInput(f"there is no collection {name!r}")
        context.record("remove", {"collection": name})
    click.echo(f"removed the collection {name!r}")


@collections.command("merge")
@click.argument("name")
@click.argument("aliases", type=click.Path(path_type=Path), required=False)
def merge_names(name: str, aliases: Path | None) -> None:
    """Merge models of a collection by a file of old,new names; with no file, part them all again."""
    with open_context() as context:
        manifest = context.archive.manifest(name)
        if manifest is None or name == OWN:
            raise BadInput(f"there is no imported collection {name!r}")
        merged = alias_files.load(aliases, manifest.models) if aliases else {}
        context.archive.set_aliases(name, merged)
        context.record("merge", {"collection": name, "aliases": merged})
    click.echo(f"{len(merged)} names of {name!r} are read as others now")
