"""What can be refused before anything long: an unwritable folder, a service already on it, a taken port. Standard library only.

`./run` runs this file with the system's Python before the environment is made: `python3 -I arena/preflight.py HOME HOST PORT`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_FILE = "run.lock"
LOCK_SECONDS = 1.0  # another start may hold the lock for a moment while it only looks


class CannotStart(Exception):
    """The service cannot start here; the text is one line for the user."""


def address(host: str, port: int) -> str:
    """The address to open in a browser."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def check(home: Path, host: str, port: int) -> None:
    """Raise `CannotStart` when a service of this folder, host and port could not start now."""
    check_folder(home)
    with hold(home, ""):
        check_port(host, port)


def check_folder(home: Path) -> None:
    """Make `home` if need be, and see that files can be written there (root passes permission bits, so try it)."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(b"1")
    except OSError as error:
        raise CannotStart(f"ARENA_HOME={home} cannot be written: {error.strerror}") from None


def check_port(host: str, port: int) -> None:
    """See that a server can listen there."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise CannotStart(f"HOST={host} is not an address") from None
    family, kind, protocol, _, place = found[0]
    with socket.socket(family, kind, protocol) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind(place)
            door.listen(1)
        except OSError as error:
            raise CannotStart(_door_trouble(error, host, port)) from None


def _door_trouble(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"PORT={port} on {host} is taken: stop what listens there, or choose another PORT"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"HOST={host} is not an address of this machine"
    if error.errno == errno.EACCES:
        return f"PORT={port} may not be opened by this user: choose one from 1024 up"
    return f"HOST={host} PORT={port}: {error.strerror}"


@contextmanager
def hold(home: Path, note: str) -> Iterator[None]:
    """Keep every other start off `home` meanwhile; the others read `note`. Raises `CannotStart` when one is running."""
    lock = os.open(home / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(lock, home)
        if note:
            os.ftruncate(lock, 0)
            os.pwrite(lock, note.encode(), 0)
        yield
    finally:
        os.close(lock)


def _lock(lock: int, home: Path) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                note = os.pread(lock, 200, 0).decode("utf-8", "replace")
                raise CannotStart(f"already running on {home}: {note or 'it is just starting'}") from None
        time.sleep(0.05)


def main(words: list[str]) -> int:
    """Exit status: 0 when the service could start, 1 with one line on standard error when not."""
    try:
        home, host, port = words
        if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
            raise CannotStart(f"PORT={port} is not a number from 1 to 65535")
        check(Path(home), host.strip("[]"), int(port))
    except CannotStart as why:
        print(f"arena: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
