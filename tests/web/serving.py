"""A real web server for tests: gunicorn with its own workers, on the test's store, with a bank in a file."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from arena.bank.bank import Bank
from arena.bank.roster import Roster

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0


@dataclass(frozen=True)
class Site:
    """A running server."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]


def write_bank(folder: Path, bank: Bank, roster: Roster) -> Path:
    """The bank as JSON lines with its roster beside it; the file."""
    rows = [
        {
            "prompt_id": answer.prompt_id,
            "prompt": bank.prompts[answer.prompt_id].text,
            "model": answer.model,
            "response": answer.text,
            "category": list(bank.prompts[answer.prompt_id].categories),
            "language": bank.prompts[answer.prompt_id].language or "",
        }
        for answers in bank.answers.values()
        for answer in answers
    ]
    path = folder / "bank.jsonl"
    path.write_text(
        "".join(json.dumps({k: v for k, v in row.items() if v}) + "\n" for row in rows), encoding="utf-8"
    )
    models = [
        "[[model]]\n"
        + "".join(
            f"{name} = {json.dumps(value)}\n"
            for name, value in (
                ("name", m.name),
                ("slug", m.slug),
                ("provider", m.provider),
                ("aliases", list(m.aliases)),
            )
            if value
        )
        for m in roster
    ]
    (folder / "models.toml").write_text("\n".join(models), encoding="utf-8")
    return path


def environment(home: Path, redis_url: str, **extra: str) -> dict[str, str]:
    """What a web process needs to be told, and nothing of ours."""
    home.mkdir(exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ARENA_HOME": str(home),
        "ARENA_REDIS_URL": redis_url,
        **extra,
    }


@contextmanager
def serving(home: Path, redis_url: str, *, workers: int = 2, **extra: str) -> Iterator[Site]:
    """A gunicorn on a free port, as the Procfile starts it."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    command = [
        sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--workers", str(workers), "--threads", "8",
        "--bind", f"127.0.0.1:{port}", "--no-control-socket", "--graceful-timeout", "2", "web.main:app()",
    ]  # fmt: skip
    log = home.with_name(f"{home.name}.web.log")
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(home, redis_url, **extra), stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait(f"http://127.0.0.1:{port}", process, log)
        yield Site(f"http://127.0.0.1:{port}", log, process)
    finally:
        process.terminate()
        process.wait(30)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        try:
            if httpx.get(f"{url}/healthz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
