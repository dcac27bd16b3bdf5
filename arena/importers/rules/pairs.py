"""Tables of two named sides: which columns hold the sides, by how their names mirror each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

Pair = tuple[str, str]

# `player1, player2`; `team_a, team_b`; `home.team, away.team`. The first of each is side a.
ENDINGS = re.compile(r"(.+?)([._ ]?)(1|a|x)")
STARTS = re.compile(r"(home|left|white)([._ ])(.+)")
PARTNER = {"1": "2", "a": "b", "x": "y", "home": "away", "left": "right", "white": "black"}
WINS = frozenset({"win", "wins", "won", "victories"})
TIES = ("ties", "tie", "tied", "draws", "draw")
BOTH_BAD = ("both_bad", "bothbad")
FIXED = (("visitor", "opponent"), ("white", "black"), ("White", "Black"), ("home", "away"), ("left", "right"))
VOTERS = (
    "voter",
    "judge",
    "worker",
    "session_id",
    "annotator",
    "rater",
    "student",
    "subject",
    "user_id",
    "user",
)


def mirrored(columns: Collection[str]) -> list[tuple[str, Pair]]:
    """(what, (column of a, column of b)) for all columns that come in pairs."""
    found = []
    for column in columns:
        ending, start = ENDINGS.fullmatch(column), STARTS.fullmatch(column)
        if ending:
            what, between, side = ending.groups()
            partner = f"{what}{between}{PARTNER[side]}"
        elif start:
            side, between, what = start.groups()
            partner = f"{PARTNER[side]}{between}{what}"
        else:
            continue
        if partner in columns:
            found.append((what, (column, partner)))
    return found


def wins(columns: Collection[str]) -> Pair | None:
    """The columns that count the wins of both sides."""
    found = [pair for what, pair in mirrored(columns) if what in WINS]
    return found[0] if len(found) == 1 else None


def sides(columns: Sequence[str]) -> Pair | None:
    """The columns that name both sides: a fixed pair, or the first pair that counts nothing."""
    fixed = [pair for pair in FIXED if set(pair) <= set(columns)]
    named = [pair for what, pair in mirrored(columns) if what in ("model", "player", "team", "item", "name")]
    other = [pair for what, pair in mirrored(columns) if what not in WINS]
    return next(iter([*named, *fixed, *other]), None)


def first_of(names: Sequence[str], columns: Collection[str]) -> str | None:
    return next((name for name in names if name in columns), None)
