"""Can this board be trusted: connectivity, bias of sides, fit on unseen votes, misfits, robustness, tiers, drift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np

from arena.errors import ArenaError
from arena.votes import VoteTable
from ratings import elo
from ratings.analysis import Analysis
from ratings.board_votes import votes_of
from ratings.drift import Drift, drift, listed
from ratings.held_out import HeldOut, held_out
from ratings.leaderboard import Coefficient, Leaderboard, PairRecord, Plan
from ratings.misfit import PairMisfit, misfits
from ratings.position import (
    OutcomeShares,
    PositionBias,
    TieProfile,
    outcome_shares,
    position_bias,
    tie_profile,
)
from ratings.ranking import analyse, rank
from ratings.robustness import Flip, smallest_flip
from ratings.sheets import Sheet
from ratings.standings import leaderboard
from ratings.style_effects import StyleEffects, style_effects
from ratings.tiers import Tier, tiers

T = TypeVar("T")
SHOWN = 15  # rows of a table for people; JSON has all


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
    found, tested = misfits(analysis)
    on_board = _on_board(board)
    return Diagnosis(
        leader=on_board[0] if on_board else None,
        connectivity=_connectivity(analysis, board),
        position=position_bias(votes),
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
        notes=(),
    )


def thorough(found: Diagnosis, table: VoteTable, analysis: Analysis, board: Leaderboard) -> Diagnosis:
    """`found` with the parts that take work of their own: prediction, robustness, drift, side term, online Elo."""
    plan, notes = board.snapshot.plan, [*found.notes, elo.LABEL]
    online = dict(zip(table.models, elo.online(votes_of(table, plan)).tolist(), strict=True))
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


def sheet(found: Diagnosis) -> Sheet:
    """The diagnosis for people."""
    graph, side = found.connectivity, found.position
    summary = [
        ("Models on one scale", f"{graph.board} of {graph.models}"),
        ("Pairs that met", f"{graph.pairs_observed:,} of {graph.pairs:,}"),
        ("Separated", ", ".join(graph.separated) or "none"),
        ("Islands", "; ".join(", ".join(models) for models in graph.islands) or "none"),
        ("Ties and both bad", _outcomes(found.outcomes)),
        ("Left side wins", _side(side)),
        ("Side term", _term(found.side_term)),
        ("Rank 1", _flip(found.rank_one)),
        ("Drift over time", _drifted(found.drift)),
        ("Tiers", f"{len(found.tiers)}"),
        (
            "Pairs off the scale",
            f"{len(found.misfits)} of {found.pairs_tested:,} tested (false discoveries below 10 %)",
        ),
    ]
    tables: list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = [
        (("Question", "Answer"), tuple(summary))
    ]
    if found.held_out is not None:
        rows = tuple(
            (loss.name, f"{loss.log_loss:.4f}", f"{loss.brier:.4f}", f"{loss.gain:+.4f} [{loss.gain_low:+.4f}, {loss.gain_high:+.4f}]")
            for loss in found.held_out.losses
        )  # fmt: skip
        tables.append((("Prediction of unseen votes", "Log loss", "Brier", "Better than a coin by"), rows))
    in_tiers = tuple((str(tier.tier), ", ".join(tier.models)) for tier in found.tiers[:SHOWN])
    tables.append((("Tier", "Models that the votes cannot tell from its first"), in_tiers))
    if found.drift is not None and found.drift.models:
        columns = ("Model", f"Rating by {found.drift.unit} [95 % interval]", "P", "P (Holm)")
        tables.append((columns, _drift_rows(found.drift)))
    if found.style_effects is not None:
        effects = tuple(
            (one.model, f"{one.effect:+.1f}", "–" if one.low is None else f"{one.low:+.1f} … {one.high:+.1f}")
            for one in sorted(found.style_effects.models, key=lambda one: (-abs(one.effect), one.model))[
                :SHOWN
            ]
        )
        tables.append((("Model", "With minus without style control (Elo)", "95 % interval"), effects))
    if found.misfits:
        shown = tuple(
            (f"{row.a} − {row.b}", f"{row.observed:.1%}", f"{row.expected:.1%}", str(row.votes), f"{row.p_adjusted:.3f}")
            for row in found.misfits[:SHOWN]
        )  # fmt: skip
        tables.append((("Pair", "Observed", "Expected", "Votes", "P (adjusted)"), shown))
    return Sheet("Diagnosis", tuple(tables), found.notes)


def _outcomes(found: OutcomeShares | None) -> str:
    return (
        "–"
        if found is None
        else f"{found.tie:.1%} ties, {found.both_bad:.1%} both bad of {found.votes:,} votes"
    )


def _side(side: PositionBias) -> str:
    if side.left_share is None or side.p is None:
        return "no decisive vote with known sides"
    flag = ": the side matters" if side.flagged else ""
    return f"{side.left_share:.1%} of {side.decisive:,} decisive votes [{side.low:.1%}, {side.high:.1%}], P {side.p:.4g}{flag}"


def _term(term: Coefficient | None) -> str:
    if term is None or term.elo is None:
        return "–"
    if term.low is None or term.high is None or not term.value:
        return f"{term.elo:+.1f} Elo for the left"
    points = term.elo / term.value
    return f"{term.elo:+.1f} Elo for the left [{term.low * points:+.1f}, {term.high * points:+.1f}]"


def _drifted(found: Drift | None) -> str:
    if found is None:
        return "–"
    names = ", ".join(model.model for model in listed(found)) or "none"
    return (
        f"{names}, of {found.tested} models tested over {len(found.starts)} {found.unit}s (Holm, below 5 %)"
    )


def _drift_rows(found: Drift) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            model.model,
            "; ".join(
                f"{datetime.fromtimestamp(one.start, UTC):%Y-%m-%d} {one.rating:.0f} [{one.low:.0f}, {one.high:.0f}]"
                for one in model.periods
            ),
            f"{model.p:.4f}",
            f"{model.p_adjusted:.4f}",
        )
        for model in found.models[:SHOWN]
    )


def _flip(flip: Flip | None) -> str:
    if flip is None:
        return "–"
    return (
        f"{flip.votes_dropped:,} of {flip.votes:,} votes ({flip.share:.3%}) dropped put {flip.challenger} above "
        f"{flip.leader}"
    )
