"""Every format holds every model with its exact name and number, and none of them can do harm where it is opened."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
from dataclasses import asdict, fields, replace

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arena.errors import BadInput
from ratings import exports
from ratings.leaderboard import Leaderboard, Standing
from tests.ratings.boards_for_tests import board, standing

# Case i06's names and more that some format takes for its own marks.
AWKWARD = (
    '=HYPERLINK("http://x.test","c")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''", "a|b", "a,b", 'a"b',
    "a\nb", "<b>x</b>", "a&amp;b", "a_b*c", "50%", "$x^2$", "\\input{x}", "~", "[link](javascript:alert(1))", "`code`",
    "NaN", "null", "007", "1e5", "模型", "نموذج", "👩‍💻", "[bold]x[/bold]", "#1", "{x}",
)  # fmt: skip
names = st.text(st.characters(codec="utf-8"), min_size=1)


def named(*models: str) -> Leaderboard:
    return board(*(standing(name, 1000.0 - place) for place, name in enumerate(models)))


def rows_of_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


@pytest.mark.parametrize("name", AWKWARD)
def test_no_cell_of_the_csv_begins_like_a_formula(name: str) -> None:
    (row,) = rows_of_csv(exports.write(named(name), "csv"))

    assert row["model"][0] not in "=+-@\t\r"
    assert exports.plain_text(row["model"]) == name


@given(names)
def test_a_neutral_cell_is_never_a_formula_and_gives_the_text_back(name: str) -> None:
    cell = exports.csv_text(name)

    assert cell[0] not in "=+-@\t\r"
    assert exports.plain_text(cell) == name


def test_two_texts_never_share_a_cell() -> None:
    assert exports.csv_text("=1") == "'=1"
    assert exports.csv_text("'=1") == "''=1"


def test_negative_numbers_are_left_alone() -> None:
    (row,) = rows_of_csv(exports.write(board(standing("wren", -12.5)), "csv"))

    assert row["rating"] == "-12.5"


def test_what_is_not_known_is_an_empty_cell() -> None:
    rows = rows_of_csv(exports.write(board(), "csv"))

    assert [row["rating"] for row in rows[-2:]] == ["", ""]


def test_csv_numbers_are_not_rounded() -> None:
    (row,) = rows_of_csv(exports.write(board(standing("wren", 1000.1234567890123)), "csv"))

    assert float(row["rating"]) == 1000.1234567890123


@pytest.mark.slow
@pytest.mark.parametrize("name", AWKWARD)
def test_json_lines_and_parquet_keep_names_exactly(name: str) -> None:
    lines = exports.write(named(name), "jsonl").decode().split("\n")[:-1]
    table = pq.read_table(io.BytesIO(exports.write(named(name), "parquet")))
    catalogue = json.loads(exports.write(named(name), "lmsys"))

    assert [json.loads(line)["model"] for line in lines] == [name]
    assert table["model"].to_pylist() == [name]
    assert list(catalogue["full"]) == [name]


def test_json_is_strict_and_is_the_whole_leaderboard() -> None:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    value = json.loads(exports.write(board(), "json"), parse_constant=refuse)

    assert Leaderboard.from_object(value, board().pairs) == board()


def test_a_number_that_is_not_finite_is_refused_and_not_written() -> None:
    for as_ in ("json", "jsonl", "lmsys"):
        with pytest.raises(ValueError, match="not JSON compliant"):
            exports.write(board(standing("wren", float("nan"))), as_)


def test_parquet_has_typed_columns_and_the_snapshot_beside_them() -> None:
    table = pq.read_table(io.BytesIO(exports.write(board(), "parquet")))

    assert table.column_names == [field.name for field in fields(Standing)]
    assert str(table.schema.field("votes").type) == "int64"
    assert str(table.schema.field("rank").type) == "int64"
    assert str(table.schema.field("rating").type) == "double"
    assert table.to_pylist() == [asdict(row) for row in board().models]
    assert json.loads(table.schema.metadata[b"leaderboard"])["snapshot"]["votes_used"] == 60


class Cells(html.parser.HTMLParser):
    """Texts of the cells, and every tag met."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "td":
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data


@pytest.mark.parametrize("name", [name for name in AWKWARD if name.isprintable()])
def test_html_shows_names_as_text(name: str) -> None:
    cells = Cells(exports.write(named(name), "html").decode())

    assert cells.texts[0].rstrip("\n") == name
    assert cells.tags == {"table", "thead", "tbody", "tr", "th", "td", "p"}


@pytest.mark.parametrize("name", [name for name in AWKWARD if name.isprintable()])
def test_markdown_shows_names_as_text(name: str) -> None:
    rendered = (
        MarkdownIt("commonmark").enable("table").render(exports.write(named(name), "markdown").decode())
    )
    cells = Cells(rendered)

    assert cells.texts[1].rstrip("\n") == name
    assert cells.tags == {"table", "thead", "tbody", "tr", "th", "td", "p"}


@pytest.mark.parametrize("name", [name for name in AWKWARD if name.isprintable()])
def test_latex_has_one_row_a_model_and_no_command_from_a_name(name: str) -> None:
    content = exports.write(named(name), "latex").decode()
    row = content.split("\\midrule\n")[1].split("\n\\bottomrule")[0]

    assert row.endswith(r" \\")
    assert "\n" not in row
    assert len(re.findall(r"(?<!\\)&", row)) == len(exports.SHOWN) - 1
    assert "\\input" not in content
    assert not re.search(r"(?<!\\)[%#_]", row)


@pytest.mark.parametrize("as_", ["table", "markdown", "html", "latex"])
def test_control_characters_are_made_visible(as_: str) -> None:
    content = exports.write(named("a\nb\x1b[31m"), as_).decode()

    assert "\x1b" not in content
    assert "x1b" in content


def test_the_table_takes_no_markup_from_names() -> None:
    assert "[bold]x[/bold]" in exports.write(named("[bold]x[/bold]"), "table").decode()


def test_the_table_folds_a_name_that_would_push_all_else_away() -> None:
    lines = exports.write(named("b" * 200), "table").decode().split("\n")

    assert max(len(line) for line in lines) <= 150
    assert len("".join(re.findall("bbb+", " ".join(lines)))) == 200


def test_the_table_gives_the_reason_of_a_status() -> None:
    assert "merlin-xl: separated, won every vote" in exports.write(board(), "table").decode()


@pytest.mark.parametrize("as_", ["table", "markdown", "html", "latex"])
def test_formats_for_people_say_what_was_counted(as_: str) -> None:
    content = exports.write(board(), as_).decode()

    for part in ("70 read, 60 used", "1 rejected", "2 duplicates", "3 not votes", "few voters", "0.250"):
        assert part in content


def test_the_rank_stands_before_the_ranks_that_the_votes_allow() -> None:
    above = replace(standing("merlin", 1300.0, None), high=None)
    nowhere = standing("plover", None, None)

    assert exports.shown_rank(nowhere) == "–"
    assert exports.shown_rank(replace(above, rank=2, rank_low=1, rank_high=4)) == "2 (1–4)"


@pytest.mark.parametrize("as_", list(exports.FORMATS))
def test_the_same_board_gives_the_same_bytes(as_: str) -> None:
    assert exports.write(board(), as_) == exports.write(board(), as_)


@pytest.mark.parametrize("as_", list(exports.FORMATS))
def test_a_board_without_models_can_be_written(as_: str) -> None:
    empty = replace(board(), models=(), coefficients=(), pairs=())

    assert exports.write(empty, as_) == b"" or as_ != "jsonl"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(BadInput, match="unknown format 'xlsx'"):
        exports.write(board(), "xlsx")


def test_models_with_one_reason_share_its_line() -> None:
    few = {"status": "preliminary", "why": "fewer than 30 votes"}
    rows = (standing("ant", 1010.0, **few), standing("bee", 1000.0), standing("cat", 990.0, **few))

    lines = exports.write(board(*rows), "table").decode().splitlines()

    assert [line for line in lines if "fewer than 30" in line] == [
        "ant, cat: preliminary, fewer than 30 votes"
    ]
