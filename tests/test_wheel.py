"""The wheel holds all that an installed service needs: built offline, tried in an empty environment far from the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


def run(*words: object, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment with the wheel, and the libraries of this one in place of downloads."""
    place = tmp_path_factory.mktemp("wheel")
    # Of a copy: building writes into its source.
    for name in ("arena", "ratings", "web", "data"):
        shutil.copytree(ROOT / name, place / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "Procfile", "LICENSE"):
        shutil.copy(ROOT / name, place / "source")
    offline = ("--no-deps", "--no-index", "--disable-pip-version-check", "-q")
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        *offline,
        "--no-build-isolation",
        "-w",
        place,
        place / "source",
        cwd=place,
    )
    venv.create(place / "venv", symlinks=True)
    libraries = next((place / "venv" / "lib").glob("python*")) / "site-packages"
    (libraries / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    programs = place / "venv" / "bin"
    wheel = next(place.glob("*.whl"))
    run(sys.executable, "-m", "pip", "--python", programs / "python", "install", *offline, wheel, cwd=place)
    return programs


def test_an_installed_command_ranks(installed: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "data" / "llmfao" / "votes.csv", tmp_path)

    said = run(installed / "arena-ratings", "rank", "votes.csv", "--rounds", "0", "--as", "csv", cwd=tmp_path)

    assert "GPT 4" in said.splitlines()[1]
    assert "serve" in run(installed / "arena-ratings", "--help", cwd=tmp_path)


def test_an_installed_service_finds_its_files(installed: Path, tmp_path: Path) -> None:
    code = (
        "from arena import launch; from arena.commands import setup; from arena.settings.settings import Settings, HOME;"
        "from pathlib import Path; import arena, web;"
        "files = [launch.PROCFILE, setup.DEMO_VOTES, setup.DEMO_BANK, Settings().boards,"
        " Path(arena.__file__).parent / 'store/lua/vote.lua', Path(web.__file__).parent / 'templates/base.html'];"
        "print(all(f.is_file() and 'wheel' in str(f) for f in files), HOME.name, sorted(launch.serving()))"
    )

    said = run(installed / "python", "-c", code, cwd=tmp_path)

    assert said.strip() == "True .arena-ratings ['web', 'worker']"
