"""Importing any module does nothing but define things, and the web process stays light: shown in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.test_house import PACKAGES, ROOT, SOURCES, imports, matches

# Third-party modules are loaded first: what they do on import is theirs. Then the traps, then our modules.
IMPORT_EVERYTHING = """
import importlib, logging, os, socket, sys, threading, warnings
packages, others, modules = ({!r}, {!r}, {!r})
for name in others:
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # a name that is no module, or a part for another platform
found = []

def trap(owner, name, what):
    real = getattr(owner, name)
    def trapped(*args, **kwargs):
        caller = sys._getframe(1)
        while caller.f_code.co_filename.startswith(("<frozen _coll", os.__file__)):
            caller = caller.f_back
        if any(f"{{os.sep}}{{p}}{{os.sep}}" in caller.f_code.co_filename for p in packages) or what != "environment":
            found.append(f"{{what}}: {{args!r:.80}} by {{caller.f_code.co_filename}}")
        return real(*args, **kwargs)
    setattr(owner, name, trapped)

def handlers():
    loggers = [logging.root, *(l for l in logging.root.manager.loggerDict.values() if isinstance(l, logging.Logger))]
    return {{(l.name, l.level, len(l.handlers)) for l in loggers if l.handlers or l is logging.root}}

before = (handlers(), list(warnings.filters), os.getcwd())
trap(type(os.environ), "__getitem__", "environment")
trap(type(os.environ), "__contains__", "environment")
trap(socket.socket, "connect", "connection")
trap(socket.socket, "bind", "socket")
trap(threading.Thread, "start", "thread")
for name in modules:
    importlib.import_module(name)
if (handlers(), list(warnings.filters), os.getcwd()) != before:
    found.append("logging, warnings or folder were switched")
print("\\n".join(found))
"""


def import_everything(modules: list[str], sources: Mapping[str, str], folder: Path) -> str:
    """What importing `modules` did besides defining things, one line each."""
    others = sorted({t for n, s in sources.items() for t in imports(n, s, sources)} - set(sources))
    script = IMPORT_EVERYTHING.format(
        PACKAGES, [name for name in others if not matches(name, PACKAGES)], modules
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_importing_any_module_does_nothing() -> None:
    assert import_everything(list(SOURCES), SOURCES, ROOT) == ""


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import os; os.environ.get('HOME')", "environment"),
        ("import socket; socket.socket().bind(('127.0.0.1', 0))", "socket"),
        ("import threading; threading.Thread(target=print).start()", "thread"),
        ("import logging; logging.basicConfig()", "logging"),
    ],
)
def test_a_module_that_acts_on_import_is_found(line: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / "__init__.py").touch()
    (tmp_path / "arena" / "__init__.py").touch()  # else a checkout on PYTHONPATH comes first
    (tmp_path / "arena" / "made_up.py").write_text(line)

    assert import_everything(["arena.made_up"], {"arena.made_up": line}, tmp_path).startswith(what)


@pytest.mark.slow
def test_the_web_process_loads_no_statistics(redis_url: str, tmp_path: Path) -> None:
    script = "import sys, web.main; web.main.app(); print(*sorted({'scipy', 'sklearn', 'numba'} & set(sys.modules)))"
    environment = {"ARENA_HOME": str(tmp_path), "ARENA_REDIS_URL": redis_url, "ARENA_SECRET": "s" * 43}

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
