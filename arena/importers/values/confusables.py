"""Model names that a reader of a leaderboard would take for one another: look-alike characters and letter case."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise

from confusable_homoglyphs import confusables

from arena.importers.values.names import SHOWN_AT_MOST, point_name

# Of Unicode's look-alikes within ASCII, the ones that decide between two versions of a model.
ASCII_TWINS = {"0": "O", "1": "l", "I": "l", "|": "l"}


def lookalikes(names: Iterable[str]) -> tuple[str, ...]:
    """One warning for each name that looks like another, or that mixes scripts to look like plain letters."""
    ordered = sorted(set(names))
    twins = _groups(ordered, skeleton)
    found = [_told(one, other) for group in twins for one, other in pairwise(group)]
    for group in _groups(ordered, str.casefold):
        found += [
            f"model names {one!r} and {other!r} differ only in letter case; one model? then use --aliases"
            for one, other in pairwise(group)
            if skeleton(one) != skeleton(other)
        ]
    paired = {name for group in twins for name in group}
    found += [_alone(name) for name in ordered if name not in paired and _is_mixed(name)]
    hidden = len(found) - SHOWN_AT_MOST
    return tuple(found[:SHOWN_AT_MOST]) + ((f"... and {hidden} more such names",) if hidden > 0 else ())


def skeleton(name: str) -> str:
    """What is seen of a name: equal skeletons look the same (after Unicode TR39)."""
    plain = " ".join(unicodedata.normalize("NFKC", name).split())
    twins = _twins()
    return "".join(twins.get(letter, letter) for letter in plain if not _is_selector(letter))


@cache
def _twins() -> dict[str, str]:
    """Character -> the ASCII text it looks like."""
    found = dict(ASCII_TWINS)
    for letter, twins in confusables.confusables_data.items():
        if len(letter) == 1 and not letter.isascii():
            ascii_twins = [twin["c"] for twin in twins if twin["c"].isascii()]
            if ascii_twins:
                found[letter] = "".join(ASCII_TWINS.get(part, part) for part in ascii_twins[0])
    return found


def _is_selector(letter: str) -> bool:
    return letter in "\u200c\u200d" or 0xFE00 <= ord(letter) <= 0xFE0F or 0xE0100 <= ord(letter) <= 0xE01EF


def _groups(names: Sequence[str], key: Callable[[str], str]) -> list[list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[key(name)].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _told(one: str, other: str) -> str:
    odd = sorted(set(one) ^ set(other))
    points = [point_name(letter) for letter in odd if not letter.isascii()] or [point_name(c) for c in odd]
    return f"model names {one!r} and {other!r} look the same: {', '.join(points) or 'space'}; one model? then use --aliases"


def _is_mixed(name: str) -> bool:
    return (
        not name.isascii()
        and any(letter.isascii() and letter.isalpha() for letter in name)
        and bool(_fakes(name))
    )


def _fakes(name: str) -> list[str]:
    """Letters of a script other than Latin that look like ASCII letters."""
    twins = _twins()
    return [
        letter
        for letter in name
        if not letter.isascii()
        and letter.isalpha()
        and letter in twins
        and "LATIN" not in unicodedata.name(letter, "")
    ]


def _alone(name: str) -> str:
    points = ", ".join(point_name(letter) for letter in dict.fromkeys(_fakes(name)))
    return f"model name {name!r} mixes scripts: {points} looks like a Latin letter"
