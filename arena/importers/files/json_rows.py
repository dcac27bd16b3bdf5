"""JSON lines, JSON arrays read element by element, and single JSON objects."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from arena.importers.files.rows import Row
from arena.importers.files.sources import Source
from arena.importers.files.streams import Watch, refused
from arena.importers.values.values import Reject, broken_character
from arena.settings import bounds

CHUNK = 1 << 20
WRAPPERS = frozenset({"data", "rows", "votes", "battles", "records", "items", "feedbacks", "results"})
SPACE = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder()
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True)
class LinesContent:
    """One JSON object on each line."""

    source: Source
    watch: Watch | None = None
    kind: str = field(default="jsonl", init=False)

    def rows(self) -> Iterator[Row]:
        number = 0
        with self.source.text(self.watch) as stream:
            for line, raw in enumerate(_lines(stream), 1):
                if raw.isspace():
                    continue
                number += 1
                yield _line(raw, number, line)


def _lines(stream: io.BufferedReader) -> Iterator[bytes]:
    """The lines; of one longer than allowed a little more than that, so that it is seen."""
    longest = bounds.now().line
    while raw := stream.readline(longest + 1):
        yield raw
        while len(raw) > longest and not raw.endswith(b"\n"):
            raw = stream.readline(longest + 1)


def _line(raw: bytes, number: int, line: int) -> Row:
    if len(raw) > bounds.now().line:
        return Row(
            number, line, {}, Reject(None, raw[:60].decode("utf-8", "replace"), bounds.now().line_fault())
        )
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        value = parse_json(raw)
    if isinstance(value, Reject):
        return Row(number, line, {}, value)
    if not isinstance(value, dict):
        return Row(number, line, {}, Reject(None, value, "each line must be one JSON object"))
    twice = next((key for key in value if raw.count(_quoted(key)) > 1), None)
    return Row(number, line, value, None if twice is None else repeated_key(raw.decode("utf-8")))


@lru_cache(maxsize=1024)
def _quoted(key: str) -> bytes:
    return f'"{key}"'.encode("utf-8", "surrogatepass")


def repeated_key(text: str) -> Reject | None:
    """The refusal of an object that gives one key twice: readers differ in which value they take."""
    last: list[list[str]] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        last[:] = [[key for key, _ in pairs]]

    try:
        json.loads(text, object_pairs_hook=note)  # the outermost object comes last
    except RecursionError:
        return Reject(None, text[:60], "is nested too deeply")
    keys = last[0] if last else []
    twice = next((key for key in keys if keys.count(key) > 1), None)
    return None if twice is None else Reject(twice, None, "this key stands twice in one object")


def parse_json(raw: bytes) -> Any:
    """The value of a JSON text, or why it has none. NaN tokens and lone surrogates are left to the rules."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return not_utf8(raw, error.start)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return Reject(None, text[max(error.pos - 20, 0) :][:60], _why(text, error))
    except (ValueError, RecursionError) as error:
        return Reject(None, text[:60], f"is no JSON that can be read: {type(error).__name__}")


def not_utf8(raw: bytes, at: int) -> Reject:
    """The refusal of bytes of which the one at `at` is not UTF-8."""
    shown = raw[max(at - 20, 0) : at + 20].decode("ascii", "backslashreplace")
    return Reject(None, f"0x{raw[at]:02X} in {shown}", broken_character(chr(0xDC00 + raw[at])))


def _why(text: str, error: json.JSONDecodeError) -> str:
    rest = text[error.pos :].strip()
    if error.msg == "Extra data" and rest == ",":
        return "a comma follows the object; JSON lines stand without commas"
    if not rest or error.msg.startswith("Unterminated string") or not text.rstrip().endswith("}"):
        return f"is cut short or no JSON ({error.msg} at column {error.pos + 1})"
    return f"is no JSON ({error.msg} at column {error.pos + 1})"


@dataclass(frozen=True)
class ArrayContent:
    """One array of JSON objects, held in memory one element at a time."""

    source: Source
    watch: Watch | None = None
    kind: str = field(default="json", init=False)

    def rows(self) -> Iterator[Row]:
        """A fault of syntax is the last row: nobody can tell where the next element would begin."""
        with self.source.text(self.watch) as stream:
            elements = _Elements(stream)
            number = 0
            try:
                for number, (line, value) in enumerate(elements, 1):
                    yield _element(number, line, value)
            except Reject as fault:
                yield Row(number + 1, elements.line, {}, fault)


def _element(number: int, line: int | None, value: Any) -> Row:
    if isinstance(value, Reject):
        return Row(number, line, {}, value)
    if not isinstance(value, dict):
        return Row(number, line, {}, Reject(None, value, "each element must be a JSON object"))
    if value.keys() >= {"row_idx", "row"} and isinstance(value["row"], dict):  # as the hub's viewer serves it
        value = value["row"]
    return Row(number, line, value)


class _Elements:
    """(line, value) of each element of an array; `Reject` at a fault of syntax. `line` is where reading stands."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._text = io.TextIOWrapper(stream, "utf-8", "surrogateescape", newline="\n")
        self._held = ""
        self._at = 0  # what comes before is done with
        self._ended = False
        self.line = 1

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        self._take("[")
        if self._next() == "]":
            self._pass_to(self._at + 1)
            self._end()
            return
        while True:
            self._next()
            yield self.line, self._element()
            if self._take(",]") == "]":
                self._end()
                return

    def _element(self) -> Any:
        while True:
            try:
                value, end = DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                if self._ended:
                    raise self._bad(error.msg, error.pos) from None
                # The fault may only be that the element is not all here yet: read as much again.
                self._more(len(self._held) - self._at)
                continue
            except (ValueError, RecursionError) as error:
                raise self._bad(f"is no JSON that can be read: {type(error).__name__}", self._at) from None
            if end == len(self._held) and not self._ended:
                self._more(CHUNK)
                continue
            fault = self._fault(value, end)
            self._pass_to(end)
            return fault or value

    def _fault(self, value: Any, end: int) -> Reject | None:
        """What the reader let pass: bytes that are not UTF-8, and keys that stand twice."""
        broken = LONE_SURROGATE.search(self._held, self._at, end)
        if broken:
            return Reject(None, None, broken_character(broken.group()))
        keys = value if isinstance(value, dict) else ()
        if any(self._held.count(f'"{key}"', self._at, end) > 1 for key in keys):
            return repeated_key(self._held[self._at : end])
        return None

    def _more(self, at_least: int) -> None:
        if len(self._held) - self._at > bounds.now().line:
            raise self._bad(f"an element {bounds.now().line_fault()}", self._at)
        data = self._text.read(max(CHUNK, at_least))
        self._ended = not data
        self._held = self._held[self._at :] + data
        self._at = 0

    def _next(self) -> str:
        """The next character that is no space, left in place; "" at the end."""
        while True:
            found = SPACE.match(self._held, self._at)
            assert found is not None
            self._pass_to(found.end())
            if self._at < len(self._held) or self._ended:
                return self._held[self._at : self._at + 1]
            self._more(CHUNK)

    def _take(self, marks: str) -> str:
        found = self._next()
        if not found or found not in marks:
            raise self._bad(f"{' or '.join(marks)} is missing" if found else "is cut short", self._at)
        self._pass_to(self._at + 1)
        return found

    def _end(self) -> None:
        if self._next():
            raise self._bad("text follows the end of the array", self._at)

    def _pass_to(self, end: int) -> None:
        self.line += self._held.count("\n", self._at, end)
        self._at = end

    def _bad(self, why: str, at: int) -> Reject:
        self.line += self._held.count("\n", self._at, at)
        return Reject(
            None, self._held[at : at + 60], f"no JSON here ({why}); the rest of the file cannot be read"
        )


@dataclass(frozen=True)
class DocumentContent:
    """A file that is one JSON object."""

    source: Source
    watch: Watch | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    kind: str = field(default="document", init=False)

    def rows(self) -> Iterator[Row]:
        """The records that the object wraps (`{"data": [...]}`), or the object as the only record."""
        table = _by_columns(self.document)
        if table is not None:
            yield from (Row(number, None, values) for number, values in enumerate(table, 1))
            return
        lists = [value for key, value in self.document.items() if key in WRAPPERS and isinstance(value, list)]
        if len(lists) != 1:
            yield _element(1, 1, self.document)
            return
        for number, value in enumerate(lists[0], 1):
            yield _element(number, None, value)


def _by_columns(document: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The records of a table as pandas writes it: {name: [...]}, {name: {row: value}}, or columns and data."""
    names, rows = document.get("columns"), document.get("data")
    if isinstance(names, list) and isinstance(rows, list) and all(isinstance(name, str) for name in names):
        whole = all(isinstance(row, list) and len(row) == len(names) for row in rows)
        return [dict(zip(names, row, strict=True)) for row in rows] if whole else None
    if not isinstance(document.get("model_a"), list | dict):  # in a record it is a name
        return None
    if all(isinstance(column, dict) for column in document.values()):
        keys = {tuple(column) for column in document.values()}
        columns = [list(column.values()) for column in document.values()]
    else:
        columns = [column for column in document.values() if isinstance(column, list)]
        keys = {(len(column),) for column in columns}
    if len(keys) != 1 or len(columns) != len(document):
        return None
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]


def read_document(source: Source, watch: Watch | None = None) -> Mapping[str, Any]:
    """The object of a file that is one object."""
    with source.text(watch) as stream:
        raw = stream.read(bounds.now().document_mb * bounds.MB + 1)
    if fault := bounds.now().document_fault(raw):
        raise refused(source.name, fault)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        value = parse_json(raw)
    if isinstance(value, Reject):
        raise refused(source.name, f"is no JSON: {value.reason}")
    if not isinstance(value, dict):
        raise refused(source.name, "is neither a JSON object, nor an array, nor JSON lines")
    return value
