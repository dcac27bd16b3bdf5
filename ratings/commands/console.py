"""What the commands of ratings say and write: lines on standard error, progress on a terminal, files whole or not at all."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.errors import ArenaError, BadInput, Busy, Problem, WrongUsage, told
from arena.settings import atomic

SHOWN_PROBLEMS = 20  # the first rejected rows; then a count
STANDARD_OUTPUT = "-"
BUSY = 5  # the exit status while another run is at it; 3 and 4 are those of `bench compare`

Progress = Callable[[int, int], None]


def say(line: str) -> None:
    """One line for the person; standard output is for results alone."""
    click.echo(line, err=True)


def say_error(error: ArenaError) -> None:
    """What is at fault, in one line each."""
    problems = getattr(error, "problems", ())
    # Some errors say their one problem already.
    if problems and not (len(problems) == 1 and str(problems[0]) in str(error)):
        say_problems(problems, getattr(getattr(error, "tally", None), "rejected_count", len(problems)))
    say(f"error: {error}")


def status_of(error: ArenaError) -> int:
    """The exit status that `error` ends a command with."""
    if isinstance(error, WrongUsage):
        return 2
    return BUSY if isinstance(error, Busy) else 1


def say_problems(problems: Sequence[Problem], count: int) -> None:
    """The first problems, a line for each cause, and how many more there are."""
    for line in told(problems, count, SHOWN_PROBLEMS):
        say(line)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Progress | None]:
    """A progress bar on standard error while it is a terminal; None in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def write(content: bytes, out: str | None, *, is_text: bool = True) -> None:
    """`content` to the file `out`, written beside it and renamed, or to standard output (None or `-`)."""
    if out is None or out == STANDARD_OUTPUT:
        _print(content, is_text=is_text)
        return
    try:
        _replace(Path(out), content)
    except OSError as error:
        raise BadInput(f"{out}: cannot be written: {error.strerror}") from None


def _print(content: bytes, *, is_text: bool) -> None:
    if not is_text and sys.stdout.isatty():
        raise click.UsageError("this format is not text: name a file by --out")
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except OSError as error:
        # Keep Python from trying, and failing, once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        has_seen_enough = isinstance(error, BrokenPipeError)  # the reader, as in `... | head`
        if not has_seen_enough:
            raise BadInput(f"standard output cannot be written: {error.strerror}") from None


def _replace(path: Path, content: bytes) -> None:
    if path.exists() and not path.is_file():  # such as /dev/stdout, or a folder, which says so itself
        path.write_bytes(content)
        return
    atomic.write(path, content)


class LazyGroup(click.Group):
    """`places`: name of a command -> "module:attribute"."""

    def __init__(self, *args: Any, places: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.places:
            return None
        module, _, attribute = self.places[name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command
