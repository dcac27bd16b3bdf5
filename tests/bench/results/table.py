"""The last of each kept figure as `docs/figures.md`: `python -m tests.bench.results.table`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
FIGURES = FOLDER / "figures.jsonl"
PAGE = FOLDER.parents[2] / "docs" / "figures.md"
FIELDS = ("date", "commit", "machine", "bench", "what", "value", "unit", "note")
HEAD = """# Last figures

The last of each kept figure, made by `python -m tests.bench.results.table` from `tests/bench/results/figures.jsonl`; its
[README](../tests/bench/results/README.md) says what the columns and machine classes mean.

| Bench | What | Value | Unit | Date | Commit | Machine | Note |
| --- | --- | ---: | --- | --- | --- | --- | --- |
"""


def read() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FIGURES.read_text(encoding="utf-8").splitlines()]


def page() -> str:
    last = {(line["bench"], line["what"]): line for line in read()}
    shown = ("bench", "what", "value", "unit", "date", "commit", "machine", "note")
    rows = ("| " + " | ".join(str(line[name] or "–") for name in shown) + " |" for line in last.values())
    return HEAD + "".join(f"{row}\n" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
