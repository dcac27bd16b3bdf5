"""The keeper of the embedded store: started again when it dies, sooner after it ran well, never in a tight loop."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from arena import launch
from arena.settings import Settings
from tests.conftest import FixedClock


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch, clock: FixedClock) -> list[float]:
    """When the store was started; each one is dead at once."""
    times: list[float] = []

    def start(home: object, binary: object) -> SimpleNamespace:
        times.append(clock.now)
        return SimpleNamespace(poll=lambda: -9, returncode=-9)

    monkeypatch.setattr(launch.embedded, "start", start)
    monkeypatch.setattr(launch.embedded, "server_binary", lambda named: "valkey")
    monkeypatch.setattr(launch.time, "monotonic", clock)
    return times


def gaps(keeper: launch.Keeper, starts: list[float], clock: FixedClock, count: int) -> list[float]:
    """Seconds between the next starts."""
    until = len(starts) + count
    while len(starts) < until:
        keeper.look()
        clock.advance(1.0)
    return [round(b - a) for a, b in zip(starts[-count - 1 :], starts[-count:], strict=False)]


def test_a_store_that_keeps_dying_is_started_less_and_less_often(
    starts: list[float], clock: FixedClock
) -> None:
    keeper = launch.Keeper(Settings())

    found = gaps(keeper, starts, clock, 6)

    assert found == sorted(found)
    assert 2 <= found[0] <= 4
    assert 30 <= found[-1] <= 32


def test_a_store_that_ran_well_is_started_soon(starts: list[float], clock: FixedClock) -> None:
    keeper = launch.Keeper(Settings())
    gaps(keeper, starts, clock, 6)
    clock.advance(3600)
    died = clock.now

    gaps(keeper, starts, clock, 1)

    assert starts[-1] - died <= 4
