"""The part of the store that keeps two runs apart: locks that hand out fences."""

from __future__ import annotations

import secrets

from arena.store import schema
from arena.store.client import Client


class Locks:
    """A lock runs out by itself; its fence tells a late holder from the present one."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def take(self, name: str, seconds: float) -> int | None:
        """Take the lock `name` for so long: its fence, greater than every earlier one; None when another holds it."""
        keys = [schema.lock(name), schema.fence(name)]
        fence = int(self.client.script("lock", keys, [secrets.token_hex(8), int(seconds * 1000)]))
        return fence or None

    def extend(self, name: str, fence: int, seconds: float) -> bool:
        """Keep the lock for so long from now; False when it is no longer ours."""
        return bool(self.client.script("hold", [schema.lock(name)], [fence, max(1, int(seconds * 1000))]))

    def release(self, name: str, fence: int) -> bool:
        """Give the lock back; False when it was no longer ours."""
        return bool(self.client.script("hold", [schema.lock(name)], [fence, 0]))
