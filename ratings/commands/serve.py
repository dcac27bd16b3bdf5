"""`arena-ratings serve`: the whole service, as `./run` starts it."""

from __future__ import annotations

import os
import sys

import click


@click.command()
def serve() -> None:
    """Start the service: embedded store, example data on first start, web and worker. Ends on Ctrl-C.

    HOST, PORT and ARENA_HOME are honoured as by `./run`.
    """
    # The launcher is the arena's, which stands beside this package and not below it: its process takes the place of this one.
    os.execv(sys.executable, [sys.executable, "-m", "arena.launch"])
