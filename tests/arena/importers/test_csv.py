"""Delimited text: delimiters, quotes, line ends, encodings, and rows that do not fit their header."""

from __future__ import annotations

import codecs

import pytest

from arena.errors import BadInput, Problem
from arena.importers import RowsRejected, read
from arena.importers.files.csv_cells import split, split_quickly
from arena.importers.files.csv_columns import shape_of
from tests.arena.importers.conftest import Write

HEADER = "model_a,model_b,winner,note\n"


def rejected(path: object) -> tuple[Problem, ...]:
    return read([path], skip_bad=True).tally.rejected  # type: ignore[list-item]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~", ":", "\x1f"])
def test_any_usual_delimiter_is_found(write: Write, delimiter: str) -> None:
    path = write("model_a,model_b,winner\nrook,teal,tie\n".replace(",", delimiter))

    assert read([path]).table.models == ("rook", "teal")


def test_a_declared_delimiter_is_obeyed(write: Write) -> None:
    path = write("sep=;\r\nmodel_a;model_b;winner\r\nrook,1;teal;tie\r\n")

    assert read([path]).table.models == ("rook,1", "teal")


def test_a_decimal_comma_under_semicolons_is_no_number(write: Write) -> None:
    path = write("model_a;model_b;winner;tstamp\nrook;teal;tie;1700000000,5\n")

    (problem,) = rejected(path)
    assert (problem.column, problem.value) == ("tstamp", "1700000000,5")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
def test_every_line_end_with_and_without_a_last_one(write: Write, end: str, last: str) -> None:
    text = end.join(["model_a,model_b,winner", "rook,teal,tie", "teal,rook,model_a"]) + (end if last else "")

    assert read([write(text)]).tally.accepted == 2


def test_quoted_cells_may_hold_delimiters_quotes_and_newlines(write: Write) -> None:
    path = write(HEADER + '"a,b","say ""hi""",tie,"one\ntwo\r\nthree"\nrook,teal,nonsense,x\n')

    reading = read([path], skip_bad=True)

    assert reading.table.models == ("a,b", 'say "hi"')
    (problem,) = reading.tally.rejected
    assert (problem.row, problem.line) == (2, 5)


def test_a_carriage_return_in_a_bare_cell_ends_no_row(write: Write) -> None:
    path = write("model_a,model_b,winner,note\nrook,teal,tie,first\rsecond\nteal,rook,tie,x\n")

    assert read([path]).tally.accepted == 2


def test_blank_lines_are_no_rows_but_count_as_lines(write: Write) -> None:
    path = write("model_a,model_b,winner\n\nrook,teal,tie\n   \n\nrook,teal,draw\n")

    (problem,) = rejected(path)
    assert (problem.row, problem.line) == (2, 6)


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize(
    ("cells", "told"), [("rook,teal", "2 cells"), ("rook,teal,tie,x,y", "5 cells"), ("rook", "1 cell")]
)
def test_a_ragged_row_is_rejected_and_shifts_nothing(
    write: Write, cells: str, told: str, quoted: bool
) -> None:
    bad = ",".join(f'"{cell}"' for cell in cells.split(",")) if quoted else cells
    path = write(HEADER + f"rook,teal,tie,\n{bad}\nteal,rook,tie,\n")

    reading = read([path], skip_bad=True)

    assert reading.table.models == ("rook", "teal")
    (problem,) = reading.tally.rejected
    assert (problem.row, problem.line, problem.value) == (2, 3, told)
    assert "4 columns" in problem.reason


def test_a_quote_that_is_never_closed_costs_its_own_line_only(write: Write) -> None:
    path = write(HEADER + 'rook,teal,tie,"open\nteal,rook,tie,x\nteal,rook,tie,y\n')

    reading = read([path], skip_bad=True)

    assert [problem.line for problem in reading.tally.rejected] == [2]
    assert "never closed" in reading.tally.rejected[0].reason
    assert reading.tally.accepted == 2


def test_text_after_a_closing_quote_is_rejected(write: Write) -> None:
    path = write(HEADER + '"rook"7,teal,tie,\n"rook",teal,tie,\n')

    (problem,) = rejected(path)
    assert (problem.row, problem.value) == (1, "7")


def test_a_quote_inside_a_bare_cell_is_a_letter(write: Write) -> None:
    path = write(HEADER + 'rook 7",teal,tie,5"\n')

    assert read([path]).table.models == ('rook 7"', "teal")


@pytest.mark.parametrize(("byte", "name"), [(b"\xe9", "0xE9"), (b"\x92", "0x92"), (b"\xff", "0xFF")])
def test_a_byte_that_is_no_utf8_is_named_with_its_line(write: Write, byte: bytes, name: str) -> None:
    path = write(HEADER.encode() + b"rook,teal,tie,ok\nrook,t" + byte + b"al,tie,x\nrook,teal,tie,\xc3\xa9\n")

    reading = read([path], skip_bad=True)

    assert reading.table.models == ("rook", "teal")
    (problem,) = reading.tally.rejected
    assert (problem.row, problem.line) == (2, 3)
    assert name in problem.reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_read_by_its_mark(write: Write, encoding: str) -> None:
    marks = {"utf-16": b"", "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    path = write(marks[encoding] + "model_a,model_b,winner\ngr\u00e8be,\u4e2d,tie\n".encode(encoding))

    assert read([path]).table.models == ("gr\u00e8be", "\u4e2d")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
def test_utf16_without_a_mark_and_utf32_are_refused(write: Write, encoding: str) -> None:
    path = write("model_a,model_b,winner\nrook,teal,tie\n".encode(encoding))

    with pytest.raises(BadInput, match="save it as UTF-8"):
        read([path], skip_bad=True)


def test_a_utf8_mark_is_no_part_of_the_first_name(write: Write) -> None:
    path = write(codecs.BOM_UTF8 + b"model_a,model_b,winner\r\nrook,teal,tie\r\n")

    assert read([path]).tally.ignored_columns == ()


def test_a_column_named_twice_refuses_the_file(write: Write) -> None:
    path = write("model_a,model_b,winner,winner\nrook,teal,tie,model_a\n")

    with pytest.raises(BadInput, match="names a column twice: winner"):
        read([path])


def test_a_cell_longer_than_the_reader_of_python_allows(write: Write) -> None:
    path = write(HEADER + f'rook,teal,tie,"{"x " * 150_000}""q"""\n')

    assert read([path]).tally.accepted == 1


def test_trailing_delimiters_in_all_rows_are_a_column_without_name(write: Write) -> None:
    path = write("model_a,model_b,winner,\nrook,teal,tie,\n")

    assert read([path]).tally.accepted == 1


def test_rejected_rows_stop_everything_unless_they_are_skipped(write: Write) -> None:
    path = write(HEADER + "rook,teal,tie,\nrook,,tie,\n")

    with pytest.raises(RowsRejected, match="1 of 2 votes are rejected") as caught:
        read([path])
    assert caught.value.tally.accepted == 1
    assert str(caught.value.problems[0]).endswith("row 2 (line 3), column model_b: a model name is missing")


@pytest.mark.parametrize(
    "text", ['a,"b ""c""",d\n"x\ny",2,3\n', '"","",""\n', "a,b,c\r\nd,e,f\r\n", '"a,b",c,"d"']
)
def test_the_quick_way_cuts_as_the_slow_one(text: str) -> None:
    slow, taken, lines = split(text, ",", is_last=True)
    quick = split_quickly(text, ",", 3)

    assert quick is not None
    assert quick.cells == [record.cells for record in slow]
    assert list(quick.lines) == [record.line for record in slow]
    assert taken >= len(text)
    assert lines >= quick.taken


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (b"a,b\nc,d\n", "plain"), (b'"a","b"\n"c ""x""",""\n', "quoted"), (b'""""\n', "quoted"), (b'a,"b"\r\n', "quoted"),
        (b'"a\nb",c\n', None), (b'"a"b,c\n', None), (b'a"b"\n', None), (b'""x"\n', None), (b'"a\n', None), (b"a\rb\n", None),
        (b"a\n\nb\n", None), (b"\na\n", None), (b"\xff\n", None), (b'"a" ,b\n', None), (b'"a"""b"\n', None),
    ],
)  # fmt: skip
def test_only_sound_lines_are_left_uncut(data: bytes, shape: str | None) -> None:
    assert shape_of(data, ",") == shape
