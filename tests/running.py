"""A service really started by `./run`, with a folder and a port of its own, for the tests that need one."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 120.0  # a first start fits the example; on a busy machine that takes its time
STOP_SECONDS = 40.0
READY = re.compile(r"^Ready: http://127\.0\.0\.1:\d+/", re.MULTILINE)


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port: int = door.getsockname()[1]
        return port


@dataclass
class Service:
    """One `./run` with a folder and a port of its own."""

    home: Path
    port: int = field(default_factory=free_port)
    extra: dict[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    process: subprocess.Popen[str] | None = None

    @property
    def environment(self) -> dict[str, str]:
        # The environment is the one these tests run in: renewing it now would pull it from under them.
        mine = {"ARENA_HOME": str(self.home), "PORT": str(self.port), "ARENA_INSTALL": "0", **self.extra}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **mine}

    def start(self) -> str:
        """Start it and wait for the address; what it printed until then."""
        self.home.mkdir(exist_ok=True)
        self.log.write_text("")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*self.before, str(ROOT / "run")],
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while not READY.search(self.log.read_text()):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)
        return self.log.read_text()

    @property
    def log(self) -> Path:
        return self.home.with_name(f"{self.home.name}.log")

    def get(self, path: str) -> tuple[int, str]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            line.request("GET", path)
            answer = line.getresponse()
            return answer.status, answer.read().decode()
        finally:
            line.close()

    def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(STOP_SECONDS)

    def try_to_start(self) -> subprocess.CompletedProcess[str]:
        """Run it where it must refuse."""
        return subprocess.run(
            [ROOT / "run"], env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    def pid_of(self, word: str) -> int:
        """The process of this home whose command line has `word`."""
        return next(pid for pid, command in self._found() if word in command)

    def processes(self) -> list[str]:
        """The command line of every process that was started for this home."""
        return [command for _, command in self._found()]

    def left_after(self, seconds: float) -> list[str]:
        """The processes that are still there after that time; does not wait longer than there are any."""
        deadline = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left

    def _found(self) -> Iterator[tuple[int, str]]:
        # The store writes its title over its environment; the title names its socket instead.
        mark, place = f"ARENA_HOME={self.home}\0".encode(), f"unixsocket:{self.home}/"
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_text().replace("\0", " ").strip()
                if place in command or mark in (folder / "environ").read_bytes():
                    yield int(folder.name), command
            except OSError:
                continue  # it ended meanwhile


@contextmanager
def running(service: Service) -> Iterator[str]:
    """Started, and stopped whatever happens."""
    try:
        yield service.start()
    finally:
        if service.process is not None and service.process.poll() is None:
            service.stop()
