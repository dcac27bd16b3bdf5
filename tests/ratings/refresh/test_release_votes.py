"""Releases and forgetting: an exported release computes its snapshot, and a snapshot says when a voter left it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from arena.__main__ import cli
from arena.archive import kept_votes, pseudonyms
from arena.archive.archive import Archive
from arena.errors import NoData
from arena.importers import read
from arena.service import Arena
from arena.store.store import Store
from arena.votes import Outcome
from ratings.__main__ import main
from ratings.leaderboard import Plan
from ratings.ranking.rank import rank
from ratings.refresh import job as refreshing
from ratings.refresh.context import RefreshContext
from ratings.refresh.job import refresh
from ratings.refresh.verify import NotVerified, verify
from ratings.releases import storage
from ratings.releases.boards import Board
from ratings.releases.release import Release
from tests.arena.makers import make_arena
from tests.arena.traces import traces
from tests.conftest import FixedClock

pytestmark = pytest.mark.slow

PERSON = "0a1b2c3d4e5f60718293a4b5"
PLAN = Plan(rounds=20, min_votes=3)
BOARDS = (Board("arena", "This arena", "arena", PLAN, ("length",)),)


@pytest.fixture
def arena(store: Store, clock: FixedClock, tmp_path: Path) -> Arena:
    """Votes of seven people, all of them archived by the first refresh."""
    arena = make_arena(store, clock=clock)
    arena.archive = Archive(str(tmp_path / "archive"), secret=lambda: "s" * 40)
    for number in range(70):
        clock.advance(7)
        voter = PERSON if number % 7 == 0 else f"{number % 7:024x}"
        arena.cast_vote(arena.open_battle(voter).battle_id, voter, Outcome(number * number % 4))
    return arena


@pytest.fixture
def context(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> RefreshContext:
    monkeypatch.setattr("ratings.refresh.drawing.rendered", lambda spec: b"<svg>drawn</svg>")
    monkeypatch.setattr("ratings.reports.sections.rendered", lambda spec: b"<svg>drawn</svg>")
    assert arena.archive is not None
    return RefreshContext(arena.store, arena.archive, arena.store.releases, BOARDS, arena.clock)


def snapshot_of(release: Release) -> str:
    return release.boards[0].plain.leaderboard.snapshot.id


def manifest(context: RefreshContext, release: Release) -> bytes:
    return context.releases.get(release.id, storage.MANIFEST) or b""


def name_in(context: RefreshContext, release: Release) -> str:
    """What a release calls the person."""
    table = kept_votes.find(context.archive, release.boards[0].votes.hash)
    assert table is not None
    return context.archive.called(pseudonyms.key(table), PERSON)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("style", [False, True])
def test_the_exported_votes_of_a_release_compute_its_snapshot_again(
    context: RefreshContext, tmp_path: Path, form: str, *, style: bool
) -> None:
    release = refresh(context)
    file = tmp_path / f"votes.{form}"
    with file.open("wb") as out:
        context.archive.write_release(manifest(context, release), form, out)

    published = release.boards[0].view(style=style).leaderboard
    again = rank(read([Path(str(file))]).table, published.snapshot.plan)

    assert again.to_json() == published.to_json()


def test_the_votes_of_an_older_release_stay_as_they_were(
    context: RefreshContext, arena: Arena, tmp_path: Path
) -> None:
    release = refresh(context)
    arena.cast_vote(arena.open_battle("new").battle_id, "new", Outcome.A)
    context.archive.archive_new_votes(context.store)
    file = tmp_path / "votes.csv"
    with file.open("wb") as out:
        context.archive.write_release(manifest(context, release), "csv", out)

    assert rank(read([Path(str(file))]).table, PLAN).snapshot.id == snapshot_of(release)


def test_young_votes_of_a_release_do_not_leave_by_the_public_door(
    context: RefreshContext, arena: Arena, clock: FixedClock
) -> None:
    release = refresh(context)
    with pytest.raises(NoData, match="too young"):
        arena.export_votes("csv", manifest(context, release))

    clock.advance(2 * 86_400)

    with arena.export_votes("csv", manifest(context, release)) as file:
        assert len(file.readlines()) == 71
    with pytest.raises(NoData, match="no votes of such a release"):
        arena.export_votes("csv", b"{}")


def test_a_snapshot_says_that_a_voter_was_forgotten_and_the_next_comes_out_again(
    context: RefreshContext, arena: Arena
) -> None:
    first = refresh(context)
    verify(context.releases, context.archive, snapshot_of(first))

    arena.forget(PERSON)

    with pytest.raises(NotVerified, match="a voter among its votes was forgotten since"):
        verify(context.releases, context.archive, snapshot_of(first))
    second = refresh(context)
    assert verify(context.releases, context.archive, snapshot_of(second)).release.id == second.id
    assert second.boards[0].plain.leaderboard.snapshot.votes_used == 70


def test_forgetting_changes_points_by_nothing(context: RefreshContext, arena: Arena) -> None:
    first = refresh(context).boards[0].plain.leaderboard

    arena.forget(PERSON)

    second = refresh(context).boards[0].plain.leaderboard
    assert [row.model for row in first.models] == [row.model for row in second.models]
    np.testing.assert_allclose(
        [row.rating for row in first.models], [row.rating for row in second.models], rtol=0, atol=1e-9
    )


def test_a_forgotten_voter_is_in_no_release_kept_votes_or_export(
    context: RefreshContext, arena: Arena, tmp_path: Path
) -> None:
    older = refresh(context)
    arena.cast_vote(arena.open_battle("new").battle_id, "new", Outcome.A)
    newer = refresh(context)
    words = [PERSON, name_in(context, older), name_in(context, newer)]
    told_before = traces(context.store, context.archive, tmp_path, words)

    arena.forget(PERSON)

    assert len({*words}) == 3
    assert all(any(repr(word.encode()) in line for line in told_before) for word in words)
    assert traces(context.store, context.archive, tmp_path, words) == []


def test_who_is_forgotten_during_a_refresh_is_not_in_what_it_keeps(
    context: RefreshContext, arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, waiting = refreshing._votes, [PERSON]

    def forgotten_meanwhile(*arguments: Any) -> Any:
        table = real(*arguments)
        if waiting:
            arena.forget(waiting.pop())
        return table

    monkeypatch.setattr(refreshing, "_votes", forgotten_meanwhile)
    release = refresh(context)

    assert traces(context.store, context.archive, tmp_path, [PERSON, name_in(context, release)]) == []
    assert len(context.archive.folder.names(kept_votes.FOLDER)) == 1
    assert verify(context.releases, context.archive, snapshot_of(release))


@pytest.fixture
def owner(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch, arena: Arena
) -> Callable[..., tuple[int, str]]:
    """Runs commands as an owner does, after a first refresh: status and output."""
    boards = tmp_path / "boards.toml"
    boards.write_text('[[board]]\nname = "arena"\ncollection = "arena"\nrounds = 20\nmin_votes = 3\n')
    for name, value in (
        ("HOME", tmp_path / "home"), ("REDIS_URL", redis_url), ("DEMO", 0), ("BOARDS", boards),
        ("ARCHIVE", tmp_path / "archive"),
    ):  # fmt: skip
        monkeypatch.setenv(f"ARENA_{name}", str(value))

    def run(*words: str) -> tuple[int, str]:
        group = cli if words[0] == "arena" else main
        done = CliRunner().invoke(group, list(words[1:]))
        return done.exit_code, done.output

    assert run("arena", "setup")[0] == 0
    assert run("ratings", "refresh")[0] == 0
    return run


def test_the_owner_exports_ranks_forgets_and_verifies_by_commands(
    owner: Callable[..., tuple[int, str]], store: Store, tmp_path: Path
) -> None:
    release = store.releases.current() or ""
    file = str(tmp_path / "release.csv")
    exported = owner("arena", "export", "votes", "--release", release, "--out", file)
    status, ranked = owner("ratings", "rank", file, "--rounds", "20", "--min-votes", "3", "--as", "json")
    snapshot = ranked.split('"id": "')[1][:64] if '"id": "' in ranked else ranked.split('"id":"')[1][:64]
    verified = owner("ratings", "verify", snapshot)
    rows = owner("arena", "export", "votes", "--release", release, "--with-private")
    name = read([Path(file)]).table.voters[0]

    held = owner("arena", "quarantine", name, "--release", release, "--why", "looks odd")
    forgotten = owner("arena", "forget", name, "--release", release)

    assert rows[0] == 0
    assert (exported[0], status, verified[0], held[0], forgotten[0]) == (0, 0, 0, 0, 0), (
        exported,
        verified,
        held,
    )
    assert forgotten[1].startswith("forgotten; what")
    assert "backups made before" in forgotten[1]
    after = owner("ratings", "verify", snapshot)
    assert after[0] == 1
    assert "a voter among its votes was forgotten since" in after[1]
    assert owner("arena", "forget", name, "--release", release)[0] == 1
    assert store.visitors.forgotten() == {}
