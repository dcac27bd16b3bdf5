"""Votes as files: exact in JSON and Parquet, harmless in a spreadsheet, nothing that must stay here."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from arena.archive.exports import BATTLES, VOTES, WRITERS, ExportFilter, columns, losses, public, write
from arena.importers import read
from arena.votes import Outcome, Vote, VoteTable

NAMES = ("=1+1", "+x", "-x", "@x", "\tx", "\rx", "plain", 'a"b,c', "nän")


def text(table: VoteTable, format: str) -> bytes:
    file = io.BytesIO()
    write(columns(table), format, file)
    return file.getvalue()


@pytest.fixture
def odd() -> VoteTable:
    """Every odd name once on the left, against `plain`."""
    return VoteTable.of([Vote(str(i), name, "plain", Outcome.A, at=-12.5) for i, name in enumerate(NAMES)])


def test_no_text_cell_of_a_csv_begins_as_a_formula(odd: VoteTable) -> None:
    rows = list(csv.DictReader(io.StringIO(text(odd, "csv").decode(), newline="")))

    assert not [
        cell for row in rows for cell in (row["model_a"], row["voter"]) if cell[:1] in tuple("=+-@\t\r")
    ]
    assert [row["model_a"].removeprefix("'") for row in rows] == list(NAMES)
    assert {row["tstamp"] for row in rows} == {"-12.5"}


def test_json_and_parquet_are_exact(odd: VoteTable) -> None:
    lines = [json.loads(line) for line in text(odd, "jsonl").decode().splitlines()]
    stored = pq.read_table(io.BytesIO(text(odd, "parquet")))

    assert [row["model_a"] for row in lines] == list(NAMES)
    assert stored["model_a"].to_pylist() == list(NAMES)
    assert set(stored["winner"].to_pylist()) == {"model_a"}


def test_json_is_strict_and_leaves_out_what_is_not_known() -> None:
    table = VoteTable.of([Vote("1", "a", "b", Outcome.BOTH_BAD)])

    (line,) = text(table, "jsonl").decode().splitlines()

    row = json.loads(line, parse_constant=lambda token: pytest.fail(f"{token} is no JSON"))
    assert (row["winner"], row["tstamp"], row["drawn_p"], row["category"]) == ("both_bad", None, None, None)


def test_every_column_is_described_and_there() -> None:
    table = VoteTable.of([])

    assert columns(table).column_names == list(VOTES)
    assert columns(table, wanted=BATTLES).column_names == list(BATTLES)


def test_categories_and_traits_are_told_in_full() -> None:
    vote = Vote("1", "a", "b", Outcome.A, categories=("code", "short"), traits={"length": (3.0, 4.0)})
    table = VoteTable.of([vote, replace(vote, categories=(), traits={})])

    first, second = (json.loads(line) for line in text(table, "jsonl").decode().splitlines())

    assert first["category"] == ["code", "short"]
    assert first["traits"] == {"length": [3.0, 4.0]}
    assert first["conv_metadata"] == {"sum_assistant_a_tokens": 3.0, "sum_assistant_b_tokens": 4.0}
    assert (second["category"], second["traits"]) == ([], None)


def test_young_votes_and_private_models_stay_here() -> None:
    votes = [
        Vote("1", "a", "b", Outcome.A, at=10.0),
        Vote("2", "a", "b", Outcome.A, at=20.0, voter="young"),
        Vote("3", "a", "secret", Outcome.A, at=10.0),
        Vote("4", "b", "a", Outcome.A),
    ]

    kept, _ = public(VoteTable.of(votes), None, ExportFilter(before=20.0, hidden={"secret"}))

    assert [kept.models[code] for code in kept.a] == ["a", "b"]
    for format in WRITERS:
        assert b"secret" not in text(kept, format)
        assert b"young" not in text(kept, format)


def test_lines_as_lmsys_publishes_them_hold_the_votes_that_count(tmp_path: Path) -> None:
    vote = Vote("x1", "=a", "b", Outcome.BOTH_BAD, voter="v", language="de", at=1.7e9, categories=("code",))
    vote = replace(
        vote, traits={"length": (3.0, 4.0), "headers": (1.0, 0.0), "lists": (2.0, 2.0), "bold": (0.0, 5.0)}
    )
    table = VoteTable.of(
        [vote, Vote("", "b", "=a", Outcome.A, count=2), Vote("x2", "b", "b", Outcome.A, reason="self_battle")]
    )
    path = tmp_path / "votes.jsonl"
    path.write_bytes(text(table, "lmsys"))

    rows = [json.loads(line) for line in path.read_text().splitlines()]
    reading = read([path])

    assert [row["winner"] for row in rows] == ["tie (bothbad)", "model_a", "model_a"]
    assert len({row["question_id"] for row in rows}) == 3
    assert sum(rows[0]["conv_metadata"]["header_count_a"].values()) == 1
    assert reading.tally.format == "lmsys"
    again = reading.table
    assert (again.models, again.voters, again.languages) == (("=a", "b"), ("v",), ("de",))
    assert {name: tuple(pairs[0]) for name, pairs in again.traits.items()} == vote.traits
    assert again.labels["code"].tolist() == [True, False, False]


def test_what_lmsys_cannot_hold_is_said_and_our_own_reader_gets_the_weights(tmp_path: Path) -> None:
    votes = VoteTable.of(
        [
            Vote("1", "a", "b", Outcome.A, weight=0.5, side_known=False),
            Vote("2", "a", "b", Outcome.B, drawn_p=0.25),
            Vote("3", "a", "a", Outcome.B, reason="self_battle"),
        ]
    )
    path = tmp_path / "votes.jsonl"
    path.write_bytes(text(votes, "lmsys"))

    lost = losses(votes, "lmsys")

    assert [line.split(" votes ")[0] for line in lost] == ["lmsys: 1"] * 4
    assert any("have a weight" in line for line in lost)
    assert list(read([path]).table.weight) == [0.5, 1.0]


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_other_formats_lose_nothing(format: str) -> None:
    assert losses(VoteTable.of([Vote("1", "a", "b", Outcome.A, weight=0.5)]), format) == ()
