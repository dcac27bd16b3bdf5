"""One file that holds a whole arena: the store's records, archive, kept bank and roster, and secret; whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from arena.catalogue import BANK_FILE, ROSTER_FILE
from arena.errors import BadInput
from arena.folders import Folder
from arena.settings import SECRET_FILE, Settings, secret_key
from arena.store import Store

VERSION = 1
STORE, ARCHIVE, SECRET, CONTENTS = "store.jsonl", "archive/", "secret", "contents.json"
KEPT = (
    f"bank/{BANK_FILE}",
    f"bank/{ROSTER_FILE}",
)  # below the home; files that settings name are the owner's


@dataclass(frozen=True)
class Found:
    """What a backup holds."""

    entries: int
    files: int


def put(path: Path, content: IO[bytes]) -> None:
    """The file at `path`, written beside it and renamed: whole or not at all. Readable by its owner only."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def write(store: Store, archive: Folder, settings: Settings, path: Path) -> Found:
    """Write a backup of a running arena. The stream is read before the archive: a vote moved between is in both."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    digests: dict[str, str] = {}
    try:
        with (
            open(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as box,
        ):
            entries = _add_store(box, store, digests)
            _add(box, SECRET, secret_key(settings).encode(), digests)
            for name in KEPT:
                if (settings.home / name).exists():
                    _add(box, name, (settings.home / name).read_bytes(), digests)
            names = list(_walk(archive))
            for name in names:
                _add(box, ARCHIVE + name, archive.read(name) or b"", digests)
            contents = {"version": VERSION, "entries": entries, "files": len(names), "sha256": digests}
            box.writestr(CONTENTS, json.dumps(contents, indent=1))
        _sync(draft)
        draft.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)
    return Found(entries, len(names))


def read(store: Store, archive: Folder, settings: Settings, path: Path) -> Found:
    """Bring a backup back. Raises `BadInput` unless the arena is empty and every part of the file is as written."""
    if not store.is_empty() or any(True for _ in _walk(archive)):
        raise BadInput("this arena has votes, records or an archive; a backup goes into an empty one")
    with _opened(path) as box:
        contents = _checked(box, path)
        names = [name for name in contents["sha256"] if name.startswith(ARCHIVE)]
        try:
            store.load(_items(box))
            for name in names:
                archive.write(name.removeprefix(ARCHIVE), box.read(name))
        except BaseException:
            store.wipe()
            for name in names:
                archive.remove(name.removeprefix(ARCHIVE))
            raise
        _keep_bank(settings, {name: box.read(name) for name in KEPT if name in contents["sha256"]})
        _keep_secret(settings, box.read(SECRET).decode())
    return Found(contents["entries"], contents["files"])


def _add_store(box: zipfile.ZipFile, store: Store, digests: dict[str, str]) -> int:
    entries, digest = 0, hashlib.sha256()
    with box.open(STORE, "w", force_zip64=True) as out:
        for item in store.dump():
            line = (json.dumps(_plain(item)) + "\n").encode()
            digest.update(line)
            out.write(line)
            entries += 1
    digests[STORE] = digest.hexdigest()
    return entries


def _add(box: zipfile.ZipFile, name: str, content: bytes, digests: dict[str, str]) -> None:
    digests[name] = hashlib.sha256(content).hexdigest()
    box.writestr(name, content)


def _walk(folder: Folder, path: str = "") -> Iterator[str]:
    """Every file below `path`; drafts and locks left out."""
    for name in folder.names(path):
        place = f"{path}/{name}" if path else name
        below = list(_walk(folder, place))
        if below:
            yield from below
        elif not name.endswith((".tmp", ".lock", "lock")) and folder.read_or_none(place) is not None:
            yield place


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise BadInput(f"{path}: is no backup: {error}") from None


def _checked(box: zipfile.ZipFile, path: Path) -> Any:
    """The table of contents, every part compared with its hash."""
    try:
        contents = json.loads(box.read(CONTENTS))
        if contents["version"] != VERSION:
            raise BadInput(f"{path}: a backup of version {contents['version']}; this program reads {VERSION}")
        for name, digest in contents["sha256"].items():
            with box.open(name) as part:
                if hashlib.file_digest(part, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
                    raise BadInput(f"{path}: {name} is not as it was written")
    except (KeyError, ValueError, zipfile.BadZipFile, OSError) as error:
        raise BadInput(f"{path}: is no whole backup: {error}") from None
    return contents


def _items(box: zipfile.ZipFile) -> Iterator[tuple[str, str, Any]]:
    with box.open(STORE) as raw:
        for line in io.TextIOWrapper(raw, encoding="utf-8"):
            key, kind, value = _restored(json.loads(line))
            # A stream entry is (id, fields), a sorted set a list of pairs.
            yield key, kind, tuple(value) if kind == "entry" else value


def _keep_secret(settings: Settings, secret: str) -> None:
    """The secret of the backup in place of the one of the empty arena, so that voters keep their names."""
    if settings.secret is not None:
        return
    place = settings.home / SECRET_FILE
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    put(place, io.BytesIO((secret + "\n").encode("ascii")))


def _keep_bank(settings: Settings, files: Mapping[str, bytes]) -> None:
    """Bank and roster of the backup: without the roster, models that were private would be named."""
    for name, content in files.items():
        place = settings.home / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        put(place, io.BytesIO(content))


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _plain(value: Any) -> Any:
    """JSON for what the store gives: bytes as {"b": base64}, mappings as {"m": pairs}, the rest as it is."""
    if isinstance(value, bytes):
        return {"b": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"m": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        if "b" in value:
            return base64.b64decode(value["b"])
        return {_restored(key): _restored(item) for key, item in value["m"]}
    if isinstance(value, list):
        return [_restored(item) for item in value]
    return value
