"""Label Studio: annotations by name of side, cancelled ones and empty ones."""

from __future__ import annotations

from typing import Any

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write
from tests.arena.importers.test_formats import votes


def annotation(number: int, selected: Any, **more: Any) -> dict[str, Any]:
    result = [] if selected is None else [{"type": "pairwise", "value": {"selected": selected}}]
    return {"id": number, "completed_by": number, "was_cancelled": False, "result": result, **more}


def task(*annotations: Any, **data: str) -> dict[str, Any]:
    return {
        "id": 1,
        "data": data or {"model_right": "teal", "model_left": "rook"},
        "annotations": list(annotations),
    }


def test_sides_go_by_name_and_each_annotator_votes(write_lines: Write) -> None:
    table = read([write_lines([task(annotation(1, "left"), annotation(2, "right"))])]).table

    assert votes(table) == [("rook", "teal", "model_a"), ("rook", "teal", "model_b")]
    assert table.voters == ("1", "2")


@pytest.mark.parametrize(
    ("annotations", "reason"),
    [
        ((), "no_annotation"),
        ((annotation(1, None),), "empty_result"),
        ((annotation(1, "left", was_cancelled=True),), "cancelled"),
    ],
)
def test_a_task_without_a_vote_is_counted(write_lines: Write, annotations: Any, reason: str) -> None:
    assert read([write_lines([task(*annotations), task(annotation(9, "left"))])]).tally.not_votes == {
        reason: 1
    }


def test_a_cancelled_annotation_beside_a_vote_is_told(write_lines: Write) -> None:
    tally = read(
        [write_lines([task(annotation(1, "left"), annotation(2, "left", was_cancelled=True))])]
    ).tally

    assert (tally.read, tally.accepted) == (1, 1)
    assert "annotations without a vote (cancelled): 1" in tally.warnings


@pytest.mark.parametrize("selected", ["middle", 1, ["left"]])
def test_an_unknown_selection_is_rejected(write_lines: Write, selected: Any) -> None:
    assert read([write_lines([task(annotation(1, selected))])], skip_bad=True).tally.rejected_count == 1


def test_who_annotated_may_be_an_object(write_lines: Write) -> None:
    assert read(
        [write_lines([task(annotation(1, "left", completed_by={"id": 44, "email": "x@y.test"}))])]
    ).table.voters == ("44",)
