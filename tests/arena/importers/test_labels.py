"""PandaLM's annotators and judges, LLMBar's labels."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.errors import BadInput
from arena.importers import read
from tests.arena.importers.conftest import Write
from tests.arena.importers.test_formats import votes

ITEM = {
    "idx": 0,
    "cmp_key": "rook-2b_teal",
    "instruction": "Name a bird.",
    "input": "",
    "response1": "a wren",
    "response2": "an owl",
    "annotator1": 1,
    "annotator2": 2,
    "annotator3": 0,
}


def test_each_annotator_is_a_voter(write: Write) -> None:
    table = read([write(json.dumps([ITEM]), "set.json")]).table

    assert votes(table) == [("rook-2b", "teal", word) for word in ("model_a", "model_b", "tie")]
    assert table.voters == ("annotator1", "annotator2", "annotator3")


@pytest.mark.parametrize(
    "change",
    [{"cmp_key": "rook"}, {"cmp_key": "a_b_c"}, {"cmp_key": None}, {"annotator2": 3}, {"annotator2": "left"}],
)
def test_what_cannot_be_read_is_rejected_whole(write: Write, change: dict[str, Any]) -> None:
    tally = read([write(json.dumps([{**ITEM, **change}]), "set.json")], skip_bad=True).tally

    assert (tally.rejected_count, tally.accepted) == (1, 0)


def judged(*results: Any) -> str:
    return json.dumps([{"idx": index, "gpt_result": result} for index, result in enumerate(results)])


def test_a_judge_borrows_the_names_of_the_test_set_beside_it(write: Write) -> None:
    write(json.dumps([{**ITEM, "idx": index} for index in range(4)]), "testset-v1.json")

    reading = read([write(judged("1", "Tie", 2, "garbage"), "gpt.json")])

    assert votes(reading.table) == [("rook-2b", "teal", word) for word in ("model_a", "tie", "model_b")]
    assert reading.tally.not_votes == {"judge_error": 1}
    assert reading.table.voters == ("gpt",)


def test_a_judge_alone_is_refused(write: Write) -> None:
    with pytest.raises(BadInput, match="testset"):
        read([write(judged("1"), "gpt.json")])


def test_an_item_that_the_test_set_lacks_is_rejected(write: Write) -> None:
    write(json.dumps([ITEM]), "testset-v1.json")

    assert read([write(judged("1", "1"), "gpt.json")], skip_bad=True).tally.rejected_count == 1


def test_answers_without_names_are_called_by_their_columns(write_lines: Write) -> None:
    reading = read(
        [write_lines([{"input": "q", "output_1": "Output 1 is best", "output_2": "y", "label": 2}])]
    )

    assert votes(reading.table) == [("output_1", "output_2", "model_b")]
    assert reading.tally.excluded == {}
    assert any("names no models" in warning for warning in reading.tally.warnings)


@pytest.mark.shared
def test_the_real_sets(shared: Any) -> None:
    reading = read([shared / "data" / "pandalm_judge_human"])

    # 999 pairs by three people and two judges; 25 answers of one judge could not be read.
    assert reading.tally.accepted == 3 * 999 + 2 * 999 - 25
    assert reading.tally.not_votes == {"judge_error": 25}
    assert len(reading.table.models) == 5
