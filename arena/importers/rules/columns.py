"""`A=B,C=D`, as --columns and --outcomes take it: our words beside those of a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from arena.errors import BadInput, WrongUsage
from arena.importers.rules.checks import OUR_OUTCOMES

# Where several names mean one thing, a mapped column takes the first and hides the others.
GROUPS = (
    ("battle_id", "vote_id", "question_id", "id"),
    ("prompt", "prompt_id"),
    ("tstamp", "timestamp", "at"),
    ("session_id", "judge", "worker", "voter"),
)
COUNTS = frozenset({"n", "num", "counts", "n_votes", "num_votes", "votes", "freq", "frequency"})
OURS = frozenset(
    [
        "model_a",
        "model_b",
        "winner",
        "category",
        "language",
        "count",
        "weight",
        "anony",
        "response_a",
        "response_b",
        "conversation_a",
        "conversation_b",
        "conv_metadata",
        "wins_a",
        "wins_b",
        "ties",
        "both_bad",
        "winner_name",
        "loser_name",
        "score_a",
    ]
).union(*GROUPS)

GivenPairs = Mapping[str, str] | str  # a mapping, or the text of one


def renamed(columns: Iterable[str], mapping: Mapping[str, str], file: str) -> dict[str, str]:
    """Column of the file -> name under which it is read. Of each A=B either side may be the file's."""
    names = {column: column for column in columns}
    for left, right in mapping.items():
        theirs, ours = _sides(left, right, names, file)
        group = next((group for group in GROUPS if ours in group), (ours,))
        for column, name in names.items():
            if name in group:
                names[column] = f"{column} (not used)"
        names[theirs] = group[0]
    return names


def looks_like(column: str) -> str | None:
    """Our name of a column that changes what a row counts, where the file seems to have it under another one."""
    words = set(re.split(r"[^a-z]+", column.casefold()))
    if not words.isdisjoint({"weight", "weights"}):
        return "weight"
    return "count" if column.casefold() in COUNTS else None


def _sides(left: str, right: str, names: Mapping[str, str], file: str) -> tuple[str, str]:
    possible = [(theirs, ours) for theirs, ours in ((left, right), (right, left)) if ours in OURS]
    if not possible:
        raise WrongUsage(f"--columns {left}={right}: one side must be one of {', '.join(sorted(OURS))}")
    for theirs, ours in possible:
        if theirs in names:
            return theirs, ours
    sought = " or ".join(theirs for theirs, _ in possible)
    raise BadInput(f"--columns {left}={right}: {file} has no column {sought}; it has {', '.join(names)}")


def rename_row(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A record under our names. A column met for the first time keeps its own."""
    return {names.get(column, column): value for column, value in values.items()}


def outcomes_mapping(given: GivenPairs | None) -> Mapping[str, str]:
    """The mapping of `--outcomes`; `WrongUsage` where it is none."""
    return pairs(given, OUR_OUTCOMES) if isinstance(given, str) else given or {}


def columns_mapping(given: GivenPairs | None) -> Mapping[str, str]:
    """The mapping of `--columns`; `WrongUsage` where it is none."""
    return pairs(given, OURS) if isinstance(given, str) else given or {}


def pairs(text: str, ours: Collection[str] = ()) -> dict[str, str]:
    """Left -> right of each pair. The `=` beside a word of `ours` divides, else the last: a file's word may hold one."""
    found: dict[str, str] = {}
    for part in text.split(","):
        left, right = _divided(part, ours)
        if not left or not right:
            raise WrongUsage(f"{part.strip()!r} is not of the form A=B")
        if found.get(left, right) != right:
            raise WrongUsage(f"{left!r} is given twice: {left}={found[left]} and {left}={right}")
        found[left] = right
    return found


def _divided(part: str, ours: Collection[str]) -> tuple[str, str]:
    cuts = [at for at, letter in enumerate(part) if letter == "="]
    sides = [(part[:at].strip(), part[at + 1 :].strip()) for at in reversed(cuts)] or [("", "")]
    whole = [each for each in sides if all(each) and (each[0] in ours or each[1] in ours)]
    return (whole or sides)[0]
