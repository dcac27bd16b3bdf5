"""A group of commands that are loaded only when they are called: a table of names and places."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


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
