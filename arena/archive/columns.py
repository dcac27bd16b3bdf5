"""Votes as Arrow columns, for Parquet files: names as dictionaries, so that a million votes are small and quick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arena.votes import CODED, UNKNOWN, Vote, VoteTable

# Columns whose values are names -> the names of a VoteTable that they come from.
NAMED = {
    "model_a": ("models", "a"),
    "model_b": ("models", "b"),
    "voter": ("voters", "voter"),
    "prompt": ("prompts", "prompt"),
    "language": ("languages", "language"),
    "reason": ("reasons", "reason"),
}
PLAIN = ("outcome", "count", "weight", "at", "drawn_p", "side_known")
LABEL, TRAIT_A, TRAIT_B = "label:", "trait_a:", "trait_b:"  # prefixes of columns
OWN = (
    "battle",
    "rule",
    "dwell_seconds",
    "prompt_digest",
    "answer_a_digest",
    "answer_b_digest",
)  # own votes only


def to_arrow(table: VoteTable, votes: Sequence[Vote] | None = None) -> pa.Table:
    """The columns of `table`; with `votes` (the same rows) also what only this arena's own votes have."""
    columns: dict[str, Any] = {
        name: names_column(getattr(table, names), getattr(table, codes))
        for name, (names, codes) in NAMED.items()
    }
    for name in PLAIN:
        values = getattr(table, name)
        missing = np.isnan(values) if values.dtype.kind == "f" else None
        columns[name] = pa.array(values, mask=missing)
    for name, label in table.labels.items():
        columns[LABEL + name] = pa.array(label)
    for name, trait in table.traits.items():
        for prefix, side in ((TRAIT_A, 0), (TRAIT_B, 1)):
            values = np.ascontiguousarray(trait[:, side])
            columns[prefix + name] = pa.array(values, mask=np.isnan(values))
    if votes is not None:
        columns |= _own(votes)
    return pa.table(columns)


def from_arrow(columns: pa.Table, models: Sequence[str] = ()) -> VoteTable:
    """The VoteTable of these columns, in their order; names sorted. `models` may name some that have no vote."""
    found: dict[str, Any] = {}
    for field, codes in CODED.items():
        parts = [_codes(columns[name]) for name, (names, _) in NAMED.items() if names == field]
        united = _united([texts for texts, _ in parts], models if field == "models" else ())
        found[field] = tuple(united)
        for code_field, (texts, indices) in zip(codes, parts, strict=True):
            found[code_field] = _recoded(texts, indices, united)
    for name in PLAIN:
        found[name] = _plain(columns[name])
    names = columns.column_names
    found["labels"] = {n.removeprefix(LABEL): _flags(columns[n]) for n in names if n.startswith(LABEL)}
    traits = sorted(name.removeprefix(TRAIT_A) for name in names if name.startswith(TRAIT_A))
    found["traits"] = {
        name: np.column_stack([_plain(columns[TRAIT_A + name]), _plain(columns[TRAIT_B + name])])
        for name in traits
    }
    return VoteTable(**found)


def join(parts: Sequence[pa.Table]) -> pa.Table:
    """All rows of `parts`; a column that a part lacks is null there (a label false)."""
    joined = pa.concat_tables(parts, promote_options="permissive")
    return joined.unify_dictionaries()


def rename(columns: pa.Table, column: str, names: Mapping[str, str]) -> pa.Table:
    """The same rows with the values of one named column replaced as `names` says."""
    found = columns[column].unify_dictionaries().combine_chunks()
    if isinstance(found, pa.ChunkedArray):
        found = found.chunk(0) if found.num_chunks else pa.array([], pa.dictionary(pa.int32(), pa.string()))
    texts = [names.get(text, text) for text in found.dictionary.to_pylist()]
    # Two old names may have become one, which a dictionary must hold once.
    plain = pa.DictionaryArray.from_arrays(found.indices, pa.array(texts, pa.string())).cast(pa.string())
    place = columns.column_names.index(column)
    return columns.set_column(place, column, plain.dictionary_encode())


def names_column(names: Sequence[str], codes: npt.NDArray[np.int32]) -> pa.DictionaryArray:
    """Names by code (-1: null)."""
    indices = pa.array(codes, mask=codes == UNKNOWN)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))


def _own(votes: Sequence[Vote]) -> dict[str, Any]:
    digests = [vote.digests or (None, None, None) for vote in votes]
    return {
        "battle": pa.array([vote.vote_id for vote in votes], pa.string()),
        "rule": pa.array([vote.rule for vote in votes], pa.string()).dictionary_encode(),
        "dwell_seconds": pa.array([vote.dwell_seconds for vote in votes], pa.float64()),
        **{
            name: pa.array([digest[place] for digest in digests], pa.string()).dictionary_encode()
            for place, name in enumerate(OWN[3:])
        },
    }


def _codes(column: pa.ChunkedArray) -> tuple[list[str], npt.NDArray[np.int32]]:
    """The distinct texts of a dictionary column, and the index of each row (-1 for null)."""
    if column.num_chunks == 0:
        return [], np.zeros(0, dtype=np.int32)
    first = column.chunk(0).dictionary
    if not all(chunk.dictionary.equals(first) for chunk in column.chunks):
        column = column.unify_dictionaries()
        first = column.chunk(0).dictionary
    indices = [chunk.indices.fill_null(UNKNOWN).to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return first.to_pylist(), np.concatenate(indices).astype(np.int32, copy=False)


def _united(parts: Sequence[Sequence[str]], more: Sequence[str]) -> list[str]:
    if len(parts) == 1 and not more:
        return sorted(parts[0])  # as we write it: sorted already, which costs nothing
    return sorted(set(more).union(*parts))


def _recoded(
    texts: Sequence[str], codes: npt.NDArray[np.int32], united: Sequence[str]
) -> npt.NDArray[np.int32]:
    if texts == united:
        return codes
    place = {text: code for code, text in enumerate(united)}
    # The extra last entry maps -1 (none) to itself.
    lookup = np.array([place[text] for text in texts] + [UNKNOWN], dtype=np.int32)
    return lookup[codes]


def _plain(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    values = column.combine_chunks()
    if pa.types.is_floating(column.type):
        values = values.fill_null(float("nan"))
    found: npt.NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return np.array(found)  # Arrow's memory is read-only


def _flags(column: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    return np.array(column.combine_chunks().fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_)
