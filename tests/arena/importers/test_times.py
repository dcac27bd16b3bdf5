"""Times in every notation give one instant; what is no time is refused."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from arena.importers.values.times import Times
from arena.importers.values.values import Reject

# 2024-02-29T12:00:00Z by `date -u -d 2024-02-29T12:00:00Z +%s`.
LEAP_NOON = 1709208000


@pytest.mark.parametrize(
    "value",
    [
        LEAP_NOON,
        float(LEAP_NOON),
        LEAP_NOON * 1000,
        LEAP_NOON * 10**6,
        LEAP_NOON * 10**9,
        str(LEAP_NOON),
        f"{LEAP_NOON}.0",
        "1.709208e9",
        str(LEAP_NOON * 10**9),
        "2024-02-29T12:00:00Z",
        "2024-02-29 12:00:00",
        "2024-02-29T12:00",
        "2024-02-29T14:00:00+02:00",
        "2024-02-29T06:30:00-0530",
        "2024-02-29 12:00:00 UTC",
        "20240229120000",
        dt.datetime(2024, 2, 29, 12),
        dt.datetime(2024, 2, 29, 13, tzinfo=dt.timezone(dt.timedelta(hours=1))),
    ],
)
def test_one_instant_in_every_notation(value: Any) -> None:
    assert Times().read(value, "tstamp") == LEAP_NOON


@pytest.mark.parametrize("value", ["20240229", "2024-02-29", dt.date(2024, 2, 29)])
def test_a_date_is_its_midnight_in_utc(value: Any) -> None:
    assert Times().read(value, "date") == LEAP_NOON - 12 * 3600


@pytest.mark.parametrize("text", ["2024-02-29T12:00:00.25Z", "1709208000.25", "1709208000250"])
def test_fractions_of_seconds_are_kept(text: str) -> None:
    assert Times().read(text, "tstamp") == LEAP_NOON + 0.25


@pytest.mark.parametrize(
    "value",
    [
        0, 7, 86400, -LEAP_NOON, "123456789", "946684799", 4102444800, float("nan"), float("inf"), True,
        "yesterday", "2023-02-29", "2024-02-29T25:00:00", "2024-02-29T12:00:00+99:00", "20241399", "12:00", "1e999", [], {},
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused(value: Any) -> None:
    with pytest.raises(Reject):
        Times().read(value, "tstamp")


@pytest.mark.parametrize("value", [None, ""])
def test_no_time_is_unknown(value: Any) -> None:
    assert Times().read(value, "tstamp") is None


def test_naive_times_and_units_are_remembered() -> None:
    times = Times()

    times.read("2024-02-29T12:00:00Z", "tstamp")
    assert not times.naive
    times.read("2024-02-29T12:00:00", "tstamp")
    times.read(LEAP_NOON * 1000, "tstamp")

    assert times.naive
    assert times.units == {"milliseconds"}
