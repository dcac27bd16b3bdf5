"""Texts of items out of files, for the commands that look into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.errors import BadInput
from ratings.benchmarks.audit.rules import audit as audit_diff
from ratings.benchmarks.audit.rules import is_diff
from ratings.benchmarks.readers.sources import Source, refuse_whole

IDS = ("item", "item_id", "id", "task_id", "instance_id", "question_id", "prompt_id")
TEXTS = ("text", "question", "prompt", "problem", "problem_statement", "instruction", "input")
PATCHES = ("patch", "gold_patch")
FIELDS = ("model_patch", *PATCHES, "diff")


def read_bank(path: str) -> dict[str, str]:
    """id -> prompt of a bank's JSON lines, or of the folder that holds them."""
    here = Path(path)
    files = sorted(here.glob("*.jsonl")) if here.is_dir() else [here]
    return dict(pair for file in files for pair in read_texts(str(file), None).items())


def read_texts(path: str, field: str | None, fields: Sequence[str] = TEXTS) -> dict[str, str]:
    """id -> text of a file of records; a record without an id goes by its row."""
    source = Source(Path(path))
    rows = list(source.rows() if source.first else source.text_rows())
    found: dict[str, str] = {}
    for row, record in rows:
        if not isinstance(record, Mapping):
            raise refuse_whole(source, "not an object", row=row)
        names = [field] if field else fields
        text = next((record[name] for name in names if isinstance(record.get(name), str)), None)
        if text is None:
            raise refuse_whole(source, f"no text; known fields: {', '.join(names)} (--text)", row=row)
        key = next((str(record[name]) for name in IDS if record.get(name) not in (None, "")), f"row {row}")
        found.setdefault(key, text)
    if not found:
        raise refuse_whole(source, "no items in it")
    return found


def read_findings(file: str) -> dict[str, list[str]]:
    """Findings by item, or by `model/item` where the record names its model."""
    found: dict[str, list[str]] = {}
    source = Source(Path(file))
    for row, record in source.rows():
        item = (
            next((record[key] for key in IDS if record.get(key)), None)
            if isinstance(record, Mapping)
            else None
        )
        diff = (
            next((record[key] for key in FIELDS if isinstance(record.get(key), str)), None) if item else None
        )
        if item is None or diff is None:
            raise refuse_whole(source, f"needs an item and a diff ({', '.join(FIELDS)})", row=row)
        model = record.get("model") or record.get("model_name_or_path")
        findings = [str(finding) for finding in audit_diff(checked_diff(str(item), diff))]
        if findings:
            found[f"{model}/{item}" if model else str(item)] = findings
    return found


def checked_diff(name: str, diff: str) -> str:
    """The text of a diff; an empty one changed nothing. Raises `BadInput` for what is no diff: it would pass as clean."""
    if diff.strip() and not is_diff(diff):
        raise BadInput(f"{name}: no unified diff in it")
    return diff
