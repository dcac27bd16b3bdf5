"""Forgetting while others vote, archive, read or kill; and names that are no voter's: no vote is lost or doubled."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from arena.archive import kept_votes, own_votes, pseudonyms
from arena.archive.archive import Archive
from arena.errors import BadInput, NoBattle, NothingToServe
from arena.service import Arena
from arena.store.store import Store
from arena.store.visitors import PSEUDONYM
from arena.voters import moderation
from arena.votes import Outcome
from tests.arena.makers import make_arena
from tests.arena.traces import traces
from tests.conftest import ROOT, FixedClock, PrivateStore

PERSON, OTHER = "0a1b2c3d4e5f60718293a4b5", "ffeeddccbbaa998877665544"
SECRET = "a secret that is long enough for this"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(str(tmp_path / "archive"), secret=lambda: SECRET)


@pytest.fixture
def arena(store: Store, clock: FixedClock, archive: Archive) -> Arena:
    arena = make_arena(store, clock=clock)
    arena.archive = archive
    return arena


def cast(arena: Arena, number: int, visitor: str) -> list[str]:
    """The battles that were voted on."""
    battles = []
    for _ in range(number):
        battles.append(arena.open_battle(visitor).battle_id)
        arena.cast_vote(battles[-1], visitor, Outcome.A)
    return battles


def exported(arena: Arena, what: str = "votes") -> list[dict[str, object]]:
    out = io.BytesIO()
    assert arena.archive is not None
    arena.archive.write_votes(arena.store, "jsonl", out, what=what)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def lived(arena: Arena) -> list[str]:
    """A life in the arena, some of it archived; the words that tell of it: hash, name in an export, battles."""
    assert arena.archive is not None
    battles = cast(arena, 3, PERSON)
    cast(arena, 2, OTHER)
    kept = arena.archive.votes("arena", arena.store)
    kept_votes.keep(arena.archive, "k" * 64, kept, "arena")
    arena.archive.archive_new_votes(arena.store)
    battles += cast(arena, 2, PERSON)
    skipped = arena.open_battle(PERSON).battle_id
    arena.skip(skipped, PERSON)
    arena.store.moderation.quarantine(PERSON, why="bot", at=1.0, by="owner")
    arena.store.moderation.unquarantine(PERSON, why="no bot", at=2.0, by="owner")
    still_open = arena.open_battle(PERSON).battle_id
    arena.store.client.do("set", f"limits/LIMITER/{PERSON}/votes/1", 1)
    return [PERSON, arena.archive.called(pseudonyms.key(kept), PERSON), *battles, skipped, still_open]


def test_nothing_of_a_forgotten_voter_is_left_in_any_key_file_or_export(
    arena: Arena, archive: Archive, store: Store, tmp_path: Path
) -> None:
    words = lived(arena)
    told_before = traces(store, archive, tmp_path, words)

    done = arena.forget(PERSON)

    assert done.known
    assert done.everywhere
    assert all(any(repr(word.encode()) in line for line in told_before) for word in words)
    assert traces(store, archive, tmp_path, words) == []
    assert store.visitors.forgotten() == {}


def test_the_votes_of_a_forgotten_voter_stay_one_cluster_and_count(arena: Arena, archive: Archive) -> None:
    lived(arena)
    before = archive.votes("arena", arena.store)

    arena.forget(PERSON)

    after = archive.votes("arena", arena.store)
    assert sorted(np.bincount(after.voter).tolist()) == sorted(np.bincount(before.voter).tolist()) == [2, 5]
    assert after.excluded() == before.excluded() == {}
    assert after.outcome.tolist() == before.outcome.tolist()
    assert arena.store.votes.count() == 7


def test_the_reply_of_a_vote_ends_with_its_voter(arena: Arena) -> None:
    (battle,) = cast(arena, 1, PERSON)
    arena.forget(PERSON)

    for call in (lambda: arena.cast_vote(battle, PERSON, Outcome.A), lambda: arena.reveal(battle, PERSON)):
        with pytest.raises(NoBattle):
            call()  # type: ignore[no-untyped-call]


@pytest.mark.slow
def test_votes_of_many_threads_and_forgetting_lose_and_double_nothing(
    arena: Arena, archive: Archive, store: Store, tmp_path: Path
) -> None:
    def vote(number: int) -> int:
        try:
            arena.cast_vote(arena.open_battle(PERSON).battle_id, PERSON, Outcome.A)
        except (NoBattle, NothingToServe):
            return 0
        return 1

    def live(number: int) -> int:
        return 0 * arena.forget(PERSON).known if number % 7 == 3 else vote(number)

    with ThreadPoolExecutor(4) as pool:
        acknowledged = sum(pool.map(live, range(60)))
    arena.forget(PERSON)

    # Two threads may vote on the one open battle: then the second is a repeat.
    assert len(archive.votes("arena", store)) == store.votes.count() <= acknowledged
    assert traces(store, archive, tmp_path, [PERSON]) == []


def test_who_is_forgotten_while_the_worker_archives_is_not_in_its_files(
    arena: Arena, archive: Archive, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = lived(arena)
    real = own_votes._with

    def forgotten_meanwhile(*arguments: object) -> object:
        store.visitors.forget(PERSON)  # the votes to be archived are read already, with the name
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(own_votes, "_with", forgotten_meanwhile)
    archive.archive_new_votes(store)

    assert traces(store, archive, tmp_path, words) == []
    assert len(archive.votes("arena", store)) == 7


def test_who_is_forgotten_while_votes_are_read_is_not_in_the_export(
    arena: Arena, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = lived(arena)
    real, waiting = own_votes._all, [PERSON]

    def forgotten_meanwhile(*arguments: object) -> object:
        found = real(*arguments)  # type: ignore[arg-type]
        if waiting:
            arena.forget(waiting.pop())
        return found

    monkeypatch.setattr(own_votes, "_all", forgotten_meanwhile)
    rows = exported(arena)

    assert len(rows) == 7
    assert sorted(np.unique([row["voter"] for row in rows], return_counts=True)[1].tolist()) == [2, 5]
    assert archive.called(pseudonyms.key(archive.votes("arena", arena.store)), PERSON) not in {
        row["voter"] for row in rows
    }
    assert len(words) > len(rows)


KILLED = """
import os, signal, sys, time
from arena.archive import kept_votes
from arena.archive.archive import Archive
from arena.archive.partitions import Partitions
from arena.store.store import Store
from arena.store.visitors import Visitors
from arena.store.vote_stream import VoteStream
from arena.voters import moderation

url, folder, voter, secret, holder, name = sys.argv[1:]
thing = {"visitors": Visitors, "votes": VoteStream, "parts": Partitions, "kept": kept_votes, "archive": Archive, "ledger": moderation.ledger}[holder]
setattr(thing, name, lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL))
archive = Archive(folder, secret=lambda: secret)
moderation.forget(Store.open(url), archive, voter, by="test", clock=time.time)
"""


@pytest.mark.slow
@pytest.mark.parametrize("again", ["forget", "archive"])
@pytest.mark.parametrize(
    ("holder", "name"),
    [
        ("visitors", "erase"),
        ("ledger", "record"),
        ("archive", "archive_new_votes"),
        ("parts", "write_part"),
        ("parts", "put_manifest"),
        ("kept", "forget"),
        ("votes", "trim"),
        ("visitors", "forgotten_everywhere"),
    ],
)
def test_a_forgetting_killed_half_way_is_ended_by_the_next_run(
    arena: Arena, archive: Archive, store: Store, tmp_path: Path, holder: str, name: str, again: str
) -> None:
    words = lived(arena)
    command = [sys.executable, "-c", KILLED, store.client.url, archive.folder.address, PERSON, SECRET]

    killed = subprocess.run([*command, holder, name], cwd=ROOT, check=False, capture_output=True)
    at_once = archive.votes("arena", store)
    ended = arena.forget(PERSON).known if again == "forget" else archive.archive_new_votes(store) >= 0

    assert killed.returncode == -9, killed.stderr
    assert PERSON not in at_once.voters
    assert ended
    assert traces(store, archive, tmp_path, words) == []
    assert len(archive.votes("arena", store)) == store.votes.count() == 7


@pytest.mark.slow
def test_a_store_killed_half_way_forgets_whole_or_not_at_all(
    own_server: PrivateStore, clock: FixedClock, archive: Archive, tmp_path: Path
) -> None:
    arena = make_arena(Store.open(own_server.url), clock=clock)
    arena.archive = archive
    words = lived(arena)
    arena.store.visitors.forget(PERSON)
    own_server.kill()
    own_server.start()

    assert arena.forget(PERSON)

    assert traces(arena.store, archive, tmp_path / "archive", words) == []
    assert len(archive.votes("arena", arena.store)) == 7


def test_an_archive_that_cannot_be_written_follows_later_and_a_refresh_is_asked_for(
    arena: Arena, archive: Archive, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(arena)

    def full(*_: object, **__: object) -> int:
        raise OSError("disk full")

    monkeypatch.setattr(Archive, "archive_new_votes", full)
    done = arena.forget(PERSON)

    assert (done.known, done.everywhere) == (True, False)
    assert store.worker.refresh_asked_at() == arena.clock()
    assert PERSON not in archive.votes("arena", store).voters


def names(arena: Arena) -> list[object]:
    return [row["voter"] for row in exported(arena)]


def test_forgetting_one_changes_the_names_of_no_other(arena: Arena) -> None:
    cast(arena, 2, PERSON)
    cast(arena, 1, OTHER)
    before = names(arena)

    arena.forget(PERSON)

    after = names(arena)
    assert after[2] == before[2]
    assert after[0] == after[1] != before[0]
    assert not any(str(name).startswith(PSEUDONYM) for name in after)


def test_a_reason_that_names_the_voter_is_refused(arena: Arena) -> None:
    with pytest.raises(BadInput, match="names the voter"):
        moderation.quarantine(arena.store, PERSON, why=f"{PERSON} clicks", by="owner", clock=arena.clock)

    assert arena.store.moderation.events() == []


@pytest.mark.parametrize("name", ["", "few-votes-first/1", "quarantined_session", "votes", "counts", "*"])
def test_only_a_voter_can_be_forgotten(arena: Arena, archive: Archive, store: Store, name: str) -> None:
    store.moderation.quarantine(OTHER, why="bot", at=1.0, by="owner")
    cast(arena, 2, PERSON)
    cast(arena, 1, OTHER)
    store.moderation.quarantine(name, why="a slip of the owner", at=2.0, by="owner")
    rule = store.votes.read()[0][1].rule or ""
    before = [vote for _, vote in store.votes.read()], store.admin.counts()

    done = [moderation.forget(store, archive, one, by="owner", clock=arena.clock) for one in (name, rule)]

    assert not any(done)
    assert ([vote for _, vote in store.votes.read()], store.admin.counts()) == before


def test_a_voter_called_as_a_key_is_takes_no_other_key_along(arena: Arena, archive: Archive) -> None:
    cast(arena, 2, "votes")
    cast(arena, 1, OTHER)

    assert moderation.forget(arena.store, archive, "votes", by="owner", clock=arena.clock)

    assert arena.store.admin.counts()["votes"] == 3
    assert len(archive.votes("arena", arena.store)) == 3


def test_an_archive_elsewhere_is_left_to_the_worker_which_alone_writes_there(
    arena: Arena, store: Store
) -> None:
    arena.archive = Archive("memory://forgetting", secret=lambda: SECRET)
    arena.archive.archive_new_votes(store)
    cast(arena, 2, PERSON)

    done = arena.forget(PERSON)
    waiting = len(store.votes.read())
    arena.archive.archive_new_votes(store)

    assert (done.known, done.everywhere) == (True, False)
    assert waiting == 2
    assert store.worker.refresh_asked_at() == arena.clock()
    assert store.visitors.forgotten() == {}


def test_only_snapshots_with_the_voter_lose_their_votes(arena: Arena, archive: Archive) -> None:
    cast(arena, 1, OTHER)
    kept_votes.keep(archive, "a" * 64, archive.votes("arena", arena.store), "arena")
    cast(arena, 1, PERSON)
    kept_votes.keep(archive, "b" * 64, archive.votes("arena", arena.store), "arena")

    arena.forget(PERSON)

    assert [kept_votes.is_forgotten(archive, name * 64) for name in "ab"] == [False, True]


def test_the_seconds_of_forgotten_votes_are_cut_in_the_archive_too(
    arena: Arena, archive: Archive, clock: FixedClock
) -> None:
    clock.now = 1_750_000_059.9
    cast(arena, 1, PERSON)
    cast(arena, 1, OTHER)

    arena.forget(PERSON)

    assert archive.read("arena").at.tolist() == [1_750_000_020.0, 1_750_000_059.9]
    assert [row["dwell_seconds"] for row in exported(arena, "battles")] == [None, 0.0]
