"""Files of the owner that are too large in some way: refused in one clear line that names the setting, in little memory."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from arena.bank import reader as bank_reader
from arena.bank.roster import Roster
from arena.errors import BadInput
from arena.importers.reading import read
from arena.settings import bounds
from arena.settings.bounds import MB, Bounds
from ratings.benchmarks.readers.reading import read as read_results
from ratings.releases.boards import read_boards
from tests.running import ROOT

VOTE = b"model_a,model_b,winner\nrook,teal,tie\n"


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets tighter bounds hold for one test."""
    return lambda **values: monkeypatch.setattr(bounds, "_held", [Bounds(**values)])


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(BadInput) as error:
        call()
    return str(error.value)


def test_columns_are_bounded(tmp_path: Path, hold: Callable[..., None]) -> None:
    hold(columns=5)
    (tmp_path / "votes.csv").write_bytes(b"model_a,model_b,winner,x,y,z\nrook,teal,tie,1,2,3\n")

    assert "votes.csv, line 1: has 6 columns; 5 is the most (ARENA_FILE_COLUMNS)" in refusal(
        lambda: read([tmp_path / "votes.csv"])
    )


def test_rows_are_bounded(tmp_path: Path, hold: Callable[..., None]) -> None:
    hold(rows=3)
    (tmp_path / "votes.csv").write_bytes(VOTE + b"rook,teal,tie\n" * 5)

    assert "more than 3 rows (ARENA_FILE_ROWS)" in refusal(lambda: read([tmp_path / "votes.csv"]))


def test_a_line_of_a_bank_and_its_rows_are_bounded(tmp_path: Path, hold: Callable[..., None]) -> None:
    hold(rows=1)
    row = json.dumps({"prompt_id": "p", "prompt": "?", "model": "a", "response": "."}) + "\n"
    (tmp_path / "bank.jsonl").write_text(row * 4, encoding="utf-8")

    assert refusal(lambda: bank_reader.rows([tmp_path / "bank.jsonl"])) == (
        "bank.jsonl, line 3: has more than 1 rows (ARENA_FILE_ROWS)"
    )


@pytest.mark.parametrize("load", [Roster.load, read_boards])
def test_rosters_and_boards_are_bounded_in_size_and_depth(
    tmp_path: Path, load: Callable[[Path], object]
) -> None:
    (tmp_path / "large.toml").write_bytes(b"#" * (5 * MB))
    (tmp_path / "deep.toml").write_bytes(b"a = " + b"[" * 100_000)

    assert "ARENA_FILE_TOML_MB" in refusal(lambda: load(tmp_path / "large.toml"))
    assert "deep.toml" in refusal(lambda: load(tmp_path / "deep.toml"))


@pytest.mark.parametrize("reader", [read, read_results])
def test_a_document_of_too_many_values_is_refused_before_it_is_built(
    tmp_path: Path, hold: Callable[..., None], reader: Callable[[list[Path]], object]
) -> None:
    hold(values=1000)
    (tmp_path / "x.json").write_text(json.dumps({"a": [[]] * 2000}), encoding="utf-8")

    assert "ARENA_FILE_VALUES" in refusal(lambda: reader([tmp_path / "x.json"]))


@pytest.mark.parametrize("reader", [read, read_results])
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_bomb_is_refused_by_every_reader(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reader: Callable[[list[Path]], object],
    pack: Callable[[bytes], bytes],
) -> None:
    monkeypatch.setattr(bounds, "SMALL", MB)
    (tmp_path / "x.json.gz").write_bytes(pack(b'{"a": "' + b"x" * (3 * MB)))

    assert "unpack to more than 1,048,576 (ARENA_FILE_RATIO)" in refusal(
        lambda: reader([tmp_path / "x.json.gz"])
    )


def test_a_bound_that_is_no_number_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_FILE_ROWS", "many")

    assert refusal(bounds.of_environment) == "ARENA_FILE_ROWS=many: it must be a whole number of at least 1"


@pytest.mark.slow
@pytest.mark.parametrize("words", [["rank"], ["bench", "report"]])
def test_a_small_file_that_unpacks_to_gigabytes_takes_little_memory(tmp_path: Path, words: list[str]) -> None:
    with gzip.open(tmp_path / "x.json.gz", "wb") as file:
        file.write(b'{"a": "')
        for _ in range(3500):
            file.write(b"x" * MB)

    # In a process between, whose only child it is: other tests of this process had children too.
    between = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", between, sys.executable, "-m", "ratings", *words, str(tmp_path / "x.json.gz")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "ARENA_FILE_RATIO" in done.stderr
    assert int(done.stdout.split()[-1]) < 700 * 1024  # KB
