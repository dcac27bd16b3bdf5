"""No interval without width reaches a report: an interval [x, x] would claim a certainty that no sample gives."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.benchmarks.methods.grouping import too_few
from ratings.benchmarks.reports.report import report
from ratings.benchmarks.reports.score_line import BALANCED, NO_SPREAD_GROUPS
from ratings.benchmarks.reports.score_table import score_sheet
from ratings.benchmarks.reports.writing import markdown
from ratings.benchmarks.results.results import ItemResults
from ratings.stats.intervals import Interval, has_width, wilson
from ratings.tables import json_text, to_plain

ENDS = (("low", "high"), ("wilson_low", "wilson_high"))
LEVELS = (0.05, 0.5, 0.95, 0.999)
VALUES = (0.0, 0.3, 1.0, np.nan)


def intervals_in(value):
    """Every pair of ends in plain data."""
    if isinstance(value, list):
        for part in value:
            yield from intervals_in(part)
    if isinstance(value, dict):
        yield from ((value[a], value[b]) for a, b in ENDS if a in value)
        yield from intervals_in(list(value.values()))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_interval_of_a_report_has_width_or_is_none(data):
    models, items, repeats = (data.draw(st.integers(1, most)) for most in (3, 6, 2))
    cells = data.draw(
        st.lists(
            st.sampled_from(VALUES), min_size=models * items * repeats, max_size=models * items * repeats
        )
    )
    groups = data.draw(st.none() | st.lists(st.sampled_from("gh"), min_size=items, max_size=items))
    level = data.draw(st.sampled_from(LEVELS))
    results = ItemResults.from_matrix(
        "b", [f"m{m}" for m in range(models)], [f"q{i}" for i in range(items)],
        np.reshape(cells, (models, items, repeats)), groups=groups,
    )  # fmt: skip

    found = json.loads(json_text(to_plain(report(results, level=level).to_object())))

    for low, high in intervals_in(found):
        assert (low is None) == (high is None)
        assert low is None or has_width(low, high)


def test_groups_that_do_not_differ_leave_the_interval_of_the_items():
    results = ItemResults.from_matrix(
        "b", ["m"], list("abcdefghijkl"), [[1, 0] * 6], groups=list("gghhiijjkkll")
    )

    line = score_sheet(results).lines[0]

    assert (line.low, line.high) == pytest.approx(wilson(6, 12, level=0.95))
    assert (line.method, line.why, line.design_effect) == ("wilson", BALANCED, None)


def test_groups_that_are_right_throughout_count_as_one_item_each():
    results = ItemResults.from_matrix(
        "b", ["m"], list("abcdefghijkl"), [[1] * 12], groups=list("gghhiijjkkll")
    )

    line = score_sheet(results).lines[0]

    assert (line.low, line.high) == pytest.approx(wilson(6, 6, level=0.95))
    assert line.why == NO_SPREAD_GROUPS


def test_ends_that_meet_are_no_interval():
    found = Interval(0.3, 0.3, 0.3 + 1e-16, 0.95, "bootstrap")

    assert (found.value, found.low, found.high) == (0.3, None, None)
    assert found.why


def test_the_report_says_why_and_claims_no_gap_that_cannot_be():
    results = ItemResults.from_matrix("b", ["m"], list("abcd"), [[1, 0, 0, 1]], groups=list("gghh"))

    found = report(results)

    assert too_few(2) in markdown(found)
    assert found.power.detectable is None  # a gap of 99 points, beside a score of 50 %
