"""Open WebUI's feedback: siblings, weights, masks and ratings that compare nothing."""

from __future__ import annotations

from typing import Any

import pytest

from arena.importers import read
from tests.arena.importers.conftest import Write
from tests.arena.importers.test_formats import votes


def record(rating: Any = 1, model: Any = "rook", siblings: Any = ("teal",), **more: Any) -> dict[str, Any]:
    siblings = list(siblings) if isinstance(siblings, tuple) else siblings
    return {
        "id": "f1", "user_id": "u1", "type": "rating", "data": {"rating": rating, "model_id": model, "sibling_model_ids": siblings},
        "meta": {"arena": True, "chat_id": "c1", "message_id": "m1"}, "created_at": 1700000000, **more,
    }  # fmt: skip


def test_each_sibling_is_a_vote_of_its_share_and_one_voter(write_lines: Write) -> None:
    table = read([write_lines([record(-1, siblings=("teal", "wren", "owl", "kite"))])]).table

    assert votes(table) == [("rook", name, "model_b") for name in ("teal", "wren", "owl", "kite")]
    assert table.weight.tolist() == [0.25] * 4
    assert table.voters == ("u1",)
    assert not table.side_known.any()


@pytest.mark.parametrize(
    ("rating", "outcome"),
    [
        (1, "model_a"),
        ("1", "model_a"),
        (-1, "model_b"),
        ("-1", "model_b"),
        (1.0, "model_a"),
        ("-1.0", "model_b"),
    ],
)
def test_ratings_may_be_numbers_or_texts(write_lines: Write, rating: Any, outcome: str) -> None:
    assert votes(read([write_lines([record(rating)])]).table) == [("rook", "teal", outcome)]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"siblings": None}, "no_sibling"), ({"siblings": ()}, "no_sibling"), ({"siblings": ("rook",)}, "self_sibling"),
        ({"rating": 0}, "rating_0"), ({"rating": "0"}, "rating_0"), ({"rating": None}, "no_rating"), ({"data": None}, "no_data"), ({"type": "comment"}, "no_rating"),
    ],
)  # fmt: skip
def test_what_compares_nothing_is_counted(write_lines: Write, more: dict[str, Any], reason: str) -> None:
    tally = read([write_lines([record(), record(**more)])]).tally

    assert tally.not_votes == {reason: 1}
    assert tally.read == 2


@pytest.mark.parametrize(
    "more",
    [
        {"rating": 5},
        {"rating": True},
        {"rating": "good"},
        {"siblings": "teal"},
        {"siblings": (None,)},
        {"model": ""},
    ],
)
def test_what_cannot_be_read_is_rejected(write_lines: Write, more: dict[str, Any]) -> None:
    assert read([write_lines([record(**more)])], skip_bad=True).tally.rejected_count == 1


def test_a_repeated_sibling_counts_once(write_lines: Write) -> None:
    reading = read([write_lines([record(siblings=("teal", "teal", "rook"))])])

    assert votes(reading.table) == [("rook", "teal", "model_a")]
    assert reading.table.weight.tolist() == [1.0]
    assert len([warning for warning in reading.tally.warnings if "sibling" in warning]) == 2


def test_a_mask_without_its_model_is_rejected(write_lines: Write) -> None:
    tally = read(
        [write_lines([record(model="arena-model"), record(siblings=("arena-model",))])], skip_bad=True
    ).tally

    assert tally.rejected_count == 2
    assert "mask" in tally.rejected[0].reason


def test_the_snapshot_takes_the_mask_off(write_lines: Write) -> None:
    messages = {
        "m0": {"id": "m0", "role": "user", "parentId": None},
        "m1": {
            "id": "m1",
            "role": "assistant",
            "parentId": "m0",
            "model": "arena-model",
            "selectedModelId": "rook",
        },
        "m2": {
            "id": "m2",
            "role": "assistant",
            "parentId": "m0",
            "model": "arena-model",
            "selectedModelId": "teal",
        },
    }
    snapshot = {"chat": {"chat": {"history": {"messages": messages}}}}

    table = read(
        [write_lines([record(model="arena-model", siblings=("arena-model",), snapshot=snapshot)])]
    ).table

    assert votes(table) == [("rook", "teal", "model_a")]


def test_names_in_sight_do_not_count(write_lines: Write) -> None:
    assert read([write_lines([record(meta={"arena": False})])]).tally.excluded == {"not_blind": 1}


def test_a_record_exported_twice_counts_once(write_lines: Write) -> None:
    tally = read([write_lines([record(siblings=("teal", "wren"))] * 2)]).tally

    assert (tally.accepted, tally.duplicates) == (2, 2)


@pytest.mark.parametrize(
    ("other", "conflicts"),
    [
        (record(-1, siblings=("teal", "wren")), 2),
        (record(1, siblings=("owl", "kite")), 2),
        (record(1, siblings=("teal",)), 1),
        (record(1, "owl", ("teal", "wren", "kite")), 3),
        (record(1, siblings=("teal", "wren"), user_id="u2"), 2),
    ],
)
def test_a_record_that_comes_again_with_other_content_counts_once_and_is_a_conflict(
    write_lines: Write, other: dict[str, Any], conflicts: int
) -> None:
    reading = read([write_lines([record(siblings=("teal", "wren")), other])])

    assert votes(reading.table) == [("rook", "teal", "model_a"), ("rook", "wren", "model_a")]
    assert (reading.tally.duplicates, reading.tally.conflict_count) == (conflicts, conflicts)
