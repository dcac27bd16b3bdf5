"""What the tests of the owner's commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.commands import models


@pytest.fixture
def home(tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An owner's folder, with a store of its own and nothing set up."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    return tmp_path


@pytest.fixture(autouse=True)
def _nothing_rendered_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that renders imported texts takes a second; its own tests start it."""
    monkeypatch.setattr(models, "RENDER_AHEAD", ("true",))
