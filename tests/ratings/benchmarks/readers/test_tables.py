"""Generic tables: long and wide, blanks, scales, counts and everything that is no score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arena.settings import bounds
from ratings.benchmarks.readers import read
from tests.ratings.benchmarks.readers.writing import cells, put_lines, put_text, reading, refusal, results


def test_a_long_table(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item_id,model,score\na,m,1\na,n,0.5\nb,m,True\nb,n,\n")

    assert cells(file) == {
        ("m", "a", 0): (1.0, "ok"), ("n", "a", 0): (0.5, "ok"), ("m", "b", 0): (1.0, "ok"), ("n", "b", 0): (None, "unscored"),
    }  # fmt: skip


def test_a_wide_table_in_which_a_blank_was_not_run(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.tsv", "id\tm\tn\na\t1\t0\nb\t\t1\n")

    assert cells(file)["m", "b", 0] == (None, "not_run")
    assert results(file)["benchmark"].models == ("m", "n")


@pytest.mark.parametrize("blank", ["", "nan", "NaN", "null", "NA"])
def test_blanks_are_unscored_and_never_0(tmp_path: Path, blank: str) -> None:
    file = put_text(tmp_path / "t.csv", f"item,model,score\na,m,{blank}\nb,m,1\n")

    assert results(file)["benchmark"].tally("m")["unscored"] == 1


@pytest.mark.parametrize("score", ["-1", "2", "good", "inf", "1e999", "0,5"])
def test_what_is_no_score_is_refused_with_row_and_value(tmp_path: Path, score: str) -> None:
    file = put_text(tmp_path / "t.csv", f'item,model,score\na,m,1\nb,m,"{score}"\n')

    problem = refusal(file).problems[0]

    assert (problem.row, problem.column, problem.value) == (2, "score", score)


def test_text_is_no_number_in_json(tmp_path: Path) -> None:
    rows = [{"item": "a", "model": "m", "score": "1"}]

    assert "not a number" in refusal(put_lines(tmp_path / "t.jsonl", rows)).problems[0].reason


def test_another_scale_is_taken_to_0_and_1(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,model,score\na,m,-50\nb,m,75\n")

    assert [score for score, _ in cells(file, scale=(-100.0, 100.0)).values()] == [0.25, 0.875]


def test_columns_of_other_names(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "frage;wer;punkte\na;m;1\n")

    assert cells(file, columns={"item": "frage", "model": "wer", "score": "punkte"}) == {
        ("m", "a", 0): (1.0, "ok")
    }
    assert "no column" in str(refusal(file, columns={"item": "question"}))


def test_counts_stand_for_attempts(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "task_id,model,n_samples,correct\na,m,4,3\n")

    assert results(file)["benchmark"].score[0, 0].tolist() == [1.0, 1.0, 1.0, 0.0]


def test_statuses_are_kept_and_unknown_ones_refused(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,model,score,status\na,m,,infra\nb,m,,lost\n")

    assert refusal(file).problems[0].value == "lost"
    found = read([file], skip_bad=True)
    assert (found.account.refused, found.entries[0].status) == (1, "infra")


def test_a_model_for_a_table_without_one_and_trials(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "task_id,trial,reward\n0,0,1\n0,1,0\n")

    assert results(file, model="m")["benchmark"].score.shape == (1, 1, 2)


def test_ragged_rows_are_refused_with_their_line(tmp_path: Path) -> None:
    problem = refusal(put_text(tmp_path / "t.csv", "item,model,score\na,m\n")).problems[0]

    assert (problem.row, problem.line) == (1, 2)


def test_parquet_is_a_table_too(tmp_path: Path) -> None:
    pq.write_table(pa.table({"item": ["a"], "model": ["m"], "score": [True]}), tmp_path / "t.parquet")

    assert cells(tmp_path / "t.parquet") == {("m", "a", 0): (1.0, "ok")}


def test_models_under_two_names_are_one(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,model,score\na,M One,1\nb,m1,0\n")
    names = put_text(tmp_path / "names.csv", "alias,canonical\nM One,m-one\nm-one,m1\n")

    found = read([file], aliases=names)

    assert {entry.model for entry in found.entries} == {"m1"}


def test_aliases_in_a_circle_are_refused(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,model,score\na,m,1\n")
    names = put_text(tmp_path / "names.csv", "alias,canonical\na,b\nb,a\n")

    with pytest.raises(Exception, match="circle"):
        read([file], aliases=names)


def test_broken_json_and_bytes_are_refused_with_their_line(tmp_path: Path) -> None:
    broken = put_text(tmp_path / "t.jsonl", '{"item": "a", "model": "m", "score": 1}\n{"item": \n')
    (tmp_path / "u.csv").write_bytes(b"item,model,score\na,\xff,1\n")

    assert refusal(broken).problems[0].line == 2
    assert refusal(tmp_path / "u.csv").problems[0].line == 2


def test_files_of_a_folder_that_are_none_of_ours_are_left_aside(tmp_path: Path) -> None:
    put_text(tmp_path / "t.csv", "item,model,score\na,m,1\n")
    put_text(tmp_path / "readme.json", '"words"')

    assert reading(tmp_path).account.ignored == (str(tmp_path / "readme.json"),)
    assert "no format that is known" in str(refusal(tmp_path / "readme.json"))


def test_nothing_is_said_of_nothing(tmp_path: Path) -> None:
    assert "no such file" in str(refusal(tmp_path / "none.csv"))
    assert "empty" in str(refusal(put_text(tmp_path / "t.csv", "")))
    assert "unknown format" in str(_format_error(put_text(tmp_path / "u.csv", "item,model,score\na,m,1\n")))


def _format_error(file: Path) -> Exception:
    with pytest.raises(Exception, match="known") as caught:
        read([file], format="no-such")
    return caught.value


LONG = "model,item,dataset,len_1,len_2,preference\nm,a,x,210,13,1.25\nn,a,x,33,50,1.75\n"


def test_a_long_table_without_a_clear_score_says_what_to_do(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", LONG)

    said = str(refusal(file))

    assert "no column of scores" in said
    assert "--columns score=NAME" in said
    assert "len_1, len_2, preference" in said
    assert [score for score, _ in cells(file, columns={"score": "preference"}, scale=(1.0, 2.0)).values()] == [
        0.25, 0.75
    ]  # fmt: skip


def test_two_columns_that_could_be_the_score_are_not_chosen_between(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,model,passed,reward\na,m,1,0.5\n")

    assert "passed, reward could each be the score" in str(refusal(file))
    assert cells(file, columns={"score": "reward"}) == {("m", "a", 0): (0.5, "ok")}


def test_a_count_says_that_correct_is_the_score(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,model,accuracy,correct,n\na,m,0.5,2,4\n")

    assert results(file)["benchmark"].score[0, 0].tolist() == [1.0, 1.0, 0.0, 0.0]


def test_columns_of_a_wide_table_that_are_no_models_are_asked_about(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,heron,wren,chars,year\na,1,0,512,2023\nb,0,1,77,2024\n")

    assert "--columns ignore=chars|year" in str(refusal(file))
    assert results(file, columns={"ignore": "chars|year"})["benchmark"].models == ("heron", "wren")
    assert "no column 'words'" in str(refusal(file, columns={"ignore": "words"}))


def test_one_number_off_the_scale_is_the_fault_of_its_row(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "item,heron,wren\na,1,0\nb,7,1\nc,0,1\n")

    assert refusal(file).problems[0].row == 2


def test_a_first_column_that_repeats_itself_names_no_items(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "topic,heron,wren\nlaw,1,0\nlaw,0,1\n")

    assert "--columns item=NAME" in str(refusal(file))


def test_quoted_cells_hold_line_breaks_and_a_byte_order_mark_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes('\ufeffitem,model,score\r\n"a\r\nb","m, one",1\r\n'.encode())

    assert cells(tmp_path / "t.csv") == {("m, one", "a\r\nb", 0): (1.0, "ok")}


def test_a_table_of_words_in_a_folder_is_left_aside(tmp_path: Path) -> None:
    put_text(tmp_path / "t.csv", "item,model,score\na,m,1\n")
    words = put_lines(tmp_path / "items.jsonl", [{"id": "a", "text": "Name a heron."}])

    assert reading(tmp_path).account.ignored == (str(words),)
    assert "no column of scores" in str(refusal(words))


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "__index_level_0__"])
def test_row_numbers_of_a_data_frame_are_no_model(tmp_path: Path, name: str) -> None:
    file = put_text(tmp_path / "t.csv", f"{name},item,m,n\n0,a,1,0\n1,b,0,1\n2,c,1,1\n")

    assert results(file)["benchmark"].models == ("m", "n")


def test_row_numbers_name_the_items_where_nothing_else_does(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", ",m,n\n0,1,0\n1,0,1\n")

    assert list(cells(file)) == [("m", "0", 0), ("n", "0", 0), ("m", "1", 0), ("n", "1", 0)]


@pytest.mark.parametrize(
    "text", ["task,m,n\na,1,0\nb,0,1\n", "task,model,score\na,m,1\na,n,0\nb,m,0\nb,n,1\n"]
)
def test_a_column_of_tasks_names_the_items_where_no_other_does(tmp_path: Path, text: str) -> None:
    assert sorted(cells(put_text(tmp_path / "t.csv", text))) == [
        ("m", "a", 0),
        ("m", "b", 0),
        ("n", "a", 0),
        ("n", "b", 0),
    ]


def test_a_column_of_tasks_is_the_benchmark_beside_one_of_items(tmp_path: Path) -> None:
    file = put_text(tmp_path / "t.csv", "task,item,model,score\nx,a,m,1\ny,a,m,0\n")

    assert sorted(results(file)) == ["x", "y"]


def test_a_graders_three_classes(tmp_path: Path) -> None:
    file = put_text(
        tmp_path / "t.csv",
        "item,model,grade\na,m,CORRECT\nb,m,INCORRECT\nc,m,NOT_ATTEMPTED\nd,m,partially correct\n",
    )

    assert [score for score, _ in cells(file).values()] == [1.0, 0.0, 0.0, 0.5]
    assert "not attempted" in reading(file).account.notes[0]


def test_a_grade_that_is_no_known_word_is_refused(tmp_path: Path) -> None:
    assert refusal(put_text(tmp_path / "t.csv", "item,model,grade\na,m,C\n")).problems[0].value == "C"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("item,m,n\na,4-1,3-2\nb,0-5,5-0\n", "correct and count"),
        ("item,model,prediction,answer\na,m,B,1\nb,m,C,0\n", "add a column `correct`"),
        ("item,yes,no,unsure\na,3,1,0\nb,0,2,2\n", "bench agreement FILE --counts yes,no,unsure"),
    ],
)
def test_what_is_no_table_of_scores_is_told_what_to_do(tmp_path: Path, text: str, word: str) -> None:
    assert word in str(refusal(put_text(tmp_path / "t.csv", text)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "item,model,score\na,m,1\nb,m,1\nc,m,1\n"),
        ("t.jsonl", "".join(f'{{"item": "{item}", "model": "m", "score": 1}}\n' for item in "abc")),
    ],
)
def test_more_rows_than_a_file_may_have_are_refused(tmp_path: Path, name: str, text: str) -> None:
    before = bounds.now()
    bounds.use(replace(before, rows=2))
    try:
        assert "ARENA_FILE_ROWS" in str(refusal(put_text(tmp_path / name, text)))
    finally:
        bounds.use(before)
