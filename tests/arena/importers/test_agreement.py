"""Reading by whole columns and reading row by row give the same table and the same account."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.importers import Reading, read
from arena.votes import VoteTable

COLUMNS = (
    "battle_id",
    "model_a",
    "model_b",
    "winner",
    "tstamp",
    "session_id",
    "prompt",
    "language",
    "category",
    "anony",
    "count",
)
BY_ROW = (
    "conv_metadata"  # a column that only rules for one record can read: with it the file is read row by row
)

NAMES = st.sampled_from(
    [
        "rook",
        "teal",
        "Rook",
        "caf\u00e9",
        "cafe\u0301",
        "teal ",
        "r\u200book",
        "NaN",
        "007",
        "",
        "a\u202eb",
        "\t=1",
        " ",
    ]
)
CELLS = {
    "battle_id": st.sampled_from(["", "x1", "x2", "x3", "7", "007"]),
    "model_a": NAMES,
    "model_b": NAMES,
    "winner": st.sampled_from(["model_a", "model_b", "tie", "tie (bothbad)", "both_bad", "", "left", "none", "Tie"]),
    "tstamp": st.sampled_from(
        ["", "1700000000", "1700000000.5", "1700000000123", "1700000000123456", "1700000000123456789", "1.7e9", "5", "nan", "20230102",
         "2023-01-02", "2023-01-02T03:04:05", "2023-01-02 03:04:05.125", "2023-01-02T03:04:05Z", "2023-01-02T03:04:05.123456+02:00",
         "2023-02-30T00:00:00", "2023-01-02T03:04:60Z", "soon", " 1700000000"]
    ),
    "session_id": st.sampled_from(["", "v1", "v2", '["j", "p"]', "\u00e9"]),
    "prompt": st.sampled_from(["", "p1", "a longer text " * 9, "two\nlines"]),
    "language": st.sampled_from(["", "English", "pt_BR", "Klingon", "unknown"]),
    "category": st.sampled_from(["", "code", '["code", "maths"]', "chat"]),
    "anony": st.sampled_from(["True", "true", "1", "False", "", "maybe"]),
    "count": st.sampled_from(["1", "3", "2.0", "0", "", "-1", "x"]),
}  # fmt: skip
ROW = st.fixed_dictionaries(CELLS)
OUTCOMES = {"left": "model_a", "none": "not_a_vote"}


def read_twice(plain: Path, by_row: Path) -> tuple[Reading, Reading]:
    return read([plain], skip_bad=True, outcomes=OUTCOMES), read([by_row], skip_bad=True, outcomes=OUTCOMES)


def assert_same(one: Reading, other: Reading) -> None:
    assert_same_table(one.table, other.table)
    for name in (
        "read",
        "accepted",
        "rejected_count",
        "duplicates",
        "not_votes",
        "excluded",
        "conflict_count",
    ):
        assert getattr(one.tally, name) == getattr(other.tally, name), name
    warnings = [[w.replace("by_row", "plain") for w in r.tally.warnings] for r in (one, other)]
    assert warnings[0] == warnings[1]
    places = [[(p.row, p.line, p.column, p.value, p.reason) for p in r.tally.rejected] for r in (one, other)]
    assert places[0] == places[1]
    conflicts = [[(p.row, p.line, p.value, p.reason) for p in r.tally.conflicts] for r in (one, other)]
    assert conflicts[0] == conflicts[1]


def assert_same_table(one: VoteTable, other: VoteTable) -> None:
    for field in fields(VoteTable):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b, err_msg=field.name)
        elif isinstance(a, dict):
            assert a.keys() == b.keys(), field.name
            for name in a:
                np.testing.assert_array_equal(a[name], b[name], err_msg=name)
        else:
            assert a == b, field.name


def write_csv(
    path: Path, columns: Sequence[str], rows: Sequence[dict[str, str]], quoting: int, end: str
) -> Path:
    sink = io.StringIO(newline="")
    writer = csv.DictWriter(sink, [*columns], quoting=quoting, lineterminator=end, restval="")  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(sink.getvalue().encode("utf-8"))
    return path


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(ROW, max_size=25),
    kept=st.sets(st.sampled_from(COLUMNS[4:])),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_csv(tmp_path: Path, rows: list[dict[str, str]], kept: set[str], quoting: int, end: str) -> None:
    columns = [name for name in COLUMNS if name in kept or name in COLUMNS[:4]]
    rows = [{name: row[name] for name in columns} for row in rows]

    one, other = read_twice(
        write_csv(tmp_path / "plain.csv", columns, rows, quoting, end),
        write_csv(tmp_path / "by_row.csv", [*columns, BY_ROW], rows, quoting, end),
    )

    assert_same(one, other)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROW, max_size=15), broken=st.lists(st.tuples(st.integers(0, 400), st.sampled_from([b'"', b"\n", b",", b"\xe9", b"\r", b" "])), max_size=3))  # fmt: skip
def test_broken_csv(tmp_path: Path, rows: list[dict[str, str]], broken: list[tuple[int, bytes]]) -> None:
    content = write_csv(tmp_path / "plain.csv", COLUMNS, rows, csv.QUOTE_MINIMAL, "\n").read_bytes()
    header, _, body = content.partition(b"\n")
    for at, what in broken:
        body = body[:at] + what + body[at:]
    (tmp_path / "plain.csv").write_bytes(header + b"\n" + body)
    # The same cells, under a header that calls for the one way or for the other.
    renamed = header.replace(b"category", BY_ROW.encode())
    (tmp_path / "by_row.csv").write_bytes(renamed + b"\n" + body)
    (tmp_path / "plain.csv").write_bytes(header.replace(b"category", b"unused") + b"\n" + body)

    one, other = read_twice(tmp_path / "plain.csv", tmp_path / "by_row.csv")

    assert_same_table_without_traits(one, other)


def assert_same_table_without_traits(one: Reading, other: Reading) -> None:
    assert one.tally.read == other.tally.read
    assert [p.line for p in one.tally.rejected] == [p.line for p in other.tally.rejected]
    assert_same_table(one.table, other.table)


TYPED: dict[str, list[tuple[pa.DataType, list[Any]]]] = {
    "battle_id": [
        (pa.string(), ["x1", "x2", None]),
        (pa.int64(), [1, 2, None]),
        (pa.float64(), [1.0, 2.5, None]),
    ],
    "model_a": [
        (pa.string(), ["rook", None, "teal"]),
        (pa.dictionary(pa.int8(), pa.string()), ["rook", "teal", None]),
    ],
    "model_b": [(pa.string(), ["rook", "", "teal"]), (pa.int64(), [1, 2, 3])],
    "winner": [(pa.string(), ["model_a", "tie", None]), (pa.large_string(), ["left", "none", "?"])],
    "tstamp": [
        (pa.timestamp("us"), [1_700_000_000_123_456, None, 2**60]),
        (pa.timestamp("ns", "UTC"), [1_700_000_000_123_456_789, 5, None]),
        (pa.int64(), [1_700_000_000, 1_700_000_000_123, 7]),
        (pa.float64(), [1.7e9, float("nan"), None]),
        (pa.date32(), [19_000, None, 1]),
        (pa.string(), ["2023-01-02T03:04:05Z", "", "x"]),
    ],
    "session_id": [(pa.string(), ["v1", None, "v2"]), (pa.int32(), [1, 1, None])],
    "anony": [(pa.bool_(), [True, False, None]), (pa.string(), ["True", "", "x"])],
    "count": [(pa.int64(), [1, 4, 0]), (pa.float64(), [1.0, 2.5, None])],
}


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_parquet(tmp_path: Path, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 12))
    kept = [name for name in TYPED if name.startswith(("model", "winner")) or data.draw(st.booleans())]
    columns = {}
    for name in kept:
        kind, values = data.draw(st.sampled_from(TYPED[name]))
        columns[name] = pa.array(
            data.draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)), kind
        )
    pq.write_table(pa.table(columns), tmp_path / "plain.parquet")
    pq.write_table(pa.table({**columns, BY_ROW: pa.nulls(size, pa.string())}), tmp_path / "by_row.parquet")

    one, other = read_twice(tmp_path / "plain.parquet", tmp_path / "by_row.parquet")

    assert_same(one, other)


def test_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.importers.files.csv_rows.CHUNK", 64)
    rows = [{"battle_id": f"x{i % 40}", "model_a": "rook", "model_b": ("teal", 'a "b"', "two\nlines", "\u00e9")[i % 4], "winner": "tie"} for i in range(60)]  # fmt: skip

    one, other = read_twice(
        write_csv(tmp_path / "plain.csv", COLUMNS[:4], rows, csv.QUOTE_MINIMAL, "\n"),
        write_csv(tmp_path / "by_row.csv", [*COLUMNS[:4], BY_ROW], rows, csv.QUOTE_MINIMAL, "\n"),
    )

    assert_same(one, other)
    assert one.tally.duplicates == 15
