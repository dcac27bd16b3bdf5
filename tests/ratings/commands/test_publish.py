"""`refresh`, `export` and `verify` as people run them, against a real store: statuses, lines, and a quick end."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.archive.archive import Archive
from arena.errors import NotConverged
from arena.store.store import Store
from arena.votes import Outcome, VoteTable
from ratings.__main__ import main
from ratings.commands import publish
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking.rank import rank_many
from ratings.refresh import job as refreshing
from ratings.refresh.job import LOCK
from ratings.releases import storage
from tests.arena.makers import make_arena
from tests.conftest import PrivateStore
from tests.ratings.boards_for_tests import release
from tests.ratings.refresh_contexts import bird_votes, bring, make_context

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
BOARDS = """
[[board]]
name = "arena"
collection = "arena"
rounds = 0

[[board]]
name = "birds"
collection = "birds"
rounds = 0
"""


class Commands:
    """Runs `python -m ratings` on a home and a store of its own."""

    def __init__(self, home: Path, url: str) -> None:
        home.mkdir(exist_ok=True)
        (home / "boards.toml").write_text(BOARDS)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        self.environment = {
            **kept, "PYTHONPATH": str(ROOT), "ARENA_HOME": str(home), "ARENA_REDIS_URL": url,
            "ARENA_BOARDS": str(home / "boards.toml"), "ARENA_REDIS_TIMEOUT_SECONDS": "1", "ARENA_SECRET": "s" * 32,
        }  # fmt: skip

    def words(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "ratings", *arguments]

    def process(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The real command, in a process of its own."""
        words = self.words(*arguments)
        return subprocess.run(
            words, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )

    def run(self, *arguments: str) -> Result:
        """The same within this process, which is quicker."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(logging, "basicConfig", lambda **_: None)  # it would hold on to this call's stream
            return CliRunner().invoke(main, arguments, env=self.environment)


@pytest.fixture
def commands(tmp_path: Path, redis_url: str) -> Commands:
    return Commands(tmp_path, redis_url)


@pytest.fixture
def birds(commands: Commands, store: Store, tmp_path: Path) -> Store:
    """The commands' archive has votes on birds."""
    make_context(store, tmp_path, lambda: 0.0)  # type: ignore[arg-type]
    return store


def test_from_votes_to_a_proven_export(commands: Commands, birds: Store) -> None:
    made = commands.process("refresh")
    assert made.returncode == 0, made.stderr
    assert made.stdout == ""
    assert "birds: 3 models, 24 of 24 votes used" in made.stderr

    exported = commands.process("export", "--as", "json")
    snapshot = json.loads(exported.stdout)["snapshot"]
    assert (snapshot["votes_used"], snapshot["models"]) == (24, 3)

    proven = commands.process("verify", snapshot["id"])
    assert proven.returncode == 0, proven.stderr
    assert "computed again with the same result" in proven.stdout

    unknown = commands.process("export", "eagles")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "no board 'eagles' is published; there are arena, birds" in unknown.stderr


def test_if_none_makes_the_first_release_and_no_second(commands: Commands, birds: Store) -> None:
    assert commands.run("refresh", "--if-none").exit_code == 0
    first = birds.releases.current()

    again = commands.run("refresh", "--if-none")

    assert again.exit_code == 0
    assert again.stderr.endswith("there is a release already\n")
    assert birds.releases.current() == first is not None


def test_a_start_makes_the_first_release_and_later_ones_find_it(
    commands: Commands, birds: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commands.run("first-release")
    release = birds.releases.current()
    monkeypatch.setattr(publish, "make_release", None)  # a second one would end in an error

    again = commands.run("first-release")

    assert (first.exit_code, again.exit_code) == (0, 0), first.output
    assert again.stderr == "there is a release already\n"
    assert birds.releases.current() == release is not None


def test_without_votes_refresh_is_status_1_but_a_first_start_goes_on(commands: Commands) -> None:
    plain = commands.run("refresh")
    first_start = commands.run("refresh", "--if-none")

    assert plain.exit_code == 1
    assert "error: no board has a vote that counts" in plain.stderr
    assert first_start.exit_code == 0


def test_the_second_of_two_runs_is_status_5_and_says_why(commands: Commands, birds: Store) -> None:
    birds.locks.take(LOCK, 60.0)

    second = commands.run("refresh")

    assert second.exit_code == 5
    assert second.stderr.splitlines()[-1] == "error: another refresh is running; nothing done"
    assert birds.releases.current() is None


def test_a_board_that_cannot_be_ranked_is_a_line_and_status_1(
    commands: Commands, birds: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert commands.run("refresh").exit_code == 0
    bring(Archive(str(Path(commands.environment["ARENA_HOME"]) / "archive")), bird_votes(30))
    arena = make_arena(birds, clock=time.time)
    arena.cast_vote(arena.open_battle("u").battle_id, "u", Outcome.A)

    def rank(table: VoteTable, plans: Mapping[str, Plan], **rest: Any) -> dict[str, Leaderboard]:
        if "heron" in table.models:
            raise NotConverged("no convergence in 100 steps: the last moved 0.5 Elo", 100, 0.5)
        return rank_many(table, plans, **rest)

    monkeypatch.setattr(refreshing, "rank_many", rank)

    done = commands.run("refresh")

    why = "no convergence in 100 steps: the last moved 0.5 Elo"
    assert done.stderr.splitlines()[-1] == f"board birds could not be ranked ({why}); its last version stays"
    assert done.exit_code == 1
    assert "birds: 3 models, 24 of 24 votes used" in done.stderr


def test_before_the_first_release_there_is_nothing_to_export(commands: Commands) -> None:
    done = commands.run("export")

    assert (done.exit_code, done.stdout) == (1, "")
    assert "nothing is published yet" in done.stderr


def test_a_store_that_is_down_is_one_line_and_status_1(tmp_path: Path) -> None:
    done = Commands(tmp_path, f"unix://{tmp_path}/none.sock").run("refresh")

    assert done.exit_code == 1
    assert "the vote store is not available" in done.stderr.splitlines()[-1]
    assert "`./run` starts it" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_boards_that_cannot_be_used_are_named(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "boards.toml").write_text("[[board]]\nname = 'a'\ncollection = 'a'\nrounds = 'x'\n")

    done = commands.run("refresh")

    assert done.exit_code == 1
    assert "boards.toml: board 1: `rounds` is a whole number" in done.stderr


def wait_for(what, seconds: float = 200.0) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.mark.parametrize(("votes", "warmed"), [(100, 0), (1_000_000, 1)])
def test_kernels_are_compiled_early_only_where_boards_are_large(
    monkeypatch: pytest.MonkeyPatch, votes: int, warmed: int
) -> None:
    fits: list[object] = []
    monkeypatch.setattr(publish, "warm", fits.append)

    publish._warm(release(votes))

    assert len(fits) == warmed


@pytest.mark.fault
def test_the_worker_publishes_outlives_an_outage_and_ends_when_told(
    tmp_path: Path, own_server: PrivateStore
) -> None:
    store = Store.open(own_server.url)
    make_context(store, tmp_path / "home", time.time)  # type: ignore[arg-type]
    commands = Commands(tmp_path / "home", own_server.url)
    commands.environment["ARENA_REFRESH_AFTER_VOTES"] = "2"
    words = commands.words("refresh", "--watch")
    worker = subprocess.Popen(words, cwd=ROOT, env=commands.environment, stderr=subprocess.DEVNULL)
    try:
        wait_for(store.releases.current)
        first = store.releases.current()

        own_server.kill()
        time.sleep(1.0)
        own_server.start()
        arena = make_arena(store, clock=time.time)
        for visitor in ("u", "v"):
            arena.cast_vote(arena.open_battle(visitor).battle_id, visitor, Outcome.A)
        wait_for(lambda: store.releases.current() != first)
        shown = storage.current(store.releases)

        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60.0) == 0
    finally:
        worker.kill()
        worker.wait()
        store.close()
    assert shown is not None
    assert shown.boards[0].plain.leaderboard.snapshot.votes_used == 2
