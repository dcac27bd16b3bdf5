"""What `restore` refuses before it writes anything, and what it leaves when it fails: nothing, inside and outside."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.archive import backups
from arena.archive.archive import Archive
from arena.archive.manifest import Manifest
from arena.archive.partitions import Partitions
from arena.errors import BadInput
from arena.settings import bounds
from arena.settings.bounds import Bounds
from arena.settings.settings import Settings
from arena.store import schema
from arena.store.store import Store
from tests.bench import fuzz_restore
from tests.bench.fuzz_restore import Parts, around, home_of, make_backup, parts_of

MANIFEST = "archive/others/manifest.json"


@pytest.fixture
def parts(store: Store, tmp_path: Path) -> Parts:
    """The parts of a good backup; the store is empty again."""
    (tmp_path / "made").mkdir()
    found = parts_of(make_backup(store, tmp_path / "made"))
    store.admin.wipe()
    return found


@pytest.fixture
def restore(store: Store, tmp_path: Path) -> Callable[[Parts], str]:
    """Restores parts whose hashes were made to fit; the refusal, once nothing is left in store, home and around."""
    place = tmp_path / "tried"
    place.mkdir()

    def run(parts: Parts) -> str:
        fit(parts)
        write(place / "backup.zip", parts)
        settings, before = home_of(place), around(place)
        with pytest.raises(BadInput) as refusal:
            backups.read(store, Archive.open(settings).folder, settings, place / "backup.zip")
        assert around(place) == before
        assert not store.client.keys(schema.ROOT)
        return str(refusal.value)

    return run


def fit(parts: Parts) -> None:
    contents = {
        "version": 1,
        "entries": parts["store.jsonl"].count(b"\n"),
        "files": sum(name.startswith("archive/") for name in parts),
        "sha256": {
            name: hashlib.sha256(parts[name]).hexdigest() for name in parts if name != "contents.json"
        },
    }
    parts["contents.json"] = json.dumps(contents).encode()


def write(path: Path, parts: Parts) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in parts.items():
            box.writestr(name, content)


@pytest.mark.parametrize(
    "name",
    [
        "archive/../../evil",
        "archive/others/../../../evil",
        "archive//etc/evil",
        "../evil",
        "bank/../evil",
        "archive/others/evil.sh",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_before_anything_is_written(
    parts: Parts, restore: Callable[[Parts], str], name: str
) -> None:
    parts[name] = b"evil"

    assert "is no part that a backup holds" in restore(parts)


def test_a_manifest_that_names_a_file_elsewhere_is_refused(
    parts: Parts, restore: Callable[[Parts], str]
) -> None:
    content = json.loads(parts[MANIFEST])
    content["parts"][0]["file"] = "../../secret.parquet"
    parts[MANIFEST] = json.dumps(content).encode()

    assert "is no part of an archive" in restore(parts)


@pytest.mark.parametrize(
    "key", ["session:x", "arena:{s0}:battle:x", "arena:{s0}:lock:refresh", "arena:{s1}:votes"]
)
def test_a_key_that_no_backup_holds_is_refused(
    parts: Parts, restore: Callable[[Parts], str], key: str
) -> None:
    parts["store.jsonl"] += (json.dumps([key, "string", {"b": "AAAA"}]) + "\n").encode()

    assert "is no key that a backup holds" in restore(parts)


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ([schema.STRINGS, "string", {"b": "AAAA"}], "is of the type 'list'"),
        ([schema.COUNTS, "hash", {"m": [[{"b": "AAAA"}, {"b": "AAAA"}]]}], "is no whole number"),
        ([schema.VOTES, "entry", ["9-1", {"m": [[{"b": "aQ=="}, {"b": "AAAA"}]]}]], "does not come after"),
        (
            [schema.VOTES, "entry", ["9999999999999-1", {"m": [[{"b": "aQ=="}, {"b": "AAAA"}]]}]],
            "cannot be read",
        ),
        ([schema.SHELF_RELEASES, "zset", [[{"b": "AAAA"}, float("inf")]]], "no finite number"),
        ([schema.visitor("x"), "expires", -1], "no time to expire"),
    ],
)
def test_a_record_of_another_type_or_shape_is_refused(
    parts: Parts, restore: Callable[[Parts], str], record: object, why: str
) -> None:
    parts["store.jsonl"] += (json.dumps(record) + "\n").encode()

    assert why in restore(parts)


@pytest.mark.parametrize(
    "secret", [b"", b"short", b"x" * 31, b"x" * 2000, b"\xff" * 40, b"two\nlines" * 5, b" " * 40]
)
def test_a_short_or_odd_secret_is_refused(
    parts: Parts, restore: Callable[[Parts], str], secret: bytes
) -> None:
    parts["secret"] = secret

    assert "its secret" in restore(parts)


def test_a_backup_that_unpacks_to_too_much_is_refused(
    parts: Parts, restore: Callable[[Parts], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "SMALL", 1 << 20)
    parts["bank/bank.jsonl"] = b" " * (4 << 20)

    assert "unpacks to more than" in restore(parts)


def test_a_size_that_is_not_the_declared_one_is_refused(parts: Parts, store: Store, tmp_path: Path) -> None:
    fit(parts)
    write(tmp_path / "bad.zip", parts)
    raw = (tmp_path / "bad.zip").read_bytes()
    size = len(parts["store.jsonl"]).to_bytes(4, "little")
    (tmp_path / "bad.zip").write_bytes(raw.replace(size, (10).to_bytes(4, "little")))
    settings = home_of(tmp_path / "tried")

    with pytest.raises(BadInput, match="is no whole backup"):
        backups.read(store, Archive.open(settings).folder, settings, tmp_path / "bad.zip")

    assert store.admin.is_empty()


def test_a_roster_or_a_bank_that_cannot_be_read_is_refused(
    parts: Parts, restore: Callable[[Parts], str]
) -> None:
    assert "models.toml" in restore({**parts, "bank/models.toml": b"[[model]]\nname = 1\n"})
    assert "bank.jsonl" in restore({**parts, "bank/bank.jsonl": b'{"prompt_id": 1}\n'})


def test_a_failure_while_writing_takes_everything_back(
    parts: Parts, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit(parts)
    write(tmp_path / "backup.zip", parts)
    settings = home_of(tmp_path / "tried")
    (settings.home / "bank").mkdir(parents=True)
    (settings.home / "bank" / "models.toml").write_text("# mine\n", encoding="utf-8")
    put = backups.put

    def full_at_the_secret(path: Path, content: object) -> None:
        if path.name == "secret":
            raise BadInput("no space left")
        put(path, content)  # type: ignore[arg-type]

    monkeypatch.setattr(backups, "put", full_at_the_secret)
    with pytest.raises(BadInput, match="no space left"):
        backups.read(store, Archive.open(settings).folder, settings, tmp_path / "backup.zip")

    assert store.admin.is_empty()
    assert (settings.home / "bank" / "models.toml").read_text(encoding="utf-8") == "# mine\n"
    assert [path.name for path in settings.home.rglob("*") if path.is_file()] == ["models.toml"]


def test_files_that_are_none_of_ours_stay_out_of_a_backup(store: Store, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    archive = tmp_path / "made" / "home" / "archive"
    (archive / "others").mkdir(parents=True)
    (archive / "notes.txt").write_text("mine", encoding="utf-8")
    (archive / "others" / "stray.parquet").write_bytes(b"killed run")

    names = set(parts_of(make_backup(store, tmp_path / "made")))

    assert not any("notes" in name or "stray" in name for name in names)


def test_a_damaged_archive_is_said_at_the_backup_and_not_at_the_restore(store: Store, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    make_backup(store, tmp_path / "made")
    settings = Settings(home=tmp_path / "made" / "home")
    next((settings.home / "archive" / "others").glob("*.parquet")).write_bytes(b"broken")

    with pytest.raises(BadInput, match="is damaged; nothing is backed up"):
        backups.write(store, Archive.open(settings).folder, settings, tmp_path / "second.zip")

    assert not (tmp_path / "second.zip").exists()


@pytest.mark.parametrize(
    "change", [{"collection": "../x"}, {"last_key": "x"}, {"models": [1]}, {"parts": [{}]}]
)
def test_a_manifest_with_odd_names_is_damaged_wherever_it_is_read(
    parts: Parts, tmp_path: Path, change: dict[str, object]
) -> None:
    place = tmp_path / "archive" / "others"
    place.mkdir(parents=True)
    (place / "manifest.json").write_text(
        json.dumps({**json.loads(parts[MANIFEST]), **change}), encoding="utf-8"
    )

    with pytest.raises(BadInput, match="is damaged"):
        Partitions(str(tmp_path / "archive")).manifest("others")


def test_a_manifest_nested_without_end_is_damaged() -> None:
    with pytest.raises(BadInput, match="is damaged"):
        Manifest.parse(b"[" * 100_000, "place", "others")


def test_fifty_hostile_backups_leave_nothing_behind(store: Store, tmp_path: Path) -> None:
    found = fuzz_restore.run(store, 50, 7, tmp_path)

    assert sum(found.values()) == 50
    assert found["BadInput"] > 25


def test_bounds_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_FILE_ROWS", "7")

    assert bounds.of_environment() == Bounds(rows=7)
    assert {name: getattr(Settings(), f"file_{name}") for name in vars(Bounds())} == vars(Bounds(rows=7))
