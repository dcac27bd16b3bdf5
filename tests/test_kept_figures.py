"""The kept benchmark figures are whole lines, name benches that exist, and the page of the docs shows the last of each."""

from __future__ import annotations

import math

from tests.bench.results import table
from tests.house_figures import ROOT


def test_every_line_has_every_field_and_a_bench_that_exists() -> None:
    lines = table.read()

    assert len(lines) > 20
    assert [line for line in lines if tuple(line) != table.FIELDS] == []
    assert [line for line in lines if not math.isfinite(line["value"])] == []
    assert {line["bench"] for line in lines} <= {path.name for path in (ROOT / "tests/bench").glob("*.py")}
    assert {line["machine"] for line in lines} <= {"2c-shared", "any", "unknown"}


def test_the_page_of_the_docs_is_made_from_them() -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.page()
