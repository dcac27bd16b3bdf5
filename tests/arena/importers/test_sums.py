"""read = accepted + rejected + duplicates + not votes, for every reader, whatever its records hold."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.importers import FORMATS, read
from arena.importers.files.contents import open_content
from arena.importers.files.sources import Source
from arena.importers.rules.tally import Tally
from tests.arena.importers.samples import SAMPLES

BY_RECORD = sorted(name for name in SAMPLES if FORMATS[name].unfold is None)
JUNK = (None, "", "x", 0, 1, -1, 2.5, True, [], {}, ["x"], {"x": 1}, float("nan"))
FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def records(name: str, folder: Path) -> Sequence[Mapping[str, Any]]:
    sample = SAMPLES[name]
    path = folder / sample.name
    path.write_bytes(sample.content)
    content = open_content(Source(str(path), path))
    assert content is not None
    return [row.values for row in content.rows() if FORMATS[name].needs <= row.values.keys()]


def spoiled(found: Sequence[Mapping[str, Any]], rng: random.Random) -> Iterator[Mapping[str, Any]]:
    """The records, some twice, some with a value that does not belong there."""
    for values in [*found, *rng.choices(found, k=3)]:
        spoilt = rng.choice(sorted(values)) if rng.random() < 0.5 else None
        yield {key: rng.choice(JUNK) if key == spoilt else value for key, value in values.items()}


def tally_of(rows: Iterable[Mapping[str, Any]], name: str, path: Path) -> Tally:
    path.write_text(json.dumps(list(rows), default=str))
    return read([path], format=name, skip_bad=True).tally


def assert_additive(name: str, folder: Path, rng: random.Random) -> None:
    rows = list(spoiled(records(name, folder), rng))
    whole = tally_of(rows, name, folder / "all.json")
    alone = [tally_of([row], name, folder / "one.json") for row in rows]
    nothing = sum(whole.not_votes.values())
    assert whole.read == whole.accepted + whole.rejected_count + whole.duplicates + nothing
    assert whole.read == sum(each.read for each in alone)
    assert whole.rejected_count == sum(each.rejected_count for each in alone)
    assert nothing == sum(sum(each.not_votes.values()) for each in alone)


@pytest.mark.parametrize("name", BY_RECORD)
def test_a_file_reads_what_its_records_read_alone(name: str, tmp_path: Path) -> None:
    assert_additive(name, tmp_path, random.Random(7))


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_RECORD)
@FEW
@given(rng=st.randoms(use_true_random=False))
def test_so_it_does_whatever_its_records_hold(name: str, tmp_path: Path, rng: random.Random) -> None:
    assert_additive(name, tmp_path, rng)


def test_pandas_writes_a_table_in_three_ways(tmp_path: Path) -> None:
    rows = [["rook", "teal", "model_a"], ["teal", "rook", "tie"]]
    names = ("model_a", "model_b", "winner")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    ways = (
        columns,
        {name: dict(zip("01", cells, strict=True)) for name, cells in columns.items()},
        {"columns": list(names), "index": [0, 1], "data": rows},
    )

    found = []
    for way in ways:
        path = tmp_path / "votes.json"
        path.write_text(json.dumps(way))
        found.append(read([path]).table)

    assert [list(table.outcome) for table in found] == [[0, 2]] * 3
    assert [table.models for table in found] == [("rook", "teal")] * 3


def test_columns_of_unequal_length_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "votes.json"
    path.write_text(json.dumps({"model_a": ["rook"], "model_b": ["teal", "wren"], "winner": ["tie"]}))

    with pytest.raises(BadInput, match="rejected"):
        read([path])


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"rows": rows}])
def test_rows_as_the_hub_serves_them_are_unwrapped(tmp_path: Path, wrap: Any) -> None:
    row = {"model_a": "rook", "model_b": "teal", "winner": "tie"}
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(wrap([{"row_idx": 0, "row": row, "truncated_cells": []}])))

    assert read([path]).tally.accepted == 1
