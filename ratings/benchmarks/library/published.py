"""What the pages read of the shelf of benchmarks: the manifest of each and its reports in JSON. Loads no statistics."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST = "benchmark.json"
LONGEST = 60
PAGE_FILE = re.compile(r"[0-9a-f]{32}\.json")
PLAIN = re.compile(r"[a-z0-9][a-z0-9.-]*")


def folder_of(name: str) -> str:
    """Name of a benchmark's folder, and its address: plain letters, with a piece of its hash where that changed the name."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:LONGEST].strip("-")
    if plain == name:
        return plain
    return f"{plain or 'benchmark'}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


@dataclass(frozen=True)
class Page:
    """One report as the pages show it: a benchmark, or one variant of it."""

    slug: str
    name: str
    report: Mapping[str, Any]


class Published:
    """The reports under `root`, each parsed once while its manifest does not change."""

    def __init__(self, root: Path | None) -> None:
        self._root = root
        self._held: dict[Path, tuple[int, tuple[Page, ...]]] = {}

    def pages(self) -> tuple[Page, ...]:
        """All of them, in order of name."""
        if self._root is None:
            return ()
        found = [page for path in self._root.glob(f"*/{MANIFEST}") for page in self._of(path)]
        return tuple(sorted(found, key=lambda page: page.name))

    def page(self, slug: str) -> Page | None:
        return next((page for page in self.pages() if page.slug == slug), None)

    def _of(self, path: Path) -> tuple[Page, ...]:
        try:
            stamp = path.stat().st_mtime_ns
            held = self._held.get(path)
            if held is None or held[0] != stamp:
                manifest = json.loads(path.read_text("utf-8"))
                pages = tuple(
                    Page(folder_of(name), name, json.loads((path.parent / file).read_text("utf-8")))
                    for name, file in manifest["pages"].items()
                    if PAGE_FILE.fullmatch(file)  # it becomes a path
                )
                held = self._held[path] = (stamp, pages)
        except FileNotFoundError:  # replaced or removed at this moment: the next request sees it whole
            return self._held.get(path, (0, ()))[1]
        return held[1]
