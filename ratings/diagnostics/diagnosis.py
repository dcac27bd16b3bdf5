"""Can this board be trusted: connectivity, bias of sides, fit on unseen votes, misfits, robustness, tiers, drift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from arena.errors import ArenaError
from arena.votes import VoteTable
from ratings.design.selection import votes_of
from ratings.design.sides import NOT_DRAWN, SORTED_TABLE, drawn_by_lot, winners_first, without_sides
from ratings.diagnostics import online_elo as diagnostics_online_elo
from ratings.diagnostics.drift import Drift, drift
from ratings.diagnostics.held_out import HeldOut, held_out
from ratings.diagnostics.position import (
    OutcomeShares,
    PositionBias,
    TieProfile,
    outcome_shares,
    position_bias,
    tie_profile,
)
from ratings.diagnostics.residuals import PairMisfit, misfits
from ratings.diagnostics.robustness import Flip, smallest_flip
from ratings.diagnostics.style_effects import StyleEffects, style_effects
from ratings.leaderboard import Coefficient, Leaderboard, PairRecord, Plan, Tier, tiers
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse, rank
from ratings.ranking.standings import leaderboard

T = TypeVar("T")


@dataclass(frozen=True)
class Connectivity:
    """How the votes hang together."""

    models: int
    board: int  # models ranked on the largest component
    components: int
    separated: tuple[str, ...]
    islands: tuple[tuple[str, ...], ...]  # groups that share no vote with the largest
    pairs_observed: int
    pairs: int


@dataclass(frozen=True)
class OnlineElo:
    """For comparison only."""

    model: str
    online_elo: float
    rating: float | None


@dataclass(frozen=True)
class Diagnosis:
    """Everything `diagnose` found. A part that the votes cannot give is None, with its reason in `notes`."""

    leader: str | None
    connectivity: Connectivity
    position: PositionBias
    side_term: Coefficient | None
    outcomes: OutcomeShares | None
    ties: tuple[TieProfile, ...]
    held_out: HeldOut | None
    misfits: tuple[PairMisfit, ...]
    pairs_tested: int
    rank_one: Flip | None
    drift: Drift | None
    style_effects: StyleEffects | None
    tiers: tuple[Tier, ...]
    online_elo: tuple[OnlineElo, ...]
    notes: tuple[str, ...]


def diagnose(
    table: VoteTable, plan: Plan, *, progress: Callable[[int, int], None] | None = None
) -> Diagnosis:
    """Ask every question of the votes of `table` under `plan`."""
    analysis = analyse(table, plan, progress=progress)
    board = leaderboard(table, analysis)
    found = examine(table, analysis, board)
    if plan.style:
        plain = analyse(_with_traits(table, plan), replace(plan, style=()), progress=progress)
        found = replace(found, style_effects=style_effects(analysis, plain))
    return thorough(found, table, analysis, board)


def _with_traits(table: VoteTable, plan: Plan) -> VoteTable:
    """The votes that a fit with the style of `plan` counts."""
    known = [np.isfinite(table.traits[name]).all(axis=1) for name in plan.style if name in table.traits]
    return table.take(np.logical_and.reduce(known)) if known else table


def examine(table: VoteTable, analysis: Analysis, board: Leaderboard) -> Diagnosis:
    """What an analysis that is there already tells of its board, without another fit."""
    votes = votes_of(table, analysis.plan)
    is_sorted = winners_first(votes)
    found, tested = misfits(analysis)
    on_board = _on_board(board)
    return Diagnosis(
        leader=on_board[0] if on_board else None,
        connectivity=_connectivity(analysis, board),
        position=position_bias(without_sides(votes) if is_sorted else votes),
        side_term=None,
        outcomes=outcome_shares(votes),
        ties=tie_profile(votes),
        held_out=None,
        misfits=found,
        pairs_tested=tested,
        rank_one=None,
        drift=None,
        style_effects=None,
        tiers=tiers(board.models),
        online_elo=(),
        notes=(SORTED_TABLE,) if is_sorted else () if drawn_by_lot(votes) else (NOT_DRAWN,),
    )


def thorough(found: Diagnosis, table: VoteTable, analysis: Analysis, board: Leaderboard) -> Diagnosis:
    """`found` with the parts that take work of their own: prediction, robustness, drift, side term, online Elo."""
    plan, notes = board.snapshot.plan, [*found.notes, diagnostics_online_elo.LABEL]
    online = dict(
        zip(table.models, diagnostics_online_elo.online(votes_of(table, plan)).tolist(), strict=True)
    )
    return replace(
        found,
        side_term=_side_term(table, plan, board, notes),
        held_out=_try(lambda: held_out(votes_of(table, plan), plan), "prediction of unseen votes", notes),
        rank_one=_try(
            lambda: smallest_flip(_records(board, _on_board(board))), "robustness of rank 1", notes
        ),
        drift=_try(lambda: drift(table, analysis, _ratings(board)), "drift over time", notes),
        online_elo=tuple(
            OnlineElo(row.model, online[row.model], row.rating) for row in board.models if row.votes
        ),
        notes=tuple(notes),
    )


def _ratings(board: Leaderboard) -> dict[str, float]:
    """Of the models on the board."""
    inside = set(_on_board(board))
    return {row.model: row.rating for row in board.models if row.rating is not None and row.model in inside}


def _on_board(board: Leaderboard) -> list[str]:
    return [row.model for row in board.models if row.component == 1 and row.status != "separated"]


def _try(ask: Callable[[], T], what: str, notes: list[str]) -> T | None:
    try:
        return ask()
    except ArenaError as error:
        notes.append(f"{what}: {error}")
        return None


def _connectivity(analysis: Analysis, board: Leaderboard) -> Connectivity:
    graph, names = analysis.components, analysis.selection.models
    voted = analysis.selection.record.votes > 0
    pieces: dict[int, list[str]] = {}
    for index in np.flatnonzero(voted):
        pieces.setdefault(int(graph.piece[index]), []).append(names[index])
    ordered = sorted(pieces.values(), key=lambda models: (-len(models), models))
    k = int(voted.sum())
    return Connectivity(
        models=k,
        board=sum(row.component == 1 and row.status != "separated" for row in board.models),
        components=board.snapshot.components,
        separated=tuple(row.model for row in board.models if row.status == "separated"),
        islands=tuple(tuple(models) for models in ordered[1:]),
        pairs_observed=len(analysis.selection.pair_a),
        pairs=k * (k - 1) // 2,
    )


def _side_term(table: VoteTable, plan: Plan, board: Leaderboard, notes: list[str]) -> Coefficient | None:
    if winners_first(votes_of(table, plan)):
        return None
    asked = board
    if not plan.side:
        again = _try(lambda: rank(table, replace(plan, side=True, rounds=0)), "side term", notes)
        if again is None:
            return None
        asked = again
    for row in asked.dropped:
        if row.name == "side":
            notes.append(f"side term: {row.why}")
    return next((row for row in asked.coefficients if row.name == "side"), None)


def _records(board: Leaderboard, models: list[str]) -> list[PairRecord]:
    inside = set(models)
    return [record for record in board.pairs if record.a in inside and record.b in inside]
