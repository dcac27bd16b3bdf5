"""`--columns A=B`: which columns of a file stand for which of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from arena.errors import BadInput, WrongUsage

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
