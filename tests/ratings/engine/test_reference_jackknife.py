"""Sums over voters, many at a time, against one dense solution a voter."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.bradley_terry import fit, simulate
from ratings.bradley_terry.simulate import Crowd
from ratings.design.comparisons import Comparisons, gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine.reference import jackknife
from ratings.engine.reference.jackknife import DfbetaSums, RowTerms
from ratings.leaderboard import Plan

STYLE = simulate.TRAITS
MODELS = 6
Case = tuple[Comparisons, RowTerms, np.ndarray]


def case(rng: np.random.Generator, *, ties: bool, style: tuple[str, ...], voters: int = 60) -> Case:
    """Votes, their terms near a fit, and their whole information: some voters cast most, some groups are of many."""
    table = simulate.votes(simulate.models(MODELS, rng), Crowd(2500, voters), rng)
    rows = select(prepare(table, style), Plan(style=style))[1]
    data = gather(rows, np.arange(MODELS), MODELS, ties=ties)
    data.size[::5] = 3
    params = rng.normal(0, 0.3, MODELS + len(style) + ties)
    at = jackknife.terms(data, params, ties=ties)
    whole = sum(jackknife.voter(data, at, rows_of(data, g), len(params))[1] for g in range(len(data.size)))
    return data, at, fit.centred(np.asarray(whole), MODELS)


def rows_of(data: Comparisons, group: int) -> np.ndarray:
    return np.flatnonzero(data.voter == group)


def plainly(data: Comparisons, at: RowTerms, information: np.ndarray, apart: np.ndarray) -> DfbetaSums:
    scores, dfbeta = np.zeros((2, *information.shape))
    n = np.zeros((len(data.size), MODELS))
    for group, size in enumerate(data.size):
        s, score_coef = jackknife.voter(data, at, rows_of(data, group), len(information))
        scores += np.outer(s, s) / size
        d = np.linalg.solve(information - score_coef / size, s / size)
        dfbeta += 0.0 if apart[group] else size * np.outer(d, d)
        for side in (data.pair_a, data.pair_b):
            mine = rows_of(data, group)
            np.add.at(n[group], side[data.pair[mine]], data.weight[mine])
    effective = n.sum(axis=0) ** 2 / (n**2 / data.size[:, None]).sum(axis=0)
    return DfbetaSums(scores, dfbeta, effective)


def check(found: DfbetaSums, expected: DfbetaSums) -> None:
    for name in ("scores", "dfbeta", "effective"):
        whole = getattr(expected, name)
        assert getattr(found, name) == pytest.approx(whole, rel=1e-9, abs=1e-9 * np.abs(whole).max())


@pytest.mark.slow
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("style", [(), STYLE])
# By steps in one chunk and in many, the larger voters or all of them directly.
@pytest.mark.parametrize(
    ("rows", "values", "steps"), [(50_000, 200_000, 12), (100, 60, 12), (9, 9, 12), (50_000, 200_000, 0)]
)
def test_totals_are_those_of_dense_solutions(
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
    ties: bool,
    style: tuple[str, ...],
    rows: int,
    values: int,
    steps: int,
) -> None:
    data, at, information = case(rng, ties=ties, style=style)
    apart = np.zeros(len(data.size), dtype=np.bool_)
    apart[[3, 7]] = True
    for name, value in {"CHUNK_ROWS": rows, "CHUNK_VALUES": values, "MOST_STEPS": steps}.items():
        monkeypatch.setattr(jackknife, name, value)

    found = jackknife.totals(data, at, information, np.linalg.inv(information), apart)

    check(found, plainly(data, at, information, apart))


@pytest.mark.parametrize("sparse", [0, 10_000])
def test_scores_that_are_mostly_zero_and_mostly_not(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, sparse: int
) -> None:
    data, at, information = case(rng, ties=True, style=STYLE)
    apart = np.zeros(len(data.size), dtype=np.bool_)
    monkeypatch.setattr(jackknife, "SPARSE", sparse)

    found = jackknife.totals(data, at, information, np.linalg.inv(information), apart)

    check(found, plainly(data, at, information, apart))


def test_few_voters_of_large_leverage(rng: np.random.Generator) -> None:
    data, at, information = case(rng, ties=False, style=STYLE, voters=3)
    apart = np.zeros(len(data.size), dtype=np.bool_)

    found = jackknife.totals(data, at, information, np.linalg.inv(information), apart)

    check(found, plainly(data, at, information, apart))
