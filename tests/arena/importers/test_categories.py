"""Categories and languages that a format carries stand on its votes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.importers import read
from arena.importers.formats.count_categories import spans

PAIR = {"model_a": "rook-2b", "model_b": "teal-9b", "winner": "model_a"}
TAG = {"criteria_v0.1": {"complexity": True, "domain_knowledge": False}, "math_v0.1": {"math": True}}
RECORDS: dict[str, tuple[dict[str, Any], set[str], str | None]] = {
    "generic, two columns": ({**PAIR, "category": "code", "categories": ["long"], "language": "French"}, {"code", "long"}, "fr"),
    "lmsys tags alone": ({**PAIR, "question_id": "q", "category_tag": TAG, "language": "German"}, {"complexity", "math"}, "de"),
    "lmsys code": ({**PAIR, "question_id": "q", "is_code": True}, {"code"}, None),
    "tags as text": ({**PAIR, "question_id": "q", "category_tag": json.dumps(TAG)}, {"complexity", "math"}, None),
    "140k": ({**PAIR, "id": "x", "evaluation_session_id": "s", "category_tag": TAG, "is_code": True, "language": "pl"}, {"complexity", "math", "code"}, "pl"),
    "search": ({**PAIR, "messages_a": None, "messages_b": None, "primary_intent": "Guidance", "languages": ["Spanish", "en"]}, {"Guidance"}, "es"),
    "comparia": ({"model_a_name": "rook", "model_b_name": "teal", "chosen_model_name": "rook", "both_equal": False, "selected_category": "ideas", "categories": ["Arts"], "languages": ["fr"]}, {"ideas", "Arts"}, "fr"),
    "llmfao": ({"left": "rook", "right": "teal", "winner": "left", "category": "haiku", "language": "en"}, {"haiku"}, "en"),
    "games": ({"winner": "rook", "loser": "teal", "surface": "Clay", "category": "final"}, {"Clay", "final"}, None),
    "results": ({"player1": "rook", "player2": "teal", "result": "W1", "category": "final"}, {"final"}, None),
    "wins": ({"team1": "rook", "team2": "teal", "win1": 3, "win2": 1, "category": "final"}, {"final"}, None),
    "open webui": ({"id": "f", "type": "rating", "meta": {"tags": ["poetry"]}, "data": {"rating": 1, "model_id": "rook", "sibling_model_ids": ["teal"], "tags": ["verse"]}}, {"poetry", "verse"}, None),
    "label studio": ({"id": 1, "data": {"model_left": "rook", "model_right": "teal", "category": "code", "language": "en"}, "annotations": [{"id": 2, "result": [{"type": "pairwise", "value": {"selected": "left"}}]}]}, {"code"}, "en"),
    "pandalm": ({"idx": 1, "cmp_key": "rook_teal", "annotator1": 1, "motivation_app": "Editor"}, {"Editor"}, None),
    "llmbar": ({"subset": "Natural", "item": 1, "gold_label": 1, "judge": "j", "prompting": "p", "winner_order_1": 1, "winner_order_swapped": 1}, {"Natural"}, None),
    "language of code": ({"model_a": "rook", "model_b": "teal", "acceptedIndex": 0, "language": "php"}, {"php"}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_categories_and_languages_are_carried(tmp_path: Path, name):
    record, categories, language = RECORDS[name]
    path = tmp_path / "votes.jsonl"
    path.write_text((json.dumps(record) + "\n") * 2)

    table = read([path]).table

    assert {label for label, flags in table.labels.items() if flags.all()} == categories == set(table.labels)
    assert table.languages == (() if language is None else (language,))


COUNTS = {
    "All": {"models": ["rook", "teal"], "X": [[0, 1]], "Y": [[5, 2, 3, 0]]},
    "Math": {"models": ["teal", "rook"], "X": [[0, 1]], "Y": [[1, 4, 0, 0]]},
    "Code": {"models": ["rook", "teal"], "X": [[0, 1]], "Y": [[3, 2, 1, 0]]},
}


def test_each_category_of_pair_counts_has_its_own_counts(tmp_path: Path):
    path = tmp_path / "counts.json"
    path.write_text(json.dumps({name: {"data": data, "n": 0} for name, data in COUNTS.items()}))

    reading = read([path])

    found = {
        name: [int(reading.table.count[flags & (reading.table.outcome == at)].sum()) for at in range(4)]
        for name, flags in reading.table.labels.items()
    }
    assert found == {"Math": [4, 1, 0, 0], "Code": [3, 2, 1, 0]}
    assert (reading.tally.read, reading.tally.accepted) == (10, 10)


def test_a_category_with_more_votes_than_the_whole_is_rejected(tmp_path: Path):
    path = tmp_path / "counts.json"
    more = {**COUNTS, "Code": {**COUNTS["Code"], "Y": [[6, 2, 1, 0]]}}
    path.write_text(json.dumps({name: {"data": data} for name, data in more.items()}))

    tally = read([path], skip_bad=True).tally

    assert tally.rejected[0].column == "Code"
    assert tally.accepted == 0


def test_a_pair_that_the_whole_lacks_is_rejected(tmp_path: Path):
    path = tmp_path / "counts.json"
    more = {**COUNTS, "Code": {"models": ["rook", "owl"], "X": [[0, 1]], "Y": [[1, 0, 0, 0]]}}
    path.write_text(json.dumps({name: {"data": data} for name, data in more.items()}))

    tally = read([path], skip_bad=True).tally

    assert "'rook' and 'owl' is not in All" in tally.rejected[0].reason
    assert (tally.accepted, tally.rejected_count) == (10, 1)


def test_categories_are_laid_round_the_votes():
    assert spans(5, {"a": [3], "b": [4]}, 0) == [(2, ("a", "b")), (1, ("a",)), (2, ("b",))]
    assert spans(0, {"a": [0]}, 0) == []


def test_what_is_no_category_is_rejected(tmp_path: Path):
    path = tmp_path / "counts.json"
    path.write_text(json.dumps({"All": {"data": COUNTS["All"]}, "n": 3, "\ud800": {"data": COUNTS["Math"]}}))

    tally = read([path], format="pair_counts_categories", skip_bad=True).tally

    assert (tally.accepted, tally.rejected_count) == (10, 2)
