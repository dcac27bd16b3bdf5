"""Fixtures of the tests of ratings."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import Store
from ratings.refresh.job import Workshop
from tests.conftest import FixedClock
from tests.ratings.workshop_for_tests import make_workshop


@pytest.fixture
def workshop(store: Store, tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """Store, archive and boards with votes on three birds; nothing published yet. Charts are planned, not drawn."""

    monkeypatch.setattr("ratings.refresh.drawing.rendered", lambda spec: b"<svg>drawn</svg>")
    monkeypatch.setattr("ratings.reports.sections.rendered", lambda spec: b"<svg>drawn</svg>")
    return make_workshop(store, tmp_path, clock)
