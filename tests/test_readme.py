"""Every command that README.md shows does what it says there, and every setting has its row."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
STARTED_ELSEWHERE = ("./run", "./run test")  # tests/test_run.py starts the service; this is the other


def commands() -> list[str]:
    """The lines of the shell blocks and the whole commands shown inline, in their order, without placeholders."""
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    inline = re.findall(r"`(\./run python [^`]+)`", TEXT)
    shown = [line for block in blocks for line in block.splitlines()] + inline
    return [line for line in shown if line not in STARTED_ELSEWHERE and "SNAPSHOT" not in line]


@pytest.fixture
def place(tmp_path: Path, redis_url: str) -> tuple[Path, dict[str, str]]:
    """A folder to run in and an environment, both of this test alone."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "ARENA_HOME": str(home),
        "ARENA_REDIS_URL": redis_url,
    }
    return tmp_path, environment


def ran(words: list[str], place: tuple[Path, dict[str, str]]) -> subprocess.CompletedProcess[str]:
    folder, environment = place
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=280
    )


def test_the_readme_shows_commands_and_all_are_tried() -> None:
    assert len(commands()) >= 9
    assert all(line.startswith("./run python ") for line in commands())


@pytest.mark.slow
def test_every_command_of_the_readme_does_its_work(place: tuple[Path, dict[str, str]]) -> None:
    assert ran(["-m", "arena", "setup"], place).returncode == 0

    for line in commands():
        done = ran(shlex.split(line)[2:], place)

        assert done.returncode == 0, f"{line}\n{done.stderr}"
    assert (place[0] / "llmfao.csv").read_text(encoding="utf-8").startswith("model,")
    assert (place[0] / "votes.csv").exists()


@pytest.mark.slow
def test_the_notebook_lines_of_the_readme_run(place: tuple[Path, dict[str, str]]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)

    done = ran(["-c", block + "\nprint(len(board.models))"], place)

    assert done.stdout.strip() == "59", done.stderr


def test_every_file_and_folder_that_the_readme_links_is_there() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    mapped = re.findall(r"^\| `([a-z/]+/)` \|", TEXT, re.MULTILINE)

    missing = [path for path in linked + mapped if not (ROOT / path).exists() and path != "var/"]

    assert missing == []
