"""Reads the JSON lines of a bank, strictly: one object a line, known fields of known types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from arena.errors import BadInput, Problem
from arena.settings import bounds

LINE_BYTES = 4 << 20  # one answer; a longer line is no answer that a person would read
REQUIRED = ("prompt_id", "prompt", "model", "response")
SHOWN = 1_000  # letters of a value that a problem keeps
OPTIONAL = ("sample", "category", "language", "traits")


@dataclass(frozen=True)
class AnswerRow:
    """One answer of the file, with its place: `number` counts rows, `line` physical lines, both from 1."""

    file: str
    number: int
    line: int
    prompt_id: str
    prompt: str
    model: str
    response: str
    sample: int = 0
    categories: tuple[str, ...] = ()
    language: str | None = None
    traits: Mapping[str, float] | None = None  # as measured when the answer came in; None: not measured yet
    ignored: tuple[str, ...] = ()  # fields of the record that mean nothing here


def rows(paths: Sequence[Path]) -> tuple[list[AnswerRow], list[Problem]]:
    """The readable rows of all files in order, and a problem for each row that is not. A folder stands for its *.jsonl."""
    found: list[AnswerRow] = []
    problems: list[Problem] = []
    for path in _files(paths):
        for row in _read(path):
            (found if isinstance(row, AnswerRow) else problems).append(row)  # type: ignore[arg-type]
    return found, problems


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = sorted(path.glob("*.jsonl"))
            if not inside:
                raise BadInput(f"{path}: no .jsonl file in this folder")
            yield from inside
        else:
            yield path


def _read(path: Path) -> Iterator[AnswerRow | Problem]:
    try:
        with path.open("rb") as lines:
            yield from parsed(lines, path.name)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


def parsed(lines: IO[bytes], file: str) -> Iterator[AnswerRow | Problem]:
    """The rows of a stream of JSON lines. Raises `BadInput` where it is larger than the settings allow."""
    limits, number, read = bounds.now(), 0, 0
    for line, raw in enumerate(_bounded(lines), 1):
        read += len(raw)
        fault = limits.rows_fault(number)
        if read > limits.unpacked_mb * bounds.MB:
            fault = f"is larger than {limits.unpacked_mb:,} MB (ARENA_FILE_UNPACKED_MB)"
        if fault:
            raise BadInput(f"{file}, line {line}: {fault}", [Problem(file, fault, line=line)])
        text = raw.removeprefix(b"\xef\xbb\xbf") if line == 1 else raw
        if text.strip():
            number += 1
            yield _row(file, number, line, text)


def _bounded(lines: Any) -> Iterator[bytes]:
    while raw := lines.readline(LINE_BYTES + 1):
        if len(raw) > LINE_BYTES:
            while (rest := lines.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
        yield raw


def _row(file: str, number: int, line: int, raw: bytes) -> AnswerRow | Problem:
    def problem(reason: str, column: str | None = None, value: object = None) -> Problem:
        shown = None if value is None else value if isinstance(value, str) else json.dumps(value)
        # Cut: a thousand lines of 4 MB that are all refused must not be kept.
        return Problem(file, reason, row=number, line=line, column=column, value=shown and shown[:SHOWN])

    if len(raw) > LINE_BYTES:
        return problem(f"longer than {LINE_BYTES >> 20} MB")
    try:
        record = json.loads(raw.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        return problem(f"not UTF-8: byte 0x{raw[error.start]:02X}")
    except (ValueError, RecursionError) as error:
        return problem(f"not a JSON object: {error}")
    if not isinstance(record, dict):
        return problem("not a JSON object")
    for name in REQUIRED:
        if name not in record:
            return problem("missing", name)
    for name, value in record.items():
        fault = _fault(name, value)
        if fault:
            return problem(fault, name, value)
    return _of(file, number, line, record)


def _fault(name: str, value: object) -> str | None:
    if name == "prompt_id":
        usable = (isinstance(value, str) and value.strip()) or (
            isinstance(value, int) and not isinstance(value, bool)
        )
        return None if usable else "must be a text that is not empty, or a whole number"
    if name in REQUIRED:
        if not isinstance(value, str):
            return "must be a text"
        return None if _is_text(value) else "holds half a surrogate pair, which is no character"
    if name == "sample":
        usable = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return None if usable else "must be a whole number from 0"
    if name == "category":
        usable = value is None or isinstance(value, str) or _are_words(value)
        return None if usable else "must be a word or a list of words"
    if name == "language":
        return (
            None if value is None or (isinstance(value, str) and value.strip()) else "must be a language tag"
        )
    if name == "traits":
        usable = value is None or (
            isinstance(value, dict) and all(_is_count(each) for each in value.values())
        )
        return None if usable else "must be a table of numbers, 0 or more"
    return None


def _of(file: str, number: int, line: int, record: Mapping[str, Any]) -> AnswerRow:
    category = record.get("category")
    categories = () if not category else (category,) if isinstance(category, str) else tuple(category)
    return AnswerRow(
        file=file,
        number=number,
        line=line,
        prompt_id=str(record["prompt_id"]),
        prompt=record["prompt"],
        model=record["model"],
        response=record["response"],
        sample=record.get("sample", 0),
        categories=categories,
        language=record.get("language"),
        traits=record.get("traits"),
        ignored=tuple(name for name in record if name not in REQUIRED and name not in OPTIONAL),
    )


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _no_constant(token: str) -> NoReturn:
    raise ValueError(f"{token} is no JSON value")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a field is there twice")
    return record
