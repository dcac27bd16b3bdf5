"""An import killed at any point leaves nothing half done, and the next one ends as if it had been the only one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arena.settings.settings import ROOT
from arena.store import ledger
from arena.store.store import Store
from tests.arena.commands.test_commands import archive, kinds, run

# Kills itself with the signal that nothing can catch, just before step N of a write.
KILLED = """
import os, signal, sys
from arena.archive import folders
from arena.__main__ import cli

steps, last = [0], int(sys.argv[1])

def dying(step):
    def stepping(*arguments, **rest):
        if steps[0] == last:
            os.kill(os.getpid(), signal.SIGKILL)
        steps[0] += 1
        return step(*arguments, **rest)
    return stepping

folders.os.fsync = dying(os.fsync)
folders.os.replace = dying(os.replace)
from arena.commands.context import CliContext
CliContext.record = dying(CliContext.record)
cli(["import", sys.argv[2], "--into", "rounds"])
"""
# Parquet file: content 0, rename 1, folder 2; manifest: the same at 3, 4, 5; ledger: 6. Of each part, the worst.
STEPS = (1, 4, 6)


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """Votes as the 140k release writes them: Parquet with nested conversations, one a self-battle."""

    def says(role: str, text: str) -> dict[str, object]:
        return {"role": role, "content": [{"type": "text", "text": text}]}

    rows = [
        {
            "id": f"b{n}", "model_a": "avocet-3", "model_b": "avocet-3" if n == 5 else "dunlin",
            "winner": ("model_a", "model_b", "tie", "both_bad")[n % 4], "evaluation_session_id": f"s{n % 3}",
            "evaluation_order": 1, "language": "de", "is_code": n % 2 == 0,
            "conversation_a": [says("user", "Was?"), says("assistant", f"Das {n}.")],
            "conversation_b": [says("user", "Was?"), says("assistant", f"**Dies** {n}.")],
        }
        for n in range(8)
    ]  # fmt: skip
    path = tmp_path / "nested.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def files() -> dict[str, bytes]:
    folder = archive().folder
    return {name: folder.read(f"rounds/{name}") or b"" for name in folder.names("rounds") if name[0] != "."}


@pytest.mark.fault
def test_a_killed_import_is_done_again_as_if_never_begun(home: Path, store: Store, nested: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = []

    for step in STEPS:
        run("collections", "remove", "rounds")
        before = kinds(store).count("import")
        words = [sys.executable, "-c", KILLED, str(step), str(nested)]
        killed = subprocess.run(words, env=environment, capture_output=True, check=False)
        half = len(archive().read("rounds"))
        again, third = run("import", nested, "--into", "rounds"), run("import", nested, "--into", "rounds")

        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert half in (0, 8)
        assert (again.exit_code, third.exit_code) == (0, 0)
        assert sorted(name.split("-")[0] for name in files()) == ["import", "manifest.json"]
        told.append((len(archive().read("rounds")), kinds(store).count("import") - before))

    assert told == [(8, 1)] * len(STEPS)
    assert ledger.faults(store.ledger) == []
