"""What a view may reach: the arena, the current release, the options. Put there once, by `create_app`."""

from __future__ import annotations

from typing import cast

from flask import Flask, current_app

from arena.errors import NoData, StoreUnavailable
from arena.service import Arena
from ratings.releases.release import Release
from ratings.releases.storage import Latest
from web.options import Options

_ARENA, _LATEST, _OPTIONS = "arena.service", "arena.latest", "arena.options"


def init_app(app: Flask, arena: Arena, latest: Latest, options: Options) -> None:
    app.extensions.update({_ARENA: arena, _LATEST: latest, _OPTIONS: options})


def arena() -> Arena:
    return cast(Arena, current_app.extensions[_ARENA])


def latest() -> Latest:
    return cast(Latest, current_app.extensions[_LATEST])


def options() -> Options:
    return cast(Options, current_app.extensions[_OPTIONS])


def release_if_reachable() -> Release | None:
    """The current release for pages that can do without it."""
    try:
        return latest().release()
    except StoreUnavailable:
        return None


def release() -> Release:
    """The current release: one whole, however often it is switched meanwhile. Raises `NoData` before the first."""
    found = latest().release()
    if found is None:
        raise NoData("no release yet")
    return found
