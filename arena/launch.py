"""Start the whole service and stop it again: store, set-up, first refresh, web and worker. `./run` ends in this."""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from arena import embedded, preflight, settings
from arena.errors import ArenaError, StoreUnavailable

PYTHON = sys.executable
# What a first start needs before the web answers; on later starts each finds its work done and leaves.
PREPARE: Sequence[Sequence[str]] = (
    (PYTHON, "-m", "arena", "setup"),
    (PYTHON, "-m", "ratings", "first-release"),
)
SERVE: Sequence[str] = (PYTHON, "-m", "honcho", "--env", os.devnull, "--procfile", "Procfile", "start")
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)
LOOK_SECONDS = 0.1  # between two looks at the processes
STOP_SECONDS = 15.0  # honcho itself kills what has not ended after 5
SWEEP_SECONDS = 3.0  # what still runs when honcho is gone gets this long
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # listen everywhere; ask at home
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 30.0  # seconds before a store that died is started again


def main() -> int:
    """Run until TERM, Ctrl-C or the end of one part. Exit status 1, after one line, when something is at fault."""
    stopping = _stop_on_signals()
    try:
        values = settings.load()
        place = preflight.address(values.host, values.port)
        preflight.check(values.home, values.host, values.port)
        with preflight.hold(values.home, f"{place} (process {os.getpid()})"):
            return run(values, stopping)
    except (ArenaError, preflight.Refused) as error:
        say(str(error))
        return 1


def run(values: settings.Settings, stopping: threading.Event) -> int:
    """Store first, store last: whatever happens between, no vote is accepted without it and none is cut off."""
    _adopt_orphans()
    with store_running(values) as keeper:
        for command in PREPARE:
            if status := _finish(command, keeper, stopping):
                return status
            if stopping.is_set():
                return 0
        return _serve(values, keeper, stopping)


class Keeper:
    """The embedded store while the service runs: started, started again when it dies, stopped at the end."""

    def __init__(self, values: settings.Settings) -> None:
        self._values = values
        self._pause = FIRST_PAUSE
        self._again_at: float | None = None
        self._started_at = time.monotonic()
        self.server = self._start()

    def _start(self) -> subprocess.Popen[bytes] | None:
        if self._values.redis_url is not None:
            return None
        binary = embedded.server_binary(self._values.redis_server)
        return embedded.start(self._values.home, binary=binary)

    def look(self) -> None:
        """Start the store again a little after it died. Until then the web answers 503 and votes stay on the page."""
        if self.server is None or self.server.poll() is None:
            return
        if self._again_at is None:
            if time.monotonic() - self._started_at > LONGEST_PAUSE:
                self._pause = FIRST_PAUSE  # it ran well in between
            say(
                f"the store ended (status {self.server.returncode}); starting it again in {self._pause:.0f} s"
            )
            self._again_at = time.monotonic() + self._pause
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        if time.monotonic() >= self._again_at:
            self._again_at, self._started_at = None, time.monotonic()
            try:
                self.server = self._start()
            except StoreUnavailable as error:
                say(str(error))

    def stop(self) -> None:
        if self.server is not None:
            embedded.stop(self.server)


@contextlib.contextmanager
def store_running(values: settings.Settings) -> Iterator[Keeper]:
    """The embedded store, unless a server is named."""
    if values.redis_url is not None:
        say("ARENA_REDIS_URL names a store: using that one, starting none")
    keeper = Keeper(values)
    try:
        yield keeper
    finally:
        _sweep(spare=keeper.server)
        keeper.stop()


def _serve(values: settings.Settings, keeper: Keeper, stopping: threading.Event) -> int:
    host = f"[{values.host}]" if ":" in values.host else values.host
    honcho = _spawn(SERVE, {"HOST": host, "PORT": str(values.port), "PYTHONUNBUFFERED": "1"})
    announced = False
    try:
        while not stopping.is_set() and honcho.poll() is None:
            keeper.look()
            if not announced and (announced := is_healthy(values.host, values.port)):
                print(f"Ready: {preflight.address(values.host, values.port)}  (Ctrl-C stops it)", flush=True)
            stopping.wait(LOOK_SECONDS)
    finally:
        _end(honcho)
    if stopping.is_set():
        return 0
    say("one part of the service ended, so the rest was stopped; its last lines stand above")
    return 1


def is_healthy(host: str, port: int) -> bool:
    """Whether the web server answers `/healthz` with 200."""
    line = http.client.HTTPConnection(WILDCARDS.get(host, host), port, timeout=2.0)
    try:
        line.request("GET", "/healthz")
        return line.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()


def _finish(command: Sequence[str], keeper: Keeper, stopping: threading.Event) -> int:
    """Run `command` to its end, or end it when asked to stop; its exit status, 0 when stopped."""
    step = _spawn(command)
    while not stopping.is_set() and step.poll() is None:
        keeper.look()
        stopping.wait(LOOK_SECONDS)
    if step.poll() is None:
        _end(step)
        return 0
    if step.returncode:
        say(f"`python {' '.join(command[1:])}` failed (status {step.returncode}); nothing was started")
    return 1 if step.returncode else 0


def _spawn(command: Sequence[str], environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a part in a session of its own: Ctrl-C reaches this process alone, which then stops the parts in order.

    What it prints goes to standard error: standard output is for the address.
    """
    return subprocess.Popen(
        command,
        cwd=settings.ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
        preexec_fn=embedded.end_with_parent,
    )


def _end(part: subprocess.Popen[bytes]) -> None:
    part.terminate()
    try:
        part.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        part.kill()
        part.wait()


def _stop_on_signals() -> threading.Event:
    """An event that TERM, Ctrl-C or a closed terminal sets; under nohup the last is left ignored."""
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, stop)
    return stopping


def _adopt_orphans() -> None:
    """Have descendants whose parent dies become children of this process, so that `_sweep` finds them. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _sweep(spare: subprocess.Popen[bytes] | None) -> None:
    """End every process still below this one but the store: only a part that was itself killed leaves any."""
    deadline = time.monotonic() + SWEEP_SECONDS
    while left := _children() - ({spare.pid} if spare else set()):
        patient = time.monotonic() < deadline
        for pid in left:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGTERM if patient else signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
        time.sleep(LOOK_SECONDS)


def _children() -> set[int]:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return {int(pid) for pid in path.read_text().split()} if path.exists() else set()


def say(text: str) -> None:
    """One line to standard error."""
    print(f"arena: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
