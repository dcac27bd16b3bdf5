"""The owner's commands about votes and the whole, run as a person runs them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.__main__ import cli
from arena.archive.archive import Archive
from arena.service import Arena
from arena.settings.settings import ROOT, load
from arena.store import ledger
from arena.store.store import Store


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(
        "battle_id,model_a,model_b,winner,voter\n"
        "1,NA,007,model_a,v1\n2,007,NA,tie,v1\n3,NA,007-chat,both_bad,v2\n",
        encoding="utf-8",
    )
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def archive() -> Archive:
    return Archive.open(load())


def kinds(store: Store) -> list[str]:
    return [entry.kind for entry in ledger.entries(store.ledger)]


@pytest.mark.slow
def test_setup_makes_all_once(home: Path, store: Store) -> None:
    first, second = run("setup"), run("setup")

    assert (first.exit_code, second.exit_code, second.output) == (0, 0, "")
    assert archive().manifest("llmfao") is not None
    assert Arena.open(load(), store).open_battle("u1").prompt
    assert (home / "home" / "secret").stat().st_mode & 0o777 == 0o600
    assert kinds(store) == ["bank", "import"]


ANSWER = '{"prompt_id": "p1", "prompt": "Why?", "model": "%s", "response": "Because."}\n'


@pytest.mark.parametrize(
    ("setting", "text", "told"),
    [
        ("ARENA_BANK", None, "there is no such file"),
        ("ARENA_MODELS", None, "there is no such file"),
        ("ARENA_BANK", ANSWER % "osprey", "no prompt has usable answers of two models"),
        ("ARENA_BANK", ANSWER % "osprey" + "{oops\n", "line 2"),
        ("ARENA_MODELS", "[[model]\n", "file"),
    ],
)
def test_setup_refuses_files_that_cannot_be_used(
    home: Path, monkeypatch: pytest.MonkeyPatch, setting: str, text: str | None, told: str
) -> None:
    path = home / "file"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv(setting, str(path))

    refused = run("setup")

    assert refused.exit_code == 1
    assert told in refused.stderr


@pytest.mark.slow
def test_setup_tells_of_rows_that_are_not_shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "bank.jsonl"
    path.write_text(ANSWER % "osprey" + "{oops\n" + ANSWER % "siskin", encoding="utf-8")
    monkeypatch.setenv("ARENA_BANK", str(path))

    told = run("setup")

    assert told.exit_code == 0
    assert "1 rows of ARENA_BANK" in told.stderr
    assert "line 2" in told.stderr


@pytest.mark.slow
def test_removed_example_votes_do_not_come_back(home: Path) -> None:
    run("setup")

    assert run("collections", "remove", "llmfao").exit_code == 0
    run("setup")

    assert archive().collections() == []
    assert run("collections", "remove", "llmfao").exit_code == 1


def test_example_votes_stay_out_when_not_wanted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DEMO", "0")

    assert run("setup").exit_code == 0

    assert archive().collections() == []


def test_an_import_is_kept_once(home: Path, votes: Path, store: Store) -> None:
    first, second = run("import", votes), run("import", votes, "--into", "votes")

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "read 3 = accepted 3 + rejected 0" in first.output
    assert "added to the collection 'votes'" in first.output
    assert "nothing is added" in second.output
    assert len(archive().read("votes")) == 3
    assert kinds(store) == ["import"]


def test_a_rejected_row_keeps_the_whole_file_out(home: Path, votes: Path) -> None:
    votes.write_text(votes.read_text(encoding="utf-8") + "4,NA,007,model_c,v3\n", encoding="utf-8")

    refused, skipped = run("import", votes), run("import", votes, "--skip-bad")

    assert refused.exit_code == 1
    assert "row 4 (line 5)" in refused.stderr
    assert "model_c" in refused.stderr
    assert skipped.exit_code == 0
    assert "row 4 (line 5), column winner: 'model_c'" in skipped.stderr
    for done in (refused, skipped):
        assert "read 4 = accepted 3 + rejected 1 + duplicates 0 + not votes 0" in done.stdout
    assert archive().account("votes").rejected == 1


def test_rejected_rows_with_one_cause_are_one_line(home: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("model_a,model_b,winner\n" + "a,b,nobody\n" * 50, encoding="utf-8")

    refused = run("import", bad)

    assert refused.exit_code == 1
    assert refused.stderr.count("nobody") == 1
    assert "(and 49 more like it)" in refused.stderr


def test_a_dry_run_writes_nothing(home: Path, votes: Path, store: Store) -> None:
    done = run("import", votes, "--dry-run")

    assert done.exit_code == 0
    assert "nothing is written" in done.output
    assert archive().collections() == []
    assert kinds(store) == []


def test_names_are_merged_and_parted_again(home: Path, votes: Path, tmp_path: Path) -> None:
    aliases = tmp_path / "aliases.csv"
    aliases.write_text("old,new\n007-chat,007\n", encoding="utf-8")
    run("import", votes, "--aliases", aliases)
    merged = archive().read("votes").models

    assert run("collections", "merge", "votes").exit_code == 0

    assert merged == ("007", "NA")
    assert archive().read("votes").models == ("007", "007-chat", "NA")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["import"], 2),
        (["import", "FILE", "--format", "no-such"], 2),
        (["import", "FILE", "--outcomes", "a"], 2),
        (["no-such-command"], 2),
        (["export", "votes", "--format", "xml"], 2),
        (["import", "FILE", "--into", "arena"], 1),
        (["import", "FILE", "--into", "No Name"], 1),
        (["import", "no-such-file.csv"], 1),
        (["models", "retire", "nobody"], 1),
        (["export", "votes", "--collection", "none"], 1),
        (["collections", "merge", "none"], 1),
        (["bank", "import", "no-such-file.jsonl"], 1),
    ],
)
def test_wrong_usage_is_two_and_wrong_input_one(home: Path, votes: Path, words: list[str], code: int) -> None:
    done = run(*[votes if word == "FILE" else word for word in words])

    assert done.exit_code == code
    assert done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_a_store_that_is_not_there_is_one_line(
    home: Path, votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", "unix:///nowhere/store.sock")

    done = run("import", votes)

    assert done.exit_code == 1
    assert done.stderr.startswith("error: the vote store is not available")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_check_finds_what_is_wrong(home: Path, store: Store) -> None:
    run("setup")
    assert run("check").exit_code == 0
    (home / "home" / "secret").chmod(0o644)
    archive().folder.remove("llmfao/" + archive().manifest("llmfao").parts[0].file)  # type: ignore[union-attr]
    store.client.do("xadd", "arena:{s0}:ledger", {"e": json.dumps({"before": ""}), "h": "0"})

    done = run("check")

    assert done.exit_code == 1
    faults = [line for line in done.stdout.splitlines() if line.startswith("FAULT")]
    assert len(faults) >= 3
    assert any("chmod 600" in fault for fault in faults)
    assert any("is gone" in fault for fault in faults)
    assert any("ledger" in fault for fault in faults)


def test_an_edited_ledger_is_told(home: Path, store: Store) -> None:
    for number in range(3):
        ledger.record(store.ledger, "note", {"n": number}, by="me", clock=time.time)
    chain, head = store.ledger.entries(), store.ledger.head()

    edited = [(text.replace('"n":1', '"n":9'), digest) for text, digest in chain]

    assert ledger.chain_faults(chain, head) == []
    assert ledger.chain_faults(edited, head) == ["entry 2 was changed after it was written"]
    assert ledger.chain_faults(chain[:-1], head)
    assert ledger.chain_faults([chain[0], chain[2]], head)
    assert ledger.chain_faults([chain[0], chain[2], chain[1]], head)
    assert run("ledger", "verify").exit_code == 0


@pytest.mark.slow
def test_a_real_command_says_a_missing_store_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", "redis://127.0.0.1:9/0")

    done = subprocess.run(
        [sys.executable, "-m", "arena", "export", "votes"], cwd=ROOT, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "the vote store is not available" in done.stderr


@pytest.mark.parametrize("word", ["--into", "--collection"])
def test_a_collection_is_named_by_either_word_and_hears_how_it_gets_a_board(
    home: Path, votes: Path, word: str, store: Store
) -> None:
    done = run("import", votes, word, "my_own")

    assert done.exit_code == 0, done.output
    assert "no board shows it yet" in done.output
    assert '[[board]]\nname = "my-own"\ntitle = "my_own"\ncollection = "my_own"' in done.output
    assert run("export", "votes", word, "my_own").exit_code == 0


def test_a_collection_that_has_a_board_hears_nothing_of_it(home: Path, votes: Path, store: Store) -> None:
    assert "no board" not in run("import", votes, "--into", "llmfao").output
