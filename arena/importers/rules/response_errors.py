"""Answers on which no preference can stand: error texts, empty answers, and answers that name a model of the pair."""

from __future__ import annotations

from functools import lru_cache

from arena.bank.answer_checks import LeakFinder, is_empty, is_error
from arena.bank.roster import ModelInfo
from arena.importers.rules.conversations import Talk


def fault(a: Talk | None, b: Talk | None, names: tuple[str, str]) -> str | None:
    """The reason why a vote on these two answers does not count, or None. An unknown answer has no fault."""
    sides = [side for side in (a, b) if side is not None]
    if any(is_error(answer) for side in sides for answer in side.answers):
        return "error_response"
    if any(side.unanswered or not side.answers or is_empty(side.answers[-1]) for side in sides):
        return "empty_response"
    asked = "\n".join(next((side.prompts for side in sides if side.prompts), ()))
    finder = _finder(names)
    if any(finder.find(answer, asked) is not None for side in sides for answer in side.answers):
        return "identity_leak"
    return None


@lru_cache(maxsize=4096)
def _finder(names: tuple[str, str]) -> LeakFinder:
    return LeakFinder([ModelInfo(name=name, slug=name) for name in dict.fromkeys(names)])
