"""From a vote table to the rows of a fit: filters, exclusions with their counts, one canonical order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.errors import BadInput
from arena.votes import UNKNOWN, Outcome, VoteTable
from ratings.leaderboard import Plan
from ratings.scale import Bools, Floats

Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
Features = npt.NDArray[np.float32]

SIDE = "side"  # the covariate of position
A_WINS, B_WINS, TIE = 0, 1, 2  # outcome of an oriented row; both-bad is a tie here


@dataclass(frozen=True)
class Rows:
    """Votes used, oriented so that a < b, equal rows merged, in an order that depends on their content only.

    Names are sorted, so the same votes give the same rows, whatever the order of the input.
    """

    models: tuple[str, ...]
    a: Codes  # (n,) index into models
    b: Codes  # (n,) index into models, above a
    outcome: npt.NDArray[np.int8]  # (n,) A_WINS, B_WINS, TIE
    voter: Codes  # (n,) position of the voter's name among all names; -1: its own voter
    count: Counts  # (n,) votes the row stands for
    weight: Floats  # (n,) weight of each of them
    x: Features  # (n, F) covariates of a minus b: style ratios, then side
    names: tuple[str, ...]  # (F,) names of the covariates


@dataclass(frozen=True)
class Record:
    """Votes used, (K,) or (P,) each, as seen from a model (or from the first of a pair)."""

    wins: Counts
    losses: Counts
    ties: Counts
    both_bad: Counts

    @property
    def votes(self) -> Counts:
        return self.wins + self.losses + self.ties + self.both_bad


@dataclass(frozen=True)
class Selection:
    """The rows a plan asks for, and what became of the others."""

    rows: Rows
    record: Record  # (K,) per model
    pair_a: Codes  # (P,) observed pairs, a < b
    pair_b: Codes
    pair_record: Record  # (P,) as seen from a
    voters: int  # distinct voters among the votes used; a vote without voter is its own
    used: int  # votes
    excluded: dict[str, int]  # reason -> votes


def select(table: VoteTable, plan: Plan) -> Selection:
    """The votes of `table` that `plan` counts, and the count of the others by reason.

    Beside the stored reasons: `outside_category`, `outside_language`, `outside_time` (not of this board),
    `self_battle`, `ties_dropped`, `missing_draw` (reweighting a vote whose draw is not recorded) and
    `missing_traits`. Raises `BadInput` on columns that no vote table may hold.
    """
    check(table, plan)
    keep, excluded = _exclude(table, plan)
    rows = np.flatnonzero(keep)
    models, recode = _by_name(table.models)
    left, right = recode[table.a[rows]], recode[table.b[rows]]
    flipped = left > right
    a, b = np.where(flipped, right, left), np.where(flipped, left, right)
    outcome = _oriented(table.outcome[rows], flipped)
    count = table.count[rows]
    pairs = _pair_records(len(models), a, b, outcome, count)
    voter = _voters(table, plan)[rows]
    x, names = _covariates(table, plan, rows, flipped)
    # From here on both kinds of tie are one.
    merged = np.minimum(outcome, TIE)
    canonical = _canonical(Rows(models, a, b, merged, voter, count, _weights(table, plan, rows), x, names))
    return Selection(
        rows=canonical,
        record=_model_record(len(models), *pairs),
        pair_a=pairs[0],
        pair_b=pairs[1],
        pair_record=pairs[2],
        voters=_count_voters(voter, count),
        used=int(count.sum()),
        excluded=excluded,
    )


def check(table: VoteTable, plan: Plan) -> None:
    """Raise `BadInput` unless every column is what `VoteTable` says; NaN and infinities never reach a kernel."""
    n, k = len(table), len(table.models)
    for name in ("a", "b"):
        _require(_within(getattr(table, name), 0, k), f"column {name}: not an index into the models")
    _require(_within(table.outcome, 0, len(Outcome)), "column outcome: not an outcome")
    _require(_within(table.voter, UNKNOWN, len(table.voters)), "column voter: not an index into the voters")
    _require(bool((table.count >= 0).all()), "column count: negative")
    _require(
        bool((np.isfinite(table.weight) & (table.weight > 0)).all()), "column weight: not a positive number"
    )
    for name in plan.style:
        _require(
            name in table.traits,
            f"no trait {name!r} in these votes; known: {', '.join(table.traits) or 'none'}",
        )
        trait = table.traits[name]
        _require(trait.shape == (n, 2), f"trait {name}: not two columns")
        _require(not bool((np.isinf(trait) | (trait < 0)).any()), f"trait {name}: negative or infinite")
    if plan.anchor is not None:
        _require(plan.anchor[0] in table.models, f"anchor {plan.anchor[0]!r} is not a model of these votes")
        _require(bool(np.isfinite(plan.anchor[1])), "the anchor's rating is not a number")
    _require(len(set(plan.style)) == len(plan.style), "a style trait is named twice")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise BadInput(message)


def _within(codes: npt.NDArray[np.integer], low: int, high: int) -> bool:
    return len(codes) == 0 or (int(codes.min()) >= low and int(codes.max()) < high)


def _exclude(table: VoteTable, plan: Plan) -> tuple[Bools, dict[str, int]]:
    """Which rows count, and votes per reason of the others; each vote has the first reason that holds."""
    keep = np.ones(len(table), dtype=np.bool_)
    excluded: dict[str, int] = {}

    def leave_out(reason: str, rows: Bools) -> None:
        votes = int(table.count[keep & rows].sum())
        if votes:
            excluded[reason] = excluded.get(reason, 0) + votes
        keep[rows] = False

    if plan.category is not None:
        inside = table.labels.get(plan.category)
        leave_out("outside_category", ~inside if inside is not None else np.ones(len(table), dtype=np.bool_))
    if plan.language is not None:
        codes = {code for code, name in enumerate(table.languages) if name == plan.language}
        leave_out("outside_language", ~np.isin(table.language, list(codes)))
    # A vote without a time is in no window.
    if plan.since is not None:
        leave_out("outside_time", ~(table.at >= plan.since))
    if plan.until is not None:
        leave_out("outside_time", ~(table.at < plan.until))
    for code, reason in enumerate(table.reasons):
        leave_out(reason, table.reason == code)
    leave_out("self_battle", table.a == table.b)
    if plan.ties == "drop":
        leave_out("ties_dropped", table.outcome >= Outcome.TIE)
    if plan.reweight:
        leave_out("missing_draw", ~((table.drawn_p > 0) & (table.drawn_p <= 1)))
    for name in plan.style:
        leave_out("missing_traits", np.any(np.isnan(table.traits[name]), axis=1))
    keep &= table.count > 0
    return keep, {reason: excluded[reason] for reason in sorted(excluded)}


def _by_name(names: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """Names in order, and for each old index the new one (a last entry keeps -1)."""
    if all(first < second for first, second in pairwise(names)):
        return tuple(names), np.append(np.arange(len(names)), UNKNOWN).astype(np.int32)
    ordered = tuple(sorted(set(names)))
    _require(len(ordered) == len(names), "a name stands twice in the table's names")
    index = {name: code for code, name in enumerate(ordered)}
    return ordered, np.array([index[name] for name in names] + [UNKNOWN], dtype=np.int32)


def _oriented(outcome: npt.NDArray[np.int8], flipped: Bools) -> npt.NDArray[np.int8]:
    """Outcomes with a and b exchanged where `flipped`; ties stay."""
    decisive = outcome < Outcome.TIE
    return np.where(flipped & decisive, 1 - outcome, outcome).astype(np.int8)


def _voters(table: VoteTable, plan: Plan) -> Codes:
    """(len(table),) voters by their place in the order of names, which does not depend on the order of rows."""
    if plan.cluster == "none":
        return np.full(len(table), UNKNOWN, dtype=np.int32)
    _, recode = _by_name(table.voters)
    return recode[table.voter]


def _weights(table: VoteTable, plan: Plan, rows: npt.NDArray[np.intp]) -> Floats:
    if not plan.reweight:
        return table.weight[rows]
    return table.weight[rows] / table.drawn_p[rows]


def _covariates(
    table: VoteTable, plan: Plan, rows: npt.NDArray[np.intp], flipped: Bools
) -> tuple[Features, tuple[str, ...]]:
    """(n, F) style ratios of a minus b, then the side (+1: a stood left, 0: not known)."""
    names = (*plan.style, SIDE) if plan.side else plan.style
    x = np.empty((len(rows), len(names)), dtype=np.float32)
    sign = np.where(flipped, -1.0, 1.0)
    for column, name in enumerate(plan.style):
        x[:, column] = sign * ratio(table.traits[name][rows])
    if plan.side:
        x[:, -1] = np.where(table.side_known[rows], sign, 0.0)
    # Adding zero turns -0.0 into 0.0, so that equal rows have equal bits.
    x += np.float32(0.0)
    return x, names


def ratio(trait: Floats) -> Floats:
    """(a - b) / (a + b) of an (n, 2) trait; 0 where both are 0."""
    total = trait[:, 0] + trait[:, 1]
    return np.where(total > 0, (trait[:, 0] - trait[:, 1]) / np.where(total > 0, total, 1.0), 0.0)


def _canonical(rows: Rows) -> Rows:
    """Rows sorted by content, equal rows merged."""
    keys: list[npt.NDArray[Any]] = [rows.outcome, rows.voter, rows.b, rows.a]
    if len(rows.a) and not (rows.weight == rows.weight[0]).all():
        keys.insert(0, rows.weight)
    keys = [rows.x[:, column] for column in range(rows.x.shape[1])] + keys
    order = np.lexsort(keys)
    changed = np.zeros(len(order), dtype=np.bool_)
    changed[:1] = True
    for key in keys:
        placed = key[order]
        changed[1:] |= placed[1:] != placed[:-1]
    starts = np.flatnonzero(changed)
    first = order[starts]
    return Rows(
        models=rows.models,
        a=rows.a[first],
        b=rows.b[first],
        outcome=rows.outcome[first],
        voter=rows.voter[first],
        count=np.add.reduceat(rows.count[order], starts) if len(starts) else rows.count[:0],
        weight=rows.weight[first],
        x=rows.x[first],
        names=rows.names,
    )


def without_style(rows: Rows) -> Rows:
    """The same votes with no style, a side term kept: rows that differ in nothing else become one, in the same order."""
    kept = [column for column, name in enumerate(rows.names) if name == SIDE]
    return _canonical(replace(rows, x=rows.x[:, kept], names=tuple(rows.names[column] for column in kept)))


def _pair_records(
    k: int, a: Codes, b: Codes, outcome: npt.NDArray[np.int8], count: Counts
) -> tuple[Codes, Codes, Record]:
    """Observed pairs and their record."""
    cells = a.astype(np.int64) * k + b
    codes, pair = np.unique(cells, return_inverse=True)
    table = np.zeros((len(codes), len(Outcome)), dtype=np.int64)
    np.add.at(table, (pair, outcome), count)
    # Outcome's order is A, B, TIE, BOTH_BAD: wins, losses, ties, both bad of a.
    return (codes // k).astype(np.int32), (codes % k).astype(np.int32), Record(*table.T)


def _model_record(k: int, pair_a: Codes, pair_b: Codes, pairs: Record) -> Record:
    def total(of_a: Counts, of_b: Counts) -> Counts:
        both = np.zeros(k, dtype=np.int64)
        np.add.at(both, pair_a, of_a)
        np.add.at(both, pair_b, of_b)
        return both

    return Record(
        wins=total(pairs.wins, pairs.losses),
        losses=total(pairs.losses, pairs.wins),
        ties=total(pairs.ties, pairs.ties),
        both_bad=total(pairs.both_bad, pairs.both_bad),
    )


def _count_voters(voter: Codes, count: Counts) -> int:
    named = voter[voter >= 0]
    return len(np.unique(named)) + int(count[voter < 0].sum())
