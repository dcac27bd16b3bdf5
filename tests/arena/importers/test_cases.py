"""The trap files of the acceptance cases: what each must give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arena.errors import BadInput
from arena.importers import RowsRejected, read
from tests.arena.importers.test_formats import votes

pytestmark = pytest.mark.shared


@pytest.fixture
def cases(shared: Path) -> Path:
    return shared / "cases"


def test_i01_names_like_numbers_and_nulls_stay_texts(cases: Path) -> None:
    reading = read([cases / "i01_names_na.csv"])

    assert reading.table.models == ("007", "1e5", "NA", "None", "True", "heron-7b", "null")
    assert reading.tally.accepted == reading.tally.read == 14


def test_i01_strings_in_json_lines_stay_strings(cases: Path) -> None:
    reading = read([cases / "i01_names_na.jsonl"])

    assert reading.table.models == ("00123", "1e3", "NaN", "None")


def test_i02_an_unknown_outcome_is_rejected_by_place(cases: Path) -> None:
    with pytest.raises(RowsRejected) as caught:
        read([cases / "i02_bad_winner.csv"])

    (problem,) = caught.value.problems
    assert (problem.row, problem.line, problem.column, problem.value) == (7, 8, "winner", "model_c")
    assert read([cases / "i02_bad_winner.csv"], skip_bad=True).tally.accepted == 9


def test_i03_byte_order_mark_and_crlf_are_no_part_of_names(cases: Path) -> None:
    reading = read([cases / "i03_bom_crlf.csv"])

    assert reading.table.models == ("gr\u00e8be-5", "merlin-xl")
    assert reading.tally.accepted == 5
    assert reading.tally.ignored_columns == ()


def test_i04_a_byte_that_is_no_utf8_is_named(cases: Path) -> None:
    with pytest.raises(RowsRejected) as caught:
        read([cases / "i04_mixed_encoding.csv"])

    (problem,) = caught.value.problems
    assert (problem.row, problem.line) == (4, 5)
    assert "0xE9" in problem.reason
    assert read([cases / "i04_mixed_encoding.csv"], skip_bad=True).tally.accepted == 4


def test_i05_records_are_not_lines_and_turns_are_kept(cases: Path) -> None:
    reading = read([cases / "i05_quoted_newlines_55k.csv"])

    assert reading.tally.format == "lmsys_55k"
    assert list(reading.table.outcome) == [0, 1, 2]
    assert reading.tally.excluded == {"empty_response": 2}  # a side's last answer is "" or null


def test_i06_names_like_formulas_are_kept_and_those_with_controls_refused(cases: Path) -> None:
    reading = read([cases / "i06_formula_names.jsonl"], skip_bad=True)

    assert {"+1+1", "-2+3", "@SUM(A1)", '=HYPERLINK("http://x.test","c")'} < set(reading.table.models)
    assert [problem.row for problem in reading.tally.rejected] == [5, 6]
    assert "U+0009" in reading.tally.rejected[0].reason


def test_i07_one_instant_in_eight_notations(cases: Path) -> None:
    reading = read([cases / "i07_timestamps.csv"])

    assert reading.tally.accepted == 8
    assert np.abs(reading.table.at - 1767225600).max() <= 1


def test_i08_a_missing_column_refuses_the_whole_file(cases: Path) -> None:
    with pytest.raises(BadInput, match=r"model_b.*found columns: battle_id, model_a, winner, tstamp"):
        read([cases / "i08_missing_col.csv"], skip_bad=True)


def test_i08_ragged_rows_are_rejected_by_number(cases: Path) -> None:
    reading = read([cases / "i08_ragged.csv"], skip_bad=True)

    assert [problem.row for problem in reading.tally.rejected] == [2, 3]
    assert reading.tally.accepted == 1


def test_i08_a_semicolon_delimits(cases: Path) -> None:
    assert read([cases / "i08_semicolon.csv"]).table.models == ("heron-7b", "wren-mini")


def test_i09_only_the_broken_lines_are_rejected(cases: Path) -> None:
    reading = read([cases / "i09_blank_trailing.jsonl"], skip_bad=True)

    assert [problem.line for problem in reading.tally.rejected] == [4, 6]
    assert reading.tally.accepted == 2


def test_i10_tokens_that_are_no_json_make_no_model_and_no_time(cases: Path) -> None:
    reading = read([cases / "i10_nan_tokens.jsonl"], skip_bad=True)

    assert [problem.line for problem in reading.tally.rejected] == [1, 2, 3]
    assert reading.table.models == ("heron-7b", "wren-mini")


def test_i11_a_vote_on_an_empty_answer_is_kept_and_excluded(cases: Path) -> None:
    reading = read([cases / "i11_huge_line.jsonl"])

    assert reading.tally.accepted == 2
    assert reading.tally.excluded == {"empty_response": 1}


def test_i12_the_nested_table_of_parquet(cases: Path) -> None:
    reading = read([cases / "i12_140k_schema.parquet"], skip_bad=True)

    assert reading.tally.format == "lmsys_140k"
    assert [problem.row for problem in reading.tally.rejected] == [3]
    assert list(reading.table.outcome) == [0, 3, 2]
    assert reading.tally.excluded == {"self_battle": 1}


def test_i13_thumbs_become_battles_with_siblings(cases: Path) -> None:
    reading = read([cases / "i13_openwebui_feedback.json"])

    assert votes(reading.table) == [
        ("heron-7b", "wren-mini", "model_a"),
        ("heron-7b", "wren-mini", "model_b"),
        ("heron-7b", "osprey", "model_b"),
        ("osprey", "heron-7b", "model_a"),
    ]
    assert sum(reading.tally.not_votes.values()) == 4


def test_i14_winners_by_name(cases: Path) -> None:
    reading = read([cases / "i14_pair_votes.jsonl"], skip_bad=True)

    assert list(reading.table.outcome) == [0, 2]
    assert [problem.row for problem in reading.tally.rejected] == [3, 5]
    assert reading.tally.not_votes == {"no_outcome": 1}
    assert reading.tally.duplicates == 1


def test_i15_annotations_by_name_of_side(cases: Path) -> None:
    reading = read([cases / "i15_labelstudio_pairwise.json"])

    assert list(reading.table.outcome) == [0, 1, 0, 0]
    assert reading.tally.not_votes == {"empty_result": 1, "no_annotation": 1}


def test_i20_names_that_look_alike_are_one_or_flagged(cases: Path) -> None:
    reading = read([cases / "i20_lookalike.csv"])

    assert reading.table.models == ("Gemma-X", "caf\u00e9-1", "gemma-x", "g\u0435mma-x", "wren-mini")
    assert any("U+0435" in warning for warning in reading.tally.warnings)
    assert any("letter case" in warning for warning in reading.tally.warnings)


def test_r05_a_header_alone_is_no_error(cases: Path) -> None:
    reading = read([cases / "r05_empty.csv"])

    assert len(reading.table) == 0
    assert "no records" in reading.tally.warnings[0]


def test_r06_repeated_votes_count_once(cases: Path) -> None:
    tally = read([cases / "r06_duplicate_votes.csv"]).tally

    assert (tally.read, tally.accepted, tally.duplicates, tally.conflict_count) == (9, 6, 3, 1)
    assert tally.conflicts[0].value == "b002"
    assert tally.conflicts[0].row == 9


def test_r08_merged_names_make_self_battles(cases: Path) -> None:
    reading = read([cases / "r08_alias_merge.csv"], aliases=cases / "r08_alias_merge.aliases.csv")

    assert reading.table.models == ("heron-7b", "osprey", "wren-mini")
    assert reading.tally.excluded == {"self_battle": 2}
    assert reading.tally.aliases == {"heron-7b-instruct": "heron-7b"}


def test_r08_a_wrong_alias_file_is_refused_with_all_problems(cases: Path) -> None:
    with pytest.raises(BadInput) as caught:
        read([cases / "r08_alias_merge.csv"], aliases=cases / "r08_alias_cycle.aliases.csv")

    told = [f"{problem.value} {problem.reason}" for problem in caught.value.problems]
    assert len(told) == 4
    assert "cycle: a -> b -> a" in told[0]
    assert "c is an alias of itself" in told[1]
    assert "unknown-model" in told[2]
    assert told[3] == "x has two targets"


def test_r09_rows_that_must_not_count_are_kept_with_their_reason(cases: Path) -> None:
    tally = read([cases / "r09_nonblind_rows.json"]).tally

    assert tally.format == "lmsys"
    assert tally.accepted == 17
    assert tally.excluded == {
        "empty_response": 1,
        "error_response": 1,
        "identity_leak": 1,
        "not_blind": 1,
        "self_battle": 1,
    }


def test_r11_metadata_gives_the_traits(cases: Path) -> None:
    table = read([cases / "r11_style_control.json"]).table

    assert len(table) == 400
    assert set(table.traits) == {"length", "headers", "lists", "bold"}
    assert not table.traits["lists"].any()
    assert not any(np.isnan(column).any() for column in table.traits.values())
