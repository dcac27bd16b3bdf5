"""Vote files: bytes in, VoteTable and import report out. Knows nothing of the store."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.importers.formats.registry import FORMATS, Format
    from arena.importers.reading import read
    from arena.importers.rules.tally import Reading, RowsRejected, Tally

# Loaded when asked for: whoever opens files by `arena.importers.files` alone needs no format.
_HOMES = {
    "FORMATS": "formats.registry",
    "Format": "formats.registry",
    "read": "reading",
    "Reading": "rules.tally",
    "RowsRejected": "rules.tally",
    "Tally": "rules.tally",
}

__all__ = ["FORMATS", "Format", "Reading", "RowsRejected", "Tally", "read"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
