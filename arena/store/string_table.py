"""The string table: every string that a vote names is kept once, and votes hold its code."""

from __future__ import annotations

from collections.abc import Sequence

from arena.store import schema
from arena.store.client import Client
from arena.store.encoding import text


def read(client: Client, first: int = 0) -> list[str]:
    """What the codes stand for, from code `first` on."""
    return [text(value) for value in client.do("lrange", schema.STRINGS, first, -1)]


def texts(client: Client, codes: Sequence[int]) -> list[str]:
    """What these codes stand for."""
    if not codes:
        return []
    replies = client.pipe(lambda pipe: [pipe.lindex(schema.STRINGS, code) for code in codes])
    return [reply.decode("utf-8") for reply in replies]
