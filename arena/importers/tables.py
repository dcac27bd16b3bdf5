"""Generic vote tables (DESIGN.md, section 4): `model_a`, `model_b`, `winner`, and what else is there."""

from __future__ import annotations

from collections.abc import Iterator

from arena.importers.battle_rows import GENERIC, battle
from arena.importers.checks import Checks
from arena.importers.formats import reader
from arena.importers.rows import Row
from arena.votes import Vote


@reader("generic", "a table with model_a, model_b, winner", ("model_a", "model_b", "winner"), layout=GENERIC)
def generic(row: Row, checks: Checks) -> Iterator[Vote]:
    """Outcome words of the closed set and of `--outcomes`; an empty one is rejected."""
    yield battle(row, checks, GENERIC)
