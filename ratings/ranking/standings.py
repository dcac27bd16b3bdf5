"""From an analysis to a leaderboard: one line a model in display order, with a reason wherever a number is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arena.votes import VoteTable
from ratings import scale
from ratings.bradley_terry.intervals import FEW_EFFECTIVE, MIN_VOTERS
from ratings.design.components import Codes
from ratings.design.content_hash import snapshot_id
from ratings.leaderboard import (
    METHOD_VERSION,
    MIN_ROUNDS_PUBLISHED,
    Coefficient,
    Dropped,
    Leaderboard,
    PairRecord,
    Snapshot,
    Standing,
    Status,
)
from ratings.ranking.analysis import Analysis, ComponentFit
from ratings.scale import ELO, Floats

NAME_NO_VOTER = "name no voter: each is taken as its own"
NAMED = 10  # names in one warning
SAME_RATING = 6  # decimals of Elo; equal to here is a tie, put in order of name
Tally = object  # arena.importers.Tally; only its counts are read


def leaderboard(
    table: VoteTable, analysis: Analysis, tally: Tally | None = None, *, votes: str | None = None
) -> Leaderboard:
    """The leaderboard of `analysis` of `table`; `tally` adds the votes that never entered the table.

    `votes`: the table's `votes_hash`, when it is known already.
    """
    lines = _Lines(analysis)
    models = [lines.standing(index) for index in range(len(analysis.selection.models))]
    return Leaderboard(
        snapshot=_snapshot(table, analysis, tally, votes),
        models=tuple(sorted(models, key=display_order)),
        coefficients=tuple(
            c for part in analysis.parts for c in _coefficients(part, _component_of(analysis, part))
        ),
        dropped=_dropped(analysis),
        warnings=tuple(_warnings(analysis, models)),
        pairs=_pairs(analysis),
    )


def display_order(row: Standing) -> tuple[bool, float, str]:
    """By rating, ties by name; separated and unrated last."""
    rating = row.rating if row.rating is not None else -np.inf
    return row.status in ("separated", "unrated"), -round(rating, SAME_RATING), row.model


class _Lines:
    """Builds the line of each model."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.place = {
            int(model): (part, at) for part in analysis.parts for at, model in enumerate(part.members)
        }
        self.on_board = analysis.components.on_board()
        self.shift = {id(part): _anchor_shift(analysis, part) for part in analysis.parts}

    def standing(self, model: int) -> Standing:
        chosen, graph = self.analysis.selection, self.analysis.components
        record = chosen.record
        votes, ties, both_bad = (int(x[model]) for x in (record.votes, record.ties, record.both_bad))
        wins = int(record.wins[model])
        part, at = self.place.get(model, (None, 0))
        numbers = self._numbers(part, at, model) if part is not None else dict.fromkeys(NUMBERS)
        status, why = self._status(model, part, at)
        return Standing(
            model=chosen.models[model],
            **numbers,
            votes=votes,
            wins=wins,
            losses=int(record.losses[model]),
            ties=ties,
            both_bad=both_bad,
            win_rate=(wins + 0.5 * (ties + both_bad)) / votes if votes else None,
            status=status,
            component=int(graph.component[model]) + 1 if votes else None,
            why=why,
        )

    def _numbers(self, part: ComponentFit, at: int, model: int) -> dict[str, float | int | None]:
        graph = self.analysis.components
        shift, plain_shift = self.shift[id(part)]
        out: dict[str, float | int | None] = dict.fromkeys(NUMBERS)
        out["rating"] = float(scale.rating(part.fit.theta, part.mean)[at]) + shift
        if part.plain is not None:
            out["rating_without_style"] = float(scale.rating(part.plain.theta, part.mean)[at]) + plain_shift
        if part.spread is None or part.ratings is None:
            return out
        out["effective_voters"] = float(part.spread.effective[at])
        if part.spread.disconnected_without_one_voter[at]:
            return out
        # A separated model lies beyond any number on the side where nothing bounds it.
        both = not self.on_board[model] and not (graph.above[model] ^ graph.below[model])
        out["se"] = float(part.ratings.se[at]) * ELO
        out["low"] = (
            None if both or graph.below[model] else scale.BASE + float(part.ratings.low[at]) * ELO + shift
        )
        out["high"] = (
            None if both or graph.above[model] else scale.BASE + float(part.ratings.high[at]) * ELO + shift
        )
        if part.ranked[at]:
            out |= {name: int(getattr(part, name)[at]) for name in ("rank", "rank_low", "rank_high")}
            out["p_best"] = None if np.isnan(part.p_best[at]) else float(part.p_best[at])
        return out

    def _status(self, model: int, part: ComponentFit | None, at: int) -> tuple[Status, str | None]:
        plan = self.analysis.plan
        votes = int(self.analysis.selection.record.votes[model])
        if votes == 0:
            return "unrated", "no usable vote"
        if part is None or not self.on_board[model]:
            return "separated", self._separation(model)
        why = []
        if votes < plan.min_votes:
            why.append(f"fewer than {plan.min_votes} votes")
        if part.spread is None or part.ratings is None:
            why.append(f"fewer than {MIN_VOTERS} voters in its component: no interval")
        elif part.spread.disconnected_without_one_voter[at]:
            why.append("hangs on one voter, without whom it has no link to the others: no interval")
        elif part.ratings.fisher[at]:
            why.append("the voters show no spread: interval as if votes were independent")
        preliminary = bool(why)
        if part.spread is not None and part.spread.effective[at] < FEW_EFFECTIVE:
            why.append(f"fewer than {FEW_EFFECTIVE:.0f} effective voters")
        return ("preliminary" if preliminary else "ranked"), "; ".join(why) or None

    def _separation(self, model: int) -> str:
        graph, record = self.analysis.components, self.analysis.selection.record
        alone = int((graph.component == graph.component[model]).sum()) == 1
        votes = int(record.votes[model])
        if alone and int((graph.piece == graph.piece[model]).sum()) > 1:
            if record.wins[model] == votes:
                return "undefeated in all its votes: ↑ above what these votes can measure"
            if record.losses[model] == votes:
                return "winless in all its votes: ↓ below what these votes can measure"
        if graph.board[graph.piece[model]] < 0:
            return "beat some and lost to others, none of whom beat or tied it back, even through others: no common scale"
        if graph.above[model]:
            return "never beaten by or tied with the board: ↑ above it, by how much is not known"
        if graph.below[model]:
            return "never beat or tied with the board: ↓ below it, by how much is not known"
        return "no chain of wins or ties links it with the board in either direction"


NUMBERS = (
    "rank", "rank_low", "rank_high", "rating", "low", "high", "se", "effective_voters", "rating_without_style", "p_best",
)  # fmt: skip


def _anchor_shift(analysis: Analysis, part: ComponentFit) -> tuple[float, float]:
    """What the anchor adds to the ratings of this part, and to those without style; nothing to other parts."""
    if analysis.plan.anchor is None:
        return 0.0, 0.0
    name, wanted = analysis.plan.anchor
    at = np.flatnonzero(part.members == analysis.selection.models.index(name))
    if len(at) == 0:
        return 0.0, 0.0

    def shift(theta: Floats) -> float:
        return wanted - float(scale.rating(theta, part.mean)[at[0]])

    return shift(part.fit.theta), shift(part.plain.theta) if part.plain is not None else 0.0


def _snapshot(table: VoteTable, analysis: Analysis, tally: Tally | None, votes: str | None) -> Snapshot:
    chosen = analysis.selection
    rejected = int(getattr(tally, "rejected_count", 0))
    duplicates = int(getattr(tally, "duplicates", 0))
    not_votes = sum(getattr(tally, "not_votes", {}).values())
    return Snapshot(
        id=snapshot_id(table, analysis.plan, votes=votes),
        method_version=METHOD_VERSION,
        seed=analysis.plan.seed,
        plan=analysis.plan,
        votes_read=chosen.used + sum(chosen.excluded.values()) + rejected + duplicates + not_votes,
        votes_used=chosen.used,
        rejected=rejected,
        duplicates=duplicates,
        not_votes=not_votes,
        excluded=chosen.excluded,
        models=len(table.models),
        voters=chosen.voters,
        components=analysis.components.count,
        converged=True,
        iterations=max((part.fit.iterations for part in analysis.parts), default=0),
    )


def _component_of(analysis: Analysis, part: ComponentFit) -> int:
    return int(analysis.components.component[part.members].min()) + 1


def _coefficients(part: ComponentFit, component: int) -> list[Coefficient]:
    """The covariates' lines, then `nu` of Davidson ties as the ratio it is."""
    lines = []
    k = part.fit.models
    for column, value in enumerate(part.fit.params[k:].tolist()):
        low, high = None, None
        if (
            part.coefficients is not None
            and part.spread is not None
            and not part.spread.identified_by_one_voter[column]
        ):
            low, high = float(part.coefficients.low[column]), float(part.coefficients.high[column])
        if column < len(part.styled.names):
            lines.append(Coefficient(part.styled.names[column], component, value, value * ELO, low, high))
        else:
            lines.append(Coefficient("nu", component, _exp(value), None, _exp(low), _exp(high)))
    return lines


def _exp(log: float | None) -> float | None:
    return None if log is None else math.exp(log)


def _dropped(analysis: Analysis) -> tuple[Dropped, ...]:
    """What was dropped, each said once, and where if other components kept it."""
    where: dict[Dropped, list[str]] = {}
    for part in analysis.parts:
        for line in part.styled.dropped:
            where.setdefault(line, []).append(str(_component_of(analysis, part)))
    return tuple(
        line
        if len(numbers) == len(analysis.parts)
        else replace(line, why=f"{line.why} (component {_listed(numbers)})")
        for line, numbers in where.items()
    )


def _warnings(analysis: Analysis, models: Sequence[Standing]) -> list[str]:
    plan, chosen = analysis.plan, analysis.selection
    said = []
    if chosen.used == 0:
        said.append("no usable vote: nothing is rated")
    unchecked = chosen.excluded.get("challenge_unchecked", 0)
    if unchecked:
        share = unchecked / (chosen.used + sum(chosen.excluded.values()))
        said.append(
            f"{unchecked:,} votes ({share:.1%}) could not be checked for robots: kept, but not counted yet"
        )
    if 0 < chosen.unnamed < chosen.used:
        said.append(f"{chosen.unnamed:,} of {chosen.used:,} votes {NAME_NO_VOTER}")
    if plan.rounds and any(part.spread is not None and part.rounds is None for part in analysis.parts):
        said.append(
            "a refit of the rounds has no end: too few votes; intervals are symmetric, without rounds"
        )
    if 0 < plan.rounds < MIN_ROUNDS_PUBLISHED:
        said.append(
            f"{plan.rounds} rounds: the ends of the intervals are rough; publish with {MIN_ROUNDS_PUBLISHED} or more"
        )
    few = [
        row.model
        for row in models
        if row.effective_voters is not None and row.effective_voters < FEW_EFFECTIVE
    ]
    if few:
        said.append(f"fewer than {FEW_EFFECTIVE:.0f} effective voters: {_listed(few)}")
    said += _groups(analysis.components.board)
    for line in _dropped(analysis):
        said.append(f"{line.name} dropped: {line.why}")
    if plan.anchor is not None and not any(
        row.model == plan.anchor[0] and row.rating is not None for row in models
    ):
        said.append(f"the anchor {plan.anchor[0]} has no rating: the mean stays at {scale.BASE:.0f}")
    return said


def _groups(board: Codes) -> list[str]:
    """What to know of groups of models that never meet, and of those inside which nothing can be ranked."""
    pieces, orders = len(board), int((board < 0).sum())
    said = []
    if pieces > 1:
        said.append(f"{pieces} groups of models never meet: each is ranked inside itself only")
    if orders:
        where = "" if pieces == 1 else f" inside {orders} of the groups"
        said.append(f"no two models are linked by wins or ties in both directions{where}: an order, no ranks")
    return said


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"


def _pairs(analysis: Analysis) -> tuple[PairRecord, ...]:
    chosen = analysis.selection
    names = chosen.models
    record = chosen.pair_record
    columns = (chosen.pair_a, chosen.pair_b, record.wins, record.losses, record.ties, record.both_bad)
    return tuple(
        PairRecord(names[a], names[b], *counts)
        for a, b, *counts in zip(*(column.tolist() for column in columns), strict=True)
    )
