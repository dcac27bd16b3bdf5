"""Files as readers see them: found, unpacked and parsed once, whatever they hold."""

from __future__ import annotations

import glob
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import zstandard

from arena.errors import BadInput, Problem
from arena.settings import bounds
from ratings.benchmarks.results.entries import Unusable

SUFFIXES = (".json", ".jsonl", ".ndjson", ".eval", ".csv", ".tsv", ".parquet", ".html")
PACKED = (".gz", ".zst")
STEP = 1 << 20
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Source:
    """One file. `named`: the person named it, it was not merely found in a folder."""

    path: Path
    named: bool = True

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def file(self) -> str:
        """File name without the ending of a packer."""
        return self.path.name.removesuffix(".gz").removesuffix(".zst")

    @cached_property
    def content(self) -> bytes:
        try:
            return _unpack(self.path)
        except OSError as error:
            raise BadInput(f"{self.path}: cannot be read: {error.strerror or error}") from None
        except (zlib.error, EOFError, zstandard.ZstdError) as error:
            raise BadInput(f"{self.path}: damaged: {error}") from None

    @cached_property
    def text(self) -> str:
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            row = self.content.count(b"\n", 0, error.start) + 1
            problem = Problem(
                self.name, "not UTF-8", line=row, value=repr(self.content[error.start : error.end])
            )
            raise BadInput(str(problem), [problem]) from None

    @property
    def is_text(self) -> bool:
        head = self.content[:4]
        return not (head.startswith(b"PK") or head == b"PAR1" or b"\x00" in self.content[:4096])

    @cached_property
    def document(self) -> Any:
        """The file as one JSON value; None when it is none."""
        if not self.is_text or not self.text.lstrip()[:1] or self.text.lstrip()[0] not in "[{":
            return None
        if fault := bounds.now().document_fault(self.content):
            if self._first_line() is not None and "\n" in self.text.strip():
                return None  # JSON lines, which are read one by one
            raise refuse_whole(self, fault)
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The first object: of a JSON list, or of JSON lines; empty when there is none."""
        if isinstance(self.document, list):
            found = next(iter(self.document), None)
        elif isinstance(self.document, dict):
            found = self.document
        else:
            found = self._first_line()
        return found if isinstance(found, Mapping) else {}

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Number from 1 and value of each record of a JSON list or of JSON lines; a broken line raises `BadInput`."""
        if isinstance(self.document, list):
            yield from enumerate(self.document, start=1)
            return
        count, limits = 0, bounds.now()
        for line, text in enumerate(self.text.split("\n"), start=1):
            if not text.strip():
                continue
            count += 1
            fault = limits.line_fault() if len(text) > limits.line else limits.rows_fault(count)
            if fault:
                raise refuse_whole(self, fault, row=count, line=line)
            try:
                yield count, json.loads(text)
            except (ValueError, RecursionError) as error:
                problem = Problem(self.name, f"not JSON: {error}", row=count, line=line, value=text[:200])
                raise BadInput(str(problem), [problem]) from None

    def beside(self, name: str) -> Any:
        """The JSON of a neighbouring file; None where there is none."""
        path = self.path.with_name(name)
        return Source(path, named=False).document if path.is_file() else None

    def _first_line(self) -> Any:
        if not self.is_text:
            return None
        line = next((line for line in self.text.split("\n", 50) if line.strip()), "")
        try:
            return None if len(line) > bounds.now().line else json.loads(line)
        except (ValueError, RecursionError):
            return None


def find(paths: Sequence[str | Path]) -> list[Source]:
    """The files that `paths` mean: files, folders (all files of a known ending below them) and globs, each once."""
    found: dict[Path, Source] = {}
    for path in paths:
        for source in _expand(str(path)):
            found.setdefault(source.path.resolve(), source)
    if not found:
        raise BadInput("no files to read")
    return list(found.values())


def _expand(path: str) -> list[Source]:
    here = Path(path)
    if here.is_dir():
        files = (file for file in sorted(here.rglob("*")) if file.is_file() and _is_known(file))
        return [Source(file, named=False) for file in files]
    if here.exists():
        return [Source(here)]
    matches = [Path(match) for match in sorted(glob.glob(path, recursive=True))]
    if not matches:
        raise BadInput(f"{path}: no such file")
    return [source for match in matches for source in _expand(str(match))]


def _is_known(path: Path) -> bool:
    name = path.name.lower()
    for packer in PACKED:
        name = name.removesuffix(packer)
    return name.endswith(SUFFIXES)


def _unpack(path: Path) -> bytes:
    """The content; a packed file is unpacked twice, first piece by piece into nothing, so that a bomb takes no memory."""
    size, limits = path.stat().st_size, bounds.now()
    with path.open("rb") as file:
        packed = file.read(4).startswith((GZIP, ZSTD))
    most = limits.unpacked(size) if packed else limits.unpacked_mb * bounds.MB
    if packed:
        with _plain(path) as stream:
            length = 0
            while length <= most and (piece := stream.read(STEP)):
                length += len(piece)
    else:
        length = size
    if length > most:
        why = limits.why_unpacked(size) if packed else "ARENA_FILE_UNPACKED_MB"
        reason = (
            f"its {size:,} bytes unpack to more than {most:,} ({why})"
            if packed
            else f"has {size:,} bytes; {most:,} is the most ({why})"
        )
        raise BadInput(f"{path}: {reason}", [Problem(str(path), reason)])
    with _plain(path) as stream:
        return stream.read()


@contextmanager
def _plain(path: Path) -> Iterator[IO[bytes]]:
    """The unpacked bytes of a file."""
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(0)
        if head.startswith(GZIP):
            with gzip.GzipFile(fileobj=file, mode="rb") as stream:
                yield stream  # type: ignore[misc]
        elif head.startswith(ZSTD):
            with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
                yield stream
        else:
            yield file


def unzstd(raw: bytes, most: int) -> bytes:
    """The content of a zstd frame, no more than `most` + 1 bytes of it."""
    with zstandard.ZstdDecompressor().stream_reader(raw) as reader:
        return reader.read(most + 1)


def refuse_whole(source: Source, reason: str, **more: Any) -> BadInput:
    """The error for a file that cannot be used at all."""
    problem = Problem(source.name, reason, **more)
    return BadInput(str(problem), [problem])


__all__ = ["Source", "Unusable", "find", "refuse_whole", "unzstd"]
