"""The owner's commands about models and the bank, run as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.bank.catalogue import Catalogue
from arena.bank.roster import Roster
from arena.commands.models import EXAMPLE
from arena.service import Arena
from arena.settings.settings import load
from arena.store import ledger
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.commands.test_commands import kinds, run


def answers(path: Path, *models: str, leak: str = "") -> Path:
    rows = [
        {"prompt_id": "p1", "prompt": "Why?", "model": model, "response": f"Because.{leak} {len(model)}"}
        for model in models
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_bank_of_ones_own_takes_the_place_of_the_example(home: Path, tmp_path: Path, store: Store) -> None:
    run("setup")
    arena = Arena.open(load(), store)
    view = arena.open_battle("u1")
    receipt = arena.cast_vote(view.battle_id, "u1", Outcome.A)

    done = run("bank", "import", answers(tmp_path / "mine.jsonl", "egret-2", "plover-7"))

    roster = Catalogue.of(load()).roster()
    assert done.exit_code == 0, done.output
    assert Catalogue.of(load()).bank().models == ("egret-2", "plover-7")
    assert {model.name: model.status for model in roster if model.served} == {
        "egret-2": "active",
        "plover-7": "active",
    }
    assert {model.name for model in roster if not model.served} == {receipt.model_a, receipt.model_b}
    assert arena.battle(view.battle_id, "u1") == view


@pytest.mark.slow
def test_an_import_says_whom_it_takes_out_and_how_they_come_back(
    home: Path, tmp_path: Path, store: Store
) -> None:
    run("setup")
    arena = Arena.open(load(), store)
    arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)
    example = Catalogue.of(load()).bank().models

    first = run("bank", "import", answers(tmp_path / "mine.jsonl", "egret-2", "plover-7"))
    second = run("bank", "import", "--add", EXAMPLE)
    third = run("bank", "import", answers(tmp_path / "more.jsonl", "egret-2", "plover-7", *example))

    line = next(line for line in first.output.splitlines() if line.startswith("no longer in battles: "))
    assert all(name in line for name in example)
    assert line.endswith("`python -m arena bank import --add data/bank/bank.jsonl`")
    assert "no longer in battles" not in second.output
    assert {m.name for m in Catalogue.of(load()).roster() if m.served} == {*example, "egret-2", "plover-7"}
    assert "no longer in battles" not in third.output


def test_what_an_import_took_out_of_a_bank_of_ones_own_comes_back_too(home: Path, tmp_path: Path) -> None:
    run("bank", "import", answers(tmp_path / "a.jsonl", "egret-2", "plover-7"))

    done = run("bank", "import", answers(tmp_path / "b.jsonl", "heron-1", "wren-3"))
    line = next(line for line in done.output.splitlines() if line.startswith("no longer in battles: "))
    again = run("bank", "import", "--add", line.split("--add ")[1].split("`")[0])

    assert again.exit_code == 0, again.output
    assert Catalogue.of(load()).bank().models == ("egret-2", "heron-1", "plover-7", "wren-3")


@pytest.mark.slow
def test_a_bank_with_a_fault_is_refused_whole(home: Path, tmp_path: Path) -> None:
    run("setup")
    before = Catalogue.of(load()).bank().models

    done = run("bank", "import", answers(tmp_path / "m.jsonl", "egret-2", "plover-7", leak=" I am egret-2."))

    assert done.exit_code == 1
    assert "identity_leak" in done.stderr
    assert Catalogue.of(load()).bank().models == before


def test_a_bank_named_by_the_environment_is_not_replaced(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = answers(tmp_path / "mine.jsonl", "egret-2", "plover-7")
    monkeypatch.setenv("ARENA_BANK", str(path))

    assert run("bank", "import", path).exit_code == 1
    assert Catalogue.of(load()).bank().models == ("egret-2", "plover-7")


@pytest.mark.slow
def test_a_running_service_sees_a_new_bank(
    home: Path, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.bank.catalogue.LOOK_SECONDS", 0.0)
    run("setup")
    arena = Arena.open(load(), store)
    arena.open_battle("u1")

    run("bank", "import", answers(tmp_path / "mine.jsonl", "egret-2", "plover-7"))

    assert arena.open_battle("u2").prompt == "Why?"


@pytest.mark.slow
def test_a_model_goes_from_private_to_published_to_retired(home: Path, tmp_path: Path, store: Store) -> None:
    run("setup")
    run("bank", "import", answers(tmp_path / "mine.jsonl", "egret-2", "plover-7"))

    added = run("models", "add", "heron β", "--provider", "Us", "--private", "--alias", 'h"b')
    held = run("models", "retire", "heron β")
    published = run("models", "publish", "heron β")
    retired = run("models", "retire", "heron β")

    assert [done.exit_code for done in (added, held, published, retired)] == [0, 1, 0, 0]
    model = Catalogue.of(load()).roster().get("heron β")
    assert model is not None
    assert (model.status, model.provider, model.aliases) == ("retired", "Us", ('h"b',))
    assert kinds(store)[-3:] == ["model_private", "model_publish", "model_retire"]
    private = next(entry for entry in ledger.entries(store.ledger) if entry.kind == "model_private")
    assert "heron" not in json.dumps(private.data)
    assert "heron β: retired, Us" in run("models", "list").output


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", " x", "a\nb", "a\u202eb", "x" * 121, "egret-2"])
def test_a_name_that_cannot_be_one_is_refused_and_the_roster_stays(
    home: Path, tmp_path: Path, name: str
) -> None:
    run("setup")
    run("bank", "import", answers(tmp_path / "mine.jsonl", "egret-2", "plover-7"))
    path = Catalogue.of(load()).roster_path
    before = path.read_bytes()

    assert run("models", "add", "--", name).exit_code == 1

    assert path.read_bytes() == before


@pytest.mark.slow
def test_the_head_of_a_roster_survives_a_change(home: Path) -> None:
    run("setup")
    path = Catalogue.of(load()).roster_path
    path.write_text("# ours\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")

    run("models", "add", "egret-2")

    assert path.read_text(encoding="utf-8").startswith("# ours\n\n[[model]]")
    assert Roster.load(path).get("egret-2") is not None


@pytest.mark.slow
def test_models_without_a_declaration_are_added_in_one_line(home: Path, tmp_path: Path) -> None:
    run("setup")
    mine = answers(tmp_path / "mine.jsonl", "egret-2", "plover-7")

    checked, done = run("bank", "check", mine), run("bank", "import", mine)

    note = "note: egret-2, plover-7 not in the roster yet; `python -m arena bank import` adds them"
    assert (checked.exit_code, done.exit_code) == (0, 0)
    assert [line for line in checked.stderr.splitlines() if line.startswith(note)] != []
    assert "added to the roster: egret-2, plover-7;" in done.stdout
    assert "warning" not in checked.output + done.output
    assert "added" not in run("bank", "import", mine).output


def test_a_check_reads_the_roster_beside_the_file(home: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    path = answers(tmp_path / "own" / "mine.jsonl", "egret-2", "plover-7", leak=" Ask the white wader.")
    declared = '[[model]]\nname = "egret-2"\naliases = ["White Wader"]\n[[model]]\nname = "plover-7"\n'
    (tmp_path / "own" / "models.toml").write_text(declared, encoding="utf-8")

    done = run("bank", "check", path)

    assert done.exit_code == 1
    assert "names its own model" in done.output
    assert "not in the roster yet" not in done.output


def test_an_answer_that_names_the_other_model_is_a_leak(home: Path, tmp_path: Path) -> None:
    path = answers(tmp_path / "mine.jsonl", "egret", "plover", leak=" Unlike Plover, I am brief.")

    done = run("bank", "check", path)

    assert done.exit_code == 1
    assert "names the model 'plover'" in done.output
