"""What a refresh works with, opened as the settings name it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from arena.archive.archive import Archive
from arena.settings import settings
from arena.store.store import Store
from ratings.benchmarks.library.store import FOLDER as BENCHMARKS
from ratings.benchmarks.library.store import BenchmarkShelf
from ratings.leaderboard import Leaderboard
from ratings.releases import storage
from ratings.releases.boards import Board, read_boards
from ratings.releases.folder import open_storage

STORE_SECONDS = 30.0  # a refresh has time; it need not give up as soon as a request must


@dataclass(frozen=True)
class RefreshContext:
    """What a refresh works with."""

    store: Store
    archive: Archive
    releases: storage.ReleaseStorage
    boards: Sequence[Board]
    clock: Callable[[], float]
    benchmarks: BenchmarkShelf | None = None  # what was imported, to be set beside the votes
    rank: Callable[..., dict[str, Leaderboard]] | None = None  # in place of `rank_many`: fits on a scheduler


@contextlib.contextmanager
def open_context(values: settings.Settings) -> Iterator[RefreshContext]:
    """Store, archive, release storage and boards as the settings name them."""
    store = Store.open(values.store_url, timeout_seconds=max(STORE_SECONDS, values.redis_timeout_seconds))
    try:
        releases = open_storage(values.shelf, store.releases)
        benchmarks = BenchmarkShelf(values.home / BENCHMARKS)
        yield RefreshContext(
            store, Archive.open(values), releases, read_boards(values.boards), time.time, benchmarks
        )
    finally:
        store.close()
