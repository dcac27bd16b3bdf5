"""Comparison of an answer with a golden case: numbers within tolerance, errors and undefined values as what they are."""

from __future__ import annotations

import math
from typing import Any

from arena.errors import ArenaError
from tests.golden.adapter import call

NO_VALUE = ("raises", "undefined", "refuse")


def fault(case: dict[str, Any]) -> str | None:
    """What is wrong with our answer to `case`; None if nothing is."""
    expected = case["expected"]
    no_value = isinstance(expected, dict) and any(key in expected for key in NO_VALUE)
    try:
        answer = call(case["fn"], case["inputs"])
    except ArenaError as error:
        if not no_value:
            return f"raised {error!r}"
        wants = expected.get("raises")
        return None if wants is None or isinstance(error, ValueError) else f"{error!r} is no {wants}"
    if no_value:
        return None if answer is None and "raises" not in expected else f"gave {answer!r}"
    return difference(answer, expected, case["tolerance"])


def difference(answer: Any, expected: Any, tolerance: Any) -> str | None:
    if isinstance(expected, dict):
        found = [
            difference(
                answer.get(key, "missing"),
                value,
                tolerance[key] if isinstance(tolerance, dict) else tolerance,
            )
            for key, value in expected.items()
        ]
        return next((each for each in found if each), None)
    if isinstance(expected, list):
        if not isinstance(answer, list | tuple) or len(answer) != len(expected):
            return f"{answer!r} is not like {expected!r}"
        found = [difference(one, other, tolerance) for one, other in zip(answer, expected, strict=True)]
        return next((each for each in found if each), None)
    if isinstance(expected, bool | str) or expected is None or not isinstance(answer, int | float):
        return None if answer == expected else f"{answer!r} is not {expected!r}"
    within = math.isclose(answer, float(expected), rel_tol=0, abs_tol=tolerance or 0)
    return None if within else f"{answer!r} is not {expected!r} within {tolerance}"
