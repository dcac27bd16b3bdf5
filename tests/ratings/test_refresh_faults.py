"""Releases under attack: a run killed at the worst moment, and readers while releases are swapped under them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from arena.errors import Busy
from arena.store import Store
from ratings import snapshots
from ratings.refresh import Workshop, refresh
from ratings.release import Release
from tests.conftest import PrivateStore
from tests.ratings.boards_for_tests import release as numbered
from tests.ratings.workshop_for_tests import shown

ROOT = Path(__file__).resolve().parents[2]
KILLED = """
import sys
from ratings import refresh as refreshing
from ratings.boards import Board
from ratings.leaderboard import Plan
from arena.archive import Archive
from arena.store import Store

store = Store.open(sys.argv[1])

class HalfWay:
    def __getattr__(self, name):
        return getattr(store, name)
    def shelf_switch(self, release, *, fence):
        print("all written, not yet shown", flush=True)
        sys.stdin.read()

boards = (Board("birds", "Birds", "birds", Plan(rounds=0)),)
refreshing.refresh(refreshing.Workshop(store, Archive(sys.argv[2]), HalfWay(), boards, lambda: 2e9))
"""


@pytest.mark.fault
def test_a_refresh_killed_half_way_leaves_the_old_release(
    workshop: Workshop, store_server: PrivateStore
) -> None:
    first = refresh(workshop)
    root = workshop.archive.folder.address
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    words = [sys.executable, "-c", KILLED, store_server.url, root]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=environment, stdin=pipe, stdout=pipe) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"all written, not yet shown\n"
        run.send_signal(signal.SIGKILL)

    assert shown(workshop) == snapshots.load(workshop.shelf, first.id)
    with pytest.raises(Busy):  # its lock runs out by itself
        refresh(workshop)


@pytest.mark.load
def test_every_one_of_500_reads_sees_one_release_while_releases_are_swapped(store: Store) -> None:
    stop = threading.Event()

    def swap() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            assert snapshots.publish(store, numbered(number, models=1 + number % 5), fence=number)
            for name, _ in store.shelf_releases()[:-3]:
                store.shelf_drop(name)

    swapper = threading.Thread(target=swap)
    snapshots.publish(store, numbered(0, models=1), fence=0)
    swapper.start()
    seen = [snapshots.current(store) for _ in range(500)]
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
