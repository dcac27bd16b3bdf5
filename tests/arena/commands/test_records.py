"""The owner's commands about records: exports, backup and restore, quarantine, forget, ledger."""

from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from arena.__main__ import cli
from arena.importers.reading import read
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import make_arena

VOTERS = ("ann", "bob")


@pytest.fixture
def owner(tmp_path: Path, redis_url: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An arena with six votes by two voters; the folder of its home."""
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    monkeypatch.setenv("ARENA_DEMO", "0")
    assert run("setup").exit_code == 0
    arena = make_arena(store, clock=time.time)
    for number in range(6):
        visitor = VOTERS[number % 2]
        view = arena.open_battle(visitor)
        arena.cast_vote(view.battle_id, visitor, Outcome.A)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_exported_votes_come_back_the_same_through_our_reader(owner: Path, form: str) -> None:
    out = owner / f"votes.{form}"

    done = run("export", "votes", "--format", form, "--out", str(out))

    assert done.exit_code == 0, done.output
    table = read([out]).table
    assert int(table.count.sum()) == 6
    assert sorted(np.bincount(table.voter).tolist()) == [3, 3]
    assert not set(table.voters) & set(VOTERS)
    assert {Outcome(code) for code in table.outcome} == {Outcome.A}


@pytest.mark.slow
def test_battles_tell_more_than_votes_and_no_text(owner: Path) -> None:
    out = owner / "battles.jsonl"

    assert run("export", "battles", "--format", "jsonl", "--out", str(out)).exit_code == 0

    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 6
    assert all(row["prompt_digest"] and row["dwell_seconds"] is not None for row in rows)
    assert "Question" not in out.read_text(encoding="utf-8")


def test_young_votes_stay_here_when_asked(owner: Path) -> None:
    out = owner / "votes.csv"

    run("export", "votes", "--delay-hours", "1", "--out", str(out))

    assert out.read_text(encoding="utf-8").count("\n") == 1  # the header


def test_a_backup_brings_everything_back_into_an_empty_arena(
    owner: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_before = store.votes.read()
    secret = (owner / "home" / "secret").read_text(encoding="ascii")
    table = owner / "votes.csv"
    table.write_text("model_a,model_b,winner\nosprey,siskin,model_a\n", encoding="utf-8")
    assert run("import", str(table), "--into", "others").exit_code == 0
    bank = {path.name: path.read_bytes() for path in (owner / "home" / "bank").iterdir()}
    assert run("backup", str(owner / "arena.zip")).exit_code == 0
    store.admin.wipe()
    monkeypatch.setenv("ARENA_HOME", str(owner / "other"))

    done = run("restore", str(owner / "arena.zip"))

    assert done.exit_code == 0, done.output
    assert store.votes.read() == store_before
    assert store.votes.count() == 6
    assert (owner / "other" / "secret").read_text(encoding="ascii") == secret
    assert set(bank) >= {"bank.jsonl", "models.toml"}
    assert {path.name: path.read_bytes() for path in (owner / "other" / "bank").iterdir()} == bank
    assert "others: 1 votes" in run("collections", "list").output
    assert (owner / "arena.zip").stat().st_mode & 0o077 == 0
    assert run("ledger", "verify").exit_code == 0


def test_a_backup_goes_into_an_empty_arena_only_and_never_over_a_file(owner: Path) -> None:
    run("backup", str(owner / "arena.zip"))

    assert run("restore", str(owner / "arena.zip")).exit_code == 1
    assert run("backup", str(owner / "arena.zip")).exit_code == 1


def test_a_damaged_backup_is_refused_and_leaves_nothing(owner: Path, store: Store) -> None:
    run("backup", str(owner / "arena.zip"))
    with zipfile.ZipFile(owner / "arena.zip") as box:
        parts = {name: box.read(name) for name in box.namelist()}
    with zipfile.ZipFile(owner / "bad.zip", "w") as box:
        for name, content in parts.items():
            box.writestr(name, content.replace(b'"entry"', b'"Entry"') if name == "store.jsonl" else content)
    store.admin.wipe()

    for file in ("bad.zip", "none.zip"):
        (owner / "none.zip").write_bytes(b"no zip")
        done = run("restore", str(owner / file))

        assert done.exit_code == 1
        assert store.admin.is_empty()


@pytest.mark.slow
def test_remarkable_voters_are_listed_and_others_on_request(owner: Path, store: Store) -> None:
    arena = make_arena(store, clock=time.time)
    for _ in range(30):
        arena.cast_vote(arena.open_battle("machine").battle_id, "machine", Outcome.A)

    shown = run("voters")

    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith(
        "1 voters with 20 votes or more, 1 remarkable\nmachine  30 votes  left 100%"
    )
    assert "one side, too fast" in shown.output


def test_quarantined_votes_do_not_count_until_lifted_and_the_ledger_names_nobody(
    owner: Path, store: Store
) -> None:
    assert run("quarantine", "ann", "--why", "clicks every two seconds").exit_code == 0
    assert store.moderation.quarantined() == {"ann"}

    assert run("quarantine", "ann", "--why", "it was a fair voter", "--lift").exit_code == 0

    assert store.moderation.quarantined() == set()
    shown = run("ledger", "show").output
    assert "quarantine" in shown
    assert "lift" in shown
    assert "ann" not in shown.replace("channel", "")


def test_forgetting_cuts_the_tie_and_keeps_the_votes(owner: Path, store: Store) -> None:
    assert run("forget", "ann").exit_code == 0

    out = run("export", "votes").stdout
    assert "ann" not in out
    assert out.count("\n") == 7
    assert run("forget", "nobody").exit_code == 1
