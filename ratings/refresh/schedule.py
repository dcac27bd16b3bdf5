"""When to refresh: once a night at a UTC time, once after a number of new votes; and the loop that waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time

from apscheduler.triggers.cron import CronTrigger

from arena.errors import ArenaError, Busy, StoreUnavailable

LOOK_SECONDS = 5.0  # between two looks at the store
LEAST_SECONDS = 10.0  # between two refreshes for new votes, so that a rush of votes does not keep it fitting
LONGEST_PAUSE = 60.0  # while the store does not answer, pauses double up to this

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class State:
    """What the schedule depends on. Both are None before the first release."""

    refreshed_at: float | None  # seconds UTC
    refreshed_votes: int | None  # votes cast when it was made
    votes: int  # votes cast by now
    asked_at: float | None = None  # when the owner last asked for a refresh, seconds UTC


@dataclass(frozen=True)
class Schedule:
    """Every night at `at` (UTC, so that no change of local time doubles or skips a night), and after `after_votes`."""

    at: time
    after_votes: int  # 0: only at night

    def next_after(self, moment: float) -> float:
        """The first nightly instant after `moment`, seconds UTC."""
        trigger = CronTrigger(hour=self.at.hour, minute=self.at.minute, second=self.at.second, timezone=UTC)
        # The trigger gives the first instant at or after a time; a release made at that very instant is served.
        just_after = datetime.fromtimestamp(moment + 0.001, UTC)
        return float(trigger.get_next_fire_time(None, just_after).timestamp())

    def reason(self, state: State, now: float) -> str | None:
        """Why to refresh now; None when there is no reason."""
        if state.refreshed_at is None or state.refreshed_votes is None:
            return "there is no release yet"
        if self.next_after(state.refreshed_at) <= now:
            return "it is time"
        if state.asked_at is not None and state.asked_at > state.refreshed_at:
            return "the owner asks for it"
        fresh = state.votes - state.refreshed_votes
        if self.after_votes and fresh >= self.after_votes and now >= state.refreshed_at + LEAST_SECONDS:
            return f"{fresh} new votes"
        return None


def watch(
    schedule: Schedule,
    look: Callable[[], State],
    refresh: Callable[[], object],
    *,
    clock: Callable[[], float],
    stop: threading.Event,
) -> None:
    """Refresh whenever the schedule says so, until `stop`. A store that is away is waited for.

    Another run that is at it is waited for as well. A refresh that fails for any other reason is tried again at
    the next night, or after as many new votes.
    """
    pause, tried = LOOK_SECONDS, State(None, None, 0)
    while not stop.is_set():
        try:
            state = _later(look(), tried)
            reason = schedule.reason(state, clock())
            if reason is not None:
                log.info("refresh: %s", reason)
                tried = State(clock(), state.votes, state.votes)
                refresh()
            pause = LOOK_SECONDS
        except (StoreUnavailable, Busy) as error:
            log.warning("%s; next try in %.0f s", error, pause)
            tried = State(
                None, None, 0
            )  # it did not fail for the votes' sake: try again once the store is back
            stop.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
            continue
        except ArenaError as error:
            log.error("no new release: %s", error)
        stop.wait(pause)


def _later(state: State, tried: State) -> State:
    """`state`, but a try that failed since then counts as a refresh, so that it is not repeated at every look."""
    if tried.refreshed_at is None or (state.refreshed_at or 0.0) >= tried.refreshed_at:
        return state
    return State(tried.refreshed_at, tried.refreshed_votes, state.votes, state.asked_at)
