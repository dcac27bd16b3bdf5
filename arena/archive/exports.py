"""Votes as files for others: CSV, JSON lines and Parquet, in the columns of the generic vote table."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from arena.archive.columns import OWN, names_column
from arena.votes import CODED, UNKNOWN, Outcome, VoteTable

ROWS = 50_000  # written at once
# How a cell begins that a spreadsheet would compute; some take the full-width signs for the plain ones.
FORMULA = r"^('*[=+\-@\t\r\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}])"

# Column -> what it means. In this order in every format.
VOTES: Mapping[str, str] = {
    "battle_id": "name of the battle in this very set of votes; empty for imports, forgotten voters and votes of a release",
    "model_a": "model on the left",
    "model_b": "model on the right",
    "winner": "model_a, model_b, tie or both_bad",
    "tstamp": "seconds since 1970 UTC; of votes cast here cut, to the minute unless the owner set another step",
    "voter": "a visitor under a name that holds for this very set of votes, or the voter of the imported file",
    "prompt": "id of the prompt",
    "language": "language of the prompt (BCP-47)",
    "category": "categories of the prompt, a JSON list",
    "count": "how many equal votes the row stands for",
    "weight": "weight that the source gave the vote",
    "side_known": "false: the source does not tell who was on the left",
    "drawn_p": "probability with which the sampler drew this pair",
    "rule": "the sampler's rule and version",
    "excluded": "why the vote does not count; empty: it counts",
    "conv_metadata": "traits of both answers, named as LMSYS does",
    "traits": "traits of both answers, {name: [a, b]}",
}
BATTLES: Mapping[str, str] = {
    **VOTES,
    "dwell_seconds": "from opening the battle to the vote",
    "prompt_digest": "SHA-256 (first 128 bits) of the prompt's text",
    "answer_a_digest": "the same of the left answer",
    "answer_b_digest": "the same of the right answer",
}
LMSYS = {
    "length": "sum_assistant_{}_tokens",
    "headers": "header_count_{}",
    "lists": "list_count_{}",
    "bold": "bold_count_{}",
}
NESTED = ("category", "conv_metadata", "traits")


@dataclass(frozen=True)
class ExportFilter:
    """Which votes leave the house."""

    before: float | None = None  # seconds UTC: only votes cast before
    hidden: Collection[str] = ()  # models whose votes stay here


def public(votes: VoteTable, own: pa.Table | None, choice: ExportFilter) -> tuple[VoteTable, pa.Table | None]:
    """The rows that `choice` lets out. A vote without a time is old."""
    keep = np.ones(len(votes), dtype=np.bool_)
    if choice.before is not None:
        keep &= ~(votes.at >= choice.before)
    for name in choice.hidden:
        if name in votes.models:
            code = votes.models.index(name)
            keep &= (votes.a != code) & (votes.b != code)
    return _only_named(votes.take(keep)), None if own is None else _plain(own.filter(pa.array(keep)))


def _only_named(votes: VoteTable) -> VoteTable:
    """The same rows without names that no row uses: in Parquet a dictionary would show them."""
    changed: dict[str, Any] = {}
    for field, codes in CODED.items():
        used = np.unique(np.concatenate([getattr(votes, name) for name in codes]))
        used = used[used != UNKNOWN]
        # One place more than names: code -1 (none) reads and keeps the last entry.
        lookup = np.full(len(getattr(votes, field)) + 1, UNKNOWN, dtype=np.int32)
        lookup[used] = np.arange(len(used), dtype=np.int32)
        changed[field] = tuple(getattr(votes, field)[code] for code in used)
        changed |= {name: lookup[getattr(votes, name)] for name in codes}
    return replace(votes, **changed)


def _plain(own: pa.Table) -> pa.Table:
    """Dictionaries as texts, for the same reason."""
    kinds = [pa.string() if pa.types.is_dictionary(field.type) else field.type for field in own.schema]
    return own.cast(pa.schema(list(zip(own.column_names, kinds, strict=True))))


def columns(votes: VoteTable, own: pa.Table | None = None, *, wanted: Mapping[str, str] = VOTES) -> pa.Table:
    """The table that is written. `own`: columns `arena.archive.columns.OWN` of the same rows."""
    words = pa.array([outcome.word for outcome in Outcome])
    found: dict[str, Any] = {
        "battle_id": _own(own, "battle", len(votes)),
        "model_a": names_column(votes.models, votes.a),
        "model_b": names_column(votes.models, votes.b),
        "winner": pa.DictionaryArray.from_arrays(pa.array(votes.outcome), words),
        "tstamp": _numbers(votes.at),
        "voter": names_column(votes.voters, votes.voter),
        "prompt": names_column(votes.prompts, votes.prompt),
        "language": names_column(votes.languages, votes.language),
        "category": _labels(votes),
        "count": pa.array(votes.count),
        "weight": pa.array(votes.weight),
        "side_known": pa.array(votes.side_known),
        "drawn_p": _numbers(votes.drawn_p),
        "rule": _own(own, "rule", len(votes)),
        "excluded": names_column(votes.reasons, votes.reason),
        "conv_metadata": _lmsys(votes),
        "traits": _traits(votes),
    }
    for name in OWN[2:]:
        found[name] = _own(own, name, len(votes))
    return pa.table({name: found[name] for name in wanted})


def write(table: pa.Table, format: str, file: IO[bytes]) -> None:
    """Write the table as csv, jsonl, parquet, or (lmsys) as the JSON lines of LMSYS's battles."""
    WRITERS[format](table, file)


def losses(votes: VoteTable, format: str) -> tuple[str, ...]:
    """What `format` cannot hold of these votes, a line each."""
    if format != "lmsys":
        return ()
    counts = votes.reason == UNKNOWN
    found = {
        "do not count and are left out": ~counts,
        "have a weight; it stands in a field that other tools do not read": counts & (votes.weight != 1),
        "do not tell which model was on the left; model_a will be taken for it": counts & ~votes.side_known,
        "lose the chance of their draw": counts & ~np.isnan(votes.drawn_p),
    }
    numbers = {what: int(votes.count[rows].sum()) for what, rows in found.items()}
    return tuple(f"{format}: {number:,} votes {what}" for what, number in numbers.items() if number)


def _csv(table: pa.Table, file: IO[bytes]) -> None:
    """Nested values as JSON; text cells that a spreadsheet would compute get an apostrophe. Numbers stay as they are."""
    plain = pyarrow.csv.WriteOptions(include_header=False, quoting_style="needed")
    file.write((",".join(table.column_names) + "\n").encode())
    for start in range(0, len(table), ROWS):
        part = table.slice(start, ROWS)
        cells = {name: _cells(part[name], name in NESTED) for name in part.column_names}
        pyarrow.csv.write_csv(pa.table(cells), file, plain)


def _cells(column: pa.ChunkedArray, is_nested: bool) -> pa.ChunkedArray:
    if is_nested:
        values = [None if value is None else _json(_dense(value)) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(values, pa.string())])
    if pa.types.is_floating(column.type):
        return pa.chunked_array(
            [pa.array([None if x is None else repr(x) for x in column.to_pylist()], pa.string())]
        )
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        escaped = pc.call_function(
            "replace_substring_regex",
            [column.cast(pa.string())],
            pc.ReplaceSubstringOptions(FORMULA, r"'\1"),
        )
        return escaped
    return column


def _jsonl(table: pa.Table, file: IO[bytes]) -> None:
    for batch in table.to_batches(max_chunksize=ROWS):
        lines = (
            _json({key: _dense(value) for key, value in row.items()}) + "\n" for row in batch.to_pylist()
        )
        file.write("".join(lines).encode("utf-8"))


def _parquet(table: pa.Table, file: IO[bytes]) -> None:
    pq.write_table(table, file, compression="zstd")


def _lmsys_lines(table: pa.Table, file: IO[bytes]) -> None:
    """JSON lines as LMSYS publishes battles, for tools that read those: votes that count, one line each."""
    number = 0
    for batch in table.to_batches(max_chunksize=ROWS):
        for row in batch.to_pylist():
            if row["excluded"] is not None:
                continue
            traits = _dense(row["conv_metadata"] or {})
            vote = {
                "model_a": row["model_a"],
                "model_b": row["model_b"],
                "winner": "tie (bothbad)" if row["winner"] == "both_bad" else row["winner"],
                "judge": row["voter"],
                "turn": 1,
                "anony": True,
                "language": row["language"],
                "tstamp": row["tstamp"],
                # There, counts are told by kind (h1 to h6 and so on), and readers sum the kinds.
                "conv_metadata": {
                    key: value if key.endswith("_tokens") else {"all": value} for key, value in traits.items()
                },
                "category_tag": {"arena": dict.fromkeys(row["category"] or (), True)},
            }
            if row["weight"] != 1.0:
                vote["weight"] = row["weight"]  # what LMSYS does not have; our own reader takes it
            for _ in range(row["count"]):
                number += 1
                file.write(
                    (_json({"question_id": row["battle_id"] or f"row-{number}", **vote}) + "\n").encode()
                )


WRITERS: Mapping[str, Callable[[pa.Table, IO[bytes]], None]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "parquet": _parquet,
    "lmsys": _lmsys_lines,
}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _dense(value: Any) -> Any:
    """A mapping without its empty fields."""
    return (
        {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value
    )


def _own(own: pa.Table | None, name: str, n: int) -> Any:
    return pa.nulls(n, pa.float64() if name == "dwell_seconds" else pa.string()) if own is None else own[name]


def _numbers(values: npt.NDArray[np.float64]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))


def _labels(votes: VoteTable) -> pa.Array:
    """The categories of each row, as a list."""
    if not votes.labels:
        return pa.nulls(len(votes), pa.list_(pa.string()))
    names = np.array(list(votes.labels), dtype=object)
    flags = np.column_stack(list(votes.labels.values()))
    offsets = np.concatenate([[0], np.cumsum(flags.sum(axis=1))]).astype(np.int32)
    values = names[np.nonzero(flags)[1]]
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values, pa.string()))


def _lmsys(votes: VoteTable) -> pa.Array:
    fields = [
        (key.format(side), _numbers(np.ascontiguousarray(votes.traits[name][:, place])))
        for name, key in LMSYS.items()
        if name in votes.traits
        for place, side in enumerate("ab")
    ]
    return _struct(fields, len(votes))


def _traits(votes: VoteTable) -> pa.Array:
    fields = []
    for name, values in votes.traits.items():
        known = ~np.isnan(values).any(axis=1)
        flat = np.ascontiguousarray(values[known]).ravel()
        offsets = np.concatenate([[0], np.cumsum(known * 2)]).astype(np.int32)
        mask = pa.array(~known)
        fields.append((name, pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat), mask=mask)))
    return _struct(fields, len(votes))


def _struct(fields: Sequence[tuple[str, pa.Array]], n: int) -> pa.Array:
    if not fields:
        return pa.nulls(n, pa.struct([("length", pa.list_(pa.float64()))]))
    names = [name for name, _ in fields]
    arrays = [array for _, array in fields]
    # A vote without any trait has none, rather than a set of empty ones.
    missing = np.ones(n, dtype=np.bool_)
    for array in arrays:
        missing &= np.asarray(array.is_null().to_numpy(zero_copy_only=False))
    return pa.StructArray.from_arrays(arrays, names, mask=pa.array(missing))
