"""`./run` makes its environment once, again when it must, never half, and never twice at a time. No network: empty locks."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
STUB_UV = """#!/bin/sh
for last; do :; done
echo "$last" >>"{log}"
exit {status}
"""
# A real Python, but for its `venv`, which leaves out pip (seconds) where the test needs none.
STUB_PYTHON = """#!/bin/sh
case "$*" in "-m venv "*) shift 2; exec "{real}" -m venv --without-pip "$@" ;; esac
exec "{real}" "$@"
"""


@dataclass(frozen=True)
class Checkout:
    """A folder with `run` and locks without packages; a stub stands for uv and notes what it was asked."""

    root: Path
    uv_log: Path

    def run(self, *words: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.root / "run", *words],
            cwd=cwd,
            env={**self.environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def environment(self) -> dict[str, str]:
        path = f"{self.root.parent / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin"
        return {
            "PATH": path,
            "PYTHON": "stub-python",
            "PIP_NO_INDEX": "1",
            "HOME": str(self.root.parent),
        }

    def installs(self) -> list[str]:
        """The lock files that were installed, in order."""
        lines = self.uv_log.read_text().splitlines() if self.uv_log.exists() else []
        return [line.removeprefix(f"{self.root}/") for line in lines]

    def let_uv_end_with(self, status: int) -> None:
        self.stub("uv", STUB_UV.format(log=self.uv_log, status=status))

    def stub(self, name: str, text: str) -> None:
        """Put a program in front of all others."""
        path = self.root.parent / "bin" / name
        path.write_text(text)
        path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "some where", tmp_path / "uv.log")
    (made.root / "tests").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / "run", made.root / "run")
    (made.root / "requirements.txt").write_text("# nothing\n")
    (made.root / "tests" / "requirements.txt").write_text("# nothing\n")
    made.let_uv_end_with(0)
    made.stub("stub-python", STUB_PYTHON.format(real=sys._base_executable))
    return made


def test_the_first_command_makes_the_environment_and_the_second_finds_it(checkout: Checkout) -> None:
    first = checkout.run("python", "-c", "import sys; print(sys.prefix)")
    second = checkout.run("python", "-c", "import sys; print(sys.prefix)")

    assert first.stdout == second.stdout == f"{checkout.root / '.venv'}\n"
    assert "installing requirements.txt" in first.stderr
    assert second.stderr == ""
    assert checkout.installs() == ["requirements.txt"]


def test_a_changed_lock_is_installed(checkout: Checkout) -> None:
    checkout.run("true")
    (checkout.root / "requirements.txt").write_text("# something else\n")

    assert checkout.run("true").returncode == 0
    assert checkout.installs() == ["requirements.txt", "requirements.txt"]


def test_an_interrupted_install_runs_again(checkout: Checkout) -> None:
    checkout.let_uv_end_with(1)
    broken = checkout.run("true")
    checkout.let_uv_end_with(0)

    mended = checkout.run("true")

    assert broken.returncode == 1
    assert "installing requirements.txt failed" in broken.stderr.splitlines()[-1]
    assert (mended.returncode, mended.stdout) == (0, "")
    assert "installing requirements.txt" in mended.stderr


def test_pip_does_what_uv_cannot(checkout: Checkout) -> None:
    checkout.stub("stub-python", f'#!/bin/sh\nexec {sys._base_executable} "$@"\n')
    checkout.let_uv_end_with(1)

    done = checkout.run("python", "-c", "print('ready')")

    assert (done.returncode, done.stdout) == (0, "ready\n")
    assert "trying pip" in done.stderr


def test_two_at_once_install_once(checkout: Checkout) -> None:
    command = [checkout.root / "run", "echo", "ready"]
    pair = [
        subprocess.Popen(
            command, env=checkout.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]

    outputs = [process.communicate() for process in pair]

    assert [out for out, _ in outputs] == ["ready\n", "ready\n"]
    assert checkout.installs() == ["requirements.txt"]


def test_term_during_an_install_ends_it(checkout: Checkout) -> None:
    started = checkout.root.parent / "started"
    checkout.stub("uv", f"#!/bin/sh\necho $$ >{started}.new && mv {started}.new {started}\nsleep 60\n")
    process = subprocess.Popen(
        [checkout.root / "run", "true"], env=checkout.environment, stderr=subprocess.DEVNULL
    )
    wait_until(started.exists)

    process.terminate()

    assert process.wait(10) == 143
    wait_until(lambda: not Path("/proc", started.read_text().strip()).exists())


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def test_an_environment_for_tests_serves_the_product_and_stays_one(checkout: Checkout) -> None:
    checkout.run("test", "--version")  # pytest itself is missing: the lock is empty
    checkout.run("true")
    (checkout.root / "requirements.txt").write_text("# something else\n")
    checkout.run("true")

    assert checkout.installs() == ["tests/requirements.txt", "tests/requirements.txt"]


def test_an_interrupted_install_for_tests_is_taken_up_as_one(checkout: Checkout) -> None:
    checkout.let_uv_end_with(1)
    checkout.run("test")
    checkout.let_uv_end_with(0)

    checkout.run("true")

    assert set(checkout.installs()) == {"tests/requirements.txt"}


def test_installing_can_be_forbidden(checkout: Checkout) -> None:
    refused = checkout.run("true", ARENA_INSTALL="0")
    checkout.run("true")
    ready = checkout.run("echo", "ready", ARENA_INSTALL="0")

    assert refused.returncode == 1
    assert refused.stderr.endswith("does not fit requirements.txt, and ARENA_INSTALL=0 forbids to install\n")
    assert (ready.returncode, ready.stdout) == (0, "ready\n")


def test_a_moved_checkout_gets_a_new_environment(checkout: Checkout) -> None:
    checkout.run("true")
    moved = Checkout(checkout.root.with_name("moved"), checkout.uv_log)
    checkout.root.rename(moved.root)

    done = moved.run("python", "-c", "import sys; print(sys.prefix)")

    assert done.stdout == f"{moved.root / '.venv'}\n"
    assert len(checkout.installs()) == 2


def test_a_command_keeps_its_folder_output_and_status(checkout: Checkout, tmp_path: Path) -> None:
    done = checkout.run("python", "-c", "import os; print(os.getcwd()); raise SystemExit(7)", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (7, f"{tmp_path}\n")


def test_compiled_modules_are_kept_whatever_the_caller_set(checkout: Checkout) -> None:
    done = checkout.run(
        "python", "-c", "import sys; print(sys.dont_write_bytecode)", PYTHONDONTWRITEBYTECODE="1"
    )

    assert done.stdout == "False\n"


def test_an_old_python_is_one_line(checkout: Checkout) -> None:
    for name in ("stub-python", "python3.11", "python3.12", "python3.13"):
        checkout.stub(name, "#!/bin/sh\nexit 1\n")

    done = checkout.run("true")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "arena: needs Python 3.11 or newer: install it, or name one by PYTHON=/path/to/python3\n"
    )


def test_without_rights_and_venv_module_the_way_out_is_named(checkout: Checkout) -> None:
    (checkout.root.parent / "bin" / "uv").unlink()
    checkout.stub("id", "#!/bin/sh\necho 1000\n")
    checkout.stub(
        "stub-python", f'#!/bin/sh\ncase $* in *ensurepip*) exit 1; esac\nexec {sys._base_executable} "$@"\n'
    )

    done = checkout.run("true")

    assert done.returncode == 1
    assert "as root run `apt-get install python3-venv`" in done.stderr.splitlines()[-1]


def test_help_and_wrong_usage_need_no_environment(checkout: Checkout) -> None:
    assert checkout.run("help").stdout.startswith("./run  ")
    assert (checkout.run("--bad").returncode, checkout.run("--bad").stdout) == (2, "")
    assert not (checkout.root / ".venv").exists()
