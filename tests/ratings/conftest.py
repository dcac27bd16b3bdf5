"""Fixtures of the tests of ratings."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.store.store import Store
from ratings.refresh.context import RefreshContext
from tests.conftest import FixedClock
from tests.ratings.refresh_contexts import make_context


@pytest.fixture
def context(
    store: Store, tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> RefreshContext:
    """Store, archive and boards with votes on three birds; nothing published yet. Charts are planned, not drawn."""

    monkeypatch.setattr("ratings.refresh.drawing.rendered", lambda spec: b"<svg>drawn</svg>")
    monkeypatch.setattr("ratings.reports.sections.rendered", lambda spec: b"<svg>drawn</svg>")
    return make_context(store, tmp_path, clock)
