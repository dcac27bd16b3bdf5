"""What every command needs: the settings, an open store and archive, errors as lines, progress on a terminal."""

from __future__ import annotations

import getpass
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from arena.archive.archive import Archive
from arena.archive.folders import Folder
from arena.errors import ArenaError, BadInput, Busy, WrongUsage, told
from arena.settings import bounds, settings
from arena.settings.settings import Settings
from arena.store import embedded, ledger
from arena.store.store import Store

SHOWN_PROBLEMS = 20
RELEASE = "release.json"  # the manifest of a stored release
NAME = re.compile(r"[0-9A-Za-z-]{1,64}")  # of a release
PATIENT_SECONDS = 30.0  # an owner's command may wait for a large answer; a voter's request may not


@dataclass(frozen=True)
class CliContext:
    """What an owner works with."""

    settings: Settings
    store: Store
    archive: Archive

    def release(self, name: str) -> bytes | None:
        """The manifest of a stored release; None where there is none of that name."""
        if not NAME.fullmatch(name):
            return None
        releases = self.settings.shelf
        return (
            self.store.releases.get(name, RELEASE)
            if releases is None
            else Folder(releases).read(f"{name}/{RELEASE}")
        )

    def record(self, kind: str, data: Mapping[str, Any]) -> None:
        """Put a deed into the ledger."""
        ledger.record(self.store.ledger, kind, data, by=f"command ({_user()})", clock=time.time)


@contextmanager
def open_context() -> Iterator[CliContext]:
    """Settings, store and archive. The embedded store is started for as long as the command runs, unless it is up."""
    values = settings.load()
    with _embedded(values):
        store = Store.open(values.store_url, timeout_seconds=PATIENT_SECONDS)
        try:
            store.ping()
            yield CliContext(values, store, Archive.open(values))
        finally:
            store.close()


@contextmanager
def _embedded(values: Settings) -> Iterator[None]:
    if values.redis_url is not None or embedded.answers(embedded.socket_path(values.home)):
        yield
        return
    values.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        server = embedded.start(values.home, binary=embedded.server_binary(values.redis_server))
    except Busy:  # the service is starting it just now
        yield
        return
    try:
        yield
    finally:
        embedded.stop(server)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


class Commands(click.Group):
    """A group whose commands end in lines and exit code 1 when the input or the state is at fault."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            bounds.use(bounds.of_environment())
            return super().invoke(ctx)
        except ArenaError as error:
            tell(error)
            ctx.exit(2 if isinstance(error, WrongUsage) else 1)


def tell(error: ArenaError) -> None:
    """The error, and the first of its problems, one line each, on standard error."""
    say(f"error: {error}")
    if isinstance(error, BadInput):
        say_problems(error.problems, getattr(getattr(error, "tally", None), "rejected_count", None))


def say_problems(problems: Any, count: int | None = None) -> None:
    """The first problems, one line for each cause, then how many more there are."""
    number = len(problems) if count is None else max(count, len(problems))
    for line in told(problems, number, SHOWN_PROBLEMS):
        say(f"  {line}")


def say(line: str) -> None:
    """One line on standard error; what cannot be shown there is escaped."""
    click.echo(line.encode("utf-8", "backslashreplace").decode(), err=True)


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """A callable (done, total) that draws a bar on a terminal; None in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Progress(title, BarColumn(), DownloadColumn(), TimeRemainingColumn(), console=Console(stderr=True))
    with bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
