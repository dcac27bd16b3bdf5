"""The store's records as lines of a backup: written by `line`, and read back only as a store of ours holds them."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.store import encoding, schema
from arena.store.admin import KEPT, KEPT_PREFIXES

Item = tuple[str, str, Any]  # key, type, value as `store.admin.dump` gives them

KINDS: Mapping[str, str] = {
    schema.VOTES: "entry",
    schema.COUNTS: "hash",
    schema.PAIRS: "hash",
    **KEPT,
}
NUMBERS = (schema.COUNTS, schema.PAIRS, schema.SHELF_FENCE, schema.UNCHECKED_UNTIL, schema.fence(""))
LONGEST_LINE = 256 << 20  # a list of all terms or a release's file is one line
LONGEST_MS = 10 * 366 * 86_400_000  # nothing of ours expires later
END_OF_KEY = re.compile(r"[\x21-\x7e]{1,200}")
ENTRY_ID = re.compile(r"(0|[1-9][0-9]{0,18})-(0|[1-9][0-9]{0,18})")
NUMBER = re.compile(rb"-?[0-9]{1,18}")
CODED, TIMES = (b"v", b"a", b"b", b"r", b"w"), (b"t", b"d")
BATTLE_BYTES = 16
DEED = {"kind": str, "data": dict, "by": str, "at": (int, float), "before": str}


class Odd(ValueError):
    """What no store of ours holds."""


def line(item: Item) -> bytes:
    """A record as JSON: bytes as {"b": base64}, mappings as {"m": pairs}, the rest as it is."""
    return (json.dumps(_plain(item)) + "\n").encode()


def items(lines: Iterable[bytes]) -> Iterator[Item]:
    """The records of these lines, each checked by itself and against those before. Raises `Odd`."""
    seen: set[tuple[str, str]] = set()
    last: dict[str, tuple[int, int]] = {}
    for number, raw in enumerate(lines, 1):
        try:
            item = _item(raw)
            _check_order(item, seen, last)
        except (ValueError, TypeError, RecursionError, KeyError) as error:
            raise Odd(f"line {number}: {error or type(error).__name__}") from None
        yield item


def check_names(found: Iterable[Item], terms: Sequence[str]) -> None:
    """See that every vote and fact can be read with these terms, and every deed. Raises `Odd`."""
    for key, kind, value in found:
        if kind != "entry":
            continue
        entry_id, fields = value
        try:
            READERS[key](entry_id, fields, terms)
        except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise Odd(f"{key} {entry_id} cannot be read: {error or type(error).__name__}") from None


def _item(raw: bytes) -> Item:
    if len(raw) > LONGEST_LINE:
        raise Odd(f"longer than {LONGEST_LINE:,} bytes")
    parts = json.loads(raw)
    if not isinstance(parts, list) or len(parts) != 3 or not all(isinstance(part, str) for part in parts[:2]):
        raise Odd("is no record of a store")
    key, kind, value = parts
    expected = _kind(key)
    if expected is None:
        raise Odd(f"{key[:80]!r} is no key that a backup holds")
    if kind != expected and not (kind == "expires" and key not in KINDS):
        raise Odd(f"{key} is of the type {expected!r}, not {kind[:40]!r}")
    found = SHAPES[kind](value)
    if key.startswith(NUMBERS):
        _check_numbers(key, found)
    return key, kind, found


def _kind(key: str) -> str | None:
    if key in KINDS:
        return KINDS[key]
    for prefix, kind in KEPT_PREFIXES.items():
        if key.startswith(prefix) and END_OF_KEY.fullmatch(key[len(prefix) :]):
            return kind
    return None


def _check_numbers(key: str, found: Any) -> None:
    for value in found.values() if isinstance(found, dict) else (found,):
        if isinstance(value, bytes) and not NUMBER.fullmatch(value):
            raise Odd(f"{key} holds {value[:20]!r}, which is no whole number")


def _check_order(item: Item, seen: set[tuple[str, str]], last: dict[str, tuple[int, int]]) -> None:
    key, kind, value = item
    if kind == "entry":
        ms, _, sequence = value[0].partition("-")
        place = (int(ms), int(sequence))
        if place <= last.get(key, (0, 0)):
            raise Odd(f"{key} {value[0]} does not come after the entry before it")
        last[key] = place
    elif (key, kind) in seen:
        raise Odd(f"{key} is there twice")
    elif kind == "expires" and (key, _kind(key) or "") not in seen:
        raise Odd(f"{key} expires before it is there")
    seen.add((key, kind))


def _bytes(value: Any) -> bytes:
    if not isinstance(value, dict) or value.keys() != {"b"} or not isinstance(value["b"], str):
        raise Odd("bytes are missing where they must stand")
    return base64.b64decode(value["b"], validate=True)


def _mapping(value: Any) -> dict[bytes, bytes]:
    if not isinstance(value, dict) or value.keys() != {"m"} or not isinstance(value["m"], list):
        raise Odd("a mapping is missing where it must stand")
    found = {_bytes(key): _bytes(content) for key, content in value["m"]}
    if not found or len(found) != len(value["m"]):
        raise Odd("a mapping is empty or names a field twice")
    return found


def _list(value: Any) -> list[bytes]:
    if not isinstance(value, list) or not value:
        raise Odd("a list is missing where it must stand")
    return [_bytes(each) for each in value]


def _scores(value: Any) -> list[list[Any]]:
    if not isinstance(value, list) or not value:
        raise Odd("a list is missing where it must stand")
    found = [[_bytes(member), score] for member, score in value]
    if not all(type(score) in (int, float) and math.isfinite(score) for _, score in found):
        raise Odd("a score is no finite number")
    return found


def _entry(value: Any) -> tuple[str, dict[bytes, bytes]]:
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        raise Odd("is no entry of a stream")
    if not ENTRY_ID.fullmatch(value[0]):
        raise Odd(f"{value[0][:60]!r} is no id of an entry")
    return value[0], _mapping(value[1])


def _expires(value: Any) -> int:
    if type(value) is not int or not 0 < value <= LONGEST_MS:
        raise Odd("is no time to expire")
    return value


SHAPES: Mapping[str, Callable[[Any], Any]] = {
    "string": _bytes,
    "hash": _mapping,
    "set": _list,
    "list": _list,
    "zset": _scores,
    "entry": _entry,
    "expires": _expires,
}


def _vote(entry_id: str, fields: Mapping[bytes, bytes], terms: Sequence[str]) -> None:
    if not all(fields[name].isdigit() for name in (*CODED, *TIMES)):
        raise Odd("a code or a time is no number")
    if len(fields[b"i"]) != BATTLE_BYTES:
        raise Odd("a battle's id has another length")
    vote = encoding.vote(entry_id, fields, terms)
    if not (isinstance(vote.model_a, str) and isinstance(vote.model_b, str) and isinstance(vote.prompt, str)):
        raise Odd("a model or a prompt is no text")
    if vote.drawn_p is not None and not 0 < vote.drawn_p <= 1:
        raise Odd("a probability is out of its range")


def _fact(entry_id: str, fields: Mapping[bytes, bytes], terms: Sequence[str]) -> None:
    if not (fields[b"v"].isdigit() and fields[b"t"].isdigit()):
        raise Odd("a code or a time is no number")
    _ = terms[int(fields[b"v"])], [fields[name].decode() for name in (b"k", b"y", b"by")]


def _deed(entry_id: str, fields: Mapping[bytes, bytes], terms: Sequence[str]) -> None:
    if not re.fullmatch(rb"[0-9a-f]{64}", fields[b"h"]):
        raise Odd("a hash of the ledger is none")
    deed = json.loads(fields[b"e"])
    if any(not isinstance(deed[name], kind) for name, kind in DEED.items()):  # type: ignore[arg-type]
        raise Odd("a deed of the ledger is none")


READERS: Mapping[str, Callable[[str, Mapping[bytes, bytes], Sequence[str]], None]] = {
    schema.VOTES: _vote,
    schema.FACTS: _fact,
    schema.LEDGER: _deed,
}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"b": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"m": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
