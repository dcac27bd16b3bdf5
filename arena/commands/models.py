"""Commands about models and the bank: who takes part, and what they answered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from arena.bank import writer
from arena.bank.bank import BankReport, check
from arena.bank.catalogue import Catalogue
from arena.bank.roster import ModelInfo, Roster, slug_of
from arena.commands.context import CliContext, open_context, say, say_problems
from arena.errors import BadInput
from arena.importers.values.confusables import lookalikes
from arena.settings.settings import ROOT, load

SHOWN_NAMES = 8
EXAMPLE, ROSTER = ROOT / "data" / "bank" / "bank.jsonl", "models.toml"
RENDER_AHEAD = (
    sys.executable,
    "-m",
    "web.warming",
)  # a process of its own: this package does not know the web


@click.group()
def models() -> None:
    """The roster: who takes part in battles."""


@models.command("list")
def list_models() -> None:
    """Every declared model: name, status, provider, licence."""
    catalogue = Catalogue.of(load())
    answers = catalogue.bank().models
    for model in catalogue.roster():
        facts = [model.status, model.provider or "provider unknown", model.licence or "licence unknown"]
        facts += [f"variant of {model.variant_of}"] if model.variant_of else []
        facts += [] if model.name in answers else ["no answers in the bank"]
        click.echo(f"{model.name}: {', '.join(facts)}")


@models.command("add")
@click.argument("name")
@click.option("--slug", help="Its part of an address; made from the name if not given.")
@click.option("--provider", help="Who makes it.")
@click.option("--licence", help="SPDX name or words.")
@click.option("--alias", "aliases", multiple=True, help="Another name of it; may be given several times.")
@click.option("--variant-of", help="The model that it is a variant of.")
@click.option("--private", is_flag=True, help="In battles, but named nowhere until `models publish`.")
def add_model(
    name: str,
    slug: str | None,
    provider: str | None,
    licence: str | None,
    aliases: tuple[str, ...],
    variant_of: str | None,
    private: bool,
) -> None:
    """Declare a model. Its answers come with `bank import`."""
    with open_context() as context:
        roster, path = _roster(context)
        if name in roster.by_name:
            raise BadInput(f"the roster has a model {name!r} already")
        free = slug or writer.free_slug(slug_of(name), roster.by_slug)
        model = ModelInfo(
            name, free, provider, licence, "private" if private else "active", aliases, variant_of
        )
        writer.write_roster(path, Roster((*roster, model)))
        # A private model stays unnamed here too, but that its provider has one more is on record.
        shown = {"provider": provider} if private else {"model": name, "provider": provider}
        context.record("model_private" if private else "model_add", shown)
    click.echo(f"added {name!r} as {model.status}")


@models.command("retire")
@click.argument("name")
def retire_model(name: str) -> None:
    """Take a model out of new battles. Its votes, and its place in every fit, stay."""
    _set_status(name, "retired", "model_retire")


@models.command("publish")
@click.argument("name")
def publish_model(name: str) -> None:
    """Name a private model from now on, and let all its votes count from the next refresh; or bring back a retired one."""
    _set_status(name, "active", "model_publish")


def _set_status(name: str, status: str, kind: str) -> None:
    with open_context() as context:
        roster, path = _roster(context)
        before = roster.get(name)
        if before is not None and before.status == "private" and status == "retired":
            raise BadInput(
                f"{name!r} is private: publish it first, so that its votes are not dropped in silence"
            )
        writer.write_roster(path, writer.changed(roster, name, status=status))
        context.record(kind, {"model": name, "before": before.status if before else None})
    click.echo(f"{name!r} is {status} now")


def _roster(context: CliContext) -> tuple[Roster, Path]:
    path = Catalogue.of(context.settings).roster_path
    return (Roster.load(path) if path.exists() else Roster()), path


@click.group()
def bank() -> None:
    """The bank: prompts and answers to vote on."""


@bank.command("check")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--models",
    "roster_file",
    type=click.Path(path_type=Path),
    help="Roster to check with; else `models.toml` beside the files with the one in use.",
)
@click.option("--no-error-patterns", is_flag=True, help="Do not look for error texts of providers.")
def check_bank(files: tuple[Path, ...], roster_file: Path | None, no_error_patterns: bool) -> None:
    """Check a bank, by default the one in use; exit code 1 if any row cannot be shown."""
    catalogue = Catalogue.of(load())
    roster = _roster_for(files, roster_file, catalogue)
    report = check(files or [catalogue.bank_path], roster, error_patterns=not no_error_patterns)
    _print(report)
    if report.strangers:
        say(
            f"note: {_listed(report.strangers)} not in the roster yet; `python -m arena bank import` adds them "
            "(or `python -m arena models add NAME`, with provider and licence)"
        )
    if report.problems:
        raise BadInput(f"{len(report.problems)} rows cannot be shown", report.problems)


@bank.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--models",
    "roster_file",
    type=click.Path(path_type=Path),
    help="Roster of these answers; else `models.toml` beside them, else the one in use.",
)
@click.option("--add", is_flag=True, help="Add to the bank in use instead of replacing it.")
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be shown.")
@click.option("--no-error-patterns", is_flag=True, help="Do not look for error texts of providers.")
def import_bank(
    files: tuple[Path, ...], roster_file: Path | None, add: bool, skip_bad: bool, no_error_patterns: bool
) -> None:
    """Check a bank and serve it from now on. A running service sees it within seconds; open battles keep their texts."""
    with open_context() as context:
        if context.settings.bank is not None:
            raise BadInput(f"ARENA_BANK names {context.settings.bank}: change that file, or unset it")
        before = Catalogue.of(context.settings).bank().models
        report = keep_bank(
            context, files, roster_file, add=add, skip_bad=skip_bad, error_patterns=not no_error_patterns
        )
    _print(report)
    if report.strangers:
        path = Catalogue.of(context.settings).roster_path
        click.echo(
            f"added to the roster: {_listed(report.strangers)}; their provider and licence can be written in {path}"
        )
    _tell_replaced(before, Catalogue.of(load()))
    say_problems(report.problems)
    subprocess.run(RENDER_AHEAD, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)


def _tell_replaced(before: tuple[str, ...], catalogue: Catalogue) -> None:
    """Whose answers the new bank took out, and how they come back."""
    gone = tuple(sorted(set(before) - set(catalogue.bank().models)))
    if not gone:
        return
    example = set(Roster.load(EXAMPLE.parent / ROSTER).by_name) if EXAMPLE.exists() else set()
    old = "data/bank/bank.jsonl" if set(gone) <= example else str(catalogue.bank_path / writer.BEFORE)
    models = (
        "" if set(gone) <= example else ", then `python -m arena models publish NAME` for those with votes"
    )
    click.echo(
        f"no longer in battles: {_listed(gone)} of the bank before; their votes stay. "
        f"Back beside the new answers: `python -m arena bank import --add {old}`{models}"
    )


def keep_bank(
    context: CliContext,
    files: tuple[Path, ...],
    roster_file: Path | None,
    *,
    add: bool,
    skip_bad: bool,
    error_patterns: bool = True,
) -> BankReport:
    """Check these files and put them in place."""
    catalogue = Catalogue.of(context.settings)
    kept = Roster.load(catalogue.roster_path) if catalogue.roster_path.exists() else Roster()
    declared = _declared(files, roster_file)
    sources = [catalogue.bank_path, *files] if add and catalogue.bank_path.exists() else list(files)
    roster = writer.joined(declared, kept)
    found, report = writer.load(sources, roster, skip_bad=skip_bad, error_patterns=error_patterns)
    voted = {name for pair in context.store.votes.pair_counts() for name in pair}
    roster = writer.settled(roster, declared, found.models, voted)
    writer.write_roster(catalogue.roster_path, roster)
    writer.write_bank(catalogue.bank_path, found)
    context.record(
        "bank", {"prompts": len(found.prompts), "answers": report.answers, "models": len(found.models)}
    )
    return report


def _declared(files: tuple[Path, ...], named: Path | None) -> Roster:
    """The roster that comes with these files."""
    beside = (files[0] if files[0].is_dir() else files[0].parent) / "models.toml"
    chosen = named or (beside if beside.exists() else None)
    return Roster.load(chosen) if chosen else Roster()


def _roster_for(files: tuple[Path, ...], named: Path | None, catalogue: Catalogue) -> Roster:
    """What a bank is checked with: as an import of these files would take it."""
    if named is not None:
        return Roster.load(named)
    return writer.joined(_declared(files, None), catalogue.roster()) if files else catalogue.roster()


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - SHOWN_NAMES
    return ", ".join(names[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")


def _print(report: BankReport) -> None:
    click.echo(
        f"{report.prompts} prompts, {len(report.models)} models, {report.answers} answers that can be shown, "
        f"{len(report.servable)} pairs of answers"
    )
    for warning in (*report.warnings, *lookalikes(report.models)):
        say(f"warning: {warning}")
