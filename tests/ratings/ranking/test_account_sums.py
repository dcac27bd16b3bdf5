"""Votes read = used + excluded + rejected + duplicates + not votes, on the board of every format."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import ratings
from arena.importers import read
from tests.arena.importers.test_sums import BY_RECORD, records, spoiled


@pytest.mark.parametrize("name", BY_RECORD)
def test_the_board_accounts_for_every_vote_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(list(spoiled(records(name, tmp_path), random.Random(11))), default=str))

    style = sorted(read([path], format=name, skip_bad=True).table.traits)
    found = ratings.rank(path, format=name, skip_bad=True, rounds=0, style=style).snapshot

    left_out = sum(found.excluded.values()) + found.not_votes
    assert found.votes_read == found.votes_used + left_out + found.rejected + found.duplicates
    assert found.votes_read > 0
