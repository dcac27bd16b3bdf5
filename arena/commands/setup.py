"""Commands about the whole: make what a first start needs, and check that nothing can be lost."""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from arena.archive import imports
from arena.bank.bank import check as check_answers
from arena.bank.catalogue import Catalogue
from arena.bank.roster import Roster
from arena.commands.context import CliContext, open_context, say
from arena.commands.models import keep_bank
from arena.errors import ArenaError, BadInput
from arena.settings.settings import ROOT, SECRET_FILE, Settings, ensure_secret, load, secret_key
from arena.store import ledger

DATA = ROOT / "data"
DEMO, DEMO_VOTES = "llmfao", DATA / "llmfao" / "votes.csv"
DEMO_BANK = DATA / "bank" / "bank.jsonl"
CLOCK_SECONDS = 30.0  # more between the clocks of store and service makes times of votes wrong


@click.command()
def setup() -> None:
    """Make what a first start needs: secret, example votes, example bank. Later starts find it done."""
    values = load()
    ensure_secret(values)
    with open_context() as context:
        for fault in context.store.admin.durability_faults():
            say(f"warning: the store may lose votes: {fault}")
        _look_at_bank(context.settings)
        context.archive.continue_stream_after(context.store)
        _bring_bank(context)
        _bring_votes(context)


def _look_at_bank(values: Settings) -> None:
    """Refuse to start on files that cannot be used: the pages would be empty, and private models would be named."""
    catalogue = Catalogue.of(values)
    for name, path in (("ARENA_BANK", values.bank), ("ARENA_MODELS", values.models)):
        if path is not None and not path.exists():
            raise BadInput(f"{name}={path}: there is no such file")
    roster = Roster.load(catalogue.roster_path) if catalogue.roster_path.exists() else Roster()
    if values.bank is None:
        return
    report = check_answers([values.bank], roster)
    if not report.servable:
        raise BadInput(
            f"ARENA_BANK={values.bank}: no prompt has usable answers of two models", report.problems
        )
    if report.problems:
        say(
            f"warning: {len(report.problems)} rows of ARENA_BANK={values.bank} are not shown, the first: "
            f"{report.problems[0]} (python -m arena bank check tells all)"
        )


def _bring_bank(context: CliContext) -> None:
    catalogue = Catalogue.of(context.settings)
    if context.settings.bank is None and not catalogue.bank().prompts and DEMO_BANK.exists():
        report = keep_bank(context, (DEMO_BANK,), None, add=False, skip_bad=False)
        click.echo(
            f"bank: {report.prompts} example prompts with answers of {len(report.models)} invented models"
        )


def _bring_votes(context: CliContext) -> None:
    """Import the example votes once: who removes them does not find them back after the next start."""
    if not context.settings.demo or context.archive.manifest(DEMO) is not None or not DEMO_VOTES.exists():
        return
    if any(
        entry.kind == "import" and entry.data.get("collection") == DEMO
        for entry in ledger.entries(context.store.ledger)
    ):
        return
    found = imports.keep(
        context.archive, imports.prepare(imports.Wish((str(DEMO_VOTES),), DEMO), at=time.time())
    )
    context.record(
        "import", {"collection": DEMO, "votes": found.source.accepted, "source": found.source.source}
    )
    click.echo(
        f"example votes: {found.source.accepted:,} in the collection {DEMO!r} (ARENA_DEMO=0 leaves them out)"
    )


@click.command()
def check() -> None:
    """Check store, secret, roster, bank, archive and ledger; exit code 1 and a line for each fault."""
    values = load()
    faults = 0
    for name, found in _checks(values):
        for fault in found:
            faults += 1
            click.echo(f"FAULT  {name}: {fault}")
        if not found:
            click.echo(f"ok     {name}")
    if faults:
        raise BadInput(f"{faults} faults")


def _checks(values: Settings) -> Iterator[tuple[str, list[str]]]:
    yield "secret", _faults(lambda: _secret_faults(values))
    yield "roster and bank", _faults(lambda: _bank_faults(values))
    try:
        with open_context() as context:
            yield "store keeps every vote", _faults(context.store.admin.durability_faults)
            yield "clock", _faults(lambda: _clock_faults(context))
            yield "archive", _faults(lambda: _archive_faults(context))
            yield "ledger", _faults(lambda: ledger.faults(context.store.ledger))
    except ArenaError as error:
        yield "store", [str(error)]


def _faults(look: Callable[[], list[str]]) -> list[str]:
    try:
        return look()
    except ArenaError as error:
        return [str(error)]


def _secret_faults(values: Settings) -> list[str]:
    secret_key(values)
    path: Path = values.home / SECRET_FILE
    if values.secret is None and stat.S_IMODE(path.stat().st_mode) & 0o077:
        return [f"{path} can be read by others: chmod 600 {path}"]
    return []


def _bank_faults(values: Settings) -> list[str]:
    catalogue = Catalogue.of(values)
    if not catalogue.bank_path.exists():
        return [f"no bank: python -m arena bank import FILE (looked at {catalogue.bank_path})"]
    report = check_answers([catalogue.bank_path], catalogue.roster())
    faults = [str(problem) for problem in report.problems]
    strangers = sorted(set(report.models) - set(catalogue.roster().by_name))
    faults += [f"model {name!r} is in the bank but not in {catalogue.roster_path}" for name in strangers]
    return faults if report.servable else [*faults, "no pair of answers can be shown"]


def _clock_faults(context: CliContext) -> list[str]:
    gap = context.store.admin.clock_gap_seconds(time.time())
    return [f"the store's clock is {gap:+.0f} s off ours"] if abs(gap) > CLOCK_SECONDS else []


def _archive_faults(context: CliContext) -> list[str]:
    faults = []
    for found in context.archive.collections():
        faults += context.archive.part_faults(found.name)
    return faults
