"""Votes go into Parquet parts behind a manifest: nothing lost, doubled or half there, whenever a run ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.archive.archive import Archive
from arena.archive.folders import Folder
from arena.archive.manifest import ImportedSource
from arena.archive.partitions import content_hash
from arena.battles import HIDDEN_MODEL
from arena.errors import BadInput
from arena.service import Arena
from arena.store.store import Store
from arena.votes import Outcome, Vote, VoteTable
from tests.arena.makers import make_arena, make_bank
from tests.conftest import FixedClock


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(str(tmp_path / "archive"))


@pytest.fixture
def arena(store: Store, clock: FixedClock) -> Arena:
    return make_arena(store, clock=clock)


def cast(arena: Arena, number: int, visitor: str = "u") -> None:
    for _ in range(number):
        arena.cast_vote(arena.open_battle(visitor).battle_id, visitor, Outcome.A)


def table(*rows: tuple[str, str, Outcome]) -> VoteTable:
    return VoteTable.of([Vote(str(i), a, b, outcome) for i, (a, b, outcome) in enumerate(rows)])


def same(one: VoteTable, other: VoteTable) -> bool:
    return content_hash(one) == content_hash(other)


RICH = VoteTable.of(
    [
        Vote(
            "1", "NA", "007", Outcome.A, 1.5e9, "v1", "p", "en", ("code", "short"),
            {"length": (3.0, 4.5)}, 0.25, "r", None, True, 7, 0.5,
        ),
        Vote("2", "café", "=SUM(1)", Outcome.BOTH_BAD, None, None, None, None, (), {}, None, None, "self_battle", False),
    ]
)  # fmt: skip


def test_every_column_comes_back_as_it_was(archive: Archive) -> None:
    archive.append("mine", RICH, ImportedSource("s", content_hash(RICH), 0.0))

    assert same(archive.read("mine"), RICH)


def test_a_model_without_votes_stays_named(archive: Archive) -> None:
    lonely = replace(RICH, models=(*RICH.models, "zzz"))

    archive.append("mine", lonely, ImportedSource("s", "c", 0.0))

    assert archive.read("mine").models == lonely.models


def test_the_same_file_or_the_same_votes_add_nothing(archive: Archive) -> None:
    assert archive.append("mine", RICH, ImportedSource("file", "votes", 0.0))

    assert not archive.append("mine", RICH, ImportedSource("file", "other votes", 0.0))
    assert not archive.append("mine", RICH, ImportedSource("file in a zip", "votes", 0.0))
    assert len(archive.read("mine")) == 2


def test_imports_of_one_collection_add_up(archive: Archive) -> None:
    archive.append(
        "mine", table(("a", "b", Outcome.A)), ImportedSource("1", "1", 0.0, rejected=2, not_votes={"x": 3})
    )
    archive.append("mine", RICH, ImportedSource("2", "2", 0.0, duplicates=1, rejected=1))

    joined = archive.read("mine")
    account = archive.account("mine")

    assert len(joined) == 3
    assert set(joined.models) == {"a", "b", "NA", "007", "café", "=SUM(1)"}
    assert (account.rejected, account.duplicates, account.not_votes) == (3, 1, 3)
    assert [(found.name, found.votes) for found in archive.collections()] == [("mine", 9)]


def test_aliases_merge_at_reading_and_part_again(archive: Archive) -> None:
    votes = table(("a-instruct", "b", Outcome.A), ("a", "a-instruct", Outcome.B), ("a", "b", Outcome.TIE))
    archive.append("mine", votes, ImportedSource("1", "1", 0.0), {"a-instruct": "a"})

    merged = archive.read("mine")
    archive.set_aliases("mine", {})

    assert merged.models == ("a", "b")
    assert merged.excluded() == {"self_battle": 1}
    assert same(archive.read("mine"), votes)


def test_a_file_that_no_manifest_names_is_nothing(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.append("mine", RICH, ImportedSource("1", "1", 0.0))
    monkeypatch.setattr(Archive, "put_manifest", _die)
    with pytest.raises(KeyboardInterrupt):
        archive.append("mine", table(("a", "b", Outcome.A)), ImportedSource("2", "2", 0.0))
    monkeypatch.undo()

    assert same(archive.read("mine"), RICH)
    assert archive.append("mine", table(("a", "b", Outcome.A)), ImportedSource("2", "2", 0.0))
    assert len(archive.read("mine")) == 3


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_removing_a_collection_removes_its_files(archive: Archive) -> None:
    archive.append("mine", RICH, ImportedSource("1", "1", 0.0))

    assert archive.remove("mine")

    assert not archive.remove("mine")
    assert archive.collections() == []
    assert len(archive.read("mine")) == 0


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "x" * 65, "-a", "arena"])
def test_a_collection_needs_a_plain_name(archive: Archive, name: str) -> None:
    with pytest.raises(BadInput):
        archive.append(name, RICH, ImportedSource("1", "1", 0.0))


def test_a_damaged_manifest_is_told(archive: Archive) -> None:
    archive.append("mine", RICH, ImportedSource("1", "1", 0.0))
    archive.folder.write("mine/manifest.json", b'{"version": 1, "parts": 3}')

    with pytest.raises(BadInput, match="damaged"):
        archive.read("mine")


def test_any_fsspec_address_will_do() -> None:
    archive = Archive("memory://votes-of-a-test")
    archive.append("mine", RICH, ImportedSource("1", "1", 0.0))

    assert same(archive.read("mine"), RICH)
    assert archive.remove("mine")


def test_writing_replaces_whole_files(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    folder.write("a/b", b"old")
    folder.write("a/b", b"new")

    assert folder.read("a/b") == b"new"
    assert folder.names("a") == ["b"]
    assert folder.names("a/b") == []
    assert folder.read("a/c") is None


def test_absorbing_moves_votes_without_changing_them(arena: Arena, archive: Archive) -> None:
    cast(arena, 5)
    before = archive.votes("arena", arena.store)

    moved = archive.archive_new_votes(arena.store)
    cast(arena, 2)
    after = archive.votes("arena", arena.store)

    assert moved == 5
    assert len(arena.store.votes.read()) == 2
    assert arena.store.votes.count() == 7
    # Other votes, other pseudonyms: the voters stand in `before` under the names of that set.
    assert same(replace(after.take(np.arange(5)), voters=before.voters), before)
    assert len(after) == 7


def test_one_file_a_day(arena: Arena, archive: Archive, clock: FixedClock) -> None:
    for _ in range(2):
        for _ in range(2):
            cast(arena, 2)
            archive.archive_new_votes(arena.store)
        clock.advance(86_400)

    manifest = archive.manifest("arena")

    assert manifest is not None
    assert [(part.date, part.votes) for part in manifest.parts] == [("2025-06-15", 4), ("2025-06-16", 4)]
    assert [name for name in archive.folder.names("arena") if name.endswith(".parquet")] == [
        part.file for part in manifest.parts
    ]


def test_a_run_that_dies_before_the_trim_doubles_nothing(arena: Arena, archive: Archive) -> None:
    cast(arena, 3)
    archive.archive_new_votes(arena.store, trim=False)

    assert len(archive.votes("arena", arena.store)) == 3
    assert archive.archive_new_votes(arena.store) == 0
    assert arena.store.votes.read() == []
    assert len(archive.votes("arena", arena.store)) == 3


def test_a_run_that_dies_before_the_manifest_loses_nothing(
    arena: Arena, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast(arena, 3)
    monkeypatch.setattr(Archive, "put_manifest", _die)
    with pytest.raises(KeyboardInterrupt):
        archive.archive_new_votes(arena.store)
    monkeypatch.undo()

    assert len(archive.votes("arena", arena.store)) == 3
    assert archive.archive_new_votes(arena.store) == 3
    assert len(archive.votes("arena", arena.store)) == 3


def test_a_store_that_begins_anew_goes_on_after_the_archive(arena: Arena, archive: Archive) -> None:
    """Its clock is an hour behind the one that gave the archived votes their ids."""
    cast(arena, 2)
    archive.archive_new_votes(arena.store)
    manifest = archive.manifest("arena")
    assert manifest is not None
    assert manifest.last_key is not None
    ahead = f"{int(manifest.last_key.split('-')[0]) + 3_600_000}-5"
    archive.put_manifest(replace(manifest, last_key=ahead))
    arena.store.admin.wipe()

    archive.continue_stream_after(arena.store)
    archive.continue_stream_after(arena.store)
    cast(arena, 3)

    assert len(archive.votes("arena", arena.store)) == 5
    assert archive.archive_new_votes(arena.store) == 3
    assert len(archive.votes("arena", arena.store)) == 5


def test_a_quarantine_reaches_archived_votes_and_can_be_lifted(
    arena: Arena, archive: Archive, clock: FixedClock
) -> None:
    cast(arena, 2, "bad")
    cast(arena, 3, "good")
    archive.archive_new_votes(arena.store)
    cast(arena, 1, "bad")

    arena.store.moderation.quarantine("bad", why="bot", at=clock.now, by="owner")
    held = archive.votes("arena", arena.store)
    arena.store.moderation.unquarantine("bad", why="no bot", at=clock.now, by="owner")

    assert held.excluded() == {"quarantined_session": 3}
    assert archive.votes("arena", arena.store).excluded() == {}


def test_a_forgotten_voter_leaves_the_files_too(arena: Arena, archive: Archive) -> None:
    cast(arena, 2, "person")
    cast(arena, 1, "other")
    archive.archive_new_votes(arena.store)
    arena.forget("person")

    at_once = archive.votes("arena", arena.store)
    archive.archive_new_votes(arena.store)
    later = archive.votes("arena", arena.store)

    assert "person" not in at_once.voters
    assert "person" not in later.voters
    assert len(later.voters) == 2
    assert sorted(np.bincount(later.voter).tolist()) == [1, 2]
    assert arena.store.visitors.forgotten() == {}
    assert not any(
        b"person" in (archive.folder.read(f"arena/{name}") or b"") for name in archive.folder.names("arena")
    )


def test_votes_on_a_private_model_do_not_count_and_do_not_name_it(
    store: Store, clock: FixedClock, tmp_path: Path
) -> None:
    arena = make_arena(store, make_bank(("heron-7b", "secret-9")), clock=clock)
    cast(arena, 2)
    archive = Archive(str(tmp_path / "archive"), lambda: {"secret-9"})

    votes = archive.votes("arena", store)

    assert votes.models == (HIDDEN_MODEL, "heron-7b")
    assert votes.excluded() == {"unpublished": 2}
