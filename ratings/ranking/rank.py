"""The method on one page: votes and a plan in, a leaderboard out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

import numpy as np

from arena.errors import NotConverged
from arena.votes import VoteTable
from ratings import scale
from ratings.bradley_terry import bootstrap, intervals, jackknife, ranks, style
from ratings.bradley_terry.fit import Fit
from ratings.bradley_terry.intervals import ContrastIntervals
from ratings.bradley_terry.jackknife import Covariance
from ratings.design import components
from ratings.design import rows as design_rows
from ratings.design.comparisons import Comparisons, gather
from ratings.design.components import Components
from ratings.design.content_hash import votes_hash
from ratings.design.rows import SIDE, Prepared
from ratings.design.selection import Selection, select
from ratings.engine.choice import Engine, EngineName, choose
from ratings.engine.reference import weights
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking import standings
from ratings.ranking.analysis import Analysis, ComponentFit, contrast_intervals
from ratings.scale import Bools, Floats, Ints

Progress = Callable[[int, int], None]  # rounds done, rounds in all


def rank(
    table: VoteTable,
    plan: Plan,
    *,
    tally: object | None = None,
    progress: Progress | None = None,
    engine: EngineName = "auto",
) -> Leaderboard:
    """Rank the models of `table` as `plan` asks.

    `tally` (an importer's) adds what was read but never became a vote. Raises `BadInput` on a table or plan that
    cannot be used, and `NotConverged` rather than give a half-good ranking. A table without a usable vote gives a
    leaderboard of unrated models.
    """
    return standings.leaderboard(table, analyse(table, plan, progress=progress, engine=engine), tally)


def rank_many(
    table: VoteTable,
    plans: Mapping[str, Plan],
    *,
    tally: object | None = None,
    progress: Progress | None = None,
    engine: EngineName = "auto",
    votes: str | None = None,
    look: Callable[[str, Analysis, Leaderboard], None] | None = None,
) -> dict[str, Leaderboard]:
    """One leaderboard for each named plan, over the same votes. `votes`: their `votes_hash`, when it is known.

    `look` sees each analysis before it is let go.
    """
    if not plans:
        return {}
    traits = {name for plan in plans.values() for name in plan.style}
    ready, found = design_rows.prepare(table, traits), votes or votes_hash(table)
    boards = {}
    for name, plan in plans.items():
        analysis = analyse(ready, plan, progress=progress, engine=engine)
        boards[name] = standings.leaderboard(table, analysis, tally, votes=found)
        if look is not None:
            look(name, analysis, boards[name])
    return boards


def analyse(
    votes: VoteTable | Prepared, plan: Plan, *, progress: Progress | None = None, engine: EngineName = "auto"
) -> Analysis:
    """Fit every component of the votes that `plan` counts, with intervals and ranks. Raises as `rank`."""
    # One thread for linear algebra: the rounds fill the processors themselves, and sums do not depend on how many.
    with bootstrap.one_thread_of_algebra():
        ready = design_rows.prepare(votes, plan.style) if isinstance(votes, VoteTable) else votes
        chosen, graph, components = _components(ready, plan)
        parts = []
        for members, data in components:
            # Chosen for each component by itself, so that no island changes a bit elsewhere.
            work = choose(engine, len(data.voter), data.models, plan.rounds)
            parts.append(_part(chosen, graph, members, data, plan, work, progress))
    return Analysis(plan, chosen, graph, tuple(parts))


def _components(votes: Prepared, plan: Plan) -> tuple[Selection, Components, list[tuple[Ints, Comparisons]]]:
    """The votes that count, their graph, and the comparisons of each component of two models or more."""
    chosen, rows = select(votes, plan)
    graph = _graph(chosen)
    # With the prior every observed pair has finite odds, so a weak piece can be fitted as one.
    label = graph.piece if plan.prior == "pairs" else graph.component
    members = [np.flatnonzero(label == number) for number in range(int(label.max(initial=-1)) + 1)]
    ties = plan.ties == "davidson"
    return (
        chosen,
        graph,
        [(some, gather(rows, some, len(chosen.models), ties=ties)) for some in members if len(some) > 1],
    )


def _graph(chosen: Selection) -> Components:
    """The graph "has beaten or tied" of the votes used."""
    record = chosen.pair_record
    drawn = record.ties + record.both_bad > 0
    beats, beaten = (record.wins > 0) | drawn, (record.losses > 0) | drawn
    winner = np.concatenate([chosen.pair_a[beats], chosen.pair_b[beaten]])
    loser = np.concatenate([chosen.pair_b[beats], chosen.pair_a[beaten]])
    return components.split(len(chosen.models), winner, loser, chosen.record.votes)


def _part(
    chosen: Selection,
    graph: Components,
    members: Ints,
    data: Comparisons,
    plan: Plan,
    work: Engine,
    progress: Progress | None,
) -> ComponentFit:
    """One component: fit, errors, rounds, intervals, ranks."""
    ties, prior = plan.ties == "davidson", plan.prior == "pairs"
    plain = _without_style(data, chosen.covariates, plan, work)
    styled = style.fit(data, chosen.covariates, ties=ties, prior=prior, engine=work)
    data, best, ties = styled.data, styled.fit, styled.ties
    votes = chosen.record.votes[members]
    enough = data.voters >= intervals.MIN_VOTERS
    spread = jackknife.covariance(data, best, ties=ties, engine=work) if enough else None
    mean = scale.reference(votes, plan.min_votes, spread.disconnected_without_one_voter if spread else None)
    rounds = None
    if spread and plan.rounds:
        key = weights.key(plan.seed, [chosen.models[index] for index in members])
        # Few votes with covariates: in a round they may all but separate wins from losses, and there is no end to it.
        with suppress(NotConverged):
            rounds = bootstrap.rounds(
                data, best, key, plan.rounds, ties=ties, prior=prior, engine=work, progress=progress
            )
    ratings, coefficients = _intervals(best, mean, spread, rounds)
    ranked = graph.on_board()[members] & (~spread.disconnected_without_one_voter if spread else False)
    return ComponentFit(
        members=members,
        data=data,
        styled=styled,
        plain=plain,
        mean=mean,
        spread=spread,
        rounds=rounds,
        ranked=ranked,
        ratings=ratings,
        coefficients=coefficients,
        **_ranks(best, mean, spread, rounds, ratings, ranked),
    )


def _intervals(
    best: Fit, mean: Floats, spread: Covariance | None, rounds: Floats | None
) -> tuple[ContrastIntervals | None, ContrastIntervals | None]:
    if spread is None:
        return None, None
    width = len(best.params)
    rows = scale.contrasts(mean, width)
    own = np.eye(width)[best.models :]
    return (
        contrast_intervals(best, spread, rounds, rows, spread.effective),
        contrast_intervals(best, spread, rounds, own, spread.effective_coef),
    )


def _ranks(
    best: Fit,
    mean: Floats,
    spread: Covariance | None,
    rounds: Floats | None,
    ratings: ContrastIntervals | None,
    ranked: Bools,
) -> dict[str, np.ndarray]:
    """rank, rank_low, rank_high and p_best of the models that are ranked; 0 and nan for the others."""
    k = best.models
    out = {name: np.zeros(k, dtype=np.int64) for name in ("rank", "rank_low", "rank_high")}
    out["p_best"] = np.full(k, np.nan)
    if spread is None or ratings is None or not ranked.any():
        return out
    rows = scale.contrasts(mean, len(best.params))[ranked]
    out["rank"][ranked] = ranks.by_overlap(ratings.low[ranked], ratings.high[ranked])
    moved = None if rounds is None else rounds @ rows.T
    estimate, covariance = rows @ best.params, rows @ spread.cr3 @ rows.T
    low, high = ranks.simultaneous(estimate, covariance, spread.effective[ranked], moved)
    out["rank_low"][ranked] = np.minimum(low, out["rank"][ranked])
    out["rank_high"][ranked] = np.maximum(high, out["rank"][ranked])
    if moved is not None:
        out["p_best"][ranked] = ranks.p_best(estimate + (moved - estimate) * ratings.stretch[ranked])
    return out


def _without_style(data: Comparisons, names: tuple[str, ...], plan: Plan, work: Engine) -> Fit | None:
    """The fit on the same votes with no style; a side term, if asked for, stays."""
    if not plan.style:
        return None
    kept = [column for column, name in enumerate(names) if name == SIDE]
    same = data.with_covariates(data.x[:, kept])
    ties, prior = plan.ties == "davidson", plan.prior == "pairs"
    return style.fit(same, (SIDE,) * len(kept), ties=ties, prior=prior, engine=work).fit
