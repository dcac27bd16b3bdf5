"""A folder (or any fsspec address) as a shelf: whole releases, one pointer, stale holders refused."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from arena.errors import BadInput
from ratings.releases import storage
from ratings.releases.folder import FolderShelf, open_shelf
from tests.ratings.boards_for_tests import MemoryShelf, release


@pytest.fixture(params=["folder", "memory"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> FolderShelf:
    address = str(tmp_path / "shelf") if request.param == "folder" else f"memory://{uuid.uuid4().hex}"
    return FolderShelf(address)


def test_an_empty_shelf_has_no_release(shelf: FolderShelf) -> None:
    assert shelf.shelf_current() is None
    assert shelf.shelf_releases() == []
    assert shelf.shelf_get("r", "f") is None


def test_what_is_published_is_current(shelf: FolderShelf) -> None:
    storage.publish(shelf, release(1), fence=1)
    storage.publish(shelf, release(2), fence=2)

    read = storage.current(shelf)

    assert read is not None
    assert read.id == release(2).id
    assert [name for name, _ in shelf.shelf_releases()] == [release(1).id, release(2).id]
    assert "boards/arena/plain.csv.gz" in shelf.shelf_names(release(1).id)


def test_a_stale_holder_does_not_move_the_pointer(shelf: FolderShelf) -> None:
    storage.publish(shelf, release(2), fence=2)

    assert not storage.publish(shelf, release(1), fence=1)

    assert shelf.shelf_current() == release(2).id


def test_a_release_without_its_manifest_is_not_listed(shelf: FolderShelf) -> None:
    shelf.shelf_put(release(1).id, {"history.json.gz": b"half"}, at=0.0)

    assert shelf.shelf_releases() == []


def test_an_old_release_can_be_dropped_but_not_the_current(shelf: FolderShelf) -> None:
    for number in (1, 2):
        storage.publish(shelf, release(number), fence=number)

    shelf.shelf_drop(release(1).id)
    shelf.shelf_drop(release(2).id)

    assert [name for name, _ in shelf.shelf_releases()] == [release(2).id]
    assert storage.current(shelf) is not None


def test_no_draft_is_left_behind(tmp_path: Path) -> None:
    storage.publish(FolderShelf(str(tmp_path)), release(1), fence=1)

    assert list(tmp_path.rglob("*.tmp")) == []


def test_without_an_address_the_store_is_the_shelf(tmp_path: Path) -> None:
    store = MemoryShelf()

    assert open_shelf(None, store) is store
    assert isinstance(open_shelf(str(tmp_path), store), FolderShelf)


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../evil", "..", ""])
def test_no_name_leads_out_of_the_folder_of_a_shelf(tmp_path: Path, name: str) -> None:
    shelf = FolderShelf(str(tmp_path / "shelf"))

    with pytest.raises(BadInput, match="names no file of the shelf"):
        shelf.shelf_get("release", name)
    with pytest.raises(BadInput, match="names no file of the shelf"):
        shelf.shelf_put(name, {"x": b"evil"}, at=0.0)


@pytest.mark.parametrize("content", ["{", "[]", '{"release": 1, "fence": 1}', '{"release": "x"}'])
def test_a_pointer_that_is_none_is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "current.json").write_text(content, encoding="utf-8")

    with pytest.raises(BadInput, match="is damaged"):
        FolderShelf(str(tmp_path)).shelf_current()
