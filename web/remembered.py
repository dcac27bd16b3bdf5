"""HTML remembered by the text it shows, up to a size in memory, so that a text is rendered once and not at every look."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from markupsafe import Markup


class Remembered:
    """The function with a memory: what was not asked for longest goes first. Safe to share between threads."""

    def __init__(self, make: Callable[[str], Markup], characters: int) -> None:
        self.made = 0  # how often a text was rendered
        self._make = make
        self._room = characters
        self._used = 0
        self._kept: OrderedDict[str, Markup] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> Markup:
        with self._lock:
            known = self._kept.get(text)
            if known is not None:
                self._kept.move_to_end(text)
                return known
        html = self._make(text)
        with self._lock:
            self.made += 1
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
