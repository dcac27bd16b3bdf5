"""The rules of `times` on a whole column: plain numbers and plain ISO 8601 at once, what is odd one by one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from arena.importers.values import arrow
from arena.importers.values.times import UNITS, Times, units_of
from arena.importers.values.values import Reject

pc: Any = pa.compute  # made when Arrow is imported; no checker of types sees its functions
PLAIN_NUMBER = r"^[0-9]+(\.[0-9]+)?$"
# Only forms that Arrow reads as `times` does. The fields are checked by Arrow; a wrong date goes the slow way.
PLAIN_NAIVE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"
PLAIN_UTC = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$"
MICROSECONDS = 1e6
FIRST, LAST = (  # microseconds since 1970 of the first and last instant of Python's calendar
    (at - datetime(1970, 1, 1)) // timedelta(microseconds=1) for at in (datetime.min, datetime.max)
)

Seconds = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def read_times(column: Any, name: str, times: Times, wanted: Mask) -> tuple[Seconds, dict[int, Reject]]:
    """(n,) seconds since 1970 UTC, NaN where missing, and the faults by row; rows not `wanted` are left NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    found = np.full(len(column), np.nan)
    todo = wanted & arrow.is_valid(column)
    if pa.types.is_timestamp(column.type):
        _from_timestamps(column, times, found, todo)
    elif pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        _from_numbers(column.cast(pa.float64(), safe=False), times, found, todo)
    elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        todo &= arrow.numbers_of(pc.binary_length(column), 0) > 0
        _from_texts(column, times, found, todo)
    return found, _one_by_one(column, name, times, found, todo)


def microseconds(column: Any) -> Any:
    """A timestamp column as whole microseconds since 1970."""
    return column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64())


def from_microseconds(at: int, zone: tzinfo | None) -> datetime | str:
    """The time as Python has it; as a text that is no time where Python's calendar ends."""
    try:
        return datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=at)
    except OverflowError:
        return f"{at} microseconds"


def _from_timestamps(column: Any, times: Times, found: Seconds, todo: Mask) -> None:
    whole = arrow.numbers_of(microseconds(column), 0)
    rows = todo & (whole >= FIRST) & (whole <= LAST)
    found[rows] = whole[rows] / MICROSECONDS
    times.naive = times.naive or bool(column.type.tz is None and rows.any())
    todo &= ~rows


def _from_numbers(numbers: Any, times: Times, found: Seconds, todo: Mask) -> None:
    """Numbers that fall into one of the four units; the others stay to be looked at."""
    values = arrow.numbers_of(numbers, np.nan)
    units = units_of(values)
    for index, (word, per_second) in enumerate(UNITS):
        rows = todo & (units == index)
        if rows.any():
            found[rows] = values[rows] / per_second
            times.units.add(word)
            todo[rows] = False


def _from_texts(column: Any, times: Times, found: Seconds, todo: Mask) -> None:
    plain = todo & _matches(column, PLAIN_NUMBER)
    if plain.any():
        numbers = only(column, plain).cast(pa.float64())
        rest = todo & ~plain
        _from_numbers(numbers, times, found, plain)
        todo[:] = rest | plain
    for pattern, zone in ((PLAIN_NAIVE, None), (PLAIN_UTC, "UTC")):
        rows = todo & _matches(column, pattern) if todo.any() else todo
        if rows.any():
            _from_iso(only(column, rows), zone, times, found, todo, rows)


def _from_iso(texts: Any, zone: str | None, times: Times, found: Seconds, todo: Mask, rows: Mask) -> None:
    try:
        read = texts.cast(pa.timestamp("us", zone))
    except pa.ArrowInvalid:
        return  # one of them is no date: each is looked at alone
    _from_timestamps(read, times, found, rows.copy())
    todo &= ~rows


def _matches(column: Any, pattern: str) -> Mask:
    return arrow.flags_of(pc.match_substring_regex(column, pattern))


def only(column: Any, rows: Mask) -> Any:
    """The column with nulls outside `rows`."""
    return pc.if_else(arrow.mask(rows), column, pa.nulls(len(column), column.type))


def _one_by_one(column: Any, name: str, times: Times, found: Seconds, todo: Mask) -> dict[int, Reject]:
    faults: dict[int, Reject] = {}
    known: dict[Any, float | None] = {}
    for row in np.flatnonzero(todo):
        value = _value(column[int(row)])
        if value not in known:
            try:
                known[value] = times.read(value, name)
            except Reject as fault:
                faults[int(row)] = fault
                continue
        at = known[value]
        found[row] = np.nan if at is None else at
    return faults


def _value(scalar: Any) -> Any:
    if not pa.types.is_timestamp(scalar.type):
        return scalar.as_py()
    at = scalar.cast(pa.timestamp("us", scalar.type.tz), safe=False).cast(pa.int64()).as_py()
    return from_microseconds(at, None if scalar.type.tz is None else UTC)
