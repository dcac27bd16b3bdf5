"""The part of the store for its owner: is it durable, its totals, everything out and everything in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from arena.errors import StoreUnavailable
from arena.store import schema
from arena.store.client import Client

# What must hold for an acknowledged vote to be kept, as CONFIG GET names it.
DURABLE = {
    "appendonly": "yes",
    "appendfsync": "always",
    "maxmemory-policy": "noeviction",
}
OLDEST_SERVER = (7, 0)  # the scripts use EXPIRE NX and XADD as of 7.0
# What a backup holds besides votes and totals, and of which type; battles, quotas and locks pass within a day.
KEPT: Mapping[str, str] = {
    schema.STRINGS: "list",
    schema.STRING_CODES: "hash",
    schema.QUARANTINED: "set",
    schema.FORGOTTEN: "hash",
    schema.FACTS: "entry",
    schema.UNCHECKED_UNTIL: "string",
    schema.LEDGER: "entry",
    schema.LEDGER_HEAD: "string",
    schema.SHELF_CURRENT: "string",
    schema.SHELF_FENCE: "string",
    schema.SHELF_RELEASES: "zset",
}
KEPT_PREFIXES: Mapping[str, str] = {
    schema.visitor(""): "hash",
    schema.visitor_votes(""): "list",
    schema.release(""): "hash",
    schema.fence(""): "string",
}
BATCH = 1_000


class StoreAdmin:
    """Durability, totals, backup."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def durability_faults(self) -> list[str]:
        """Why this server might lose an acknowledged vote, one line each; none: it keeps every one."""
        info = self.client.do("info")
        if isinstance(next(iter(info.values()), None), dict):  # a cluster answers by node
            info = next(iter(info.values()))
        faults = []
        version = str(info.get("valkey_version") or info.get("redis_version", "0"))
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_SERVER:
            faults.append(f"server version {version} is too old; it takes 7.0")
        if info.get("role") != "master":
            faults.append("this server is a replica: it takes no votes")
        if info.get("aof_last_write_status", "ok") != "ok":
            faults.append("the last write of the append-only file failed")
        return faults + self._config_faults()

    def _config_faults(self) -> list[str]:
        try:
            config = {name: self.client.do("config_get", name).get(name) for name in DURABLE}
        except StoreUnavailable as error:
            return [f"the server does not tell its configuration ({error})"]
        return [
            f"{name} is {config[name]!r}; it must be {value!r}"
            for name, value in DURABLE.items()
            if config[name] != value
        ]

    def write_fault(self) -> str | None:
        """Why the server takes no write now (full, read-only, its disk in trouble, down); None when it takes one."""
        try:
            self.client.do("set", schema.PROBE, "1", px=1000)
        except StoreUnavailable as error:
            return str(error)
        return None

    def clock_gap_seconds(self, now: float) -> float:
        """How far the clock of the store is ahead of `now`."""
        seconds, micros = self.client.do("time")
        return float(seconds) + float(micros) / 1e6 - now

    def counts(self) -> dict[str, int]:
        """Running totals: battles, votes, skips, `reason:<word>`."""
        values = self.client.do("hgetall", schema.COUNTS)
        return {name.decode(): int(value) for name, value in values.items()}

    def tidy_log(self) -> None:
        """Ask the server to rewrite its append-only file, so that forgotten names leave the disk as well."""
        with suppress(StoreUnavailable):
            self.client.do("bgrewriteaof")

    def is_empty(self) -> bool:
        """Does the store hold no vote, no term, no ledger and no release?"""
        replies = self.client.pipe(lambda pipe: [pipe.exists(key) for key in (schema.VOTES, *KEPT)])
        return not any(replies)

    def dump(self) -> Iterator[tuple[str, str, Any]]:
        """Everything worth keeping as (key, type, value): votes and totals as of one moment, then what they name.

        The rest may hold a little more than the votes need, never less.
        """
        votes, counts, pairs = self.client.pipe(
            lambda pipe: (
                pipe.xrevrange(schema.VOTES, count=1),
                pipe.hgetall(schema.COUNTS),
                pipe.hgetall(schema.PAIRS),
            )
        )
        for key, value in ((schema.COUNTS, counts), (schema.PAIRS, pairs)):
            if value:
                yield key, "hash", value
        if votes:
            yield from _read_stream(self.client, schema.VOTES, votes[0][0].decode())
        for key in [*KEPT, *self._kept_keys()]:
            yield from _read(self.client, key)

    def _kept_keys(self) -> list[str]:
        found: set[str] = set()
        for prefix in KEPT_PREFIXES:
            found.update(self.client.keys(prefix))
        return sorted(found)

    def load(self, items: Iterable[tuple[str, str, Any]]) -> None:
        """Write what `dump` gave into an empty store. Not all or nothing: after a failure `wipe` and load again."""
        batch: list[tuple[str, str, Any]] = []
        for item in items:
            batch.append(item)
            if len(batch) >= BATCH:
                self._write(batch)
                batch = []
        self._write(batch)

    def _write(self, batch: list[tuple[str, str, Any]]) -> None:
        if batch:
            self.client.pipe(lambda pipe: [WRITERS[kind](pipe, key, value) for key, kind, value in batch])

    def wipe(self) -> None:
        """Remove everything of this service from the store."""
        keys = self.client.keys(schema.ROOT)
        for start in range(0, len(keys), BATCH):
            part = keys[start : start + BATCH]
            self.client.do("delete", *part)


def _read(client: Client, key: str) -> Iterator[tuple[str, str, Any]]:
    kind = client.do("type", key).decode()
    if kind == "stream":
        newest = client.do("xrevrange", key, count=1)
        if newest:
            yield from _read_stream(client, key, newest[0][0].decode())
    elif kind != "none":
        yield key, kind, READERS[kind](client, key)
        left_ms = client.do("pttl", key)
        if left_ms > 0:
            yield key, "expires", left_ms


def _read_stream(client: Client, key: str, end: str) -> Iterator[tuple[str, str, Any]]:
    start = "-"
    while True:
        entries = client.do("xrange", key, start, end, BATCH)
        for entry_id, fields in entries:
            yield key, "entry", (entry_id.decode(), fields)
        if len(entries) < BATCH:
            return
        start = f"({entries[-1][0].decode()}"


def _members(client: Client, key: str) -> list[Any]:
    pairs = client.do("zrange", key, 0, -1, withscores=True)
    return [[member, float(score)] for member, score in pairs]


READERS: Mapping[str, Any] = {
    "string": lambda client, key: client.do("get", key),
    "hash": lambda client, key: client.do("hgetall", key),
    "set": lambda client, key: sorted(client.do("smembers", key)),
    "list": lambda client, key: client.do("lrange", key, 0, -1),
    "zset": _members,
}


def _write_list(pipe: Any, key: str, value: list[bytes]) -> None:
    pipe.delete(key)
    if value:
        pipe.rpush(key, *value)


WRITERS: Mapping[str, Any] = {
    "string": lambda pipe, key, value: pipe.set(key, value),
    "hash": lambda pipe, key, value: pipe.hset(key, mapping=value),
    "set": lambda pipe, key, value: pipe.sadd(key, *value),
    "list": _write_list,
    "zset": lambda pipe, key, value: pipe.zadd(key, dict(value)),
    "entry": lambda pipe, key, value: pipe.xadd(key, value[1], id=value[0]),
    "expires": lambda pipe, key, value: pipe.pexpire(key, value),
}
