"""Votes as they are exported are the votes that were fitted: from the file anybody computes the same snapshot."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.archive.archive import Archive
from arena.importers import read
from arena.store.store import Store
from arena.votes import Outcome
from ratings.design.content_hash import snapshot_id
from ratings.leaderboard import Plan
from ratings.ranking.rank import rank
from tests.arena.makers import make_arena
from tests.conftest import FixedClock


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_an_exported_file_computes_its_snapshot_again(
    store: Store, clock: FixedClock, tmp_path: Path, format: str
) -> None:
    arena = make_arena(store, clock=clock)
    archive = Archive(str(tmp_path / "archive"), secret=lambda: "s" * 32)
    for number in range(30):
        voter = f"{number % 6:024x}"
        clock.advance(7.5)
        arena.cast_vote(arena.open_battle(voter).battle_id, voter, Outcome(number % 4))
    plan = Plan(rounds=20)
    published = rank(archive.votes("arena", store), plan)

    path = tmp_path / f"votes.{format}"
    with path.open("wb") as file:
        archive.write_votes(store, format, file)
    table = read([path]).table

    assert snapshot_id(table, plan) == published.snapshot.id
    assert rank(table, plan).models == published.models
