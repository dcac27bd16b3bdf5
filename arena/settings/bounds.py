"""How large the owner's files may be: a small file must not take all memory, whatever it unpacks to. Set by the mains."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from arena.errors import BadInput, Problem

VARIABLES = "ARENA_FILE_"  # how the settings below begin
MB = 1 << 20
SMALL = 64 * MB  # a packed file may always grow to this, whatever its ratio


@dataclass(frozen=True)
class Bounds:
    """The settings `ARENA_FILE_...`, with their defaults."""

    unpacked_mb: int = 4096  # one file, unpacked
    ratio: int = 100  # unpacked to stored; honest logs shrink 5 to 50 fold, a bomb 1000 fold
    line_mb: int = 16  # one line, record or element
    document_mb: int = 512  # JSON that is read whole
    values: int = 20_000_000  # in such a document; each takes some hundred bytes once read
    columns: int = 10_000
    rows: int = 100_000_000  # of one file
    toml_mb: int = 4  # rosters and boards

    @property
    def line(self) -> int:
        """Bytes of the longest line."""
        return self.line_mb * MB

    def unpacked(self, stored: int) -> int:
        """Bytes that a packed file of `stored` bytes may unpack to."""
        return min(self.unpacked_mb * MB, max(SMALL, self.ratio * stored))

    def why_unpacked(self, stored: int) -> str:
        """Which setting the refusal of such a file names."""
        return (
            "ARENA_FILE_UNPACKED_MB" if self.unpacked_mb * MB <= self.ratio * stored else "ARENA_FILE_RATIO"
        )

    def document_fault(self, raw: bytes) -> str | None:
        """Why a JSON text is too much to be read whole; None when it is not. Counts marks, builds nothing."""
        if len(raw) > self.document_mb * MB:
            return f"is one JSON document of more than {self.document_mb:,} MB (ARENA_FILE_DOCUMENT_MB); use JSON lines"
        marks = raw.count(b",") + raw.count(b"[") + raw.count(b"{")
        if marks > self.values:
            return (
                f"is one JSON document of {marks:,} values; {self.values:,} is the most (ARENA_FILE_VALUES)"
            )
        return None

    def line_fault(self) -> str:
        return f"is longer than {self.line_mb:,} MB (ARENA_FILE_LINE_MB)"

    def columns_fault(self, columns: int) -> str | None:
        if columns <= self.columns:
            return None
        return f"has {columns:,} columns; {self.columns:,} is the most (ARENA_FILE_COLUMNS)"

    def rows_fault(self, rows: int) -> str | None:
        if rows <= self.rows:
            return None
        return f"has more than {self.rows:,} rows (ARENA_FILE_ROWS)"


_held = [Bounds()]


def now() -> Bounds:
    """The bounds of this process."""
    return _held[0]


def use(bounds: Bounds) -> None:
    """Let these hold from now on. For mains and tests."""
    _held[0] = bounds


def of_environment() -> Bounds:
    """The bounds that the environment names. Not read by way of `Settings`, which takes a short command half a second."""
    found: dict[str, int] = {}
    for field in fields(Bounds):
        name = VARIABLES + field.name.upper()
        text = os.environ.get(name, "")
        if text and not (text.isascii() and text.isdigit() and int(text[:18]) > 0 and len(text) < 16):
            raise BadInput(f"{name}={text}: it must be a whole number of at least 1")
        if text:
            found[field.name] = int(text)
    return Bounds(**found)


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file of the owner. Raises `BadInput` for one that is too large, no UTF-8 or no TOML."""
    most = now().toml_mb * MB
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
        if len(raw) > most:
            reason = f"is larger than {now().toml_mb} MB (ARENA_FILE_TOML_MB)"
            raise BadInput(f"{path}: {reason}", [Problem(str(path), reason)])
        return parse_toml(raw, str(path))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


def parse_toml(raw: bytes, name: str) -> dict[str, Any]:
    """The content of a TOML text."""
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{name}: {error}") from None
    except (
        RecursionError,
        ValueError,
    ) as error:  # nested without end; a number of more digits than Python reads
        raise BadInput(f"{name}: is no TOML that can be read: {type(error).__name__}") from None
