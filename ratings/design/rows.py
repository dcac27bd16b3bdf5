"""From a vote table to rows in one canonical order: coded once, sorted by pair and voter, shared by all boards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.errors import BadInput
from arena.votes import UNKNOWN, Outcome, VoteTable
from ratings.scale import Bools, Floats

Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
Features = npt.NDArray[np.float32]
Outcomes = npt.NDArray[np.int8]
Words = npt.NDArray[np.uint64]

SIDE = "side"  # the covariate of position
TIE = 2  # both kinds of tie, once they need not be told apart


@dataclass(frozen=True)
class Prepared:
    """A vote table made ready for any number of boards. Names are sorted, rows oriented so that a <= b.

    Rows are in order of (a, b, voter, outcome); what is not here is read from `table` through `row`.
    """

    table: VoteTable  # without its traits
    models: tuple[str, ...]
    voters: tuple[str, ...]
    row: npt.NDArray[np.uint32]  # (n,) place in the table
    a: Codes  # (n,) index into models
    b: Codes
    outcome: Outcomes  # (n,) Outcome as seen from a
    voter: Codes  # (n,) index into voters; -1: its own voter
    side: npt.NDArray[np.int8]  # (n,) 1: a stood left, -1: right, 0: not known
    traits: Mapping[str, Features]  # name -> (n,) ratio of a minus b; nan: missing


@dataclass(frozen=True)
class Rows:
    """The votes of one board, equal rows merged, in an order that depends on their content only."""

    a: Codes  # (n,) a < b
    b: Codes
    outcome: Outcomes  # (n,) 0: a won, 1: b won, TIE
    voter: Codes
    count: Counts  # (n,) votes the row stands for
    weight: Floats  # (n,) weight of each of them
    x: Features  # (n, F) covariates of a minus b


def prepare(table: VoteTable, traits: Iterable[str] = ()) -> Prepared:
    """Code and sort `table` once, with the ratios of `traits`. Raises `BadInput` on what no vote table may hold."""
    wanted = sorted(set(traits))
    check(table, wanted)
    models, recode_model = by_name(table.models)
    voters, recode_voter = by_name(table.voters)
    left, right = recode_model[table.a], recode_model[table.b]
    flipped = left > right
    a, b = np.minimum(left, right), np.maximum(left, right)
    outcome = np.where(flipped & (table.outcome < TIE), 1 - table.outcome, table.outcome).astype(np.int8)
    voter = recode_voter[table.voter]
    order = np.argsort(keys(a, b, voter, outcome, len(models), len(voters)), kind="stable")
    row = order.astype(np.uint32)
    flipped = flipped[row]
    side = np.where(flipped, -1, 1).astype(np.int8)
    return Prepared(
        table=replace(table, traits={}),
        models=models,
        voters=voters,
        row=row,
        a=a[row],
        b=b[row],
        outcome=outcome[row],
        voter=voter[row],
        side=np.where(table.side_known[row], side, 0).astype(np.int8),
        traits={name: _oriented(ratio(table.traits[name]), row, flipped) for name in wanted},
    )


def check(table: VoteTable, traits: Sequence[str]) -> None:
    """Raise `BadInput` unless every column is what `VoteTable` says; infinities never reach a kernel."""
    n, k = len(table), len(table.models)
    for name in ("a", "b"):
        require(_within(getattr(table, name), 0, k), f"column {name}: not an index into the models")
    require(_within(table.outcome, 0, len(Outcome)), "column outcome: not an outcome")
    require(_within(table.voter, UNKNOWN, len(table.voters)), "column voter: not an index into the voters")
    require(bool((table.count >= 0).all()), "column count: negative")
    require(
        bool((np.isfinite(table.weight) & (table.weight > 0)).all()), "column weight: not a positive number"
    )
    for name in traits:
        known = ", ".join(table.traits) or "none"
        require(name in table.traits, f"no trait {name!r} in these votes; known: {known}")
        trait = table.traits[name]
        require(trait.shape == (n, 2), f"trait {name}: not two columns")
        require(not bool((np.isinf(trait) | (trait < 0)).any()), f"trait {name}: negative or infinite")


def require(holds: bool, message: str) -> None:
    if not holds:
        raise BadInput(message)


def _within(codes: npt.NDArray[np.integer], low: int, high: int) -> bool:
    return len(codes) == 0 or (int(codes.min()) >= low and int(codes.max()) < high)


def by_name(names: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """Names in order, and for each old index the new one (a last entry keeps -1)."""
    if all(first < second for first, second in pairwise(names)):
        return tuple(names), np.append(np.arange(len(names)), UNKNOWN).astype(np.int32)
    ordered = tuple(sorted(set(names)))
    require(len(ordered) == len(names), "a name stands twice in the table's names")
    index = {name: code for code, name in enumerate(ordered)}
    return ordered, np.array([index[name] for name in names] + [UNKNOWN], dtype=np.int32)


def keys(a: Codes, b: Codes, voter: Codes, outcome: Outcomes, models: int, voters: int) -> Counts:
    """(n,) one number that sorts by a, b, voter and outcome."""
    key = a.astype(np.int64)
    for column, values in ((b, models), (voter + 1, voters + 1), (outcome, len(Outcome))):
        key *= values
        key += column
    return key


def ratio(trait: Floats) -> Floats:
    """(a - b) / (a + b) of an (n, 2) trait; 0 where both are 0, nan where one is missing."""
    total = trait[:, 0] + trait[:, 1]
    return np.where(total == 0, 0.0, (trait[:, 0] - trait[:, 1]) / np.where(total == 0, 1.0, total))


def _oriented(values: Floats, row: npt.NDArray[np.uint32], flipped: Bools) -> Features:
    turned = values.astype(np.float32)[row]
    np.negative(turned, out=turned, where=flipped)
    # Adding zero turns -0.0 into 0.0, so that equal rows have equal bits.
    turned += np.float32(0.0)
    return turned


def canonical(rows: Rows) -> Rows:
    """Rows sorted by (a, b, voter, outcome) put into an order by content alone, equal rows merged."""
    if len(rows.a) == 0:
        return rows
    alike = _same_as_before(rows.voter, rows.a, rows.b, rows.outcome)
    rest = [*rows.x.T] if rows.x.shape[1] else []
    if not (rows.weight == rows.weight[0]).all():
        rest.append(rows.weight)
    if rest and alike.any():
        rows = _take(rows, _order(alike, rest))
        rest = [*rows.x.T, rows.weight]
        alike &= _same_as_before(*rest)
    if not alike.any():
        return rows
    starts = np.flatnonzero(~alike)
    merged = _take(rows, starts)
    return replace(merged, count=one_value(np.add.reduceat(rows.count, starts)))


def _same_as_before(*columns: npt.NDArray[np.generic]) -> Bools:
    """(n,) the row equals the one before it in all columns."""
    same = np.zeros(len(columns[0]), dtype=np.bool_)
    same[1:] = True
    for column in columns:
        same[1:] &= column[1:] == column[:-1]
    return same


def _take(rows: Rows, index: npt.NDArray[np.intp]) -> Rows:
    return Rows(**{name: pick(getattr(rows, name), index) for name in rows.__dataclass_fields__})


def pick(values: Any, index: Any) -> Any:
    """values[index]; a column that holds one value for all rows stays one value."""
    if values.ndim == 1 and len(values) > 0 and values.strides[0] == 0 and not isinstance(index, slice):
        return np.broadcast_to(values[0], len(index))
    return values[index]


def one_value(values: Any) -> Any:
    """The column as one value for all rows where it is that, with no memory of its own."""
    same = len(values) > 0 and bool((values == values[0]).all())
    return np.broadcast_to(values[0], len(values)) if same else values


def one_value_at(values: Any, index: Any) -> Any:
    """`one_value` of values[index]; where all values are one, nothing is gathered."""
    everywhere = one_value(values)
    if len(values) > 0 and everywhere.strides[0] == 0:
        return np.broadcast_to(everywhere[0], len(index))
    return one_value(values[index])


def _order(alike: Bools, columns: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.intp]:
    """An order that leaves each run of rows (equal to the one before) in place and sorts it by content."""
    inside = alike.copy()
    inside[:-1] |= alike[1:]
    places = np.flatnonzero(inside)
    run = np.cumsum(~alike, dtype=np.int64)[places]
    content = _mixed([column[places] for column in columns])
    within = np.lexsort((content, run))
    if _collide(run[within], content[within], [column[places][within] for column in columns]):
        # Two different rows share one 64-bit mix: sort by the columns themselves.
        within = np.lexsort([*(column[places] for column in columns), run])
    order = np.arange(len(alike))
    order[places] = places[within]
    return order


def _collide(run: Counts, content: Words, columns: Sequence[npt.NDArray[np.floating]]) -> bool:
    same = (run[1:] == run[:-1]) & (content[1:] == content[:-1])
    return any(bool((column[1:] != column[:-1])[same].any()) for column in columns)


def _mixed(columns: Sequence[npt.NDArray[np.floating]]) -> Words:
    """A 64-bit mix of the bits of the columns (the finaliser of splitmix64), used only to find an order."""
    words = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        words ^= column.astype(np.float64).view(np.uint64)
        words += np.uint64(0x9E3779B97F4A7C15)
        words ^= words >> np.uint64(30)
        words *= np.uint64(0xBF58476D1CE4E5B9)
        words ^= words >> np.uint64(27)
        words *= np.uint64(0x94D049BB133111EB)
        words ^= words >> np.uint64(31)
    return words
