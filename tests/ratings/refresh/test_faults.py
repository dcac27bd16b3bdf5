"""Releases under attack: a run killed at the worst moment, and readers while releases are swapped under them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import Busy, NotConverged
from arena.store.store import Store
from arena.votes import VoteTable
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking.rank import rank_many
from ratings.refresh.context import RefreshContext
from ratings.refresh.job import refresh
from ratings.refresh.verify import verify
from ratings.releases import storage
from ratings.releases.boards import Board
from ratings.releases.release import Release
from tests.conftest import PrivateStore
from tests.ratings.boards_for_tests import release as numbered
from tests.ratings.refresh_contexts import PLAN, bird_votes, bring, shown

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
KILLED = """
import sys
from ratings.refresh.context import RefreshContext
from ratings.refresh.job import refresh
from ratings.releases.boards import Board
from ratings.leaderboard import Plan
from arena.archive.archive import Archive
from arena.store.store import Store

store = Store.open(sys.argv[1])

class HalfWay:
    def __getattr__(self, name):
        return getattr(store.releases, name)
    def activate(self, release, *, fence):
        print("all written, not yet shown", flush=True)
        sys.stdin.read()

boards = (Board("birds", "Birds", "birds", Plan(rounds=0)),)
refresh(RefreshContext(store, Archive(sys.argv[2]), HalfWay(), boards, lambda: 2e9))
"""


@pytest.mark.fault
def test_a_refresh_killed_half_way_leaves_the_old_release(
    context: RefreshContext, store_server: PrivateStore
) -> None:
    first = refresh(context)
    root = context.archive.folder.address
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    words = [sys.executable, "-c", KILLED, store_server.url, root]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=environment, stdin=pipe, stdout=pipe) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"all written, not yet shown\n"
        run.send_signal(signal.SIGKILL)

    assert shown(context) == storage.load(context.releases, first.id)
    with pytest.raises(Busy):  # its lock runs out by itself
        refresh(context)


@pytest.mark.load
def test_every_one_of_500_reads_sees_one_release_while_releases_are_swapped(store: Store) -> None:
    stop = threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            assert storage.publish(store.releases, numbered(number, models=1 + number % 5), fence=number)
            for name, _ in store.releases.list()[:-3]:
                store.releases.delete(name)

    swapper = threading.Thread(target=swap)
    storage.publish(store.releases, numbered(0, models=1), fence=0)
    swapper.start()
    seen = [storage.current(store.releases) for _ in range(500)]
    stop.set()
    swapper.join()

    releases = [release for release in seen if release is not None]
    assert len(releases) == 500
    assert len({release.id for release in releases}) > 20
    assert all(_is_of_one_piece(release) for release in releases)


def _is_of_one_piece(release: Release) -> bool:
    """Every figure of a numbered release tells its number."""
    number = int(release.id.split("-")[1], 16)
    (board,) = release.boards
    plain = board.plain.leaderboard
    figures = {plain.snapshot.votes_used, int(plain.snapshot.id, 16), *(row.votes for row in plain.models)}
    ratings = {row.rating for row in plain.models}
    return figures == {number} and ratings == {1000.0 + number} and len(plain.models) == 1 + number % 5


def failing(collection: str) -> Callable[..., dict[str, Leaderboard]]:
    """`rank_many`, but no fit of votes on the models of `collection` converges."""

    def rank(table: VoteTable, plans: Mapping[str, Plan], **rest: Any) -> dict[str, Leaderboard]:
        if any(name.startswith(collection) for name in table.models):
            raise NotConverged("no convergence in 100 steps: the last moved 0.5 Elo", 100, 0.5)
        return rank_many(table, plans, **rest)

    return rank


@pytest.fixture
def two(context: RefreshContext) -> RefreshContext:
    """A context with a second board with votes: fishes beside birds."""
    bring(context.archive, fish_votes(12), "fishes")
    return replace(context, boards=(*context.boards, Board("fishes", "Fishes", "fishes", PLAN)))


def fish_votes(number: int) -> VoteTable:
    table = bird_votes(number)
    return replace(table, models=tuple(f"fish {name}" for name in table.models))


def test_a_board_that_cannot_be_fitted_keeps_its_last_version_and_stops_no_other(two: RefreshContext) -> None:
    first = refresh(two)
    bring(two.archive, bird_votes(30))
    bring(two.archive, fish_votes(18), "fishes")

    second = refresh(replace(two, rank=failing("fish")))

    assert [board.name for board in second.boards] == ["arena", "birds", "fishes"]
    assert second.faults == {"fishes": "no convergence in 100 steps: the last moved 0.5 Elo"}
    kept, old = shown(two).boards[2], first.boards[2]
    assert kept.plain.leaderboard == old.plain.leaderboard
    assert (kept.votes, kept.plain.charts) == (old.votes, old.plain.charts)
    assert second.boards[1].plain.leaderboard.snapshot.votes_used == 54
    assert shown(two).faults == second.faults
    assert verify(two.releases, two.archive, kept.plain.leaderboard.snapshot.id) is not None


def test_the_next_refresh_that_succeeds_takes_all_votes_in(two: RefreshContext) -> None:
    refresh(two)
    bring(two.archive, fish_votes(18), "fishes")
    refresh(replace(two, rank=failing("fish")))

    third = refresh(two)

    assert third.faults == {}
    assert third.boards[2].plain.leaderboard.snapshot.votes_used == 30


def test_a_board_that_was_never_fitted_is_left_out(two: RefreshContext) -> None:
    release = refresh(replace(two, rank=failing("fish")))

    assert [board.name for board in release.boards] == ["arena", "birds"]
    assert list(release.faults) == ["fishes"]


def test_one_bad_view_is_not_published_beside_a_good_one(two: RefreshContext) -> None:
    def rank(table: VoteTable, plans: Mapping[str, Plan], **rest: Any) -> dict[str, Leaderboard]:
        if any(plan.style for plan in plans.values()) and len(table):
            raise NotConverged("no", 100, 0.5)
        return rank_many(table, plans, **rest)

    release = refresh(replace(two, rank=rank))

    assert [board.name for board in release.boards] == ["arena", "fishes"]
    assert list(release.faults) == ["birds"]
