"""JSON lines, arrays and objects: what is broken costs as little as it can, and nothing is guessed."""

from __future__ import annotations

import json

import pytest

from arena.errors import BadInput
from arena.importers import read
from arena.settings.bounds import Bounds
from tests.arena.importers.conftest import Write

GOOD = '{"model_a": "rook", "model_b": "teal", "winner": "tie"}'


def line(**more: object) -> str:
    return json.dumps({**json.loads(GOOD), **more})


def problems(
    write: Write, text: str | bytes, name: str = "votes.jsonl"
) -> list[tuple[int | None, int | None, str]]:
    tally = read([write(text, name)], skip_bad=True).tally
    return [(problem.row, problem.line, problem.reason) for problem in tally.rejected]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (GOOD + ",", "a comma follows"),
        (GOOD[:30], "cut short"),
        (GOOD + GOOD, "Extra data"),
        ("[1, 2]", "one JSON object"),
        ('"rook"', "one JSON object"),
        ("{'model_a': 'rook'}", "no JSON"),
        ('{"model_a": rook}', "no JSON"),
        ('{"winner": "tie", "winner": "model_a", "model_a": "r", "model_b": "t"}', "stands twice"),
        ("[" * 5000, "no JSON"),
    ],
)
def test_a_broken_line_is_rejected_alone(write: Write, broken: str, told: str) -> None:
    ((row, physical, reason),) = problems(write, f"{GOOD}\n\n{broken}\n{GOOD}\n")

    assert (row, physical) == (2, 3)
    assert told in reason


def test_a_key_inside_a_text_is_not_repeated(write: Write) -> None:
    path = write(line(note='he said "winner"', other={"winner": 1}) + "\n" + GOOD + "\n", "votes.jsonl")

    assert read([path]).tally.accepted == 2


def test_a_byte_that_is_no_utf8_is_named(write: Write) -> None:
    ((row, physical, reason),) = problems(write, GOOD.encode() + b"\n" + GOOD.replace("teal", "t\udcffal").encode("utf-8", "surrogateescape") + b"\n")  # fmt: skip

    assert (row, physical) == (2, 2)
    assert "0xFF" in reason


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_no_times(write: Write, token: str) -> None:
    ((_, _, reason),) = problems(write, f'{GOOD[:-1]}, "tstamp": {token}}}\n{GOOD}\n')

    assert "finite" in reason


@pytest.mark.parametrize("token", ["NaN", "null", '""', "7", "true", "[]", '{"x": 1}'])
def test_only_texts_are_names(write: Write, token: str) -> None:
    ((_, _, reason),) = problems(write, GOOD.replace('"teal"', token) + f"\n{GOOD}\n")

    assert "model name" in reason


@pytest.mark.parametrize("token", ['"\\ud83d"', '"\\udc00x"'])
def test_half_a_surrogate_pair_is_no_name(write: Write, token: str) -> None:
    ((_, _, reason),) = problems(write, GOOD.replace('"teal"', token) + f"\n{GOOD}\n")

    assert "surrogate" in reason


def test_texts_that_look_like_values_stay_names(write_lines: Write) -> None:
    records = [
        {"model_a": name, "model_b": "rook", "winner": "tie"}
        for name in ("NaN", "null", "0012", "1e3", "true")
    ]

    assert read([write_lines(records)]).table.models == ("0012", "1e3", "NaN", "null", "rook", "true")


def test_an_id_too_long_for_a_float_is_refused_not_rounded(write: Write) -> None:
    ((_, _, reason),) = problems(write, line(battle_id=1e300) + f"\n{GOOD}\n")

    assert "write it as text" in reason
    assert (
        problems(write, line(battle_id=9007199254740993) + "\n" + line(battle_id=9007199254740992) + "\n")
        == []
    )


def test_an_array_tells_row_and_line_of_its_elements(write: Write) -> None:
    text = f'[\n {GOOD},\n {{"model_a": "rook",\n  "model_b": "teal", "winner": "win"}},\n 5,\n {GOOD}\n]\n'

    found = problems(write, text, "votes.json")

    assert [(row, physical) for row, physical, _ in found] == [(2, 3), (3, 5)]


@pytest.mark.parametrize(
    ("tail", "told"), [(f", {GOOD[:20]}", "no JSON"), (f" {GOOD}]", "missing"), ("] x", "text follows"), ("", "cut short"), (", ]", "no JSON")]
)  # fmt: skip
def test_a_broken_array_keeps_what_came_before(write: Write, tail: str, told: str) -> None:
    tally = read([write(f"[{GOOD}, {GOOD}{tail}", "votes.json")], skip_bad=True).tally

    assert tally.accepted >= 2
    assert told in tally.rejected[-1].reason
    assert "rest of the file" in tally.rejected[-1].reason


@pytest.mark.slow
def test_an_array_longer_than_one_chunk(write: Write) -> None:
    text = json.dumps([{"model_a": "rook", "model_b": "teal", "winner": "tie", "note": "x" * 900}] * 4000)

    assert read([write(text, "votes.json")]).tally.accepted == 4000


@pytest.mark.parametrize("text", ["[]", "[ \n ]", "", " \n\n"])
def test_nothing_is_no_error(write: Write, text: str) -> None:
    reading = read([write(text, "votes.json")])

    assert reading.tally.read == 0
    assert reading.tally.warnings


def test_an_object_alone_is_a_record_or_wraps_them(write: Write) -> None:
    assert read([write(GOOD, "one.json")]).tally.accepted == 1
    assert read([write(json.dumps(json.loads(GOOD), indent=2), "indented.json")]).tally.accepted == 1
    assert read([write(f'{{"data": [{GOOD}, {GOOD}], "note": 1}}', "wrapped.json")]).tally.accepted == 2
    assert read([write(f'{{"rows": [{{"row_idx": 0, "row": {GOOD}}}]}}', "viewer.json")]).tally.accepted == 1


@pytest.mark.parametrize("text", ["{", '{"model_a": ', "{}", '{"a": 1}', '{"models": 1, "X": 2}'])
def test_an_object_without_votes_is_refused(write: Write, text: str) -> None:
    with pytest.raises(BadInput):
        read([write(text, "votes.json")], skip_bad=True)


def test_a_line_longer_than_allowed_is_rejected_and_the_next_is_read(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.settings.bounds._held", [Bounds(line_mb=1)])

    tally = read(
        [write(f"{GOOD}\n{line(note='x' * 3_000_000)}\n{GOOD}\n", "votes.jsonl")], skip_bad=True
    ).tally

    assert [problem.line for problem in tally.rejected] == [2]
    assert "longer than 1 MB (ARENA_FILE_LINE_MB)" in tally.rejected[0].reason
    assert tally.accepted == 2
