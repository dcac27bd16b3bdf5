"""The table of names that mean one model: two columns, alias and canonical."""

from __future__ import annotations

from pathlib import Path

from arena.errors import BadInput
from ratings.benchmarks.readers.sources import Source, refuse_whole


def read_aliases(path: str | Path) -> dict[str, str]:
    """alias -> canonical, chains followed. Raises `BadInput` for circles and for an alias of two models."""
    source = Source(Path(path))
    pairs: dict[str, str] = {}
    problems = []
    for row, record in source.text_rows():
        alias, canonical = (record.get(key, "").strip() for key in ("alias", "canonical"))
        if not alias or not canonical:
            problems.append(source.problem("needs the columns alias and canonical", row=row))
        elif pairs.setdefault(alias, canonical) != canonical:
            problems.append(source.problem("stands for two models", row=row, column="alias", value=alias))
    if problems:
        raise BadInput(str(problems[0]), problems)
    return {alias: _end(source, alias, pairs) for alias in pairs}


def _end(source: Source, alias: str, pairs: dict[str, str]) -> str:
    name, seen = pairs[alias], {alias}
    while name in pairs and pairs[name] != name:
        if name in seen:
            raise refuse_whole(source, "aliases go in a circle", column="alias", value=alias)
        seen.add(name)
        name = pairs[name]
    return name
