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

from arena import preflight
from arena.errors import ArenaError, StoreUnavailable
from arena.settings import settings
from arena.store import embedded
from arena.store.store import Store

PYTHON = sys.executable
# What a first start needs before the web answers; on later starts each finds its work done and leaves.
SET_UP: Sequence[str] = (PYTHON, "-m", "arena", "setup")
# The worker's first refresh, ahead of the web so that its first page has a ranking; its failure stops nothing.
FIRST_RELEASE: Sequence[str] = (PYTHON, "-m", "ratings", "first-release")
# Texts of the bank rendered ahead for so many seconds at the most; the web goes on with the rest.
RENDER_AHEAD: Sequence[str] = (PYTHON, "-m", "web.warming", "30")
PROCFILE = settings.ROOT / "Procfile"  # the two commands that serve; it can be run by itself as well
ENDED = "process"  # the part of the worker under which its end is noted
TELL_SECONDS = 5.0  # between two tries to tell a store that does not answer
WELL_SECONDS = 60.0  # what has run so long has started well
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)
LOOK_SECONDS = 0.1  # between two looks at the processes
STOP_SECONDS = 15.0  # the web server itself ends open requests after 4
SWEEP_SECONDS = 3.0  # what still runs when a part is gone gets this long
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # listen everywhere; ask at home
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 30.0  # seconds before a store that died is started again
WORKER_FIRST, WORKER_LONGEST = 1.0, 300.0  # the same of the worker


def main() -> int:
    """Run until TERM, Ctrl-C or the end of one part. Exit status 1, after one line, when something is at fault."""
    stopping = _stop_on_signals()
    try:
        values = settings.load()
        place = preflight.address(values.host, values.port)
        preflight.check(values.home, values.host, values.port)
        with preflight.hold(values.home, f"{place} (process {os.getpid()})"):
            return run(values, stopping)
    except (ArenaError, preflight.CannotStart) as error:
        say(str(error))
        return 1


def run(values: settings.Settings, stopping: threading.Event) -> int:
    """Store first, store last: whatever happens between, no vote is accepted without it and none is cut off."""
    _adopt_orphans()
    with store_running(values) as supervisor:
        if status := _finish(SET_UP, supervisor, stopping):
            say(f"`{_shown(SET_UP)}` failed (status {status}); nothing was started")
            return 1
        if not stopping.is_set() and (status := _finish(FIRST_RELEASE, supervisor, stopping)):
            say(f"`{_shown(FIRST_RELEASE)}` failed (status {status}); the worker tries again")
        if not stopping.is_set() and (status := _finish(RENDER_AHEAD, supervisor, stopping)):
            say(
                f"`{_shown(RENDER_AHEAD)}` failed (status {status}); the web renders texts when asked for them"
            )
        return 0 if stopping.is_set() else _serve(values, supervisor, stopping)


class Pauses:
    """How long to wait before what died is started again: doubling from `first` to `longest`, anew once it ran well."""

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest, self._pause = first, longest, first
        self._again_at: float | None = None
        self._started_at = time.monotonic()

    def ended(self) -> float | None:
        """The pause, in seconds, that begins now; None when it has begun already."""
        if self._again_at is not None:
            return None
        if self.ran_well():
            self._pause = self._first
        pause, self._pause = self._pause, min(2 * self._pause, self._longest)
        self._again_at = time.monotonic() + pause
        return pause

    def over(self) -> bool:
        """Is it time to start again? If so, it counts as started now."""
        if self._again_at is None or time.monotonic() < self._again_at:
            return False
        self._again_at, self._started_at = None, time.monotonic()
        return True

    def ran_well(self) -> bool:
        """Has it run for as long as the pause before it, and a minute at the least?"""
        return time.monotonic() - self._started_at > max(self._pause, min(WELL_SECONDS, self._longest))


class Worker:
    """The worker while the service runs. It may fail as it likes: it is started again, and the web never stops for it.

    Its failure is noted in the store, where every web process sees it.
    """

    def __init__(self, command: Sequence[str], store_url: str) -> None:
        self._command, self._store_url = command, store_url
        self._pauses = Pauses(WORKER_FIRST, WORKER_LONGEST)
        self._unsaid: str | None = None  # what the store does not know yet
        self._is_noted = True  # what an earlier service noted is taken back once this one's worker runs well
        self._tell_at = 0.0  # not before
        self.process = _spawn(command)

    def look(self) -> None:
        """Start the worker again a while after it ended, and keep the note of its failure true."""
        if self.process.poll() is None:
            if self._is_noted and self._pauses.ran_well() and self._tell(None):
                self._is_noted = False
            return
        if (pause := self._pauses.ended()) is not None:
            line = f"the worker ended (status {self.process.returncode})"
            say(f"{line}; starting it again in {pause:.0f} s; the web goes on")
            self._unsaid = line
        if self._unsaid is not None and self._tell(self._unsaid):
            self._unsaid, self._is_noted = None, True
        if self._pauses.over():
            self.process = _spawn(self._command)

    def _tell(self, why: str | None) -> bool:
        """Note in the store that the worker ended, or (None) that it runs; False when the store does not answer."""
        if time.monotonic() < self._tell_at:
            return False
        with contextlib.closing(Store.open(self._store_url, timeout_seconds=1.0)) as store:
            try:
                if why is None:
                    store.worker.works(ENDED)
                else:
                    store.worker.failed(ENDED, why, time.time())
            except StoreUnavailable:
                self._tell_at = time.monotonic() + TELL_SECONDS
                return False
        return True


class StoreSupervisor:
    """The embedded store while the service runs: started, started again when it dies, stopped at the end."""

    def __init__(self, values: settings.Settings) -> None:
        self._values = values
        self._pauses = Pauses(FIRST_PAUSE, LONGEST_PAUSE)
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
        if (pause := self._pauses.ended()) is not None:
            say(f"the store ended (status {self.server.returncode}); starting it again in {pause:.0f} s")
        if self._pauses.over():
            try:
                self.server = self._start()
            except StoreUnavailable as error:
                say(str(error))

    def stop(self) -> None:
        if self.server is not None:
            embedded.stop(self.server)


@contextlib.contextmanager
def store_running(values: settings.Settings) -> Iterator[StoreSupervisor]:
    """The embedded store, unless a server is named."""
    if values.redis_url is not None:
        say("ARENA_REDIS_URL names a store: using that one, starting none")
    supervisor = StoreSupervisor(values)
    try:
        yield supervisor
    finally:
        _sweep(spare=supervisor.server)
        supervisor.stop()


def _serve(values: settings.Settings, supervisor: StoreSupervisor, stopping: threading.Event) -> int:
    host = f"[{values.host}]" if ":" in values.host else values.host
    commands = serving()
    web = _spawn(commands["web"], {"HOST": host, "PORT": str(values.port)})
    worker = Worker(commands["worker"], values.store_url)
    announced = False
    try:
        while not stopping.is_set() and web.poll() is None:
            supervisor.look()
            worker.look()
            if not announced and (announced := is_healthy(values.host, values.port)):
                print(f"Ready: {preflight.address(values.host, values.port)}  (Ctrl-C stops it)", flush=True)
            stopping.wait(LOOK_SECONDS)
    finally:
        _end(worker.process, web)
    if stopping.is_set():
        return 0
    say("the web server ended, so the rest was stopped; its last lines stand above")
    return 1


def serving(procfile: Path = PROCFILE) -> dict[str, Sequence[str]]:
    """The commands of the Procfile by name, each for a shell that puts the program in its own place."""
    lines = [line.partition(":") for line in procfile.read_text().splitlines() if not line.startswith("#")]
    return {name: ("sh", "-c", command.strip()) for name, _, command in lines}


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


def _finish(command: Sequence[str], supervisor: StoreSupervisor, stopping: threading.Event) -> int:
    """Run `command` to its end, or end it when asked to stop; its exit status, 0 when stopped."""
    step = _spawn(command)
    while not stopping.is_set() and step.poll() is None:
        supervisor.look()
        stopping.wait(LOOK_SECONDS)
    if step.poll() is None:
        _end(step)
        return 0
    return step.returncode


def _shown(command: Sequence[str]) -> str:
    return f"python {' '.join(command[1:])}"


def _spawn(command: Sequence[str], environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a part in a session of its own: Ctrl-C reaches this process alone, which then stops the parts in order.

    What it prints goes to standard error: standard output is for the address.
    """
    return subprocess.Popen(
        command,
        cwd=settings.ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PATH": _path(), **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
        preexec_fn=embedded.end_with_parent,
    )


def _path() -> str:
    """PATH with this environment's programs first: the Procfile says `python` alone."""
    return os.pathsep.join((str(Path(PYTHON).parent), os.environ.get("PATH", os.defpath)))


def _end(*parts: subprocess.Popen[bytes]) -> None:
    for part in parts:
        part.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for part in parts:
        try:
            part.wait(max(0.0, deadline - time.monotonic()))
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
