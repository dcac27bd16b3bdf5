"""Throws broken vote files at every reader: `python -m tests.bench.fuzz_importers [INPUTS] [SEED]`.

Nothing but the project's own errors may come out, and the account must add up. Ends with the first input that breaks this.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard

from arena.errors import ArenaError
from arena.importers import FORMATS, read
from tests.arena.importers.samples import SAMPLES

INPUTS = 50_000
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2, 1.5, float("nan"), float("inf"), 2**63, 10**400, 1e308, "", " ", "NaN", "null", "0", "1.0", "rook-2b",
    "model_a", "tie", "[", "{", "[]", "{}", "[1,", '{"a":', "\u202eb", "a\u200bb", "e\u0301", "\ufffd", "\ud83d", "\x00", "\r", "x" * 300,
    [], {}, [None], [[]], [{}], {"a": None}, {"role": "assistant"}, [{"role": 1}], [["u", "x"]], "2024-13-45", "1e999", "٣", "１",
)  # fmt: skip
ODD_BYTES = (
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xe9",
    b"\r",
    b"\n",
    b"\r\n",
    b'"',
    b'""',
    b",",
    b";",
    b"\t",
    b"{",
    b"]",
    b"PAR1",
    b"\x1f\x8b",
)


def broken_file(rng: random.Random) -> tuple[str, bytes]:
    """A name and the bytes of a file that is nearly a vote file."""
    sample = SAMPLES[rng.choice(list(SAMPLES))]
    content = sample.content
    if rng.random() < 0.6 and sample.name.endswith((".json", ".jsonl")):
        content = odd_json(rng, sample.name, content)
    elif rng.random() < 0.6 and sample.name.endswith(".csv"):
        content = odd_cells(rng, content)
    for _ in range(rng.choice((0, 0, 1, 1, 2, 5))):
        content = rng.choice(BYTE_CHANGES)(rng, content)
    if rng.random() < 0.03:
        content = gzip.compress(content)[: rng.randrange(1, 400)]
    return sample.name, content


def odd_json(rng: random.Random, name: str, content: bytes) -> bytes:
    """Some values anywhere in the records replaced, dropped or doubled."""
    text = content.decode()
    records = (
        [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else [json.loads(text)]
    )
    for _ in range(rng.randrange(1, 4)):
        change(rng, records, rng.choice(range(1, 7)))
    return "\n".join(json.dumps(record) for record in records).encode("utf-8", "surrogatepass")


def change(rng: random.Random, node: Any, depth: int) -> None:
    keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    if not keys:
        return
    key = rng.choice(keys)
    if depth > 1 and isinstance(node[key], dict | list) and node[key]:
        change(rng, node[key], depth - 1)
    elif rng.random() < 0.2:
        del node[key]
    elif rng.random() < 0.1 and isinstance(node, list):
        node.append(node[key])
    else:
        node[key] = copy.deepcopy(rng.choice(ODD_VALUES))


def odd_cells(rng: random.Random, content: bytes) -> bytes:
    rows = [line.split(",") for line in content.decode().splitlines()]
    for _ in range(rng.randrange(1, 4)):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = str(rng.choice(ODD_VALUES))
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    between = rng.choice((",", ",", ";", "\t"))
    return end.join(between.join(row) for row in rows).encode("utf-8", "surrogatepass")


def insert(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(ODD_BYTES) * rng.choice((1, 1, 3)) + content[at:]


def cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def drop(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[at + rng.randrange(1, 20) :]


def flip(rng: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]


def double(rng: random.Random, content: bytes) -> bytes:
    at, end = sorted((rng.randrange(len(content) + 1), rng.randrange(len(content) + 1)))
    return content[:end] + content[at:]


BYTE_CHANGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (insert, cut, drop, flip, double)


def placed(rng: random.Random, folder: Path) -> str:
    """Write one broken file, or some, as people keep them; what names them to a reader (`-`: standard input)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    name, content = broken_file(rng)
    path = folder / name
    way = rng.choice(
        ("as it is", "as it is", "packed by gzip", "packed by zstd", "a folder", "a glob", "a pipe")
    )
    if way == "a pipe":
        # Spooled as from a shell; kept beside, so that the file of a failure is there.
        path.write_bytes(content)
        sys.stdin = io.TextIOWrapper(io.BytesIO(content))
        return "-"
    if way.startswith("packed"):
        pack = gzip.compress if way.endswith("gzip") else zstandard.compress
        packed = pack(content)
        if rng.random() < 0.3:
            packed = rng.choice(BYTE_CHANGES)(rng, packed)
        path = folder / (name + rng.choice((".gz", ".zst", "")))
        path.write_bytes(packed)
        return str(path)
    path.write_bytes(content)
    if way == "as it is":
        return str(path)
    for index in range(rng.randrange(3)):
        name, content = broken_file(rng)
        (folder / f"{index}{name}").write_bytes(content)
    return str(folder) if way == "a folder" else str(folder / "*")


def check(path: Path | str, rng: random.Random) -> str:
    """Read the file in one way or another; the outcome in one word. Anything but our own errors escapes."""
    format = rng.choice(list(FORMATS)) if rng.random() < 0.1 else "auto"
    outcomes = {"left": "model_a"} if rng.random() < 0.1 else None
    columns = {"left": "model_a", "right": "model_b"} if rng.random() < 0.1 else None
    try:
        reading = read([path], format=format, skip_bad=rng.random() < 0.8, outcomes=outcomes, columns=columns)
    except ArenaError as error:
        str(error).encode("utf-8")
        for problem in getattr(error, "problems", ()):
            str(problem).encode("utf-8")
        return type(error).__name__
    tally = reading.tally
    assert tally.read == tally.accepted + tally.rejected_count + tally.duplicates + sum(
        tally.not_votes.values()
    )
    assert tally.accepted == reading.table.count.sum()
    "\n".join(tally.lines()).encode("utf-8")
    for names in (reading.table.models, reading.table.voters, reading.table.prompts, reading.table.labels):
        "".join(names).encode("utf-8")
    return "read" if tally.accepted else "nothing"


def run(inputs: int, seed: int, folder: Path) -> Counter[str]:
    """How `inputs` broken files ended. The file of the first that breaks a reader stays in `folder`."""
    found: Counter[str] = Counter()
    for index in range(inputs):
        rng = random.Random(f"{seed}/{index}")
        try:
            found[check(placed(rng, folder / "votes"), rng)] += 1
        except BaseException:
            print(f"input {index} of seed {seed} breaks the readers: {folder / 'votes'}", file=sys.stderr)
            raise
    return found


def main() -> None:
    inputs = int(sys.argv[1]) if len(sys.argv) > 1 else INPUTS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    started = time.perf_counter()
    folder = Path(tempfile.mkdtemp())
    found = run(inputs, seed, folder)
    print(
        f"{inputs:,} inputs in {time.perf_counter() - started:.0f} s, no other error: {dict(found.most_common())}"
    )


if __name__ == "__main__":
    main()
