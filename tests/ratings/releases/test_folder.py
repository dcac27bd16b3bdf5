"""A folder (or any fsspec address) as release storage: whole releases, one pointer, stale holders refused."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from arena.errors import BadInput
from ratings.releases import storage
from ratings.releases.folder import ReleaseFolder, open_storage
from tests.ratings.boards_for_tests import MemoryStorage, release


@pytest.fixture(params=["folder", "memory"])
def releases(request: pytest.FixtureRequest, tmp_path: Path) -> ReleaseFolder:
    address = str(tmp_path / "shelf") if request.param == "folder" else f"memory://{uuid.uuid4().hex}"
    return ReleaseFolder(address)


def test_an_empty_storage_has_no_release(releases: ReleaseFolder) -> None:
    assert releases.current() is None
    assert releases.list() == []
    assert releases.get("r", "f") is None


def test_what_is_published_is_current(releases: ReleaseFolder) -> None:
    storage.publish(releases, release(1), fence=1)
    storage.publish(releases, release(2), fence=2)

    read = storage.current(releases)

    assert read is not None
    assert read.id == release(2).id
    assert [name for name, _ in releases.list()] == [release(1).id, release(2).id]
    assert "boards/arena/plain.csv.gz" in releases.names(release(1).id)


def test_a_stale_holder_does_not_move_the_pointer(releases: ReleaseFolder) -> None:
    storage.publish(releases, release(2), fence=2)

    assert not storage.publish(releases, release(1), fence=1)

    assert releases.current() == release(2).id


def test_a_release_without_its_manifest_is_not_listed(releases: ReleaseFolder) -> None:
    releases.put(release(1).id, {"history.json.gz": b"half"}, at=0.0)

    assert releases.list() == []


def test_an_old_release_can_be_dropped_but_not_the_current(releases: ReleaseFolder) -> None:
    for number in (1, 2):
        storage.publish(releases, release(number), fence=number)

    releases.delete(release(1).id)
    releases.delete(release(2).id)

    assert [name for name, _ in releases.list()] == [release(2).id]
    assert storage.current(releases) is not None


def test_no_draft_is_left_behind(tmp_path: Path) -> None:
    storage.publish(ReleaseFolder(str(tmp_path)), release(1), fence=1)

    assert list(tmp_path.rglob("*.tmp")) == []


def test_without_an_address_the_store_keeps_the_releases(tmp_path: Path) -> None:
    store = MemoryStorage()

    assert open_storage(None, store) is store
    assert isinstance(open_storage(str(tmp_path), store), ReleaseFolder)


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../evil", "..", ""])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    releases = ReleaseFolder(str(tmp_path / "shelf"))

    with pytest.raises(BadInput, match="names no file of the folder"):
        releases.get("release", name)
    with pytest.raises(BadInput, match="names no file of the folder"):
        releases.put(name, {"x": b"evil"}, at=0.0)


@pytest.mark.parametrize("content", ["{", "[]", '{"release": 1, "fence": 1}', '{"release": "x"}'])
def test_a_pointer_that_is_none_is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "current.json").write_text(content, encoding="utf-8")

    with pytest.raises(BadInput, match="is damaged"):
        ReleaseFolder(str(tmp_path)).current()
