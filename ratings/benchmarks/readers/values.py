"""Values in files: scores, names and fields, each taken as it is meant or refused with the reason."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from ratings.benchmarks.results.entries import Unusable

NOTHING = frozenset({"", "nan", "null", "none", "na", "n/a", "-"})  # cells of a table without a score
WORDS = {"true": 1.0, "false": 0.0}
NOT_ATTEMPTED = ("not_attempted", "not attempted")  # an answer that was not attempted is not correct
VERDICTS = {
    **dict.fromkeys(("yes", "pass", "passed", "correct"), 1.0),
    **dict.fromkeys(("partial", "partially_correct", "partially correct"), 0.5),
    **dict.fromkeys(("no", "fail", "failed", "incorrect", *NOT_ATTEMPTED), 0.0),
}  # what graders write into a column of scores


def number(value: Any, column: str) -> float | None:
    """A number of JSON or Parquet; None for null and NaN. True and False are 1 and 0; text is refused."""
    if value is None:
        return None
    if not isinstance(value, bool | int | float):
        raise Unusable(f"the score is a {kind(value)}, not a number", column=column, value=value)
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if math.isinf(found):
        raise Unusable("the score is infinite", column=column, value=value)
    return None if math.isnan(found) else found


def cell(value: str, column: str) -> float | None:
    """A number of a text table: blank, nan and null are none; true and false are 1 and 0."""
    text = value.strip().lower()
    if text in NOTHING:
        return None
    if text in WORDS:
        return WORDS[text]
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise Unusable("the score is not a number", column=column, value=value) from None
    if math.isinf(found):
        raise Unusable("the score is infinite", column=column, value=value)
    return None if math.isnan(found) else found


def worded(value: Any, parse: Callable[[Any, str], float | None], column: str) -> float | None:
    """A score as `parse` reads it, or a grader's word for one."""
    if isinstance(value, str) and (found := VERDICTS.get(value.strip().lower())) is not None:
        return found
    return parse(value, column)


def share(value: Any, column: str, scale: tuple[float, float] = (0.0, 1.0)) -> float | None:
    """`number` on `scale`, taken to [0, 1]; refused off it."""
    return onto(number(value, column), column, scale, value)


def onto(found: float | None, column: str, scale: tuple[float, float], value: Any) -> float | None:
    if found is None:
        return None
    low, high = scale
    if not low <= found <= high:
        raise Unusable(f"the score is off the scale {low:g} to {high:g}", column=column, value=value)
    return found if scale == (0.0, 1.0) else (found - low) / (high - low)


def graded(score: float | None, reason: str = "no verdict") -> dict[str, Any]:
    """Score, status and reason of an attempt that was graded, or was not."""
    if score is None:
        return {"score": None, "status": "unscored", "reason": reason}
    return {"score": score}


def field(record: Any, name: str) -> Any:
    """A field that must be there."""
    if not isinstance(record, Mapping):
        raise Unusable(f"not an object but a {kind(record)}", value=record)
    if name not in record:
        raise Unusable(f"no field {name!r}", column=name)
    return record[name]


def name(record: Any, key: str) -> str:
    """A name that must be there: a text that is not blank, or a whole number."""
    value = field(record, key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise Unusable(f"{key} is no name", column=key, value=value)
    return value


def whole(record: Any, key: str, default: int | None = None) -> int:
    """A whole number from 0; `default` where the field is missing."""
    if default is not None and isinstance(record, Mapping) and record.get(key) is None:
        return default
    value = field(record, key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Unusable(f"{key} is not a whole number from 0", column=key, value=value)
    return value


def names(value: Any, column: str) -> list[str]:
    """A list of names; null is empty."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise Unusable(f"{column} is not a list of names", column=column, value=value)
    return value


def section(record: Any, *keys: str) -> Mapping[str, Any]:
    """The object at `keys` below `record`; empty where there is none."""
    for key in keys:
        record = record.get(key) if isinstance(record, Mapping) else None
    return record if isinstance(record, Mapping) else {}


def fingerprint(content: Any) -> str:
    """Hash of the content of an item."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def kind(value: Any) -> str:
    for kinds, word in (
        (bool, "boolean"),
        (str, "text"),
        (list, "list"),
        (Mapping, "object"),
        (int | float, "number"),
    ):
        if isinstance(value, kinds):
            return word
    return "null" if value is None else type(value).__name__
