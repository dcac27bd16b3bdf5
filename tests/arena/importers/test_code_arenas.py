"""The prompt of a vote on code is the code around the cursor, and an empty side of it is a side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.importers import read
from arena.importers.rules.conversations import text_id

AROUND = [
    ("def f(", "):", "def f(\0):"), ("def f(", None, "def f(\0"), ("", "):", "\0):"), (None, "", None)
]  # fmt: skip


@pytest.mark.parametrize(("prefix", "suffix", "prompt"), AROUND)
def test_an_empty_cell_beside_the_cursor(
    tmp_path: Path, prefix: str | None, suffix: str | None, prompt: str | None
) -> None:
    row = {
        "pairId": "p1", "userId": "u", "model_a": "a", "model_b": "b", "acceptedIndex": 1, "completion_a": "1",
        "completion_b": "2", "prefix": prefix, "suffix": suffix, "language": "python",
    }  # fmt: skip
    (tmp_path / "votes.jsonl").write_text(json.dumps(row) + "\n")

    table = read([tmp_path / "votes.jsonl"], format="copilot_arena").table

    assert list(table.prompts) == ([] if prompt is None else [text_id(prompt)])
