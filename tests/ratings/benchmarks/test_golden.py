"""The golden cases: values from the sources, exact fractions, mpmath, scipy, statsmodels and scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden.compare import fault

CASES = json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_golden(case):
    assert fault(case) is None


@pytest.mark.shared
def test_the_cases_are_those_of_the_source(shared):
    source = json.loads((shared / "stats" / "golden.json").read_text(encoding="utf-8"))

    assert [case["name"] for case in source] == [case["name"] for case in CASES]
    assert [case["expected"] for case in source] == [case["expected"] for case in CASES]
