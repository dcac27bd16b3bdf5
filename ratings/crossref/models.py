"""The score sheet of the shared models: each one's benchmark line beside its rating, with the ranks that tests leave open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ratings.benchmarks.reports.score_line import Line
from ratings.crossref.measures import Measure
from ratings.crossref.pairs import PairTable

ALPHA = 0.05


@dataclass(frozen=True)
class ModelLine:
    """One model on both sides. None where a side does not tell."""

    model: str  # on the board
    alias: str  # in the benchmark
    rating: float
    rating_low: float | None  # the board's own interval; where it gave none, rating -+ t(nu) se
    rating_high: float | None
    arena_ranks: tuple[int, int] | None  # among the shared models: not excluded by Holm's tests of all pairs
    score: float  # on the items that all shared models have
    score_low: float | None
    score_high: float | None
    benchmark_ranks: tuple[int, int] | None
    line: (
        Line | None
    )  # all that the score sheet says: k of n, Wilson, repeats, clusters, pass^k; None: scores only


def model_lines(
    ratings: Measure, scores: Measure, pairs: PairTable, sheet: Mapping[str, Line]
) -> tuple[ModelLine, ...]:
    """One line a model, best rating first; `sheet` is by the benchmark's names."""
    ranks = arena_ranks(pairs, ratings.models)
    found = []
    for at, (model, alias) in enumerate(zip(ratings.models, scores.models, strict=True)):
        line = sheet.get(alias)
        low, high = ratings.limits(at)
        score_low, score_high = scores.limits(at) if line is None else (line.low, line.high)
        found.append(
            ModelLine(
                model=model,
                alias=alias,
                rating=float(ratings.values[at]),
                rating_low=low,
                rating_high=high,
                arena_ranks=ranks[model] if ratings.covariance is not None else None,
                score=float(scores.values[at]),
                score_low=score_low,
                score_high=score_high,
                benchmark_ranks=_ranks(line),
                line=line,
            )
        )
    return tuple(sorted(found, key=lambda row: (-row.rating, row.model)))


def arena_ranks(pairs: PairTable, models: Sequence[str]) -> dict[str, tuple[int, int]]:
    """1 + models shown to be better, to M - models shown to be worse, by Holm-adjusted tests of all pairs."""
    told = [row for row in pairs.pairs if row.arena_p_holm <= ALPHA and row.arena_gap != 0]
    better = _count((row.b if row.arena_gap > 0 else row.a) for row in told)
    worse = _count((row.a if row.arena_gap > 0 else row.b) for row in told)
    return {name: (1 + better.get(name, 0), len(models) - worse.get(name, 0)) for name in models}


def _count(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def _ranks(line: Line | None) -> tuple[int, int] | None:
    if line is None or line.rank_low is None or line.rank_high is None:
        return None
    return line.rank_low, line.rank_high
