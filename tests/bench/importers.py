"""Speed and memory of the vote readers: `python -m tests.bench.importers [ROWS]` (quiet machine; files go to a temp folder).

Each figure is of a process of its own: wall and processor seconds of the reading, and the peak of resident memory.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1_700_000
MODELS = 130
VOTERS = 190_000
COLUMNS = ("battle_id", "model_a", "model_b", "winner", "tstamp", "session_id")
WORDS = ("model_a", "model_b", "tie", "tie (bothbad)")

READ = """
import sys, time
{imports}
started, worked = time.perf_counter(), time.process_time()
{call}
seconds, processor = time.perf_counter() - started, time.process_time() - worked
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, processor, int(peak) / 1024)
"""
OURS = ("from arena.importers import read", "assert read([sys.argv[1]]).tally.accepted > 0")
PANDAS = ("import pandas as pd", "pd.read_csv(sys.argv[1])")
PANDAS_TEXT = ("import pandas as pd", "pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False)")
PANDAS_LINES = ("import pandas as pd", "pd.read_json(sys.argv[1], lines=True)")
PANDAS_PARQUET = ("import pandas as pd", "pd.read_parquet(sys.argv[1])")


def votes(rows: int) -> pa.Table:
    rng = np.random.default_rng(7)
    a = rng.integers(0, MODELS, rows)
    b = (a + rng.integers(1, MODELS, rows)) % MODELS
    names = np.array([f"vendor/model-{index}-instruct" for index in range(MODELS)], dtype=object)
    voters = np.minimum(rng.zipf(1.3, rows), VOTERS)
    return pa.table(
        {
            "battle_id": [f"{index:032x}" for index in range(rows)],
            "model_a": names[a],
            "model_b": names[b],
            "winner": np.array(WORDS, dtype=object)[rng.integers(0, 4, rows)],
            "tstamp": 1_700_000_000 + np.sort(rng.integers(0, 40_000_000, rows)),
            "session_id": [f"session-{voter}" for voter in voters],
        }
    )


def write_csv(table: pa.Table, path: Path, quoting: int = csv.QUOTE_MINIMAL) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, quoting=quoting)  # type: ignore[arg-type]
        writer.writerow(table.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))


def write_conversations(path: Path, megabytes: int, times: int = 1) -> None:
    """JSON lines with two answers of some kilobytes each, or `times` as long."""
    rng = np.random.default_rng(7)
    answer = (
        "A *wren* is a small bird that hides in hedges and walls, and is heard sooner than it is seen.\n\n- it sings\n\n"
        * 20
        * times
    )
    with path.open("w") as file:
        index = 0
        while file.tell() < megabytes << 20:
            cut = [int(at) for at in rng.integers(200 * times, len(answer), 2)]
            talks = [
                [{"role": "user", "content": "?"}, {"role": "assistant", "content": answer[:at]}]
                for at in cut
            ]
            record = {
                "question_id": f"q{index}", "model_a": f"rook-{index % 20}b", "model_b": f"rook-{(index + 1) % 20}b", "winner": WORDS[index % 4],
                "judge": f"u{index % 999}", "anony": True, "tstamp": 1_700_000_000 + index, "conversation_a": talks[0], "conversation_b": talks[1],
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")
            index += 1


def show(what: str, path: Path, script: tuple[str, str], beside: float | None = None) -> float:
    """Print the figures of reading `path` in a new process; the wall seconds."""
    code = READ.format(imports=script[0], call=script[1])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(path)], check=True, capture_output=True, text=True
    )
    seconds, processor, megabytes = map(float, done.stdout.split())
    size = path.stat().st_size / 2**20
    ratio = "" if beside is None else f"   {seconds / beside:4.2f} x pandas"
    print(
        f"{what:<40} {size:5.0f} MiB {seconds:7.2f} s ({processor:6.2f} cpu) {megabytes:6.0f} MB{ratio}",
        flush=True,
    )
    return seconds


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = votes(rows)
        makers: dict[str, Callable[[Path], None]] = {
            "votes.csv": lambda path: write_csv(table, path),
            "quoted.csv": lambda path: write_csv(table, path, csv.QUOTE_ALL),
            "votes.parquet": lambda path: pq.write_table(table, path),
            "small.jsonl": lambda path: write_conversations(path, 30),
            "large.jsonl": lambda path: write_conversations(path, 300),
            "long.jsonl": lambda path: write_conversations(path, 300, times=10),
        }
        for file, make in makers.items():
            make(folder / file)
        print(f"{rows:,} votes, {MODELS} models")
        plain = show("pandas.read_csv, types guessed", folder / "votes.csv", PANDAS)
        show("pandas.read_csv, all text", folder / "votes.csv", PANDAS_TEXT, plain)
        show("ours, generic CSV", folder / "votes.csv", OURS, plain)
        quoted = show("pandas.read_csv, every cell quoted", folder / "quoted.csv", PANDAS)
        show("ours, every cell quoted", folder / "quoted.csv", OURS, quoted)
        columnar = show("pandas.read_parquet", folder / "votes.parquet", PANDAS_PARQUET)
        show("ours, Parquet", folder / "votes.parquet", OURS, columnar)
        lines = show("pandas.read_json, lines", folder / "small.jsonl", PANDAS_LINES)
        show("ours, JSON lines with conversations", folder / "small.jsonl", OURS, lines)
        lines = show("pandas.read_json, answers ten times as long", folder / "long.jsonl", PANDAS_LINES)
        show("ours, answers ten times as long", folder / "long.jsonl", OURS, lines)
        show("ours, ten times as many", folder / "large.jsonl", OURS)


if __name__ == "__main__":
    main()
