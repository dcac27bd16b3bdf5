"""Restores broken and hostile backups: `python -m tests.bench.fuzz_restore [INPUTS] [SEED]`.

Each either comes back whole, or is refused with one of our own errors and leaves store, home and all around as they were.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import io
import json
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.archive import backups
from arena.archive.archive import Archive
from arena.archive.imports import Wish, keep, prepare
from arena.bank.catalogue import Catalogue
from arena.errors import ArenaError
from arena.settings.settings import Settings, ensure_secret
from arena.store import ledger, schema
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import make_arena
from tests.conftest import PrivateStore

INPUTS = 5_000
Parts = dict[str, bytes]
STORE, MANIFEST = "store.jsonl", "archive/others/manifest.json"
BAD_NAMES = (
    "../evil", "../../evil", "archive/../evil", "archive/../../secret", "archive/others/../../evil", "/evil", "archive//evil",
    "archive/others/evil.sh", "archive/others/..", "archive/OTHERS/manifest.json", "bank/../evil", "bank/evil.jsonl", "secret/evil",
    "archive/others/\\..\\evil.parquet", "archive/others/sub/a.parquet", "evil", "C:\\evil", "archive/.lock", "store.jsonl/x", "",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, float("nan"), 2**70, "", "x", "../evil", [], {}, [[]], {"b": "!"}, {"m": []}, {"m": [[1, 2]]}, {"b": "", "m": []},
    {"b": "AAAA"}, "0-0", "9" * 40, {"a": 1}, [None, None], "\ud800", "\x00",
)  # fmt: skip
SECRETS = (
    b"",
    b"short",
    b"x" * 31,
    b"x" * 5000,
    b"line\n" * 9,
    "ä".encode() * 20,
    b"\xff" * 40,
    b" " * 40,
    b"a" * 20 + b"\0" + b"b" * 20,
)
KEYS = (
    "session",
    "arena:{s0}:battle:x",
    "arena:{s0}:cap:a:b:c",
    "arena:{s1}:votes",
    schema.PROBE,
    schema.lock("refresh"),
    "",
    "\n",
)


def make_backup(store: Store, folder: Path) -> Path:
    """An arena with votes, a collection, a bank, a ledger and a release, backed up."""
    settings = home_of(folder)
    ensure_secret(settings)
    archive = Archive.open(settings)
    arena = make_arena(store, clock=time.time)
    for number in range(6):
        view = arena.open_battle(f"voter{number % 2}")
        arena.cast_vote(view.battle_id, f"voter{number % 2}", Outcome.A)
    table = folder / "others.csv"
    table.write_text("model_a,model_b,winner\nosprey,siskin,model_a\nosprey,wren,tie\n", encoding="utf-8")
    keep(archive, prepare(Wish((str(table),)), at=time.time()))
    archive.archive_new_votes(store, trim=False)
    store.moderation.quarantine("voter1", why="clicks", at=time.time(), by="owner")
    store.releases.put("20260101T000000Z-aa", {"manifest.json": b"{}", "board.json": b"[]"})
    ledger.record(store.ledger, "import", {"collection": "others"}, by="owner", clock=time.time)
    bank = settings.home / "bank"
    bank.mkdir()
    rows = [{"prompt_id": "p", "prompt": "Why?", "model": name, "response": "So."} for name in ("a", "b")]
    (bank / "bank.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (bank / "models.toml").write_text('[[model]]\nname = "a"\n[[model]]\nname = "b"\n', encoding="utf-8")
    backups.write(store, archive.folder, settings, folder / "good.zip")
    return folder / "good.zip"


def home_of(folder: Path) -> Settings:
    return Settings(home=folder / "home")


def parts_of(path: Path) -> Parts:
    with zipfile.ZipFile(path) as box:
        return {name: box.read(name) for name in box.namelist()}


def odd_name(rng: random.Random, parts: Parts) -> None:
    """A part under another name, or one more."""
    name = rng.choice(BAD_NAMES)
    content = parts.pop(rng.choice(list(parts))) if rng.random() < 0.5 else b"evil"
    parts[name] = content


def odd_record(rng: random.Random, parts: Parts) -> None:
    """One record of the store with another key, type, value or place."""
    lines = parts.get(STORE, b"").splitlines() or [b'["", "", ""]']
    at = rng.randrange(len(lines))
    try:
        record = json.loads(lines[at])
    except ValueError:  # changed before
        return
    way = rng.randrange(5)
    if way == 0:
        record[0] = rng.choice((*KEYS, schema.visitor("../x"), schema.release("a b"), schema.STRINGS))
    elif way == 1:
        record[1] = rng.choice(("string", "hash", "set", "list", "zset", "entry", "expires", "none", "eval"))
    elif way == 2:
        record = change(rng, record)
    elif way == 3:
        lines.append(lines[at])
    else:
        raw = base64.b64encode(rng.randbytes(rng.randrange(9))).decode()
        text = json.dumps(record)
        marks = [part for part in text.split('"') if len(part) > 3 and part.endswith("=")] or ["AA=="]
        lines[at] = text.replace(rng.choice(marks), raw, 1).encode()
    if way in (0, 1, 2):
        lines[at] = json.dumps(record).encode()
    if rng.random() < 0.2:
        rng.shuffle(lines)
    parts[STORE] = b"\n".join(lines) + b"\n"


def change(rng: random.Random, value: Any) -> Any:
    """Some value inside replaced by an odd one."""
    inside = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    if not inside or rng.random() < 0.15:
        return copy.deepcopy(rng.choice(ODD))
    key = rng.choice(inside)
    value[key] = change(rng, value[key])
    return value


def odd_manifest(rng: random.Random, parts: Parts) -> None:
    """A manifest that names a file elsewhere, or holds something odd."""
    name = rng.choice([name for name in parts if name.endswith("manifest.json")] or [MANIFEST])
    try:
        content = json.loads(parts.get(name, b'{"parts": []}'))
        if rng.random() < 0.4:
            content["parts"][0]["file"] = rng.choice(BAD_NAMES)
        elif rng.random() < 0.3:
            content[rng.choice(("collection", "last_key"))] = rng.choice(
                ("../evil", "arena", "9-9-9", "x", "1")
            )
        else:
            content = change(rng, content)
    except (ValueError, LookupError, TypeError):  # changed before
        return
    parts[name] = json.dumps(content).encode()


def odd_secret(rng: random.Random, parts: Parts) -> None:
    parts["secret"] = rng.choice(SECRETS)


def odd_bank(rng: random.Random, parts: Parts) -> None:
    name = rng.choice(("bank/bank.jsonl", "bank/models.toml"))
    parts[name] = odd_bytes(rng, parts.get(name, b"")) if rng.random() < 0.7 else b"[" * 100_000


def odd_part(rng: random.Random, parts: Parts) -> None:
    """Any part: some bytes changed, or gone."""
    name = rng.choice(list(parts))
    if rng.random() < 0.2:
        del parts[name]
    else:
        parts[name] = odd_bytes(rng, parts[name])


def odd_bytes(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    way = rng.randrange(4)
    if way == 0:
        return content[:at]
    if way == 1:
        return content[:at] + rng.randbytes(rng.randrange(1, 5)) + content[at:]
    if way == 2:
        return content[:at] + content[at + rng.randrange(1, 30) :]
    return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]


CHANGES: tuple[Callable[[random.Random, Parts], None], ...] = (
    odd_name, odd_record, odd_record, odd_record, odd_manifest, odd_manifest, odd_secret, odd_bank, odd_part,
)  # fmt: skip


def hostile(rng: random.Random, good: Parts) -> bytes:
    """The bytes of a backup changed somewhere, mostly with hashes and counts that fit again."""
    parts = dict(good)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        rng.choice(CHANGES)(rng, parts)
    if rng.random() < 0.9:
        fit(rng, parts)
    if rng.random() < 0.05:
        parts["contents.json"] = json.dumps(
            change(rng, json.loads(parts.get("contents.json", b"{}")))
        ).encode()
    raw = zipped(rng, parts)
    return odd_bytes(rng, raw) if rng.random() < 0.1 else raw


def fit(rng: random.Random, parts: Parts) -> None:
    """Hashes and counts made to fit, as an attacker would."""
    for name in [name for name in parts if name.endswith("manifest.json")]:
        refit_manifest(parts, name)
    contents = {
        "version": 1,
        "entries": parts.get(STORE, b"").count(b"\n"),
        "files": sum(name.startswith("archive/") for name in parts),
        "sha256": {
            name: hashlib.sha256(content).hexdigest()
            for name, content in parts.items()
            if name != "contents.json"
        },
    }
    parts["contents.json"] = json.dumps(contents).encode()


def refit_manifest(parts: Parts, name: str) -> None:
    try:
        content = json.loads(parts[name])
        for part in content["parts"]:
            found = parts.get(f"{name.removesuffix('manifest.json')}{part['file']}")
            if found is not None:
                part["sha256"] = hashlib.sha256(found).hexdigest()
        parts[name] = json.dumps(content).encode()
    except (ValueError, KeyError, TypeError):
        return


def zipped(rng: random.Random, parts: Parts) -> bytes:
    out = io.BytesIO()
    packing = rng.choice((zipfile.ZIP_DEFLATED,) * 8 + (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(out, "w", packing) as box:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name or "x")
            info.compress_type = packing
            if rng.random() < 0.02:
                info.external_attr = 0o120777 << 16  # a symbolic link
            box.writestr(info, content)
    return out.getvalue()


def around(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`, and every folder, with what it holds."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"<folder>"
        for path in folder.rglob("*")
    }


def check(store: Store, folder: Path, raw: bytes) -> str:
    """Restore it into an empty arena below `folder`; `restored`, or the error's name. Anything else escapes."""
    store.admin.wipe()
    place = folder / "bad.zip"
    place.write_bytes(raw)
    settings = home_of(folder)
    archive = Archive.open(settings)
    before = around(folder)
    try:
        found = backups.read(store, archive.folder, settings, place)
    except ArenaError as error:
        str(error).encode("utf-8")
        assert around(folder) == before, set(around(folder)) ^ set(before)
        assert not store.client.keys(schema.ROOT), "the store holds something"
        return type(error).__name__
    check_whole(store, archive, settings, found)
    outside = {name for name in around(folder) if name != "home" and not name.startswith("home/")}
    assert outside == set(before), outside ^ set(before)
    for path in sorted(settings.home.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    settings.home.rmdir()
    return "restored"


def check_whole(store: Store, archive: Archive, settings: Settings, found: backups.BackupContents) -> None:
    """All that was restored can be read by those who read it."""
    archive.continue_stream_after(store)
    store.votes.read()
    store.moderation.events()
    ledger.entries(store.ledger)
    for collection in archive.collections():
        archive.votes(collection.name, store)
    catalogue = Catalogue.of(settings)
    catalogue.bank()
    assert catalogue.fault() is None
    assert sum(1 for _ in store.admin.dump()) == found.entries


def run(store: Store, inputs: int, seed: int, folder: Path) -> Counter[str]:
    """How `inputs` changed backups ended. The file of the first that breaks something stays in `folder`."""
    store.admin.wipe()
    (folder / "made").mkdir()
    good = parts_of(make_backup(store, folder / "made"))
    (folder / "tried").mkdir()
    (folder / "tried" / "canary").write_text("sings", encoding="utf-8")
    found: Counter[str] = Counter()
    for index in range(inputs):
        rng = random.Random(f"{seed}/{index}")
        try:
            found[check(store, folder / "tried", hostile(rng, good))] += 1
        except BaseException:
            print(
                f"input {index} of seed {seed} breaks restore: {folder / 'tried' / 'bad.zip'}",
                file=sys.stderr,
            )
            raise
    return found


def main() -> None:
    inputs = int(sys.argv[1]) if len(sys.argv) > 1 else INPUTS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    folder = Path(tempfile.mkdtemp())
    (folder / "server").mkdir()
    server = PrivateStore(folder / "server")
    server.start()
    try:
        started = time.perf_counter()
        (folder / "work").mkdir()
        with_store = Store.open(server.url)
        found = run(with_store, inputs, seed, folder / "work")
        took = time.perf_counter() - started
        print(f"{inputs:,} backups in {took:.0f} s, nothing half restored, nothing outside: {dict(found)}")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
