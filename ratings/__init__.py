"""Ratings: votes in, rankings with intervals out. Arrays at the heart; Redis only in `refresh`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ratings.api import rank

__all__ = ["rank"]


def __getattr__(name: str) -> Any:
    # `ratings.rank` loads scipy and the readers; the web process imports this package and must not.
    if name == "rank":
        return import_module("ratings.api").rank
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
