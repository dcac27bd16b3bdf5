"""The part of the store that holds published releases, and the locks that keep two runs apart."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from arena.store import schema
from arena.store.client import Client
from arena.store.replies import WorkerFault


class ShelfPart:
    """Releases by name: written whole, shown by one pointer, never edited. Locks that hand out fences."""

    client: Client

    def shelf_put(self, release: str, files: Mapping[str, bytes], *, at: float | None = None) -> None:
        """Keep a release: all its files and its name in the list, all or nothing. `at`: seconds UTC (now)."""
        if at is None:
            seconds, micros = self.client.do("time")
            at = seconds + micros / 1e6

        def fill(pipeline: object) -> None:
            pipeline.delete(schema.release(release))  # type: ignore[attr-defined]
            for name, content in files.items():
                pipeline.hset(schema.release(release), name, content)  # type: ignore[attr-defined]
            pipeline.zadd(schema.SHELF_RELEASES, {release: at})  # type: ignore[attr-defined]

        self.client.pipe(fill)

    def shelf_get(self, release: str, name: str) -> bytes | None:
        """One file of a release."""
        value: bytes | None = self.client.do("hget", schema.release(release), name)
        return value

    def shelf_names(self, release: str) -> list[str]:
        """File names of a release, in order; none when there is no such release."""
        return sorted(name.decode() for name in self.client.do("hkeys", schema.release(release)))

    def shelf_current(self) -> str | None:
        """The release that readers see."""
        value = self.client.do("get", schema.SHELF_CURRENT)
        return None if value is None else value.decode()

    def shelf_switch(self, release: str, *, fence: int) -> bool:
        """Show readers `release`; False when a holder with a higher fence has switched, or the release is not there."""
        keys = [schema.SHELF_CURRENT, schema.SHELF_FENCE, schema.SHELF_RELEASES]
        return bool(self.client.script("switch", keys, [release, fence]))

    def shelf_releases(self) -> list[tuple[str, float]]:
        """Releases with the time they were complete (seconds UTC), oldest first."""
        pairs = self.client.do("zrange", schema.SHELF_RELEASES, 0, -1, withscores=True)
        return [(name.decode(), float(at)) for name, at in pairs]

    def ask_refresh(self, at: float) -> None:
        """Note that the owner wants a refresh; the worker looks for it."""
        self.client.do("set", schema.REFRESH_ASKED, repr(at))

    def refresh_asked_at(self) -> float | None:
        """When a refresh was last asked for (seconds UTC)."""
        value = self.client.do("get", schema.REFRESH_ASKED)
        return None if value is None else float(value)

    def worker_failed(self, part: str, why: str, at: float) -> None:
        """Note that `part` of the worker failed at `at` (seconds UTC), until `worker_works` takes it back."""
        fault = json.dumps({"at": at, "why": why})

        def note(pipeline: Any) -> None:
            pipeline.hset(schema.WORKER_FAULTS, part, fault)
            pipeline.incr(schema.WORKER_FAILURES)

        self.client.pipe(note)

    def worker_works(self, part: str) -> None:
        """Take back that `part` of the worker failed."""
        self.client.do("hdel", schema.WORKER_FAULTS, part)

    def worker_faults(self) -> list[WorkerFault]:
        """What of the worker fails now, by part."""
        values = self.client.do("hgetall", schema.WORKER_FAULTS)
        found = {part.decode(): json.loads(value) for part, value in values.items()}
        return [WorkerFault(part, found[part]["why"], found[part]["at"]) for part in sorted(found)]

    def worker_failures(self) -> int:
        """How often the worker failed since the beginning."""
        return int(self.client.do("get", schema.WORKER_FAILURES) or 0)

    def shelf_drop(self, release: str) -> None:
        """Forget a release. The current one stays."""
        if release == self.shelf_current():
            return

        def fill(pipeline: object) -> None:
            pipeline.zrem(schema.SHELF_RELEASES, release)  # type: ignore[attr-defined]
            pipeline.delete(schema.release(release))  # type: ignore[attr-defined]

        self.client.pipe(fill)

    def lock(self, name: str, seconds: float) -> int | None:
        """Take the lock `name` for so long: its fence, greater than every earlier one; None when another holds it."""
        keys = [schema.lock(name), schema.fence(name)]
        fence = int(self.client.script("lock", keys, [secrets.token_hex(8), int(seconds * 1000)]))
        return fence or None

    def extend(self, name: str, fence: int, seconds: float) -> bool:
        """Keep the lock for so long from now; False when it is no longer ours."""
        return bool(self.client.script("hold", [schema.lock(name)], [fence, max(1, int(seconds * 1000))]))

    def unlock(self, name: str, fence: int) -> bool:
        """Give the lock back; False when it was no longer ours."""
        return bool(self.client.script("hold", [schema.lock(name)], [fence, 0]))
