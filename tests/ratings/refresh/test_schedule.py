"""When a refresh is due: once a night in UTC whatever local clocks do, after enough votes, and again after outages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from arena.errors import Busy, NoData, StoreUnavailable
from ratings.refresh import schedule as scheduling
from ratings.refresh.schedule import Schedule, State, watch

NIGHTLY = Schedule(time(2, 30), 50)


def utc(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("after", "due"),
    [
        ("2026-01-01 00:00", "2026-01-01 02:30"),
        ("2026-01-01 02:29:59", "2026-01-01 02:30"),
        ("2026-01-01 02:30", "2026-01-02 02:30"),
        ("2026-12-31 23:00", "2027-01-01 02:30"),
        ("2028-02-28 12:00", "2028-02-29 02:30"),
    ],
)
def test_the_next_night_is_at_the_named_time(after: str, due: str) -> None:
    assert NIGHTLY.next_after(utc(after)) == utc(due)


@pytest.mark.slow
@pytest.mark.parametrize(("first", "last"), [("2026-03-28", "2026-03-30"), ("2026-10-24", "2026-10-26")])
def test_changes_of_local_time_neither_skip_nor_double_a_night(first: str, last: str) -> None:
    """Case h13: the days around both changes of Europe/Paris, looked at every minute."""
    moment, end = utc(f"{first} 00:00"), utc(f"{last} 23:59")
    refreshed, runs = moment - 3600.0, []
    while moment <= end:
        if NIGHTLY.reason(State(refreshed, 0, 0), moment):
            refreshed = moment
            runs.append(datetime.fromtimestamp(moment, ZoneInfo("Europe/Paris")))
        moment += 60.0

    assert len(runs) == 3
    assert len({run.date() for run in runs}) == 3


def test_new_votes_are_a_reason_once_there_are_enough() -> None:
    at = utc("2026-01-01 03:00")

    assert NIGHTLY.reason(State(at, 100, 149), at + 60.0) is None
    assert NIGHTLY.reason(State(at, 100, 150), at + 60.0) == "50 new votes"


def test_a_rush_of_votes_does_not_keep_it_fitting() -> None:
    at = utc("2026-01-01 03:00")

    assert NIGHTLY.reason(State(at, 100, 900), at + 1.0) is None


def test_zero_means_only_at_night() -> None:
    only_nights = Schedule(time(2, 30), 0)

    assert only_nights.reason(State(utc("2026-01-01 03:00"), 0, 10_000), utc("2026-01-01 23:00")) is None


def test_a_night_slept_through_is_made_up_for() -> None:
    assert NIGHTLY.reason(State(utc("2026-01-01 03:00"), 0, 0), utc("2026-01-05 11:00")) == "it is time"


def test_before_the_first_release_there_is_always_a_reason() -> None:
    assert NIGHTLY.reason(State(None, None, 0), 0.0) == "there is no release yet"


class Night:
    """A watch over made-up time: each pause of the loop takes the seconds it asked for, at most `turns` of them."""

    def __init__(self, turns: int) -> None:
        self.now = utc("2026-01-01 03:00")
        self.turns = turns
        self.pauses: list[float] = []
        self.stop = threading.Event()
        self.stop.wait = self.wait  # type: ignore[method-assign]

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.pauses.append(timeout)
        self.now += timeout
        if len(self.pauses) >= self.turns:
            self.stop.set()
        return self.stop.is_set()

    def watch(self, look, refresh) -> None:  # type: ignore[no-untyped-def]
        watch(NIGHTLY, look, refresh, clock=lambda: self.now, stop=self.stop)


def test_each_fifty_votes_are_one_refresh() -> None:
    night = Night(turns=16)
    state = State(night.now - 100.0, 0, 0)
    votes = iter(range(0, 160, 10))
    counts = []

    def look() -> State:
        nonlocal state
        state = State(state.refreshed_at, state.refreshed_votes, next(votes))
        return state

    def refresh() -> None:
        nonlocal state
        counts.append(state.votes)
        state = State(night.now, state.votes, state.votes)

    night.watch(look, refresh)

    assert counts == [50, 100, 150]


def test_a_store_that_is_away_is_waited_for_with_growing_pauses() -> None:
    night = Night(turns=8)

    def look() -> State:
        raise StoreUnavailable

    night.watch(look, lambda: pytest.fail("no store, no refresh"))

    assert night.pauses == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0, 60.0, 60.0]


@pytest.mark.parametrize("outage", [StoreUnavailable("gone in the middle"), Busy("another run")])
def test_a_refresh_cut_off_by_an_outage_is_tried_again(outage: Exception) -> None:
    night = Night(turns=3)
    answers: Iterator[Exception | None] = iter([outage, None])
    state = State(None, None, 0)

    def refresh() -> None:
        nonlocal state
        if answer := next(answers):
            raise answer
        state = State(night.now, 0, 0)

    night.watch(lambda: state, refresh)

    assert next(answers, "used up") == "used up"


def test_a_refresh_that_fails_by_itself_is_not_repeated_at_every_look() -> None:
    night = Night(turns=20)
    tries = []

    def refresh() -> None:
        tries.append(night.now)
        raise NoData("no votes")

    night.watch(lambda: State(None, None, 7), refresh)

    assert len(tries) == 1


def test_after_a_failure_the_next_night_tries_again() -> None:
    night = Night(turns=3)
    night.wait = lambda timeout=None: Night.wait(night, 12 * 3600.0)  # type: ignore[method-assign]
    night.stop.wait = night.wait  # type: ignore[method-assign]
    tries = []

    def refresh() -> None:
        tries.append(night.now)
        raise NoData("no votes")

    night.watch(lambda: State(None, None, 7), refresh)

    assert len(tries) == 2


def test_looks_are_not_further_apart_than_a_vote_should_wait() -> None:
    assert scheduling.LOOK_SECONDS <= 10.0


def test_a_wish_of_the_owner_is_met_once() -> None:
    at = utc("2026-01-01 03:00")

    assert NIGHTLY.reason(State(at, 100, 100, asked_at=at + 5.0), at + 6.0) == "the owner asks for it"
    assert NIGHTLY.reason(State(at + 9.0, 100, 100, asked_at=at + 5.0), at + 10.0) is None
