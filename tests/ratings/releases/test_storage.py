"""What is put into storage is what is read back, whole, and a broken or half-written release is never shown."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from ratings.releases import storage
from ratings.releases.payloads import Findings
from ratings.releases.release import HistoryPoint, PublishedBoard, Release
from tests.ratings.boards_for_tests import MemoryStorage, release


def test_a_release_comes_back_as_it_was_published() -> None:
    releases = MemoryStorage()
    history = {"arena": (HistoryPoint("r0", 1.0, "abc", {"m1": (1000.0, 990.0, None, None)}),)}
    published = replace(release(7), history=history)

    assert storage.publish(releases, published, fence=1)

    read = storage.current(releases)
    assert read is not None
    views = tuple(replace(view, exports={}) for view in published.boards[0].views)  # written, not read back
    assert read == replace(published, boards=(replace(published.boards[0], views=views),))


def test_answers_come_back_beside_their_view_and_older_releases_have_none() -> None:
    releases = MemoryStorage()
    findings = Findings.of({"leader": "m1"})
    plain, styled = release(7).boards[0].views
    answered = replace(release(7).boards[0], views=(replace(plain, findings=findings), styled))

    storage.publish(releases, replace(release(7), boards=(answered,)), fence=1)

    read = storage.current(releases)
    assert read is not None
    assert read.boards[0].plain.findings == findings
    assert read.boards[0].plain.gaps is None


def test_before_the_first_release_there_is_none() -> None:
    assert storage.current(MemoryStorage()) is None


def test_exports_are_read_one_by_one() -> None:
    releases = MemoryStorage()
    storage.publish(releases, release(7), fence=1)

    assert storage.read_export(releases, release(7).id, "arena", "plain", "csv") == b"7\n"
    assert storage.read_export(releases, release(7).id, "arena", "plain", "parquet") is None


def test_a_stale_fence_leaves_the_newer_release() -> None:
    releases = MemoryStorage()
    storage.publish(releases, release(2), fence=5)

    assert not storage.publish(releases, release(1), fence=4)

    assert releases.current() == release(2).id


@pytest.mark.parametrize("change", [lambda _: None, lambda content: content[:-1] + b"?"])
def test_a_missing_or_changed_file_is_an_error_and_not_a_half_release(change) -> None:  # type: ignore[no-untyped-def]
    releases = MemoryStorage()
    storage.publish(releases, release(1), fence=1)
    name = "boards/arena/style.json.gz"
    releases.files[release(1).id][name] = change(releases.files[release(1).id][name])

    with pytest.raises(storage.BrokenRelease, match=r"style\.json"):
        storage.current(releases)


def test_a_release_cleared_away_while_it_is_read_gives_the_next_one() -> None:
    class Clearing(MemoryStorage):
        def get(self, wanted: str, name: str) -> bytes | None:
            if wanted == release(1).id:
                self.pointer = release(2).id
                return None
            return super().get(wanted, name)

    releases = Clearing()
    storage.publish(releases, release(2), fence=1)
    releases.pointer = release(1).id

    read = storage.current(releases)

    assert read is not None
    assert read.id == release(2).id


def test_the_latest_release_is_parsed_once_and_again_after_a_switch() -> None:
    releases = MemoryStorage()
    storage.publish(releases, release(1), fence=1)
    latest = storage.Latest(releases)
    first = latest.release()
    reads = releases.reads

    assert latest.release() is first
    assert releases.reads == reads

    storage.publish(releases, release(2), fence=2)
    second = latest.release()
    assert second is not None
    assert second.id == release(2).id


def test_the_same_release_gives_the_same_bytes() -> None:
    one, two = MemoryStorage(), MemoryStorage()

    storage.publish(one, release(3), fence=1)
    storage.publish(two, release(3), fence=9)

    assert one.files == two.files


def test_the_first_board_with_votes_is_the_default() -> None:
    full = release(1).boards[0]
    empty = _without_votes(full)
    boards = (replace(empty, name="arena"), replace(full, name="example"))

    assert Release("r", 0.0, boards).default == boards[1]
    assert Release("r", 0.0, (empty,)).default == empty
    assert Release("r", 0.0, ()).default is None


def _without_votes(board: PublishedBoard) -> PublishedBoard:
    plain = board.plain.leaderboard
    bare = replace(plain, snapshot=replace(plain.snapshot, votes_used=0))
    return replace(board, views=(replace(board.plain, leaderboard=bare),))


def test_a_snapshot_is_found_by_the_beginning_of_its_id() -> None:
    found = release(1).find("0" * 63 + "1")

    assert found is not None
    assert found[1].name == "plain"
    assert release(1).find("f") is None


def test_stored_files_are_strict_json() -> None:
    releases = MemoryStorage()
    storage.publish(releases, release(1), fence=1)

    def refuse(token: str) -> None:
        raise AssertionError(token)

    json.loads(releases.files[release(1).id]["release.json"], parse_constant=refuse)


def test_reading_releases_imports_neither_scipy_nor_pandas() -> None:
    code = (
        "import sys, ratings.releases.storage; "
        "print(sorted({'scipy', 'pandas', 'pyarrow', 'altair', 'numba'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
