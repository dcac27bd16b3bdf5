"""The one way to put a file on this disk: whole or not at all, also after a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

OWNER_ONLY = 0o600


@contextmanager
def draft(path: Path, *, mode: int = 0o666, durable: bool = True) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place when the block ends well, and is removed when it does not.

    `durable`: on the disk before the block is left; a cache that can be made again does without.
    """
    name = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        with open(os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode), "w+b") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        name.replace(path)
        if durable:
            _sync_folder(path.parent)
    finally:
        name.unlink(missing_ok=True)


def write(path: Path, content: bytes, *, mode: int = 0o666, durable: bool = True) -> None:
    """Put `content` in place of what stands at `path`. Readers see the old file or the new one."""
    with draft(path, mode=mode, durable=durable) as file:
        file.write(content)


def _sync_folder(path: Path) -> None:
    """Put the name of a renamed file on the disk too."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
