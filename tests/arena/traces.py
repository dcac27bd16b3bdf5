"""Everything that a store and a folder hold, as bytes to be searched for traces of a person."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from arena.archive.archive import Archive
from arena.archive.exports import WRITERS
from arena.battles import id_bytes
from arena.store.store import Store


def traces(store: Store, archive: Archive, folder: Path, words: Iterable[str]) -> list[str]:
    """Where one of the words stands, or the bytes of the battle that a word names: keys, files and exports."""
    wanted = [word.encode() for word in words]
    wanted += [raw for word in words if (raw := id_bytes(word)) is not None]
    held = [*_keys(store), *_files(folder), *_exports(store, archive)]
    return [f"{place}: {word!r}" for place, content in held for word in wanted if word in content]


def _keys(store: Store) -> Iterator[tuple[str, bytes]]:
    redis = store.client.redis
    for key in sorted(redis.scan_iter("*")):
        kind = redis.type(key).decode()
        yield key.decode(), key
        yield key.decode(), _flat(READERS[kind](redis, key))


READERS: dict[str, Any] = {
    "string": lambda redis, key: redis.get(key),
    "hash": lambda redis, key: redis.hgetall(key),
    "list": lambda redis, key: redis.lrange(key, 0, -1),
    "set": lambda redis, key: redis.smembers(key),
    "zset": lambda redis, key: redis.zrange(key, 0, -1),
    "stream": lambda redis, key: redis.xrange(key),
}


def _flat(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        return _flat([*value.keys(), *value.values()])
    return b"\n".join(_flat(item) for item in value)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield str(path), path.name.encode() + path.read_bytes()
        if path.suffix == ".parquet":
            yield str(path), _rows(path.read_bytes())


def _exports(store: Store, archive: Archive) -> Iterator[tuple[str, bytes]]:
    for form in WRITERS:
        for what in ("votes", "battles"):
            out = io.BytesIO()
            archive.write_votes(store, form, out, what=what)
            yield f"export of {what} as {form}", out.getvalue()
            if form == "parquet":
                yield f"export of {what} as {form}", _rows(out.getvalue())


def _rows(raw: bytes) -> bytes:
    table = pq.read_table(io.BytesIO(raw))
    return json.dumps([table.to_pylist(), str(table.schema.metadata)], default=str).encode()
