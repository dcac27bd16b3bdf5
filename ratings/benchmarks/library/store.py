"""The shelf of imported benchmarks: attempts as Parquet, one file an import, and a manifest that alone says what counts."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from arena.errors import BadInput
from arena.settings import atomic
from ratings.benchmarks.library.published import MANIFEST, folder_of
from ratings.benchmarks.readers import Claim, Figure, Reading
from ratings.benchmarks.readers.identity import settle
from ratings.benchmarks.results.card import Card, read_card
from ratings.benchmarks.results.dependence import Dependence, Labels
from ratings.benchmarks.results.entries import Entry

FOLDER = "benchmarks"  # under ARENA_HOME

FORMAT = 1
LOCK = ".lock"
PAIRS = pa.list_(pa.list_(pa.string()))
IMPORT = re.compile(r"[0-9a-f]{32}")
SCHEMA = pa.schema(
    [("benchmark", pa.string()), ("model", pa.string()), ("item", pa.string()), ("score", pa.float64()), ("repeat", pa.int64()),
     ("status", pa.string()), ("group", pa.list_(pa.string())), ("hash", pa.string()), ("variant", pa.string()),
     ("reason", pa.string()), ("source", pa.string()), ("marks", PAIRS), ("setup", pa.list_(pa.string())), ("run", pa.string()),
     ("pairing", pa.list_(pa.string()))]
)  # fmt: skip


@dataclass(frozen=True)
class Import:
    """One import: its file on the shelf, and what was read."""

    hash: str
    at: float
    files: int
    entries: int
    account: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    asked: Dependence | None = None  # see `Labels`
    label_names: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()

    @property
    def labels(self) -> Labels:
        return Labels(self.asked, self.label_names, frozenset(self.tied))


@dataclass(frozen=True)
class Kept:
    """One benchmark on the shelf."""

    name: str
    entries: tuple[Entry, ...]  # import by import
    imports: tuple[Import, ...]
    card_text: str | None = None

    @property
    def card(self) -> Card | None:
        return None if self.card_text is None else read_card(self.card_text, "card")

    @property
    def settled(self) -> tuple[Entry, ...]:
        """The entries of all imports under the names that tell them apart."""
        return settle(self.entries).entries if len(self.imports) > 1 else self.entries

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(claim for part in self.imports for claim in part.claims)

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(figure for part in self.imports for figure in part.figures)

    @property
    def labels(self) -> Labels:
        """What the labels of all imports are for: as the last one that said so."""
        return reduce(Labels.joined, (part.labels for part in self.imports), Labels())

    @property
    def account(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(line for part in self.imports for line in part.account))


class BenchmarkShelf:
    """A folder with one folder per benchmark. What its manifest does not name is not there."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)

    def names(self) -> list[str]:
        """The benchmarks, in order of name."""
        found = [json.loads(path.read_text("utf-8"))["name"] for path in self.root.glob(f"*/{MANIFEST}")]
        return sorted(found)

    def load(self, name: str) -> Kept | None:
        """A benchmark with all its attempts; None where there is none of that name."""
        manifest = self._manifest(name)
        if manifest is None:
            return None
        imports = tuple(_import(part) for part in manifest["imports"])
        entries: list[Entry] = []
        for part in imports:
            entries += _entries(self._folder(name) / f"{part.hash}.parquet", part.hash)
        return Kept(name, tuple(entries), imports, manifest["card"])

    def with_import(
        self, name: str, reading: Reading, *, at: float, claims: Sequence[Claim] = (), card: str | None = None
    ) -> Kept:
        """The benchmark as it would be with this reading (an equal one counts once) and this card. Nothing is written."""
        before = self.load(name) or Kept(name, (), ())
        content = _parquet(reading.entries)
        account = reading.account
        part = Import(
            hash=hashlib.sha256(content).hexdigest()[:32],
            at=at,
            files=sum(account.formats.values()),
            entries=len(reading.entries),
            account=tuple(account.lines()),
            claims=(*account.claims, *claims),
            figures=account.figures,
            asked=reading.labels.asked,
            label_names=reading.labels.names,
            tied=tuple(sorted(reading.labels.tied)),
        )
        text = before.card_text if card is None else card
        if any(old.hash == part.hash for old in before.imports):
            imports = tuple(part if old.hash == part.hash else old for old in before.imports)
            return Kept(name, before.entries, imports, text)
        return Kept(name, (*before.entries, *reading.entries), (*before.imports, part), text)

    def put(self, kept: Kept, published: Mapping[str, bytes]) -> bool:
        """Write a benchmark and what its pages show; False when all of it is there already.

        Files first, the manifest last and at once: a run that is killed leaves what was there before.
        """
        with self._exclusive():
            folder = self._folder(kept.name)
            old = self._manifest(kept.name)
            named = {
                name: f"{hashlib.sha256(page).hexdigest()[:32]}.json" for name, page in published.items()
            }
            manifest = {
                "format": FORMAT, "name": kept.name, "card": kept.card_text, "pages": named,
                "imports": [asdict(part) for part in kept.imports],
            }  # fmt: skip
            if old is not None and _same(old, manifest):
                return False
            folder.mkdir(parents=True, exist_ok=True)
            self._write_parts(folder, kept)
            for name, page in published.items():
                _replace(folder / named[name], page)
            _replace(folder / MANIFEST, json.dumps(manifest, ensure_ascii=False, allow_nan=False).encode())
            self._clear(folder, {*named.values(), *(f"{part.hash}.parquet" for part in kept.imports)})
            return True

    def remove(self, name: str) -> bool:
        """Take a benchmark away, its manifest first."""
        with self._exclusive():
            folder = self._folder(name)
            if not (folder / MANIFEST).is_file():
                return False
            (folder / MANIFEST).unlink()
            self._clear(folder, set())
            folder.rmdir()
            return True

    def _write_parts(self, folder: Path, kept: Kept) -> None:
        start = 0
        for part in kept.imports:
            path = folder / f"{part.hash}.parquet"
            if not path.is_file():
                _replace(path, _parquet(kept.entries[start : start + part.entries]))
            start += part.entries

    def _clear(self, folder: Path, keep: set[str]) -> None:
        for path in folder.iterdir():
            if path.name not in keep and path.name != MANIFEST:
                path.unlink()

    def _folder(self, name: str) -> Path:
        return self.root / folder_of(name)

    def _manifest(self, name: str) -> dict[str, Any] | None:
        path = self._folder(name) / MANIFEST
        if not path.is_file():
            return None
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if found["format"] != FORMAT:
            raise BadInput(f"{path}: format {found['format']}; this program reads {FORMAT}")
        for part in found["imports"]:
            if not IMPORT.fullmatch(part["hash"]):  # it becomes a path
                raise BadInput(f"{path}: {part['hash']!r} names no import")
        return found

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        self.root.mkdir(parents=True, exist_ok=True)
        with open(self.root / LOCK, "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _same(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Equal but for the instants of equal imports."""
    bare = [
        {**value, "imports": [{**part, "at": 0} for part in value["imports"]]}
        for value in (json.loads(json.dumps(old)), json.loads(json.dumps(new)))
    ]
    return bool(bare[0] == bare[1])


def _parquet(entries: Sequence[Entry]) -> bytes:
    columns = {name: [getattr(entry, name) for entry in entries] for name in SCHEMA.names}
    content = io.BytesIO()
    pq.write_table(pa.table(columns, schema=SCHEMA), content, compression="zstd")
    return content.getvalue()


def _entries(path: Path, expected: str) -> list[Entry]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    if hashlib.sha256(content).hexdigest()[:32] != expected:
        raise BadInput(f"{path}: was changed since it was imported")
    return [_entry(row) for row in pq.read_table(io.BytesIO(content)).to_pylist()]


def _entry(row: dict[str, Any]) -> Entry:
    """An attempt of one row; what an older import has no column for is as `Entry` says."""
    row["group"], row["marks"] = tuple(row["group"]), tuple(map(tuple, row.get("marks") or ()))
    for name in ("setup", "pairing"):
        row[name] = tuple(row[name]) if row.get(name) else None
    return Entry(**row)


def _import(part: Mapping[str, Any]) -> Import:
    return Import(
        hash=part["hash"],
        at=part["at"],
        files=part["files"],
        entries=part["entries"],
        account=tuple(part["account"]),
        claims=tuple(Claim(**claim) for claim in part["claims"]),
        figures=tuple(
            Figure(**{**figure, "marks": tuple(map(tuple, figure.get("marks", ())))})
            for figure in part["figures"]
        ),
        asked=part.get("asked"),
        label_names=tuple(part.get("label_names", ())),
        tied=tuple(part.get("tied", ())),
    )


def _replace(path: Path, content: bytes) -> None:
    try:
        atomic.write(path, content)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
