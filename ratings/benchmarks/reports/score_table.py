"""The score sheet of one benchmark: every model's score with its interval, and what the benchmark can still tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratings.benchmarks.methods.ceiling import Room, room, saturation
from ratings.benchmarks.methods.winners_curse import (
    SplitHalf,
    best_of_m_inflation,
    debiased_best,
    measured_rho,
    split_half_bias,
)
from ratings.benchmarks.reports.comparison import Comparison, compare, rank_sets
from ratings.benchmarks.reports.score_line import Line, score_line
from ratings.benchmarks.results.card import Card
from ratings.benchmarks.results.dependence import Dependence
from ratings.benchmarks.results.results import ItemResults, Policy
from ratings.stats.arguments import Float, Undefined, inner, whole

MODELS_FOR_RHO = 2
SPLITS = (
    500  # halves drawn where all are too many: the mean gap is then known to a hundredth of its size or so
)


@dataclass(frozen=True)
class SelectionBias:
    """What choosing the best of several tries adds to its score."""

    tries: int | None  # as declared; None: not declared, so nothing is taken off
    rho: float | None  # correlation of the models' errors over items, measured here
    inflation: float | None  # best_of_m_inflation at the best score
    debiased: float | None  # the best score less its luck
    split_half: SplitHalf | None  # of choosing among the models of this table


@dataclass(frozen=True)
class Sheet:
    """One benchmark's score sheet with the settings that made it."""

    benchmark: str
    items: int
    models: int
    repeats: int
    dependence: (
        Dependence  # how the items were taken in pairs and, but where a line says why not, in intervals
    )
    dependence_why: str | None  # why not as was asked
    scale: tuple[float, float] | None
    errors: Policy
    level: float
    lines: tuple[Line, ...]  # best score first, models without a score last
    tied_with_best: int  # models that the paired tests cannot tell from the best, itself included
    saturation: Room | None  # None off the scale 0 to 1, or without scores
    ceiling_known: bool  # the card states a label error rate
    selection: SelectionBias
    duplicates: int
    warnings: tuple[str, ...]


def score_sheet(
    results: ItemResults,
    *,
    card: Card | None = None,
    errors: Policy = "zero",
    level: float = 0.95,
    tries: int | None = None,
    seed: int = 0,
) -> Sheet:
    """The score sheet of `results`.

    Under `errors="zero"` an attempt that ended in an error or in failing machinery counts as the lowest score, so that nobody gains
    by failing; under "exclude" it is left out. Where the two differ each line shows both. `tries` (or the card's) is the number of
    configurations tried, private ones too. `seed` draws bootstraps and random halves.
    """
    inner("level", level)
    comparison = compare(results, errors=errors, level=level)
    answered = results.attempts(errors).sum(axis=1)
    scored = tuple(model for model, tried in zip(results.models, answered, strict=True) if tried)
    ranks = rank_sets(comparison, scored)
    lines = [score_line(results, model, ranks.get(model), errors, level, seed) for model in results.models]
    lines.sort(key=lambda line: (line.score is None, -(line.score or 0.0), line.model))
    return Sheet(
        benchmark=results.benchmark,
        items=len(results.items),
        models=len(results.models),
        repeats=len(results.repeats),
        dependence=comparison.dependence,
        dependence_why=comparison.dependence_why,
        scale=results.scale,
        errors=errors,
        level=level,
        lines=tuple(lines),
        tied_with_best=_tied(lines, comparison),
        saturation=_saturation(results, lines, card, 1 - level),
        ceiling_known=card is not None and card.label_error_rate is not None,
        selection=_selection(results, lines, errors, _tries(tries, card), seed),
        duplicates=results.duplicates,
        warnings=_warnings(results, lines, comparison),
    )


def _tied(lines: list[Line], comparison: Comparison) -> int:
    scored = [line.model for line in lines if line.score is not None]
    if not scored:
        return 0
    beaten = {
        (line.b if line.leader == "a" else line.a)
        for line in comparison.lines
        if line.leader is not None and scored[0] in (line.a, line.b)
    }
    return len(set(scored) - (beaten - {scored[0]}))


def _saturation(results: ItemResults, lines: list[Line], card: Card | None, alpha: float) -> Room | None:
    scores = [line.score for line in lines if line.score is not None]
    if results.scale != (0.0, 1.0) or not scores:
        return None
    label_error = 0.0 if card is None or card.label_error_rate is None else card.label_error_rate
    cut = [min(1.0, max(0.0, score)) for score in scores]
    best = lines[0]
    found = saturation(cut, best.items, label_error, None if card is None else card.human, alpha)
    return room(found, (best.low, best.high), best.items, best.worth)


def _selection(
    results: ItemResults, lines: list[Line], errors: Policy, tries: int | None, seed: int
) -> SelectionBias:
    means = results.means(errors)
    means = means[~np.isnan(means).all(axis=1)]
    complete = means[:, ~np.isnan(means).any(axis=0)]
    rho = _rho(complete)
    best = lines[0] if lines and lines[0].score is not None else None
    split = None
    if len(complete) >= MODELS_FOR_RHO and complete.shape[1] >= 2:
        split = split_half_bias(complete, np.random.default_rng(seed), SPLITS)
    if tries is None or best is None or best.score is None or results.scale != (0.0, 1.0):
        return SelectionBias(tries, rho, None, None, split)
    shared = rho or 0.0  # no rho: the errors are taken as independent, which takes off most
    debiased = debiased_best(best.score, tries, best.items, shared)
    return SelectionBias(
        tries, rho, best_of_m_inflation(tries, best.items, debiased, shared), debiased, split
    )


def _rho(complete: Float) -> float | None:
    if len(complete) < MODELS_FOR_RHO or complete.shape[1] < 2:
        return None
    try:
        return measured_rho(complete)
    except Undefined:
        return None


def _tries(tries: int | None, card: Card | None) -> int | None:
    declared = tries if tries is not None else (None if card is None else card.tries)
    return None if declared is None else whole("tries", declared, 1)


def _warnings(results: ItemResults, lines: list[Line], comparison: Comparison) -> tuple[str, ...]:
    found = [] if comparison.dependence_why is None else [comparison.dependence_why]
    if results.duplicates:
        found.append(f"records that repeat an earlier one, counted once: {results.duplicates}")
    found += [str(problem) for problem in results.problems]
    if comparison.left_out:
        found.append(
            f"{len(comparison.left_out)} items are not the same question for all models: not compared"
        )
    gaps = [line.model for line in lines if line.items < len(results.items)]
    if gaps:
        found.append(
            f"models that lack items: {', '.join(gaps)}; their scores do not compare as they stand, pairs are compared on common items"
        )
    return tuple(found)
