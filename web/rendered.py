"""Rendered HTML kept on the disk between starts and for the other web processes, each file signed with the secret.

A file counts only with its digest, keyed with the secret of the installation: one that was planted or cut off is made anew.
A folder that cannot be written costs time, nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from markupsafe import Markup

from arena.settings import atomic

ROOM = 256_000_000  # bytes on the disk
_DIGEST = 32  # bytes before the HTML

log = logging.getLogger(__name__)


class Rendered:
    """A folder of HTML by the text it shows and the version of what renders it."""

    def __init__(self, folder: Path, secret: str, version: str, room: int = ROOM) -> None:
        self._folder = folder
        self._key = hashlib.sha256(f"rendered {version} {secret}".encode()).digest()
        self._room = room
        self._used: int | None = None  # counted at the first write
        self.is_full = False  # or cannot be written

    def read(self, text: str) -> Markup | None:
        """The HTML of `text`; None when there is none or it is not ours."""
        path = self._path(text)
        try:
            digest, html = (content := path.read_bytes())[:_DIGEST], content[_DIGEST:]
        except OSError:
            return None
        if not hmac.compare_digest(digest, self._sign(path.name, html)):
            return None
        return Markup(html.decode())

    def write(self, text: str, html: str) -> None:
        """Keep `html` while there is room."""
        path, content = self._path(text), html.encode("utf-8", "surrogatepass")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not self._fits(len(content)):
                self.is_full = True
                return
            atomic.write(path, self._sign(path.name, content) + content, durable=False)
        except OSError as error:
            self.is_full = True
            log.info("rendered texts are not kept on the disk: %s", error)

    def keep_only(self, texts: Iterable[str]) -> None:
        """Remove what shows none of `texts` or was rendered by another version."""
        wanted = {self._path(text).name for text in texts}
        with suppress(OSError):
            for path in self._folder.iterdir():
                if path.name not in wanted:
                    path.unlink()
        self._used = None

    def _path(self, text: str) -> Path:
        # Keyed too: another version or secret has other names.
        name = hmac.digest(self._key, text.encode("utf-8", "surrogatepass"), "sha256").hex()
        return self._folder / name

    def _sign(self, name: str, html: bytes) -> bytes:
        return hmac.digest(self._key, name.encode() + b"\n" + html, "sha256")

    def _fits(self, size: int) -> bool:
        if self._used is None:
            self._used = sum(entry.stat().st_size for entry in os.scandir(self._folder))
        if self._used + size + _DIGEST > self._room:
            return False
        self._used += size + _DIGEST
        return True
