"""Files of a folder on this disk or at any fsspec address: whole or not at all, and safely on the disk."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import fsspec

from arena.settings import atomic


class Folder:
    """A root with files below it, by path with slashes."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._files, root = fsspec.core.url_to_fs(address)
        self._root: str = root.rstrip("/")
        protocol = self._files.protocol
        self.is_local = "file" in ((protocol,) if isinstance(protocol, str) else protocol)

    def read(self, path: str) -> bytes | None:
        """Content of a file; None when there is none."""
        try:
            content: bytes = self._files.cat_file(self._at(path))
        except FileNotFoundError:
            return None
        return content

    def write(self, path: str, content: bytes) -> None:
        """Put a file in place of what stands there. Readers see the old one or the new one, also after a power cut."""
        place = self._at(path)
        if not self.is_local:
            self._files.pipe_file(place, content)  # object stores show an object whole or not at all
            return
        os.makedirs(os.path.dirname(place), exist_ok=True)
        atomic.write(Path(place), content)

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens when there is none."""
        try:
            self._files.rm_file(self._at(path))
        except FileNotFoundError:
            return

    def remove_empty(self, path: str) -> None:
        """Remove a folder that only locks are left in; nothing happens when more is. Object stores have no folders."""
        if self.is_local and os.path.isdir(self._at(path)) and not os.path.islink(self._at(path)):
            with suppress(OSError):
                for name in os.listdir(self._at(path)):
                    if name.endswith((".lock", ".tmp")):
                        os.unlink(f"{self._at(path)}/{name}")
                os.rmdir(self._at(path))

    def read_or_none(self, path: str) -> bytes | None:
        """Content of a file; None also where a folder stands."""
        try:
            return self.read(path)
        except (IsADirectoryError, PermissionError):
            return None

    def names(self, path: str = "") -> list[str]:
        """Names of the files and folders directly below `path`, in order; none below a file."""
        self._files.invalidate_cache()
        place = self._at(path)
        try:
            found = [name.rstrip("/") for name in self._files.ls(place, detail=False)]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name.rsplit("/", 1)[-1] for name in found if name != place)  # a file lists itself

    @contextmanager
    def exclusive(self, path: str) -> Iterator[None]:
        """Keep other processes of this machine out. Between machines the lock of the store does."""
        if not self.is_local:
            yield
            return
        place = self._at(path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root
