"""A leaderboard as a file: one decorated function per format, every one giving bytes and taking no clock."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from arena.errors import BadInput
from ratings.leaderboard import Coefficient, Leaderboard, Standing

COLUMNS = tuple(field.name for field in fields(Standing))
WHOLE = (
    "rank", "rank_low", "rank_high", "votes", "wins", "losses", "ties", "both_bad", "component",
)  # fmt: skip
TEXTS = ("model", "status", "why")
# What a spreadsheet takes for a formula, in full-width signs too; also behind apostrophes, so that taking one away brings the text back.
FORMULA = re.compile(r"'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]")
UNKNOWN = "–"
SHOWN = (
    "Rank", "Model", "Rating", "95 % interval", "Votes", "Win rate", "Ties", "Both bad", "Status",
)  # fmt: skip
FOR_PEOPLE = ("table", "markdown", "latex", "html")  # numbers rounded; notes and warnings beside them
LEFT = (1, 8)  # columns of words; the others are numbers
NAME_WIDTH = 60  # a longer name is folded in the plain table


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
    """Plain text of the same width on any terminal; reasons stand below it, so that its lines stay short."""
    from rich import box  # here and below: parts that take long to load, needed by one format only
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, width=10_000, color_system=None, legacy_windows=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, heading in enumerate(SHOWN):
        is_words = place in LEFT
        table.add_column(
            heading, justify="left" if is_words else "right", overflow="fold", max_width=NAME_WIDTH
        )
    for row, cells in zip(board.models, _shown_rows(board), strict=True):
        table.add_row(*(Text(_one_line(cell)) for cell in (*cells[:-1], row.status)))
    console.print(table)
    for line in _reasons(board) + _notes(board):
        console.print(Text(_one_line(line)))
    lines = [line.rstrip() for line in out.getvalue().split("\n")]
    return ("\n".join(lines).strip("\n") + "\n").encode()


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
    rule = ["---" if place in LEFT else "---:" for place in range(len(SHOWN))]
    rows = [SHOWN, rule, *([_markdown_text(cell) for cell in cells] for cells in _shown_rows(board))]
    lines = "".join("| " + " | ".join(cells) + " |\n" for cells in rows)
    notes = "".join(f"\n{_markdown_text(line)}\n" for line in _notes(board))
    return (lines + notes).encode()


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~$&])", r"\\\1", _one_line(text))


LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--", "∞": r"$\infty$", "−": "$-$", "·": r"$\cdot$",
}  # fmt: skip


@export_format("latex", "tex", "application/x-tex")
def _latex(board: Leaderboard) -> bytes:
    r"""A booktabs table; its document needs \usepackage{booktabs} (and a Unicode engine for names beyond Latin)."""
    columns = "".join("l" if place in LEFT else "r" for place in range(len(SHOWN)))
    lines = [r"\begin{tabular}{" + columns + "}", r"\toprule", _latex_row(SHOWN), r"\midrule"]
    lines += [_latex_row(cells) for cells in _shown_rows(board)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += ["% " + _one_line(line) for line in _notes(board)]
    return ("\n".join(lines) + "\n").encode()


def _latex_row(cells: Sequence[str]) -> str:
    shown = ["".join(LATEX.get(letter, letter) for letter in _one_line(cell)) for cell in cells]
    # A cell that begins with [ would be read as the optional argument of the \\ before it.
    return " & ".join("{}" + cell if cell.startswith("[") else cell for cell in shown) + r" \\"


@export_format("html", "html", "text/html")
def _html(board: Leaderboard) -> bytes:
    """A fragment: one table and its notes, every text escaped."""
    head = "".join(f'<th scope="col">{html.escape(heading)}</th>' for heading in SHOWN)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_one_line(cell))}</td>" for cell in cells) + "</tr>\n"
        for cells in _shown_rows(board)
    )
    notes = "".join(f"<p>{html.escape(_one_line(line))}</p>\n" for line in _notes(board))
    table = (
        f'<table class="leaderboard">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n'
    )
    return (table + notes).encode()


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


def _shown_rows(board: Leaderboard) -> list[tuple[str, ...]]:
    """The cells under `SHOWN`, rounded for people."""
    return [
        (
            shown_rank(row),
            row.model,
            number(row.rating),
            shown_interval(row),
            f"{row.votes:,}",
            UNKNOWN if row.win_rate is None else f"{row.win_rate:.1%}",
            f"{row.ties:,}",
            f"{row.both_bad:,}",
            row.status if row.why is None else f"{row.status}: {row.why}",
        )
        for row in board.models
    ]


def shown_rank(row: Standing) -> str:
    """Such as `2 (1–3)`: the rank and the interval that holds all true ranks at once with 95 % confidence."""
    if row.rank is None:
        return UNKNOWN
    if row.rank_low is None or row.rank_high is None or row.rank_low == row.rank_high:
        return str(row.rank)
    return f"{row.rank} ({row.rank_low}–{row.rank_high})"


def shown_interval(row: Standing) -> str:
    """Such as `1005.2 – 1230.4`; an open side is an infinity, and both unknown are one dash."""
    if row.low is None and row.high is None:
        return UNKNOWN
    low = "−∞" if row.low is None else number(row.low)
    high = "∞" if row.high is None else number(row.high)
    return f"{low} – {high}"


def number(value: float | None, digits: int = 1) -> str:
    """`value` rounded, with a true minus; a dash when it is not known."""
    if value is None:
        return UNKNOWN
    return f"{value:.{digits}f}".replace("-", "−")


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
    bounds = "" if one.low is None or one.high is None else f" [{number(one.low, 3)}, {number(one.high, 3)}]"
    unit = (
        ""
        if one.elo is None
        else " log-odds for the left side"
        if one.name == "side"
        else " log-odds per RMS"
    )
    points = "" if one.elo is None else f", {number(one.elo)} Elo"
    place = "" if one.component in (None, 1) else f", component {one.component}"
    return f"{one.name}: {number(one.value, 3)}{bounds}{unit}{points}{place}."


def _one_line(text: str) -> str:
    """`text` with control characters made visible, for formats that people read."""
    return "".join(letter if letter.isprintable() else _visible(letter) for letter in text)


def _visible(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
