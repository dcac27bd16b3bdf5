"""Every registered format is found by content and read to its votes; what is no vote file is refused by name."""

from __future__ import annotations

import pytest

from arena.errors import BadInput
from arena.importers import FORMATS, read
from arena.importers.formats.registry import NoVotes, reader
from arena.votes import Outcome, VoteTable
from tests.arena.importers.conftest import Write
from tests.arena.importers.samples import SAMPLES

NEEDS_A_NEIGHBOUR = {"pandalm_judge"}  # tested with its test set beside it


def votes(table: VoteTable) -> list[tuple[str, str, str]]:
    rows = zip(table.a, table.b, table.outcome, strict=True)
    return [(table.models[a], table.models[b], Outcome(o).word) for a, b, o in rows]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_told_from_its_content_and_read_to_its_votes(write: Write, name: str) -> None:
    sample = SAMPLES[name]

    reading = read([write(sample.content, sample.name)])

    assert reading.tally.format == name
    assert votes(reading.table) == list(sample.votes)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_asked_for_by_name_gives_the_same_votes(write: Write, name: str) -> None:
    sample = SAMPLES[name]

    reading = read([write(sample.content, sample.name)], format=name)

    assert votes(reading.table) == list(sample.votes)
    assert reading.tally.why == "as asked"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_vote_read_is_accounted_for(write: Write, name: str) -> None:
    sample = SAMPLES[name]

    tally = read([write(sample.content, sample.name)]).tally

    assert tally.read == tally.accepted + tally.rejected_count + tally.duplicates + sum(
        tally.not_votes.values()
    )


def test_every_format_has_a_sample() -> None:
    readable = {name for name, each in FORMATS.items() if each.refusal is None}

    assert readable - NEEDS_A_NEIGHBOUR == set(SAMPLES)


def test_a_missing_column_is_named_with_the_columns_found(write: Write) -> None:
    path = write("model_a,winner,when\nrook,model_a,1\n")

    with pytest.raises(
        BadInput, match="column model_b is missing for format generic; found columns: model_a, winner, when"
    ):
        read([path], skip_bad=True)


@pytest.mark.parametrize(
    "head", ["model_a,model_b", "battle_id,model_a,model_b,tstamp,judge", "model_a,model_b,vote_of"]
)
def test_a_file_without_the_winner_is_told_so_in_the_plain_format(write: Write, head: str) -> None:
    path = write(head + "\n" + "x" + ",x" * head.count(",") + "\n")

    with pytest.raises(BadInput, match="column winner is missing for format generic"):
        read([path])


def test_a_file_that_is_no_vote_file_is_refused_with_its_columns(write: Write) -> None:
    path = write("name,price\nrook,3\n")

    with pytest.raises(NoVotes, match="fits no known vote format; found columns: name, price"):
        read([path])


def test_two_formats_that_both_fit_are_asked_for(write_lines: Write) -> None:
    record = {"model_a": "rook", "model_b": "teal", "vote": "left", "acceptedIndex": 0}

    with pytest.raises(BadInput, match="choose one with --format: bigcodearena, copilot_arena"):
        read([write_lines([record])])


def test_an_unknown_format_lists_the_known_ones(write: Write) -> None:
    path = write("model_a,model_b,winner\n")

    with pytest.raises(BadInput, match=r"unknown format 'excel'; known: auto, allourideas, .*, winner_loser"):
        read([path], format="excel")


def test_a_format_without_fixed_columns_is_refused_where_none_fits(write: Write) -> None:
    path = write("a,b\n1,2\n")

    with pytest.raises(BadInput, match="has no columns for format counts_table"):
        read([path], format="counts_table")


def test_reactions_are_refused_because_they_compare_nothing(write_lines: Write) -> None:
    record = {
        "model_a_name": "rook",
        "model_b_name": "teal",
        "refers_to_model": "rook",
        "liked": True,
        "disliked": False,
    }

    with pytest.raises(BadInput, match="no pairwise votes"):
        read([write_lines([record])])


def test_a_second_reader_of_one_name_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="registered already"):
        reader("generic", "again", ("x",))(lambda row, checks: iter(()))
