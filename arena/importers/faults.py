"""Answers on which no preference can stand: error texts, empty answers, and answers that name a model of the pair."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from arena.answers import LeakFinder, is_empty, is_error
from arena.importers.conversations import Talk
from arena.models import ModelInfo

PART = re.compile(r"[^\W\d_]+|\d+")


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
    # Looking closely is slow. Plain text without the parts of a name in a row, or its first word, holds no name.
    if answer.isascii() and not _trace(names).search(answer.lower()):
        return False
    return _finder(names).find(answer, asked) is not None


@lru_cache(maxsize=4096)
def _trace(names: tuple[str, str]) -> re.Pattern[str]:
    """What stands in every text that `LeakFinder` could object to."""
    traces: list[str] = []
    for name in names:
        parts = PART.findall(unicodedata.normalize("NFKC", name).casefold())
        if parts:
            traces.append(r"[\W_]{0,3}".join(map(re.escape, parts)))
            traces.append(re.escape(parts[0]) if len(parts[0]) > 2 else traces[-1])
        elif name:
            traces.append("")  # no letter or digit: let the finder look
    return re.compile("|".join(traces) or r"(?!)")


@lru_cache(maxsize=4096)
def _finder(names: tuple[str, str]) -> LeakFinder:
    return LeakFinder([ModelInfo(name=name, slug=name) for name in dict.fromkeys(names)])
