"""Every kernel against its namesake in numpy, and the choice between them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from ratings.bradley_terry import simulate
from ratings.bradley_terry.simulate import Crowd
from ratings.design.comparisons import Comparisons, gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine import choice
from ratings.engine.compiled import by_voter, compiling, full_fit, kernels, newton_steps, rounds
from ratings.engine.compiled import rows as compiled_rows
from ratings.engine.reference import jackknife, pairs
from ratings.engine.reference import rounds as reference_rounds
from ratings.engine.reference import rows as reference_rows
from ratings.engine.reference.rows import How
from ratings.leaderboard import Plan

pytestmark = pytest.mark.slow  # numba compiles each kernel anew when one has changed

STYLE = simulate.TRAITS


@pytest.fixture
def data(rng: np.random.Generator) -> Comparisons:
    table = simulate.votes(simulate.models(9, rng), Crowd(4000, 70), rng)
    plan = Plan(style=STYLE)
    return gather(select(prepare(table, STYLE), plan)[1], np.arange(9), 9)


@pytest.fixture
def packed(data: Comparisons, rng: np.random.Generator) -> reference_rounds.RowsAtFit:
    return reference_rounds.rows_at_fit(data, rng.normal(0, 0.5, 9), rng.normal(0, 0.2, 4))


@pytest.fixture
def replicates(data: Comparisons, rng: np.random.Generator) -> np.ndarray:
    return rng.exponential(size=(len(data.size), kernels.REPLICATES)).astype(np.float32)


def test_rows_at_the_full_fit(
    data: Comparisons, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    params = rng.normal(0, 0.5, 13)
    monkeypatch.setattr(by_voter, "LARGE", 1000)

    terms = [code(data, params, ties=False) for code in (jackknife.terms, full_fit.terms)]
    one, other = (
        code(data, params[:9], params[9:]) for code in (reference_rounds.rows_at_fit, full_fit.rows_at_fit)
    )

    for name in ("residual", "q"):
        assert getattr(terms[1], name) == pytest.approx(getattr(terms[0], name), rel=1e-12, abs=1e-14)
    for name in ("y", "w", "x", "z", "p", "max_abs_shift"):
        assert getattr(other, name).dtype == np.float32
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-6, abs=1e-7)


def test_cells_at_the_full_fit(packed: reference_rounds.RowsAtFit) -> None:
    one, other = reference_rounds.voter_pair_sums(packed), kernels.voter_pair_sums(packed)

    assert other.starts.tolist() == one.starts.tolist()
    assert other.voter.tolist() == one.voter.tolist()
    for name in ("columns", "score_coef", "information_coef"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("spread", [0.02, 1.5, 40.0])
def test_gradients_near_and_far(
    packed: reference_rounds.RowsAtFit, replicates: np.ndarray, rng: np.random.Generator, spread: float
) -> None:
    # Near the full fit the kernel sums a series, far from it the sigmoid itself.
    d = rng.normal(0, spread, (len(packed.starts) - 1, kernels.REPLICATES)).astype(np.float32)
    c = rng.normal(0, spread / 4, (4, kernels.REPLICATES)).astype(np.float32)

    one, other = (code.gradient(packed, replicates, d, c) for code in (reference_rounds, kernels))

    assert other[0] == pytest.approx(one[0], rel=1e-4, abs=2e-3)
    assert other[1] == pytest.approx(one[1], rel=1e-4, abs=2e-2)


@pytest.mark.parametrize("move", [0.0, 0.2, 3.0])
def test_gradients_are_those_of_the_definition(
    data: Comparisons, packed: reference_rounds.RowsAtFit, replicates: np.ndarray, move: float
) -> None:
    d = np.full((len(data.pair_a), kernels.REPLICATES), move, dtype=np.float32)

    residual, score_coef = kernels.gradient(packed, replicates, d, np.zeros_like(d[:4]))

    p = 1 / (1 + np.exp(-packed.z.astype(np.float64) - move))
    rows = (data.score - data.weight * p)[:, None] * replicates[data.voter]
    assert residual == pytest.approx(np.add.reduceat(rows, data.starts[:-1], axis=0), abs=2e-3)
    assert score_coef == pytest.approx(data.x.T @ rows, abs=2e-2)


def test_cells_are_the_votes_of_a_voter_on_a_pair(
    data: Comparisons, packed: reference_rounds.RowsAtFit
) -> None:
    found = reference_rounds.voter_pair_sums(packed)

    place = np.repeat(np.arange(len(data.pair_a)), np.diff(found.starts))
    which = {cell: number for number, cell in enumerate(zip(place, found.voter, strict=True))}
    mine = np.array([which[cell] for cell in zip(data.pair, data.voter, strict=True)])
    q = data.weight * packed.p * (1.0 - packed.p)
    for column, values in ((0, data.weight * (packed.y - packed.p)), (1, q), (4, q * data.x[:, 1])):
        assert found.columns[:, column] == pytest.approx(np.bincount(mine, weights=values), abs=1e-4)
    assert found.information_coef[:, 6] == pytest.approx(
        np.bincount(data.voter, weights=q * data.x[:, 1] * data.x[:, 2]), abs=1e-3
    )


@pytest.mark.parametrize(("kind", "close"), [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_weighted_sums(data: Comparisons, replicates: np.ndarray, kind: type, close: float) -> None:
    columns = np.column_stack([data.weight, data.score, data.x]).astype(kind)

    one, other = (
        code.weighted_sums(data.starts, data.voter, columns, replicates)
        for code in (reference_rounds, kernels)
    )

    assert other == pytest.approx(one, rel=close, abs=10 * close)


@pytest.mark.parametrize(("how", "close"), [("exact", 1e-10), ("single_precision", 1e-5), ("scores", 1e-10)])
def test_one_pass_of_the_fit(data: Comparisons, rng: np.random.Generator, how: How, close: float) -> None:
    params, scale = rng.normal(0, 0.5, 13), np.array([0.5, 2.0, 1.0, 3.0])

    one = reference_rows.single(data, params, scale)
    other = kernels.rows(data, params, scale, how)

    for name in (
        ("residual", "score_coef")
        if how == "scores"
        else ("residual", "q", "cross_by_pair", "score_coef", "information_coef")
    ):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=close, abs=20 * close)


def test_one_pass_of_many_rows_at_zero(data: Comparisons, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_rows, "LARGE", 0)
    params, scale = np.zeros(13), np.ones(4)

    one, other = reference_rows.single(data, params, scale), kernels.rows(data, params, scale)

    for name in ("residual", "q", "cross_by_pair", "score_coef", "information_coef"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-12, abs=1e-10)
    assert list(other.max_abs_shift) == list(np.abs(data.x).max(axis=0))


def test_scores_and_information_of_pairs(data: Comparisons, rng: np.random.Generator) -> None:
    shape = (3, len(data.pair_a))
    weight = rng.gamma(2.0, 5.0, shape)
    score = weight * rng.random(shape)
    params = rng.normal(0, 3.0, (3, 9))
    found = []
    for code in (pairs, kernels):
        gradient, information = np.zeros((3, 9)), np.zeros((3, 9, 9))
        code_pairs = pairs.evaluate if code is pairs else kernels.pairs
        code_pairs(data.pair_a, data.pair_b, weight, score, params, gradient, information)
        found.append((gradient, information))

    assert found[1][0] == pytest.approx(found[0][0], rel=1e-12, abs=1e-10)
    assert found[1][1] == pytest.approx(found[0][1], rel=1e-12, abs=1e-10)


def test_scores_of_rounds(data: Comparisons, rng: np.random.Generator) -> None:
    weight = rng.gamma(2.0, 5.0, (len(data.pair_a), 5))
    score = weight * rng.random(weight.shape)
    params = rng.normal(0, 3.0, (5, 9))

    found = [code(data.pair_a, data.pair_b, weight, score, params) for code in (pairs.scores, kernels.scores)]

    chance = 1 / (1 + np.exp(params[:, data.pair_b] - params[:, data.pair_a]))
    left = score.T - weight.T * chance
    for scores in found:
        for model in range(9):
            gained, lost = data.pair_a == model, data.pair_b == model
            expected = left[:, gained].sum(axis=1) - left[:, lost].sum(axis=1)
            assert scores[:, model] == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_assembling_rounds(data: Comparisons, rng: np.random.Generator) -> None:
    shape = (len(data.pair_a), kernels.REPLICATES)
    q, values = rng.gamma(2.0, 1.0, shape), rng.normal(size=(3, *shape))
    found = []
    for code in (pairs, kernels):
        information = np.zeros((kernels.REPLICATES, 11, 11))
        code.assemble(data.pair_a, data.pair_b, q, information)
        found.append((np.triu(information), code.pair_to_model_sums(data.pair_a, data.pair_b, 9, values)))

    incidence = np.zeros((len(data.pair_a), 9))
    incidence[np.arange(len(q)), data.pair_a], incidence[np.arange(len(q)), data.pair_b] = 1.0, -1.0
    for information, pair_to_model_sums in found:
        assert information[:, :9, :9] == pytest.approx(
            np.triu(np.einsum("pl,pi,pj->lij", q, incidence, incidence))
        )
        assert pair_to_model_sums == pytest.approx(np.einsum("cpl,pi->lic", values, incidence))


def test_sigmoid_and_logarithm_are_exact_enough() -> None:
    z = np.linspace(-60.0, 60.0, 4001)

    double = compiling.compiled(lambda v: compiling.expit_double(v))
    log = compiling.compiled(lambda v: compiling.log_double(v))

    exact = 1 / (1 + np.exp(-z))
    assert np.array([double(v) for v in z]) == pytest.approx(exact, rel=1e-14)
    u = np.linspace(2.0**-33, 1 - 2.0**-33, 4001)
    assert np.array([log(v) for v in u]) == pytest.approx(np.log(u), rel=1e-14, abs=1e-16)


def test_kept_code_is_renewed_when_any_source_of_the_kernels_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiling.config, "CACHE_DIR", str(tmp_path))

    def found_on_disk() -> int:
        kernel = compiling.compiled(_half)
        assert kernel(3.0) == 1.5
        return sum(kernel.stats.cache_hits.values())

    found_on_disk()
    same = found_on_disk()
    monkeypatch.setattr(compiling, "sources", lambda: "another version")
    changed = found_on_disk()

    assert (same, changed) == (1, 0)


def _half(x: float) -> float:
    return x / 2.0


@pytest.fixture
def without_numba(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "ratings.engine.compiled.kernels", None)
    monkeypatch.delattr("ratings.engine.compiled.kernels", raising=False)
    choice.compiled.cache_clear()
    yield
    choice.compiled.cache_clear()


@pytest.mark.usefixtures("without_numba")
def test_without_numba_numpy_is_used_and_one_line_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        chosen = [choice.choose("auto", 10**9, 10, 1000) for _ in range(2)]

    assert chosen == [choice.NUMPY, choice.NUMPY]
    assert [record.getMessage().count("numba is missing") for record in caplog.records] == [1]


def test_small_work_goes_without_the_kernels() -> None:
    assert choice.choose("auto", 1000, 10, 1000) is choice.NUMPY
    assert choice.choose("auto", 1_000_000, 10, 1000).name == "compiled"
    assert choice.choose("auto", 3000, 200, 1000).name == "compiled"
    assert choice.choose("compiled", 10, 2, 0).name == "compiled"


@pytest.mark.parametrize(
    "kernel",
    [
        compiled_rows._pass(2, np.float32, True, True),
        rounds._gradient(2),
        rounds._weighted_sums(2),
        newton_steps._start(2),
    ],
)
def test_a_kernel_made_to_measure_is_found_on_disk_by_the_next_process(kernel: Dispatcher) -> None:
    # The name of a kept kernel holds a hash of what the function closes over: another kernel has a new one every time.
    identified_by_one_voter = [cell.cell_contents for cell in kernel.py_func.__closure__]

    assert all(isinstance(value, int | np.number | type) for value in identified_by_one_voter)
