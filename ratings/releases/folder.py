"""Release storage in a folder or at any fsspec address, for those who do not keep releases in the store."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fsspec

from arena.errors import BadInput
from arena.settings import atomic
from ratings.releases.storage import MANIFEST, ReleaseStorage

POINTER = "current.json"
INSTANT = "%Y%m%dT%H%M%SZ"  # how the id of a release begins


def open_storage(address: str | None, store: ReleaseStorage) -> ReleaseStorage:
    """The release storage of the setting: the store's own when no folder or address is named."""
    return store if address is None else ReleaseFolder(address)


class ReleaseFolder:
    """Each release is a folder of files; `current.json` beside them is the pointer."""

    def __init__(self, address: str) -> None:
        self._files, self._root = fsspec.core.url_to_fs(address)
        self._is_local = "file" in self._files.protocol

    def put(self, release: str, files: Mapping[str, bytes], *, at: float) -> None:
        """Write the files. Nobody looks at them before the pointer names the release; the manifest comes last.

        The instant `at` stands in the id of the release already.
        """
        for name in sorted(files, key=lambda name: (name == MANIFEST, name)):
            path = self._path(release, name)
            self._files.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
            self._write(path, files[name])

    def get(self, release: str, name: str) -> bytes | None:
        try:
            content: bytes = self._files.cat_file(self._path(release, name))
        except FileNotFoundError:
            return None
        return content

    def names(self, release: str) -> Sequence[str]:
        root = self._path(release)
        return sorted(path[len(root) + 1 :] for path in self._files.find(root))

    def current(self) -> str | None:
        pointer = self._pointer()
        return None if pointer is None else pointer["release"]

    def activate(self, release: str, *, fence: int) -> bool:
        """Move the pointer; False when a holder of a later fence has moved it, or the release is not there."""
        with self._exclusive():
            pointer = self._pointer()
            is_stale = pointer is not None and fence < pointer["fence"]
            if is_stale or not self._files.exists(self._path(release, MANIFEST)):
                return False
            self._write(self._path(POINTER), json.dumps({"release": release, "fence": fence}).encode())
            return True

    def list(self) -> Sequence[tuple[str, float]]:
        """Complete releases with their instants, oldest first."""
        if not self._files.isdir(self._root):
            return []
        self._files.invalidate_cache()
        names = (path.rstrip("/").rsplit("/", 1)[-1] for path in self._files.ls(self._root, detail=False))
        return [
            (name, instant)
            for name in sorted(names)
            if (instant := _instant(name)) is not None and self._files.exists(self._path(name, MANIFEST))
        ]

    def delete(self, release: str) -> None:
        """Remove a release, its manifest first; the current one stays."""
        if release != self.current() and self._files.isdir(self._path(release)):
            if self._files.exists(self._path(release, MANIFEST)):
                self._files.rm_file(self._path(release, MANIFEST))
            self._files.rm(self._path(release), recursive=True)

    def _path(self, *parts: str) -> str:
        """The place of a file. A release or a name that would lead out of the folder raises `BadInput`."""
        for part in parts:
            if not set(part.split("/")).isdisjoint(("", ".", "..")) or "\\" in part or "\0" in part:
                raise BadInput(f"{part!r} names no file of the folder")
        return "/".join([self._root, *parts])

    def _pointer(self) -> dict[str, Any] | None:
        try:
            pointer: Any = json.loads(self._files.cat_file(self._path(POINTER)))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError):
            raise BadInput(f"{self._path(POINTER)} is damaged") from None
        is_one = isinstance(pointer, dict) and isinstance(pointer.get("release"), str)
        if not is_one or type(pointer.get("fence")) is not int:
            raise BadInput(f"{self._path(POINTER)} is damaged")
        return dict(pointer)

    def _write(self, path: str, content: bytes) -> None:
        if not self._is_local:
            self._files.pipe_file(path, content)  # object stores show an object whole or not at all
            return
        atomic.write(Path(path), content)

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Keep other processes of this machine from switching at the same moment. Elsewhere the store's lock does."""
        if not self._is_local:
            yield
            return
        self._files.makedirs(self._root, exist_ok=True)
        with open(self._path(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _instant(release: str) -> float | None:
    try:
        return datetime.strptime(release.split("-")[0], INSTANT).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
