"""Sanity of a benchmark: doing nothing and echoing the task must score about 0, the reference solutions about 1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ratings.benchmarks.results.records import read_score
from ratings.benchmarks.results.results import ItemResults
from ratings.stats.arguments import BadNumber

Kind = Literal["null", "echo", "oracle"]
Verdict = Literal["PASS", "FAIL"]

KINDS: tuple[Kind, ...] = ("null", "echo", "oracle")
NEAR_ZERO = 0.02
NEAR_ONE = 0.98
MEANS = {
    "null": "an agent that does nothing",
    "echo": "an agent that repeats the task",
    "oracle": "the reference solutions",
}
# Reserved names of models whose results are baselines, not contenders.
NAMES: Mapping[str, Kind] = {
    "null": "null",
    "null-agent": "null",
    "echo": "echo",
    "echo-agent": "echo",
    "oracle": "oracle",
    "reference": "oracle",
}


def baseline_check(kind: Kind, score: Any) -> Verdict:
    """PASS if a baseline's mean score is where it belongs: null and echo <= .02, oracle >= .98.

    No score, NaN, text or a score off [0, 1] is a FAIL: the benchmark could not even tell.
    """
    if kind not in MEANS:
        raise BadNumber(f"unknown baseline {kind!r}; known: {', '.join(MEANS)}")
    found = read_score(score, (0.0, 1.0))
    if isinstance(found, str) or math.isnan(found):
        return "FAIL"
    passed = found >= NEAR_ONE if kind == "oracle" else found <= NEAR_ZERO
    return "PASS" if passed else "FAIL"


@dataclass(frozen=True)
class Baseline:
    """One baseline's result. A FAIL is a fault of the benchmark, not of a model."""

    kind: Kind
    model: str | None  # None: it was not run
    score: float | None
    verdict: Literal["PASS", "FAIL", "not run"]
    meaning: str
    suspects: tuple[str, ...]  # items that null or echo pass, or on which the oracle fails


def baselines(results: ItemResults, given: Mapping[Kind, str | None] | None = None) -> tuple[Baseline, ...]:
    """The three baselines of a benchmark, failures counted as 0: each the model that is `given` for it, else found by its name (`NAMES`).

    Items that a baseline gets wrongly right or wrong are named: already solved in their start state, or broken. Raises `BadInput` for a
    given model that is not there.
    """
    chosen = {kind: results.models[results.row(model)] for kind, model in (given or {}).items() if model}
    named = {
        NAMES[model.lower()]: model
        for model in results.models
        if model.lower() in NAMES and model not in chosen.values()
    }
    found = {**named, **chosen}
    return tuple(_baseline(results, kind, found.get(kind)) for kind in KINDS)


def _baseline(results: ItemResults, kind: Kind, model: str | None) -> Baseline:
    if model is None:
        return Baseline(kind, None, None, "not run", MEANS[kind], ())
    row = results.means("zero")[results.row(model)]
    scored = row[~(row != row)]
    score = float(scored.mean()) if len(scored) else None
    wrong = (row < 1) if kind == "oracle" else (row > 0)
    suspects = tuple(item for item, bad in zip(results.items, wrong, strict=True) if bad)
    return Baseline(kind, model, score, baseline_check(kind, score), MEANS[kind], suspects)
