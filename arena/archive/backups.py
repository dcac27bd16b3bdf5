"""One file that holds a whole arena: the store's records, archive, kept bank and roster, and secret; whole or not at all."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from arena.archive import backup_parts, backup_records
from arena.archive.backup_box import ARCHIVE, CONTENTS, KEPT, SECRET, STORE, VERSION, Box, opened
from arena.archive.folders import Folder
from arena.archive.manifest import Manifest
from arena.archive.partitions import LOCK, MANIFEST, NAME
from arena.errors import BadInput
from arena.settings import atomic
from arena.settings.settings import SECRET_FILE, Settings, secret_key
from arena.store.store import Store


@dataclass(frozen=True)
class BackupContents:
    """What a backup holds."""

    entries: int
    files: int


def put(path: Path, content: IO[bytes]) -> None:
    """The file at `path`, written beside it and renamed: whole or not at all. Readable by its owner only."""
    try:
        with atomic.draft(path, mode=atomic.OWNER_ONLY) as file:
            shutil.copyfileobj(content, file)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None


def write(store: Store, archive: Folder, settings: Settings, path: Path) -> BackupContents:
    """Write a backup of a running arena. The stream is read before the archive: a vote moved between is in both."""
    secret = secret_key(settings).encode()
    if fault := backup_parts.secret_fault(secret):
        raise BadInput(f"the secret {fault}; no backup could be brought back with it")
    digests: dict[str, str] = {}
    try:
        with (
            atomic.draft(path, mode=atomic.OWNER_ONLY) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as box,
        ):
            entries = _add_store(box, store, digests)
            _add(box, SECRET, secret, digests)
            for name in KEPT:
                if (settings.home / name).exists():
                    _add(box, name, (settings.home / name).read_bytes(), digests)
            files = 0
            for name, content in _archived(archive):
                _add(box, ARCHIVE + name, content, digests)
                files += 1
            contents = {"version": VERSION, "entries": entries, "files": files, "sha256": digests}
            box.writestr(CONTENTS, json.dumps(contents, indent=1))
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
    return BackupContents(entries, files)


def read(store: Store, archive: Folder, settings: Settings, path: Path) -> BackupContents:
    """Bring a backup back. Raises `BadInput` unless the arena is empty and every part of the file is as written.

    Nothing is written before all of it is checked; a failure while writing takes back what was written.
    """
    if not store.admin.is_empty() or any(True for _ in _collections(archive)):
        raise BadInput("this arena has votes, records or an archive; a backup goes into an empty one")
    with opened(path) as box:
        backup_parts.check(box)
        home = _home_files(box, settings)
        with _taken_back(store, archive, box, list(home)):
            with box.lines(STORE, backup_records.LONGEST_LINE) as lines:
                store.admin.load(backup_records.items(lines))
            for name in sorted(box.archived, key=lambda name: name.endswith(MANIFEST)):
                archive.write(name, box.read(ARCHIVE + name))
            for place, content in home.items():
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                put(place, io.BytesIO(content))
    return BackupContents(box.entries, box.files)


def _home_files(box: Box, settings: Settings) -> dict[Path, bytes]:
    """Bank and roster (without it, models that were private would be named), and the secret that voters are named by."""
    found = {settings.home / name: box.read(name) for name in KEPT if name in box.names}
    if settings.secret is None:
        found[settings.home / SECRET_FILE] = box.read(SECRET) + b"\n"
    return found


@contextmanager
def _taken_back(store: Store, archive: Folder, box: Box, places: list[Path]) -> Iterator[None]:
    """Run the block; if it fails, empty the store and the archive again and put back the files that stood there."""
    before = {place: place.read_bytes() if place.is_file() else None for place in places}
    try:
        yield
    except BaseException:
        store.admin.wipe()
        for name in box.archived:
            archive.remove(name)
        for collection in sorted({name.partition("/")[0] for name in box.archived}):
            archive.remove_empty(collection)
        for place, content in before.items():
            place.unlink(missing_ok=True)
            if content is not None:
                put(place, io.BytesIO(content))
        raise


def _add_store(box: zipfile.ZipFile, store: Store, digests: dict[str, str]) -> int:
    entries, digest = 0, hashlib.sha256()
    with box.open(STORE, "w", force_zip64=True) as out:
        for item in store.admin.dump():
            line = backup_records.line(item)
            digest.update(line)
            out.write(line)
            entries += 1
    digests[STORE] = digest.hexdigest()
    return entries


def _add(box: zipfile.ZipFile, name: str, content: bytes, digests: dict[str, str]) -> None:
    digests[name] = hashlib.sha256(content).hexdigest()
    box.writestr(name, content)


def _collections(folder: Folder) -> Iterator[str]:
    """Names of the collections that are there; other files of the folder are none of ours."""
    for name in folder.names():
        if NAME.fullmatch(name) and folder.read_or_none(f"{name}/{MANIFEST}") is not None:
            yield name


def _archived(folder: Folder) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file that a manifest names, and the manifests; no import meanwhile changes them."""
    for collection in _collections(folder):
        with folder.exclusive(f"{collection}/{LOCK}"):
            raw = folder.read(f"{collection}/{MANIFEST}")
            if raw is None:
                continue
            manifest = Manifest.parse(raw, f"{folder.address}/{collection}/{MANIFEST}", collection)
            for part in manifest.parts:
                content = folder.read(f"{collection}/{part.file}")
                if content is None or hashlib.sha256(content).hexdigest() != part.sha256:
                    state = "gone" if content is None else "damaged"
                    raise BadInput(
                        f"{folder.address}/{collection}/{part.file} is {state}; nothing is backed up"
                    )
                yield f"{collection}/{part.file}", content
            yield f"{collection}/{MANIFEST}", raw
