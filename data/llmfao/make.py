"""Makes the figures of this folder from a copy of the LLMFAO release: python -m data.llmfao.make FOLDER

FOLDER holds crowd-comparisons.csv, prompts.jsonl and results.jsonl.gz. Only figures are written, never a text.
"""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from arena.bank.traits import TRAITS, measure

HERE = Path(__file__).parent


def main(source: Path, target: Path = HERE) -> None:
    """Write votes.csv (the release's file, byte for byte), traits.csv and prompts.csv into `target`."""
    shutil.copyfile(source / "crowd-comparisons.csv", target / "votes.csv")
    with (target / "votes.csv").open(encoding="utf-8", newline="") as file:
        votes = list(csv.DictReader(file))
    shown = {(vote[side], vote["prompt"]) for vote in votes for side in ("left", "right")}
    _write(target / "traits.csv", ["model", "prompt", *TRAITS], _traits(source, shown))
    _write(target / "prompts.csv", ["prompt", "slug", "category"], _prompts(source, {p for _, p in shown}))


def _traits(source: Path, shown: set[tuple[str, str]]) -> list[Sequence[object]]:
    """One row for each answer that was voted on; the release has one answer of a model to a prompt."""
    rows: dict[tuple[str, str], Sequence[object]] = {}
    for answer in _records(gzip.decompress((source / "results.jsonl.gz").read_bytes())):
        key = (str(answer["name"]), str(answer["prompt"]))
        if key in shown:
            if key in rows:
                raise ValueError(f"two answers for {key}")
            rows[key] = [*key, *(int(value) for value in measure(str(answer["result"] or "")).values())]
    missing = shown - set(rows)
    if missing:
        raise ValueError(f"no answer for {sorted(missing)}")
    return [rows[key] for key in sorted(rows, key=lambda key: (key[0], int(key[1])))]


def _prompts(source: Path, shown: set[str]) -> list[Sequence[object]]:
    prompts = [p for p in _records((source / "prompts.jsonl").read_bytes()) if str(p["id"]) in shown]
    return sorted([int(str(p["id"])), p["slug"], p["type"]] for p in prompts)


def _records(lines: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.decode("utf-8").splitlines() if line.strip()]


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
