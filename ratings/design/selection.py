"""The votes that a plan counts, and what became of the others: filters, exclusions, records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.votes import UNKNOWN, Outcome, VoteTable
from ratings.design.rows import (
    SIDE,
    TIE,
    Codes,
    Counts,
    Features,
    Outcomes,
    Prepared,
    Rows,
    canonical,
    keys,
    one_value_at,
    pick,
    require,
)
from ratings.design.sides import SORTED_TABLE, winners_first
from ratings.leaderboard import Plan
from ratings.scale import Bools


@dataclass(frozen=True)
class OutcomeCounts:
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
    """What a plan counts, and what became of the other votes."""

    models: tuple[str, ...]
    covariates: tuple[str, ...]  # names of the columns of rows.x
    record: OutcomeCounts  # (K,) per model
    pair_a: Codes  # (P,) observed pairs, a < b
    pair_b: Codes
    pair_record: OutcomeCounts  # (P,) as seen from a
    voters: (
        int | None
    )  # distinct voters among the votes used; a vote without voter is its own; None: no vote names one
    unnamed: int  # votes used that name no voter
    used: int  # votes
    excluded: dict[str, int]  # reason -> votes


def select(votes: Prepared, plan: Plan) -> tuple[Selection, Rows]:
    """The votes that `plan` counts, and the count of the others by reason.

    Beside the stored reasons: `outside_category`, `outside_language`, `outside_time` (not of this board),
    `self_battle`, `ties_dropped`, `missing_draw` (reweighting a vote whose draw is not recorded) and
    `missing_traits`. Raises `BadInput` on a plan that does not fit the votes.
    """
    check(votes, plan)
    keep, excluded = _exclude(votes, plan)
    chosen = slice(None) if keep.all() else np.flatnonzero(keep)
    row = votes.row[chosen]
    a, b, outcome = votes.a[chosen], votes.b[chosen], votes.outcome[chosen]
    count = one_value_at(votes.table.count, row)
    pairs = _pair_records(a, b, outcome, count)
    x, names = _covariates(votes, plan, chosen)
    weight = one_value_at(votes.table.weight, row)
    if plan.reweight:
        weight = weight / votes.table.drawn_p[row]
    # From here on both kinds of tie are one.
    rows = Rows(a, b, np.minimum(outcome, np.int8(TIE)), votes.voter[chosen], count, weight, x)
    if plan.cluster == "none":
        rows = _each_its_own(rows, len(votes.models))
    used, unnamed = int(count.sum()), int(count[votes.voter[chosen] < 0].sum())
    selection = Selection(
        models=votes.models,
        covariates=names,
        record=_model_record(len(votes.models), *pairs),
        pair_a=pairs[0],
        pair_b=pairs[1],
        pair_record=pairs[2],
        voters=None if 0 < used == unnamed else _count_voters(rows, len(votes.voters)),
        unnamed=unnamed,
        used=used,
        excluded=excluded,
    )
    return selection, canonical(rows)


def check(votes: Prepared, plan: Plan) -> None:
    """Raise `BadInput` on a plan that does not fit these votes."""
    if plan.anchor is not None:
        require(plan.anchor[0] in votes.models, f"anchor {plan.anchor[0]!r} is not a model of these votes")
        require(bool(np.isfinite(plan.anchor[1])), "the anchor's rating is not a number")
    require(len(set(plan.style)) == len(plan.style), "a style trait is named twice")
    require(SIDE not in plan.style, f"{SIDE!r} is not a trait; ask for the side term")
    require(
        not (plan.side and winners_first(votes_of(votes.table, plan))),
        f"no side term: {SORTED_TABLE}",
    )
    require(plan.rounds >= 0, "rounds: negative")


def _exclude(votes: Prepared, plan: Plan) -> tuple[Bools, dict[str, int]]:
    """Which rows count, and votes per reason of the others; each vote has the first reason that holds."""
    table, row = votes.table, votes.row
    keep = np.ones(len(row), dtype=np.bool_)
    excluded: dict[str, int] = {}

    single = bool((table.count == 1).all())

    def leave_out(reason: str, rows: Bools) -> None:
        gone = keep & rows
        count = int(np.count_nonzero(gone)) if single else int(table.count[row[gone]].sum())
        if count:
            excluded[reason] = excluded.get(reason, 0) + count
        np.greater(keep, rows, out=keep)

    if plan.category is not None:
        inside = table.labels.get(plan.category, np.zeros(len(row), dtype=np.bool_))
        leave_out("outside_category", ~inside[row])
    if plan.language is not None:
        codes = [code for code, name in enumerate(table.languages) if name == plan.language]
        leave_out("outside_language", ~np.isin(table.language, codes)[row])
    # A vote without a time is in no window.
    if plan.since is not None:
        leave_out("outside_time", ~(table.at >= plan.since)[row])
    if plan.until is not None:
        leave_out("outside_time", ~(table.at < plan.until)[row])
    for code, reason in enumerate(table.reasons):
        stored = table.reason == code
        if stored.any():
            leave_out(reason, stored[row])
    leave_out("self_battle", votes.a == votes.b)
    if plan.ties == "drop":
        leave_out("ties_dropped", votes.outcome >= Outcome.TIE)
    if plan.reweight:
        leave_out("missing_draw", ~((table.drawn_p > 0) & (table.drawn_p <= 1))[row])
    for name in plan.style:
        leave_out("missing_traits", np.isnan(votes.traits[name]))
    if not single:
        keep &= (table.count > 0)[row]
    return keep, {reason: excluded[reason] for reason in sorted(excluded)}


def _covariates(votes: Prepared, plan: Plan, chosen: slice | np.ndarray) -> tuple[Features, tuple[str, ...]]:
    """(n, F) style ratios of a minus b, then the side (1: a stood left, 0: not known)."""
    names = (*plan.style, SIDE) if plan.side else plan.style
    columns = [votes.traits[name] for name in plan.style] + ([votes.side] if plan.side else [])
    x = np.empty((len(votes.row[chosen]), len(columns)), dtype=np.float32)
    for place, column in enumerate(columns):
        x[:, place] = column[chosen]
    return x, names


def _each_its_own(rows: Rows, models: int) -> Rows:
    """The same with every vote its own voter, in order again."""
    voter = np.full(len(rows.a), UNKNOWN, dtype=np.int32)
    order = np.argsort(keys(rows.a, rows.b, voter, rows.outcome, models, 0), kind="stable")
    columns = {
        name: pick(getattr(rows, name), order) for name in ("a", "b", "outcome", "count", "weight", "x")
    }
    return Rows(voter=voter, **columns)


def _pair_records(a: Codes, b: Codes, outcome: Outcomes, count: Counts) -> tuple[Codes, Codes, OutcomeCounts]:
    """Observed pairs and their record; rows are sorted by pair."""
    ends = np.flatnonzero((a[1:] != a[:-1]) | (b[1:] != b[:-1])) + 1
    first = np.concatenate([[0], ends]).astype(np.intp)[: len(a)]
    pair = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(a))))
    cells = np.bincount(pair * len(Outcome) + outcome, weights=count, minlength=len(first) * len(Outcome))
    # Outcome's order is A, B, TIE, BOTH_BAD: wins, losses, ties, both bad of a.
    return a[first], b[first], OutcomeCounts(*cells.astype(np.int64).reshape(-1, len(Outcome)).T)


def _model_record(k: int, pair_a: Codes, pair_b: Codes, pairs: OutcomeCounts) -> OutcomeCounts:
    def total(of_a: Counts, of_b: Counts) -> Counts:
        both = np.zeros(k, dtype=np.int64)
        np.add.at(both, pair_a, of_a)
        np.add.at(both, pair_b, of_b)
        return both

    return OutcomeCounts(
        wins=total(pairs.wins, pairs.losses),
        losses=total(pairs.losses, pairs.wins),
        ties=total(pairs.ties, pairs.ties),
        both_bad=total(pairs.both_bad, pairs.both_bad),
    )


def _count_voters(rows: Rows, voters: int) -> int:
    named = rows.voter >= 0
    seen = np.zeros(voters, dtype=np.bool_)
    seen[rows.voter[named]] = True
    return int(seen.sum()) + int(rows.count[~named].sum())


def votes_of(table: VoteTable, plan: Plan) -> VoteTable:
    """`table` without the votes of another category, language or time than `plan` asks for."""
    inside = np.ones(len(table), dtype=np.bool_)
    if plan.category is not None:
        inside &= table.labels.get(plan.category, np.zeros(len(table), dtype=np.bool_))
    if plan.language is not None:
        codes = [code for code, name in enumerate(table.languages) if name == plan.language]
        inside &= np.isin(table.language, codes)
    # A vote without a time is in no window.
    if plan.since is not None:
        inside &= table.at >= plan.since
    if plan.until is not None:
        inside &= table.at < plan.until
    return table if inside.all() else table.take(inside)
