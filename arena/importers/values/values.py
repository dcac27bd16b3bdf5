"""Closed rules for one value of a record: text, id, yes/no, whole number. Nothing is ever guessed by its look."""

from __future__ import annotations

import math
import re
from typing import Any

WHOLE = re.compile(r"\+?[0-9]{1,18}(?:\.0*)?")
DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
YES = frozenset({"True", "true", "TRUE", "1", "1.0"})
NO = frozenset({"False", "false", "FALSE", "0", "0.0"})
LARGEST_EXACT = 2**53  # above it, a JSON reader may already have rounded a number that was meant as an id
LARGEST_COUNT = 10**12


class Reject(Exception):
    """One record cannot be read as it is: which column, what stands there, why."""

    def __init__(self, column: str | None, value: Any, reason: str) -> None:
        super().__init__(reason)
        self.column = column
        self.value = shown(value)
        self.reason = reason


class NotVote(Exception):
    """A sound record that holds no vote; `reason` is one word for the count."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def shown(value: Any) -> str | None:
    """A value as a message shows it: never long, always printable as UTF-8."""
    if value is None:
        return None
    text = value if isinstance(value, str) else repr(value)
    return text[:200].encode("utf-8", "backslashreplace").decode("utf-8")


def is_missing(value: Any) -> bool:
    """null, nothing, or the NaN token. The text "NaN" is a text."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def text(value: Any, column: str) -> str | None:
    """A text, or None when missing. Numbers and yes/no are not texts."""
    if is_missing(value):
        return None
    if not isinstance(value, str):
        raise Reject(column, value, "must be text")
    return sound(value, column)


def identifier(value: Any, column: str) -> str | None:
    """A name that is only compared (vote, voter, prompt): text as it stands, whole numbers by their digits."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return sound(value, column)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Reject(column, value, "must be text or a whole number")
    if isinstance(value, float):
        if not value.is_integer() or abs(value) >= LARGEST_EXACT:
            raise Reject(
                column, value, "a number that is no exact whole number cannot be an id; write it as text"
            )
        value = int(value)
    return str(value)


def sound(value: str, column: str) -> str:
    """The same text if it can be written as UTF-8, else `Reject` naming the byte or code point."""
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Reject(column, value, broken_character(value[error.start])) from None
    return value


def broken_character(character: str) -> str:
    """What a lone surrogate in decoded text stands for: a byte that was no UTF-8, or half a pair."""
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:
        return f"byte 0x{point - 0xDC00:02X} is not UTF-8; save the file as UTF-8"
    return f"half of a surrogate pair (U+{point:04X}) is not a character"


def boolean(value: Any, column: str) -> bool | None:
    """True, False or None when missing; also 0/1 and the words of Python, JSON and spreadsheets."""
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return value
    word = str(value) if isinstance(value, int | float | str) else ""
    if word in YES:
        return True
    if word in NO:
        return False
    raise Reject(column, value, "must be true or false")


def whole(value: Any, column: str, least: int = 0) -> int | None:
    """A whole number from `least`, or None when missing; `3.0` is 3."""
    if is_missing(value):
        return None
    found: int | None = None
    if isinstance(value, str) and WHOLE.fullmatch(value):
        found = int(value.partition(".")[0])
    elif isinstance(value, int) and not isinstance(value, bool):
        found = value
    elif isinstance(value, float) and value.is_integer():
        found = int(value)
    if found is None or not least <= found <= LARGEST_COUNT:
        raise Reject(column, value, f"must be a whole number from {least} to {LARGEST_COUNT:,}")
    return found


def count(value: Any, column: str) -> int:
    """How many equal votes a row stands for: a whole number from 1; missing is refused too."""
    found = whole(value, column, least=1)
    if found is None:
        raise Reject(column, value, f"must be a whole number from 1 to {LARGEST_COUNT:,}")
    return found


def decimal(value: Any, column: str) -> float | None:
    """A finite number, or None when missing (a NaN token is refused: it is a number gone wrong)."""
    if value is None or value == "":
        return None
    found: float | None = None
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        found = float(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = as_float(value)
    if found is None:
        raise Reject(column, value, "must be a number")
    if not math.isfinite(found):
        raise Reject(column, value, "must be a finite number")
    return found


def weight(value: Any, column: str) -> float:
    """How much a row counts: a finite number above 0; missing is refused too."""
    found = decimal(value, column)
    if found is None or not 0 < found < LARGEST_COUNT:
        raise Reject(column, value, "a weight must be a number above 0")
    return found


def as_float(value: int | float) -> float:
    """`value` as a float; a whole number beyond every float is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
