"""A small context for tests of refreshes: three birds, six voters, two boards of which one is empty."""

from __future__ import annotations

from pathlib import Path

from arena.archive.archive import Archive
from arena.archive.manifest import ImportedSource
from arena.archive.partitions import content_hash
from arena.store.store import Store
from arena.votes import Outcome, Vote, VoteTable
from ratings.leaderboard import Plan
from ratings.refresh.context import RefreshContext
from ratings.releases import storage
from ratings.releases.boards import Board
from ratings.releases.release import Release
from tests.conftest import FixedClock

PLAN = Plan(rounds=20, min_votes=3)
BOARDS = (
    Board("arena", "This arena", "arena", PLAN, ("length",)),
    Board("birds", "Birds", "birds", PLAN, ("length",)),
)


def bird_votes(number: int = 24) -> VoteTable:
    """A ring of three birds, six voters, longer answers on the left."""
    pairs = [("heron", "osprey"), ("osprey", "wren"), ("wren", "heron")]
    return VoteTable.of(
        [
            Vote(
                f"v{n}", *pairs[n % 3], Outcome.A if n % 4 else Outcome.B, at=1e9 + n, voter=f"s{n % 6}",
                traits={"length": (20.0 + n % 5, 10.0 + n % 3)},
            )
            for n in range(number)
        ]
    )  # fmt: skip


def bring(archive: Archive, table: VoteTable, name: str = "birds", **counts: object) -> None:
    content = content_hash(table)
    archive.append(name, table, ImportedSource(content, content, 0.0, **counts))  # type: ignore[arg-type]


def make_context(store: Store, folder: Path, clock: FixedClock) -> RefreshContext:
    archive = Archive(str(folder / "archive"))
    bring(archive, bird_votes())
    return RefreshContext(store, archive, store.releases, BOARDS, clock)


def shown(context: RefreshContext) -> Release:
    """The release that readers see."""
    release = storage.current(context.releases)
    assert release is not None
    return release
