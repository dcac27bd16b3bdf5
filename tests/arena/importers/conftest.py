"""Vote files made for one test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(text or bytes, name)` makes a file and gives its path."""

    def make(content: str | bytes, name: str = "votes.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return make


@pytest.fixture
def write_lines(write: Write) -> Write:
    """`write_lines(records, name)` makes a file of JSON lines."""

    def make(records: Iterable[Any], name: str = "votes.jsonl") -> Path:
        return write("".join(json.dumps(record) + "\n" for record in records), name)

    return make
