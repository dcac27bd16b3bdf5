"""Weeks, months or quarters: the pieces of time in which a board's votes are many enough to be held against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from ratings.scale import Floats

MOST = 13  # periods: a quarter of weeks, a year of months
VOTES_PER_MODEL = 50  # on average, in a period


@dataclass(frozen=True)
class Periods:
    """Pieces of time in order, those without votes left out."""

    unit: str  # week, month or quarter
    starts: tuple[float, ...]  # seconds UTC
    code: npt.NDArray[np.intp]  # (n,) the period of each vote; -1: it has no time


def _week(at: datetime) -> datetime:
    return (at - timedelta(days=at.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)


def _month(at: datetime) -> datetime:
    return at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _quarter(at: datetime) -> datetime:
    return _month(at.replace(day=1, month=3 * ((at.month - 1) // 3) + 1))


UNITS: Mapping[str, Callable[[datetime], datetime]] = {"week": _week, "month": _month, "quarter": _quarter}


def periods(at: Floats, count: npt.NDArray[np.int64], models: int) -> Periods | None:
    """The finest unit in which a period has votes enough for `models`; the coarsest with two periods when none has.

    `at` (n,) seconds UTC, nan where unknown; a row stands for `count` (n,) votes. None: no times, or no two periods.
    """
    known = np.isfinite(at)
    votes = int(count[known].sum())
    last = None
    for unit, begin in UNITS.items():
        starts, code = _split(at[known], begin)
        if len(starts) < 2:
            break
        full = np.full(len(at), -1, dtype=np.intp)
        full[known] = code
        last = Periods(unit, starts, full)
        # Each vote is one of two models.
        if len(starts) <= MOST and 2 * votes >= VOTES_PER_MODEL * models * len(starts):
            return last
    return last


def _split(
    at: Floats, begin: Callable[[datetime], datetime]
) -> tuple[tuple[float, ...], npt.NDArray[np.intp]]:
    days, day = np.unique(np.floor(at / 86_400), return_inverse=True)
    start = np.array([begin(datetime.fromtimestamp(d * 86_400, UTC)).timestamp() for d in days.tolist()])
    starts, code = np.unique(start, return_inverse=True)
    return tuple(starts.tolist()), code.reshape(-1)[day.reshape(-1)].astype(np.intp)
