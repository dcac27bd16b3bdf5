"""Entries gathered by columns: the same results as one at a time, and odd entries left to that."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.benchmarks.readers import Entry
from ratings.benchmarks.results.assembly import assemble, records
from ratings.benchmarks.results.bulk import gather_plain
from ratings.benchmarks.results.dependence import Labels
from ratings.benchmarks.results.results import ItemResults, by_benchmark

ENTRY = Entry("quiz", "m", "q1", 1.0)
ENTRIES = st.lists(
    st.builds(
        Entry,
        benchmark=st.sampled_from(["quiz", "exam", ""]),
        model=st.sampled_from(["m", "n"]),
        item=st.sampled_from(["q1", "q2", "q10"]),
        score=st.sampled_from([0.0, 0.5, 1.0]),
        repeat=st.sampled_from([0, 1, 7]),
        status=st.sampled_from(["ok", "infra"]),
        group=st.sampled_from([(), ("law",), ("law", "tax")]),
        hash=st.sampled_from([None, "x", "y"]),
        variant=st.sampled_from(["", "strict"]),
        source=st.sampled_from([None, "a.csv", "b.csv"]),
    ),
    min_size=1,
    max_size=8,
)


def plain(found: ItemResults) -> dict[str, Any]:
    """Every field, comparable: an array as text."""
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    return {
        name: repr(value.tolist()) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


@pytest.mark.slow
@given(ENTRIES)
def test_results_are_those_of_one_record_at_a_time(entries: list[Entry]) -> None:
    found, slow = assemble(entries, labels=Labels("clustered")), by_benchmark(records(entries))

    assert [(name, plain(part)) for name, part in found.items()] == [
        (name, plain(part)) for name, part in slow.items()
    ]


def test_plain_entries_are_gathered_at_once() -> None:
    entries = [ENTRY, replace(ENTRY, model="n", score=None, status="unscored", group=("law",))]

    found = gather_plain(entries, "quiz")

    assert found is not None
    assert (list(found.models), found.groups, found.rows) == (["m", "n"], {"q1": ("law",)}, 2)


@pytest.mark.parametrize(
    "odd",
    [{"score": 1.5}, {"score": None}, {"score": math.nan}, {"score": True}, {"model": " "}, {"repeat": None}, {"repeat": -1},
     {"status": "lost"}, {"item": "q1", "model": "m"}, {"group": ("law",)}, {"hash": "y"}, {"group": (1,)}],
)  # fmt: skip
def test_odd_entries_are_left_to_the_other_way(odd: dict[str, Any]) -> None:
    entries = [replace(ENTRY, group=("tax",), hash="x"), replace(ENTRY, **{"model": "n", **odd})]

    assert gather_plain(entries, "quiz") is None
