"""Fixtures of the tests of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.store import Store
from ratings import charts
from ratings.leaderboard import Leaderboard
from ratings.refresh import Workshop
from ratings.release import HistoryPoint
from tests.conftest import FixedClock
from tests.ratings.workshop_for_tests import make_workshop


@pytest.fixture
def workshop(store: Store, tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """Store, archive and boards with votes on three birds; nothing published yet. Charts are planned, not drawn."""

    def plan(board: Leaderboard, name: str, *, history: Sequence[HistoryPoint]) -> bytes:
        charts.plot(board, name, history=history)  # which raises where there is nothing to draw
        return f"<svg>{name}</svg>".encode()

    monkeypatch.setattr("ratings.refresh.charts.write", plan)
    monkeypatch.setattr("ratings.report_sections.render", lambda chart: b"<svg>drawn</svg>")
    return make_workshop(store, tmp_path, clock)
