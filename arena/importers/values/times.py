"""When a vote was cast: seconds since 1970 (UTC) from numbers in s, ms, us or ns, compact dates and ISO 8601."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.importers.values.values import DECIMAL, Reject, decimal

# A number is a time only if it falls into 2000-2100 in one of four units; the four ranges do not overlap.
EARLIEST = 946_684_800  # 2000-01-01
LATEST = 4_102_444_800  # 2100-01-01
UNITS = (("seconds", 1.0), ("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ISO = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r" ?(Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:([0-9]{2})([0-9]{2})([0-9]{2}))?")
WHY = "is no time: give ISO 8601, or seconds, ms, us or ns since 1970 that fall between 2000 and 2100"


@dataclass
class Times:
    """Reads times and remembers what the reader of the file must be told."""

    naive: bool = False  # some time named no zone and was taken as UTC
    units: set[str] = field(default_factory=set)

    def read(self, value: Any, column: str) -> float | None:
        """Seconds since 1970, UTC; None when missing; else `Reject`."""
        if value is None or value == "":
            return None
        if isinstance(value, datetime):
            return self._from_datetime(value)
        if isinstance(value, date):
            return self._from_datetime(datetime(value.year, value.month, value.day))
        if isinstance(value, str):
            return self._from_text(value.strip(" "), column)
        return self._from_number(decimal(value, column), value, column)

    def _from_text(self, text: str, column: str) -> float | None:
        if DECIMAL.fullmatch(text):
            compact = COMPACT.fullmatch(text)
            if compact and unit_of(float(text)) is None:
                return self._from_parts(compact.groups("0"), "", None, text, column)
            return self._from_number(decimal(text, column), text, column)
        found = ISO.fullmatch(text)
        if not found:
            raise Reject(column, text, WHY)
        *parts, fraction, zone = found.groups()
        return self._from_parts([part or "0" for part in parts], fraction or "", zone, text, column)

    def _from_number(self, number: float | None, value: Any, column: str) -> float | None:
        if number is None:
            return None
        unit = unit_of(number)
        if unit is None:
            raise Reject(column, value, WHY)
        self.units.add(UNITS[unit][0])
        return number / UNITS[unit][1]

    def _from_datetime(self, at: datetime) -> float:
        if at.tzinfo is None:
            self.naive = True
            at = at.replace(tzinfo=UTC)
        return (at - EPOCH) / timedelta(microseconds=1) / 1e6

    def _from_parts(self, parts: Any, fraction: str, zone: str | None, text: str, column: str) -> float:
        year, month, day, hour, minute, second = (int(part) for part in parts)
        try:
            at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError as error:
            raise Reject(column, text, f"is no time: {error}") from None
        offset = offset_seconds(zone)
        if offset is None:
            raise Reject(column, text, "is no time: the offset from UTC is out of range")
        self.naive = self.naive or zone is None
        whole = round((at - EPOCH).total_seconds()) - offset
        # One division of a whole number, as the column reader does it: both must give the same last bit.
        digits = 6 if len(fraction) <= 6 else 9
        return float((whole * 10**digits + int(fraction.ljust(digits, "0"))) / 10**digits)


def unit_of(number: float) -> int | None:
    """Index into `UNITS` of the unit in which `number` falls between 2000 and 2100, or None."""
    for index, (_, per_second) in enumerate(UNITS):
        if EARLIEST * per_second <= number < LATEST * per_second:
            return index
    return None


def units_of(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.int8]:
    """(n,) `unit_of` for many numbers; -1 for none."""
    found = np.full(len(numbers), -1, dtype=np.int8)
    for index, (_, per_second) in enumerate(UNITS):
        found[(numbers >= EARLIEST * per_second) & (numbers < LATEST * per_second)] = index
    return found


def offset_seconds(zone: str | None) -> int | None:
    """Seconds east of UTC of `Z`, `UTC`, `+02`, `+0200` or `-05:00`; None when out of range."""
    if zone is None or zone in ("Z", "UTC", "GMT"):
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 14 or minutes > 59:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)
