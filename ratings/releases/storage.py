"""A release: every board of one refresh with its rankings, pictures and files, kept whole in release storage.

Release storage holds named byte strings under a release id, and one pointer to the current release. `store.releases` is
one; `ratings.releases.folder` makes one of a folder or of any fsspec address. A release never changes once it is
written, and the pointer moves last, so a reader that starts from the pointer sees one refresh and no mixture.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from arena.errors import ArenaError
from ratings.leaderboard import Leaderboard, PairRecord
from ratings.releases.payloads import Findings, GapTable, ReportData
from ratings.releases.release import HistoryPoint, PublishedBoard, Release, View, ViewName, Votes

__all__ = [
    "BrokenRelease", "HistoryPoint", "Latest", "PublishedBoard", "Release", "ReleaseStorage", "View", "ViewName", "Votes",
    "current", "load", "publish", "read_export",
]  # fmt: skip

MANIFEST = "release.json"
NAME = re.compile(r"[0-9A-Za-z-]{1,64}")  # of a release
HISTORY = "history.json.gz"
FORMAT = 1  # raise when older readers could not read a release
PACKED = ".gz"  # files that are texts are kept packed, under this ending


class ReleaseStorage(Protocol):
    """Where releases are kept. `store.releases` of `arena.store` is one."""

    def put(self, release: str, files: Mapping[str, bytes], *, at: float) -> None: ...

    def get(self, release: str, name: str) -> bytes | None: ...

    def current(self) -> str | None: ...

    def activate(self, release: str, *, fence: int) -> bool: ...

    def list(self) -> Sequence[tuple[str, float]]: ...

    def delete(self, release: str) -> None: ...


class BrokenRelease(ArenaError):
    """A stored release lacks a file, or a file of it is not the one that was written."""

    code = "broken_release"


def publish(releases: ReleaseStorage, release: Release, fence: int) -> bool:
    """Put every file of `release` into storage, then move the pointer; False when the fence is stale."""
    files: dict[str, bytes] = {HISTORY: _pack(_json(_history_object(release.history)))}
    for board in release.boards:
        for view in board.views:
            files.update(_view_files(board.name, view))
    manifest = {
        "format": FORMAT,
        "id": release.id,
        "at": release.at,
        "cast": release.cast,
        "faults": dict(release.faults),
        "boards": [_board_object(board) for board in release.boards],
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
    }
    files[MANIFEST] = _json(manifest)
    releases.put(release.id, files, at=release.at)
    return releases.activate(release.id, fence=fence)


def current(releases: ReleaseStorage) -> Release | None:
    """The release that the pointer names; None before the first one."""
    name = releases.current()
    while name is not None:
        try:
            return load(releases, name)
        except BrokenRelease:
            # It may have been cleared away between the two reads. If the pointer did not move, it is broken.
            moved = releases.current()
            if moved == name:
                raise
            name = moved
    return None


def load(releases: ReleaseStorage, release: str) -> Release:
    """The release of that id, every file checked against its hash; raises `BrokenRelease`."""
    content = releases.get(release, MANIFEST)
    if content is None:
        raise BrokenRelease(f"release {release} is not there")
    try:
        manifest = json.loads(content)
        if manifest["format"] != FORMAT:
            raise BrokenRelease(
                f"release {release} has format {manifest['format']}; this program reads {FORMAT}"
            )
        return _release(manifest, _Reader(releases, release, manifest["files"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenRelease(f"release {release} is damaged: {error!r}") from None


def _release(manifest: Mapping[str, Any], read: _Reader) -> Release:
    return Release(
        id=manifest["id"],
        at=manifest["at"],
        cast=manifest["cast"],
        boards=tuple(_published(board, read) for board in manifest["boards"]),
        history=_history(read.object(HISTORY)),
        faults=manifest.get("faults", {}),  # an older release has none
    )


def read_export(
    releases: ReleaseStorage, release: str, board: str, view: ViewName, ending: str
) -> bytes | None:
    """One written file of a release, such as `csv`; None when the release holds no such file."""
    path = f"boards/{board}/{view}.{ending}"
    packed = releases.get(release, path + PACKED)
    return gzip.decompress(packed) if packed is not None else releases.get(release, path)


class Latest:
    """The current release of a storage, parsed once per release. Cheap to ask on every request."""

    def __init__(self, releases: ReleaseStorage) -> None:
        self._releases = releases
        self._release: Release | None = None

    def release(self) -> Release | None:
        """The current release; raises what the storage raises when it cannot be reached."""
        held = self._release
        if held is None or self._releases.current() != held.id:
            held = self._release = current(self._releases)
        return held

    def manifest(self, release: str) -> bytes | None:
        """What a release is made of, as it was written; None where none of that name is stored."""
        return self._releases.get(release, MANIFEST) if NAME.fullmatch(release) else None


@dataclass(frozen=True)
class _Reader:
    releases: ReleaseStorage
    release: str
    hashes: Mapping[str, str]

    def content(self, name: str) -> bytes:
        content = self.stored(name)
        return gzip.decompress(content) if name.endswith(PACKED) else content

    def stored(self, name: str) -> bytes:
        """As it is stored, checked."""
        content = self.releases.get(self.release, name)
        if content is None or hashlib.sha256(content).hexdigest() != self.hashes.get(name):
            state = "is missing" if content is None else "was changed"
            raise BrokenRelease(f"release {self.release}: {name} {state}")
        return content

    def object(self, name: str) -> Any:
        return json.loads(self.content(name))


def _view_files(board: str, view: View) -> dict[str, bytes]:
    path = f"boards/{board}/{view.name}"
    texts = {ending: content for ending, content in view.exports.items() if ending != "parquet"}
    texts |= {f"{name}.svg": svg.encode() for name, svg in view.charts.items()}
    # Last, so that no export takes the place of what readers of releases read.
    texts |= {
        "json": view.leaderboard.to_json().encode() + b"\n",
        "pairs.json": _json(_pairs_object(view.leaderboard.pairs)),
    }
    files = {f"{path}.{ending}{PACKED}": _pack(content) for ending, content in texts.items()}
    if "parquet" in view.exports:  # packed by itself
        files[f"{path}.parquet"] = view.exports["parquet"]
    for name, answer in (("gaps", view.gaps), ("findings", view.findings), ("report", view.report)):
        if answer is not None:
            files[f"{path}.{name}.json{PACKED}"] = answer.packed
    return files


def _board_object(board: PublishedBoard) -> dict[str, Any]:
    return {
        "name": board.name,
        "title": board.title,
        "collection": board.collection,
        "note": board.note,
        "votes": asdict(board.votes),
        "views": [
            {"name": view.name, "snapshot": view.leaderboard.snapshot.id, "charts": sorted(view.charts)}
            for view in board.views
        ],
    }


def _published(value: Mapping[str, Any], read: _Reader) -> PublishedBoard:
    return PublishedBoard(
        name=value["name"],
        title=value["title"],
        collection=value["collection"],
        note=value["note"],
        views=tuple(_view(value["name"], view, read) for view in value["views"]),
        votes=Votes(**value["votes"]),
    )


def _view(board: str, value: Mapping[str, Any], read: _Reader) -> View:
    path = f"boards/{board}/{value['name']}"
    pairs = _pairs(read.object(f"{path}.pairs.json{PACKED}"))
    charts = {name: read.content(f"{path}.{name}.svg{PACKED}").decode() for name in value["charts"]}
    ranking = Leaderboard.from_object(read.object(f"{path}.json{PACKED}"), pairs)
    # Read but not parsed: most requests never ask for them, and an older release has none.
    gaps, findings, report = (f"{path}.{name}.json{PACKED}" for name in ("gaps", "findings", "report"))
    return View(
        value["name"],
        ranking,
        charts,
        gaps=GapTable(read.stored(gaps)) if gaps in read.hashes else None,
        findings=Findings(read.stored(findings)) if findings in read.hashes else None,
        report=ReportData(read.stored(report)) if report in read.hashes else None,
    )


def _pairs_object(pairs: Sequence[PairRecord]) -> dict[str, Any]:
    # Names once and rows of numbers: a board of 129 models has 8,256 pairs.
    names = sorted({name for pair in pairs for name in (pair.a, pair.b)})
    place = {name: number for number, name in enumerate(names)}
    rows = [[place[p.a], place[p.b], p.wins, p.losses, p.ties, p.both_bad] for p in pairs]
    return {"models": names, "rows": rows}


def _pairs(value: Mapping[str, Any]) -> tuple[PairRecord, ...]:
    names = value["models"]
    return tuple(PairRecord(names[a], names[b], *counts) for a, b, *counts in value["rows"])


def _history_object(history: Mapping[str, Sequence[HistoryPoint]]) -> dict[str, Any]:
    return {board: [asdict(point) for point in points] for board, points in history.items()}


def _history(value: Mapping[str, Any]) -> dict[str, tuple[HistoryPoint, ...]]:
    return {board: tuple(_point(point) for point in points) for board, points in value.items()}


def _point(value: Mapping[str, Any]) -> HistoryPoint:
    ratings = {model: tuple(numbers) for model, numbers in value["ratings"].items()}
    return HistoryPoint(value["release"], value["at"], value["snapshot"], ratings)


def _json(value: object) -> bytes:
    return json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def _pack(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)  # no clock in it: the same content gives the same bytes
