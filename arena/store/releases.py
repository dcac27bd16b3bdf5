"""The part of the store that holds published releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.store import schema
from arena.store.client import Client


class StoredReleases:
    """Releases by name: written whole, shown by one pointer, never edited."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def put(self, release: str, files: Mapping[str, bytes], *, at: float | None = None) -> None:
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

    def get(self, release: str, name: str) -> bytes | None:
        """One file of a release."""
        value: bytes | None = self.client.do("hget", schema.release(release), name)
        return value

    def names(self, release: str) -> Sequence[str]:
        """File names of a release, in order; none when there is no such release."""
        return sorted(name.decode() for name in self.client.do("hkeys", schema.release(release)))

    def current(self) -> str | None:
        """The release that readers see."""
        value = self.client.do("get", schema.SHELF_CURRENT)
        return None if value is None else value.decode()

    def activate(self, release: str, *, fence: int) -> bool:
        """Show readers `release`; False when a holder with a higher fence has switched, or the release is not there."""
        keys = [schema.SHELF_CURRENT, schema.SHELF_FENCE, schema.SHELF_RELEASES]
        return bool(self.client.script("switch", keys, [release, fence]))

    def list(self) -> Sequence[tuple[str, float]]:
        """Releases with the time they were complete (seconds UTC), oldest first."""
        pairs = self.client.do("zrange", schema.SHELF_RELEASES, 0, -1, withscores=True)
        return [(name.decode(), float(at)) for name, at in pairs]

    def delete(self, release: str) -> None:
        """Forget a release. The current one stays."""
        if release == self.current():
            return

        def fill(pipeline: object) -> None:
            pipeline.zrem(schema.SHELF_RELEASES, release)  # type: ignore[attr-defined]
            pipeline.delete(schema.release(release))  # type: ignore[attr-defined]

        self.client.pipe(fill)
