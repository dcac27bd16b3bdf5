"""`A=B,C=D`, as --outcomes and --columns take it: our words beside those of a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from arena.errors import WrongUsage
from arena.importers.rules.checks import OUR_OUTCOMES
from arena.importers.rules.columns import OURS

Wording = Mapping[str, str] | str  # a mapping, or the text of one


def outcomes_mapping(given: Wording | None) -> Mapping[str, str]:
    """The mapping of `--outcomes`; `WrongUsage` where it is none."""
    return pairs(given, OUR_OUTCOMES) if isinstance(given, str) else given or {}


def columns_mapping(given: Wording | None) -> Mapping[str, str]:
    """The mapping of `--columns`; `WrongUsage` where it is none."""
    return pairs(given, OURS) if isinstance(given, str) else given or {}


def pairs(text: str, ours: Collection[str] = ()) -> dict[str, str]:
    """Left -> right of each pair. The `=` beside a word of `ours` divides, else the last: a file's word may hold one."""
    found: dict[str, str] = {}
    for part in text.split(","):
        left, right = _sides(part, ours)
        if not left or not right:
            raise WrongUsage(f"{part.strip()!r} is not of the form A=B")
        if found.get(left, right) != right:
            raise WrongUsage(f"{left!r} is given twice: {left}={found[left]} and {left}={right}")
        found[left] = right
    return found


def _sides(part: str, ours: Collection[str]) -> tuple[str, str]:
    cuts = [at for at, letter in enumerate(part) if letter == "="]
    sides = [(part[:at].strip(), part[at + 1 :].strip()) for at in reversed(cuts)] or [("", "")]
    whole = [each for each in sides if all(each) and (each[0] in ours or each[1] in ours)]
    return (whole or sides)[0]
