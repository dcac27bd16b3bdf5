"""HTML remembered by the text it shows, up to a size in memory, so that a text is rendered once and not at every look."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from markupsafe import Markup

from web.rendered import Rendered


class Remembered:
    """The function with a memory: what was not asked for longest goes first. Safe to share between threads.

    A text is made by one thread at a time: who asks for it meanwhile waits and takes that. With a `cache`, what
    another process left there is taken and what is made here is left for the others.
    """

    def __init__(self, make: Callable[[str], Markup], characters: int) -> None:
        self.made = 0  # how often a text was rendered
        self.cache: Rendered | None = None
        self._make = make
        self._room = characters
        self._used = 0
        self._kept: OrderedDict[str, Markup] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[str, threading.Lock] = {}

    def __call__(self, text: str) -> Markup:
        known, turn = self._look(text)
        if known is not None:
            return known
        with turn:
            known, _ = self._look(text)  # what the one before made
            if known is not None:
                return known
            try:
                return self._fetch(text)
            finally:
                with self._lock:
                    self._making.pop(text, None)

    def _look(self, text: str) -> tuple[Markup | None, threading.Lock]:
        """What is known of the text, and the lock of those who want to make it."""
        with self._lock:
            known = self._kept.get(text)
            if known is not None:
                self._kept.move_to_end(text)
                return known, self._lock
            return None, self._making.setdefault(text, threading.Lock())

    def _fetch(self, text: str) -> Markup:
        html = self.cache.read(text) if self.cache else None
        made = html is None
        if html is None:
            html = self._make(text)
            if self.cache:
                self.cache.write(text, html)
        with self._lock:
            self.made += made
            self._keep(text, html)
        return html

    @property
    def is_full(self) -> bool:
        """Whether nine tenths are in use, so that what comes in pushes something out soon."""
        return self._used > 0.9 * self._room

    def cache_clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._used = self.made = 0

    def _keep(self, text: str, html: Markup) -> None:
        if text not in self._kept:
            self._used += len(text) + len(html)
        self._kept[text] = html
        while self._used > self._room:
            self._used -= sum(map(len, self._kept.popitem(last=False)))
