"""A leaderboard as a file: one decorated function per format, every one giving bytes and taking no clock."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

from arena.errors import BadInput
from ratings import tables
from ratings.leaderboard import Coefficient, Leaderboard, Standing
from ratings.tables import count, estimate, interval, number, percent, ranks

COLUMNS = tuple(field.name for field in fields(Standing))
WHOLE = (
    "rank", "rank_low", "rank_high", "votes", "wins", "losses", "ties", "both_bad", "component",
)  # fmt: skip
TEXTS = ("model", "status", "why")
# What a spreadsheet takes for a formula, in full-width signs too; also behind apostrophes, so that taking one away brings the text back.
FORMULA = re.compile(r"'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]")
SHOWN = (
    "Rank", "Model", "Rating", "95 % interval", "Votes", "Win rate", "Ties", "Both bad", "Status",
)  # fmt: skip
FOR_PEOPLE = ("table", "markdown", "latex", "html")  # numbers rounded; notes and warnings beside them
NUMBERS = (0, 2, 3, 4, 5, 6, 7)  # columns of numbers; the others are words


@dataclass(frozen=True)
class Format:
    """One way to write a leaderboard."""

    name: str
    ending: str
    mimetype: str
    write: Callable[[Leaderboard], bytes]


FORMATS: dict[str, Format] = {}


def export_format(
    name: str, ending: str, mimetype: str
) -> Callable[[Callable[[Leaderboard], bytes]], Callable[[Leaderboard], bytes]]:
    """Make the function below it the writer of a format."""

    def register(write: Callable[[Leaderboard], bytes]) -> Callable[[Leaderboard], bytes]:
        FORMATS[name] = Format(name, ending, mimetype, write)
        return write

    return register


def write(board: Leaderboard, as_: str) -> bytes:
    """`board` in the format of that name; raises `BadInput` for a name that is not one of `FORMATS`."""
    if as_ not in FORMATS:
        raise BadInput(f"unknown format {as_!r}; known: {', '.join(FORMATS)}")
    return FORMATS[as_].write(board)


def csv_text(text: str) -> str:
    """`text` as a cell that no spreadsheet takes for a formula: an apostrophe stands before it where needed."""
    return "'" + text if FORMULA.match(text) else text


def plain_text(cell: str) -> str:
    """The text that `csv_text` made `cell` of."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


@export_format("table", "txt", "text/plain")
def _table(board: Leaderboard) -> bytes:
    """Plain text; reasons stand below the table, so that its lines stay short."""
    columns, rows = _shown(board)
    short = tuple((*cells[:-1], row.status) for row, cells in zip(board.models, rows, strict=True))
    lines = [*tables.plain_lines((columns, short), NUMBERS), ""]
    lines += [tables.visible(line) for line in _reasons(board) + _notes(board)]
    return ("\n".join(lines) + "\n").encode()


def _reasons(board: Leaderboard) -> list[str]:
    """One line for each reason, with all the models it holds for."""
    models: dict[str, list[str]] = {}
    for row in (row for row in board.models if row.why):
        models.setdefault(f"{row.status}, {row.why}", []).append(row.model)
    return [f"{', '.join(names)}: {reason}" for reason, names in models.items()]


@export_format("csv", "csv", "text/csv")
def _csv(board: Leaderboard) -> bytes:
    rows = [COLUMNS, *(asdict(row).values() for row in board.models)]
    return "".join(",".join(map(_csv_cell, row)) + "\n" for row in rows).encode()


def _csv_cell(value: object) -> str:
    if isinstance(value, str):
        cell = csv_text(value)
        # The csv module leaves a lone carriage return bare, and readers then see two rows.
        return '"' + cell.replace('"', '""') + '"' if re.search(r'[",\r\n]', cell) else cell
    return "" if value is None else str(value)


@export_format("json", "json", "application/json")
def _json(board: Leaderboard) -> bytes:
    return (board.to_json() + "\n").encode()


@export_format("jsonl", "jsonl", "application/jsonl")
def _jsonl(board: Leaderboard) -> bytes:
    lines = (json.dumps(asdict(row), allow_nan=False, ensure_ascii=False) + "\n" for row in board.models)
    return "".join(lines).encode()


@export_format("lmsys", "json", "application/json")
def _lmsys(board: Leaderboard) -> bytes:
    """The catalogue form of LMSYS's published boards; models without a rating are not in it."""
    rated = {
        row.model: {
            "rating": row.rating,
            "variance": None if row.se is None else row.se**2,
            "rating_q975": row.high,
            "rating_q025": row.low,
            "num_battles": row.votes,
            "final_ranking": row.rank,
        }
        for row in board.models
        if row.rating is not None
    }
    return (json.dumps({"full": rated}, allow_nan=False, ensure_ascii=False, indent=1) + "\n").encode()


@export_format("markdown", "md", "text/markdown")
def _markdown(board: Leaderboard) -> bytes:
    parts = [tables.markdown_table(_shown(board), NUMBERS), *map(tables.marked, _notes(board))]
    return ("\n\n".join(parts) + "\n").encode()


@export_format("latex", "tex", "application/x-tex")
def _latex(board: Leaderboard) -> bytes:
    """A table with its notes as comments."""
    notes = "".join(f"\n% {tables.visible(line)}" for line in _notes(board))
    return (tables.latex(_shown(board), NUMBERS) + notes + "\n").encode()


@export_format("html", "html", "text/html")
def _html(board: Leaderboard) -> bytes:
    """A fragment: one table and its notes, every text escaped."""
    return (
        tables.html_table(_shown(board), "leaderboard") + "\n" + tables.paragraphs(_notes(board))
    ).encode()


@export_format("parquet", "parquet", "application/vnd.apache.parquet")
def _parquet(board: Leaderboard) -> bytes:
    """Typed columns; the snapshot, coefficients, dropped names and warnings stand in the file's metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [asdict(row) for row in board.models]
    columns = {name: pa.array([row[name] for row in rows], type=_arrow_type(pa, name)) for name in COLUMNS}
    rest = {key: value for key, value in board.to_object().items() if key != "models"}
    metadata = {"leaderboard": json.dumps(rest, allow_nan=False, ensure_ascii=False)}
    out = io.BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), out, compression="zstd")
    return out.getvalue()


def _arrow_type(pa: Any, name: str) -> Any:
    return pa.string() if name in TEXTS else pa.int64() if name in WHOLE else pa.float64()


def _shown(board: Leaderboard) -> tables.Table:
    """The board for people, rounded."""
    rows = (
        (
            shown_rank(row),
            row.model,
            number(row.rating),
            interval(row.low, row.high),
            count(row.votes),
            percent(row.win_rate),
            count(row.ties),
            count(row.both_bad),
            row.status if row.why is None else f"{row.status}: {row.why}",
        )
        for row in board.models
    )
    return SHOWN, tuple(rows)


def shown_rank(row: Standing) -> str:
    """Such as `2 (1–3)`: the rank and the interval that holds all true ranks at once with 95 % confidence."""
    if row.rank is None or row.rank_low == row.rank_high or None in (row.rank_low, row.rank_high):
        return count(row.rank)
    return f"{row.rank} ({ranks(row.rank_low, row.rank_high)})"


def _notes(board: Leaderboard) -> list[str]:
    """What must stand beside the numbers: coefficients, votes counted and not counted, warnings, the snapshot."""
    snapshot = board.snapshot
    apart = {
        "rejected": snapshot.rejected,
        "duplicates": snapshot.duplicates,
        "not votes": snapshot.not_votes,
    }
    left_out = {**{name: count for name, count in apart.items() if count}, **snapshot.excluded}
    reasons = "".join(f", {count:,} {name}" for name, count in left_out.items())
    notes = [_coefficient_note(one) for one in board.coefficients]
    notes += [
        f"Votes: {snapshot.votes_read:,} read, {snapshot.votes_used:,} used{reasons}; {snapshot.voters_said}."
    ]
    notes += [f"Warning: {warning}" for warning in board.warnings]
    return [*notes, f"Snapshot {snapshot.id[:12]}, method {snapshot.method_version}, seed {snapshot.seed}."]


def _coefficient_note(one: Coefficient) -> str:
    value = estimate(one.value, one.low, one.high, 3)
    unit = (
        ""
        if one.elo is None
        else " log-odds for the left side"
        if one.name == "side"
        else " log-odds per RMS"
    )
    points = "" if one.elo is None else f", {number(one.elo)} Elo"
    place = "" if one.component in (None, 1) else f", component {one.component}"
    return f"{one.name}: {value}{unit}{points}{place}."
