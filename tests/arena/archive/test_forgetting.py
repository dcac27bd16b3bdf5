"""A forgotten voter: nothing in store, archive, exports and kept votes leads to him, whatever happens on the way."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from arena import errors
from arena.archive import kept_votes, pseudonyms
from arena.archive.archive import Archive
from arena.battles import id_bytes
from arena.service import Arena
from arena.store.replies import Quotas
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import make_arena
from tests.conftest import FixedClock

PERSON, OTHER = "aa11bb22cc33dd44ee55ff66", "0123456789abcdef01234567"
SECRET = "a secret of more than thirty-two characters"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(str(tmp_path / "archive"), secret=lambda: SECRET)


@pytest.fixture
def arena(store: Store, archive: Archive, clock: FixedClock) -> Arena:
    made = make_arena(store, clock=clock, quotas=Quotas())
    made.archive = archive
    return made


def cast(arena: Arena, voter: str, count: int = 1) -> list[str]:
    """Ids of the battles."""
    ids = []
    for _ in range(count):
        ids.append(arena.open_battle(voter).battle_id)
        arena.cast_vote(ids[-1], voter, Outcome.A)
    return ids


def everything(store: Store) -> bytes:
    """All keys with their values, of every type."""
    client = store.client.redis
    read: dict[bytes, Any] = {
        b"string": client.get, b"hash": client.hgetall, b"set": client.smembers, b"stream": client.xrange,
        b"list": lambda key: client.lrange(key, 0, -1), b"zset": lambda key: client.zrange(key, 0, -1),
    }  # fmt: skip
    return repr([(key, read[client.type(key)](key)) for key in client.scan_iter()]).encode()


def files(archive: Archive) -> bytes:
    """All files, Parquet spelt out."""
    found = b""
    for folder in archive.folder.names():
        for name in archive.folder.names(folder):
            raw = archive.folder.read_or_none(f"{folder}/{name}") or b""
            if name.endswith(".parquet"):
                raw += repr(pq.read_table(io.BytesIO(raw)).to_pydict()).encode()
            found += raw
    return found


def exported(arena: Arena) -> bytes:
    out = io.BytesIO()
    assert arena.archive is not None
    arena.archive.write_votes(arena.store, "jsonl", out, what="battles")
    return out.getvalue()


def test_nothing_leads_to_a_forgotten_voter(arena: Arena, archive: Archive) -> None:
    ids = cast(arena, PERSON, 2)
    cast(arena, OTHER)
    archive.archive_new_votes(arena.store)
    ids += cast(arena, PERSON)
    ids.append(arena.open_battle(PERSON).battle_id)
    arena.store.client.do("set", f"LIMITS:arena/{PERSON}/votes/60/1/minute", 1, ex=60)
    kept_votes.keep(archive, "0" * 64, archive.votes("arena", arena.store), "arena")
    name = pseudonyms.pseudonym(SECRET, pseudonyms.key(archive.votes("arena", arena.store)), PERSON)
    assert name in archive.votes("arena", arena.store).voters

    assert arena.forget(PERSON)

    left = everything(arena.store) + files(archive) + exported(arena)
    raw = [repr(id_bytes(battle))[2:-1] for battle in ids]  # as the stream holds them
    assert [tie for tie in (PERSON, name, *ids, *raw) if tie.encode() in left] == []
    assert arena.store.visitors.forgotten() == {}
    assert len(archive.votes("arena", arena.store)) == 4
    assert sorted(np.bincount(archive.votes("arena", arena.store).voter).tolist()) == [1, 3]


def test_votes_kept_for_snapshots_are_dropped_and_say_so(arena: Arena, archive: Archive) -> None:
    cast(arena, PERSON)
    votes = archive.votes("arena", arena.store)
    kept_votes.keep(archive, "a" * 64, votes, "arena")
    kept_votes.keep(archive, "b" * 64, votes, "imported")

    arena.forget(PERSON)

    assert [kept_votes.is_forgotten(archive, name * 64) for name in "ab"] == [True, False]
    assert kept_votes.find(archive, "a" * 64) is None
    assert kept_votes.find(archive, "b" * 64) is not None


def test_an_open_battle_takes_no_vote_after_it(arena: Arena) -> None:
    cast(arena, PERSON)
    battle = arena.open_battle(PERSON).battle_id

    arena.forget(PERSON)

    with pytest.raises(errors.NoBattle):
        arena.cast_vote(battle, PERSON, Outcome.B)
    assert arena.store.votes.count() == 1


def test_a_visitor_who_is_being_forgotten_is_served_no_battle_and_casts_no_vote(arena: Arena) -> None:
    cast(arena, PERSON)
    battle = arena.open_battle(PERSON).battle_id
    # As a kill would leave it: begun, and not finished.
    arena.store.visitors.forget(PERSON)

    with pytest.raises(errors.NoBattle):
        arena.cast_vote(battle, PERSON, Outcome.B)
    with pytest.raises(errors.NoBattle):
        arena.open_battle(PERSON)


@pytest.mark.parametrize("again", ["worker", "person"])
def test_forgetting_that_was_cut_off_is_finished(arena: Arena, archive: Archive, again: str) -> None:
    (battle,) = cast(arena, PERSON)
    archive.archive_new_votes(arena.store)
    arena.store.visitors.forget(PERSON)

    if again == "worker":
        archive.archive_new_votes(arena.store)
    else:
        assert arena.forget(PERSON)

    left = everything(arena.store) + files(archive)
    assert PERSON.encode() not in left
    assert battle.encode() not in left
    assert arena.store.visitors.forgotten() == {}
    assert len(set(archive.read("arena").voters)) == 1


def test_forgetting_twice_keeps_one_pseudonym(arena: Arena) -> None:
    cast(arena, PERSON)

    arena.store.visitors.forget(PERSON)
    first = dict(arena.store.visitors.forgotten())
    arena.store.visitors.forget(PERSON)

    assert arena.store.visitors.forgotten() == first


def test_the_same_cookie_begins_anew_afterwards(arena: Arena, archive: Archive) -> None:
    cast(arena, PERSON, 2)
    arena.forget(PERSON)

    cast(arena, PERSON)

    assert sorted(np.bincount(archive.votes("arena", arena.store).voter).tolist()) == [1, 2]


def test_only_the_one_voter_is_erased(arena: Arena) -> None:
    cast(arena, PERSON)
    (battle,) = cast(arena, OTHER)
    cast(arena, f"x{PERSON[1:]}")

    arena.forget(PERSON)

    assert arena.store.battles.get(battle) is not None
    assert [arena.store.visitors.visits(voter).votes for voter in (PERSON, OTHER, f"x{PERSON[1:]}")] == [
        0,
        1,
        1,
    ]


def test_a_name_full_of_wild_cards_erases_nothing_else(arena: Arena) -> None:
    cast(arena, OTHER)
    cast(arena, "*")

    arena.forget("*")

    assert arena.store.visitors.visits(OTHER).votes == 1


def test_unchanged_votes_keep_their_names_and_others_get_new_ones(arena: Arena, archive: Archive) -> None:
    cast(arena, PERSON)
    cast(arena, OTHER)

    first, again = (archive.votes("arena", arena.store).voters for _ in range(2))
    archive.archive_new_votes(arena.store)
    moved = archive.votes("arena", arena.store).voters
    cast(arena, OTHER)
    later = archive.votes("arena", arena.store).voters

    assert first == again == moved
    assert not set(first) & set(later)
    assert not {PERSON, OTHER} & set(first)


def test_times_are_cut_in_exports_and_fits_but_not_in_the_archive(
    arena: Arena, archive: Archive, clock: FixedClock
) -> None:
    clock.advance(17.25)
    cast(arena, PERSON)

    archive.archive_new_votes(arena.store)

    (at,) = archive.votes("arena", arena.store).at
    assert at == clock.now // 60 * 60
    assert archive.read("arena").at.tolist() == [clock.now]
    assert f'"tstamp":{at}'.encode() in exported(arena)


def test_the_voter_behind_a_pseudonym_is_found_by_its_release(arena: Arena, archive: Archive) -> None:
    cast(arena, PERSON)
    cast(arena, OTHER)
    votes = archive.votes("arena", arena.store)
    kept_votes.keep(archive, "c" * 64, votes, "arena")
    manifest = b'{"boards": [{"collection": "arena", "votes": {"hash": "' + b"c" * 64 + b'"}}]}'
    cast(arena, OTHER)  # other votes now, other names

    found = [archive.who(arena.store, manifest, name) for name in votes.voters]

    assert sorted(found) == sorted([PERSON, OTHER])
    with pytest.raises(errors.BadInput, match="no voter is called"):
        archive.who(arena.store, manifest, "nobody")
    with pytest.raises(errors.BadInput, match="no such release"):
        archive.who(arena.store, None, votes.voters[0])


def test_pseudonyms_need_the_secret(arena: Arena) -> None:
    assert pseudonyms.pseudonym("one", "k", PERSON) != pseudonyms.pseudonym("other", "k", PERSON)
