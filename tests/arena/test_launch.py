"""The supervisor of the embedded store: started again when it dies, sooner after it ran well, never in a tight loop."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from arena import launch
from arena.settings.settings import Settings
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


def gaps(
    supervisor: launch.StoreSupervisor, starts: list[float], clock: FixedClock, count: int
) -> list[float]:
    """Seconds between the next starts."""
    until = len(starts) + count
    while len(starts) < until:
        supervisor.look()
        clock.advance(1.0)
    return [round(b - a) for a, b in zip(starts[-count - 1 :], starts[-count:], strict=False)]


def test_a_store_that_keeps_dying_is_started_less_and_less_often(
    starts: list[float], clock: FixedClock
) -> None:
    supervisor = launch.StoreSupervisor(Settings())

    found = gaps(supervisor, starts, clock, 6)

    assert found == sorted(found)
    assert 2 <= found[0] <= 4
    assert 30 <= found[-1] <= 32


def test_a_store_that_ran_well_is_started_soon(starts: list[float], clock: FixedClock) -> None:
    supervisor = launch.StoreSupervisor(Settings())
    gaps(supervisor, starts, clock, 6)
    clock.advance(3600)
    died = clock.now

    gaps(supervisor, starts, clock, 1)

    assert starts[-1] - died <= 4


class Notes:
    """A store that keeps what it is told of the worker."""

    def __init__(self) -> None:
        self.faults: dict[str, str] = {}
        self.worker = self

    def failed(self, part: str, why: str, at: float) -> None:
        self.faults[part] = why

    def works(self, part: str) -> None:
        self.faults.pop(part, None)

    def close(self) -> None:
        pass


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> Notes:
    kept = Notes()
    monkeypatch.setattr(launch.Store, "open", lambda url, timeout_seconds: kept)
    return kept


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch, clock: FixedClock) -> list[float]:
    """When the worker was started; each is dead at once."""
    times: list[float] = []

    def spawn(command: object) -> SimpleNamespace:
        times.append(clock.now)
        return SimpleNamespace(poll=lambda: 1, returncode=1)

    monkeypatch.setattr(launch, "_spawn", spawn)
    monkeypatch.setattr(launch.time, "monotonic", clock)
    return times


def test_a_worker_that_keeps_failing_is_started_after_1_s_doubling_to_5_minutes(
    spawned: list[float], notes: Notes, clock: FixedClock
) -> None:
    worker = launch.Worker(["worker"], "unix:///none")

    while len(spawned) < 12:
        worker.look()
        clock.advance(0.5)

    found = [round(b - a) for a, b in itertools.pairwise(spawned)]
    # A look or two come between the end and the next start.
    assert [pause - wait for pause, wait in zip(found, (1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300), strict=True)] == [
        pytest.approx(0.5, abs=0.6)
    ] * 11  # fmt: skip
    assert notes.faults == {"process": "the worker ended (status 1)"}


def test_the_note_of_a_failure_goes_once_the_worker_runs_well(
    spawned: list[float], notes: Notes, clock: FixedClock
) -> None:
    worker = launch.Worker(["worker"], "unix:///none")
    worker.look()
    noted = dict(notes.faults)

    worker.process = SimpleNamespace(poll=lambda: None, returncode=None)  # type: ignore[assignment]
    worker.look()
    soon = dict(notes.faults)
    clock.advance(400)
    worker.look()

    assert noted == soon == {"process": "the worker ended (status 1)"}
    assert notes.faults == {}


def test_the_launcher_starts_what_the_procfile_names() -> None:
    assert launch.serving().keys() == {"web", "worker"}
