"""Results are written whole or not at all, and what cannot be written is one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ratings.__main__ import main
from ratings.commands import console
from tests.ratings.commands.test_rank import HEADER, ROOT, two_to_one, votes_csv


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["rank", *map(str, arguments)])


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(votes_csv(two_to_one()))
    return path


def test_a_file_is_written_whole_and_standard_output_stays_empty(votes: Path, tmp_path: Path) -> None:
    out = tmp_path / "board.parquet"

    result = run(votes, "--rounds", 0, "--as", "parquet", "--out", out)

    assert result.exit_code == 0
    assert result.stdout == ""
    assert out.read_bytes()[:4] == b"PAR1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.parquet", "votes.csv"]


def test_a_place_that_cannot_be_written_leaves_the_old_file_and_is_named(votes: Path, tmp_path: Path) -> None:
    result = run(votes, "--rounds", 0, "--out", tmp_path)

    assert result.exit_code == 1
    assert f"{tmp_path}: cannot be written" in result.stderr


def test_a_failed_run_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(HEADER + "b1,heron,wren,maybe,s\n")
    (tmp_path / "out.csv").write_text("old")

    result = run(tmp_path / "v.csv", "--out", tmp_path / "out.csv")

    assert result.exit_code == 1
    assert (tmp_path / "out.csv").read_text() == "old"


@pytest.mark.slow
def test_a_full_device_is_one_line(votes: Path) -> None:
    with open("/dev/full", "wb") as full:
        words = [sys.executable, "-m", "ratings", "rank", str(votes), "--rounds", "0"]
        done = subprocess.run(words, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: standard output cannot be written: No space left on device"


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_fault(votes: Path) -> None:
    words = f"{sys.executable} -m ratings rank {votes} --rounds 0 --as json | head -c 1 >&2; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", words], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.stdout == "0\n"
    assert "BrokenPipe" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_and_standard_output_stays_clean(votes: Path) -> None:
    try:
        ours, theirs = os.openpty()
    except OSError as error:  # a container without devices
        pytest.skip(f"no pseudo-terminal here: {error.strerror}")
    words = [sys.executable, "-m", "ratings", "rank", str(votes), "--rounds", "2000", "--as", "csv"]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, check=False)
    os.close(theirs)
    seen = os.read(ours, 1 << 16).decode(errors="ignore")
    os.close(ours)

    assert done.returncode == 0
    assert "reading" in seen
    assert done.stdout.startswith(b"model,rank,")
    assert b"\x1b" not in done.stdout


def test_in_a_pipe_there_is_no_progress() -> None:
    with console.progress("ranking") as progress:
        assert progress is None
