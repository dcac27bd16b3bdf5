"""Bank and roster while files change under the service: never a private model named for want of a roster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.bank.catalogue import Catalogue
from arena.errors import StoreUnavailable
from arena.service import Arena
from arena.store.store import Store
from web.ops import readiness

ROSTER = """
[[model]]
name = "egret-9b"
provider = "Marsh"
licence = "none"
status = "private"
"""


def made(folder: Path, roster: str = ROSTER, bank: str | None = None) -> Catalogue:
    row = {"prompt_id": "q1", "prompt": "Why?", "model": "egret-9b", "response": "So."}
    (folder / "bank.jsonl").write_text(json.dumps(row) + "\n" if bank is None else bank, encoding="utf-8")
    (folder / "models.toml").write_text(roster, encoding="utf-8")
    return Catalogue(folder / "bank.jsonl", folder / "models.toml")


def test_a_private_model_is_hidden(tmp_path: Path) -> None:
    assert made(tmp_path).roster().hidden == {"egret-9b"}


@pytest.mark.parametrize("broken", ["[[model]", "[[model]]\nnaem = 1\n"])
def test_a_process_that_never_read_a_roster_shows_nothing(tmp_path: Path, broken: str) -> None:
    catalogue = made(tmp_path, broken)

    for ask in (catalogue.roster, catalogue.bank):
        with pytest.raises(StoreUnavailable, match="roster"):
            ask()


def test_a_roster_that_breaks_later_leaves_the_last_good_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bank.catalogue.LOOK_SECONDS", 0.0)
    catalogue = made(tmp_path)
    assert catalogue.roster().hidden == {"egret-9b"}

    (tmp_path / "models.toml").write_text("[[model]", encoding="utf-8")

    assert catalogue.roster().hidden == {"egret-9b"}


def test_readiness_says_broken_files_without_their_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    monkeypatch.setattr("arena.bank.catalogue.LOOK_SECONDS", 0.0)
    two = "".join(
        json.dumps({"prompt_id": "q1", "prompt": "Why?", "model": model, "response": "So."}) + "\n"
        for model in ("egret-9b", "plover-7")
    )
    catalogue = made(tmp_path, bank=two)
    arena = Arena(store, catalogue.bank, catalogue.roster, files_fault=catalogue.fault)
    good = readiness(arena)

    (tmp_path / "models.toml").write_text("[[model]", encoding="utf-8")
    later = readiness(arena)
    fresh = Catalogue(catalogue.bank_path, catalogue.roster_path)
    never = readiness(Arena(store, fresh.bank, fresh.roster, files_fault=fresh.fault))
    (tmp_path / "models.toml").write_text(ROSTER, encoding="utf-8")

    assert (good.ready, good.warnings) == (True, ())
    assert later.ready
    assert "last good" in later.warnings[0]
    assert "cannot be read" in never.faults[0]
    assert str(tmp_path) not in "".join((*later.warnings, *never.faults))
    assert readiness(arena) == good
