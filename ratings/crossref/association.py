"""Does the benchmark order models as people do: correlations, freed of the noise of both, with their interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ratings.crossref.measures import Measure
from ratings.stats.arguments import Undefined
from ratings.stats.correlation import (
    correlation,
    correlations,
    disattenuated_interval,
    fisher_interval,
    noise_ceiling,
)

FREE_WITHIN = 4  # models less families, plus one, up to which r within families says nothing


@dataclass(frozen=True)
class LeftOut:
    """How far Pearson's r moves when one model (or one family of models) is left out."""

    low: float
    low_without: str
    high: float
    high_without: str


@dataclass(frozen=True)
class Association:
    """Over n shared models. None where not defined, with its reason in `notes`."""

    n: int
    pearson: float | None
    low: float | None  # Fisher's limits, as if both measures had no error
    high: float | None
    spearman: float | None
    kendall_tau_b: float | None
    reliability_arena: float | None
    reliability_benchmark: float | None
    noise_ceiling: float | None  # the largest r that these measures can show
    disattenuated: float | None
    disattenuated_low: float | None  # Fisher's limits / sqrt(rel_R rel_S); -1 and 1 where all is noise
    disattenuated_high: float | None
    capped: bool  # |r| exceeded the noise ceiling
    leave_one_out: LeftOut | None
    leave_family_out: LeftOut | None
    families: int | None  # how many families the models are of
    family_rule: str
    within_family: float | None  # Pearson's r of the deviations from the family means
    within_low: (
        float | None
    )  # Fisher's limits with one degree of freedom less for each family beyond the first
    within_high: float | None
    notes: tuple[str, ...]


def associate(
    ratings: Measure,
    scores: Measure,
    families: Mapping[str, str] | None = None,
    level: float = 0.95,
    *,
    rule: str = "as declared",
) -> Association:
    """The association of two measures of the same models, in the same order.

    A measure without errors enters with reliability 1: its noise then stays in the disattenuated value, which is
    a lower bound. `families` maps the arena's names to families, whose members are not independent models;
    `rule` says how it was made.
    """
    found = correlations(ratings.values, scores.values)
    notes = []
    low = high = None
    if found.pearson is not None:
        try:
            low, high = fisher_interval(found.pearson, found.n, level)
        except Undefined as undefined:
            notes.append(str(undefined))
    rel_r, rel_s = _reliability(ratings, "arena", notes), _reliability(scores, "benchmark", notes)
    if scores.covariance is None:
        notes.append("the benchmark gives no errors: its noise stays in the disattenuated value")
    freed = roof = freed_low = freed_high = None
    if found.pearson is not None and low is not None:
        try:
            roof = noise_ceiling(_or_one(rel_r), _or_one(rel_s))
            freed = disattenuated_interval(found.pearson, found.n, _or_one(rel_r), _or_one(rel_s), level)
            freed_low, freed_high = freed.ci
        except Undefined:
            # The noise explains the whole spread: as in Fieller's problem the confidence set is everything.
            freed_low, freed_high = -1.0, 1.0
            notes.append(
                "the noise is as large as the spread of the models: any true correlation is possible"
            )
    if freed is not None and freed.capped:
        notes.append(
            "the correlation exceeds its noise ceiling and is cut to 1: noise overstated, or few models"
        )
    labels = [(families or {}).get(name, name) for name in ratings.models]
    within, within_low, within_high = _within(ratings, scores, labels, level)
    return Association(
        n=found.n,
        pearson=found.pearson,
        low=low,
        high=high,
        spearman=found.spearman,
        kendall_tau_b=found.kendall_tau_b,
        reliability_arena=rel_r,
        reliability_benchmark=rel_s,
        noise_ceiling=roof,
        disattenuated=None if freed is None else freed.r_dis,
        disattenuated_low=freed_low,
        disattenuated_high=freed_high,
        capped=freed is not None and freed.capped,
        leave_one_out=_left_out(ratings, scores, {name: name for name in ratings.models}),
        leave_family_out=None if not families else _left_out(ratings, scores, families),
        families=len(set(labels)) if families else None,
        family_rule=rule if families else "",
        within_family=within,
        within_low=within_low,
        within_high=within_high,
        notes=tuple(notes),
    )


def _or_one(value: float | None) -> float:
    return 1.0 if value is None else value


def _reliability(measure: Measure, side: str, notes: list[str]) -> float | None:
    try:
        return measure.reliability
    except Undefined as undefined:
        notes.append(f"reliability of the {side}: {undefined}")
        return None


def _within(
    ratings: Measure, scores: Measure, labels: Sequence[str], level: float
) -> tuple[float | None, float | None, float | None]:
    """r within families: the partial correlation given the family, over the families of two models or more.

    Where all models are of one family there is nothing to hold apart: r itself says it.
    """
    names = np.array(labels)
    kept = np.array([labels.count(label) > 1 for label in labels])
    if not kept.any() or len(set(labels)) < 2:
        return None, None, None
    codes = np.unique(names[kept], return_inverse=True)[1]
    sizes = np.bincount(codes)
    x, y = (v[kept] - (np.bincount(codes, v[kept]) / sizes)[codes] for v in (ratings.values, scores.values))
    r, free = correlation(x, y), int(kept.sum()) - len(sizes) + 1
    if r is None or abs(r) == 1 or free <= FREE_WITHIN:
        return None, None, None
    return (r, *fisher_interval(r, free, level))


def _left_out(ratings: Measure, scores: Measure, groups: Mapping[str, str]) -> LeftOut | None:
    labels = np.array([groups.get(name, name) for name in ratings.models])
    found = [
        (r, str(label))
        for label in dict.fromkeys(labels.tolist())
        if (r := correlation(ratings.values[labels != label], scores.values[labels != label])) is not None
    ]
    if len(found) < 2:
        return None
    (low, low_name), (high, high_name) = min(found), max(found)
    return LeftOut(low, low_name, high, high_name)
