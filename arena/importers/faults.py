"""Answers on which no preference can stand: error texts, empty answers, and answers that name a model of the pair."""

from __future__ import annotations

import re
from functools import lru_cache

from arena.answers import LeakFinder, is_empty, is_error
from arena.importers.conversations import Talk
from arena.models import ModelInfo

FIRST_PART = re.compile(r"[^\W\d_]+|\d+")


def fault(a: Talk | None, b: Talk | None, names: tuple[str, str]) -> str | None:
    """The reason why a vote on these two answers does not count, or None. An unknown answer has no fault."""
    sides = [side for side in (a, b) if side is not None]
    if any(is_error(answer) for side in sides for answer in side.answers):
        return "error_response"
    if any(side.unanswered or not side.answers or is_empty(side.answers[-1]) for side in sides):
        return "empty_response"
    asked = "\n".join(next((side.prompts for side in sides if side.prompts), ()))
    if any(_gives_away(answer, asked, names) for side in sides for answer in side.answers):
        return "identity_leak"
    return None


def _gives_away(answer: str, asked: str, names: tuple[str, str]) -> bool:
    # Looking closely is slow; plain text that holds no first part of a name cannot hold the name.
    if answer.isascii():
        lowered = answer.lower()
        if not any(part in lowered for part in _first_parts(names)):
            return False
    return _finder(names).find(answer, asked) is not None


@lru_cache(maxsize=4096)
def _first_parts(names: tuple[str, str]) -> tuple[str, ...]:
    found = (FIRST_PART.search(name.casefold()) for name in names)
    return tuple(part.group() if part else "" for part in found)


@lru_cache(maxsize=4096)
def _finder(names: tuple[str, str]) -> LeakFinder:
    return LeakFinder([ModelInfo(name=name, slug=name) for name in dict.fromkeys(names)])
