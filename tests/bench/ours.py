"""Our own tasks of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from arena.votes import Outcome, VoteTable
from ratings import scale
from ratings.bradley_terry import bootstrap, fit, intervals, jackknife, simulate, style
from ratings.design import rows as design_rows
from ratings.design.comparisons import Comparisons, gather
from ratings.design.selection import select
from ratings.engine.choice import NUMPY, Engine, compiled
from ratings.engine.reference import weights
from ratings.leaderboard import Plan
from ratings.scale import ELO
from tests.bench.votes import TRAITS, WORDS, Taken, read, timed

REPEATS = 11
EXACT_ROUNDS = 8


def tasks(
    folder: Path, group: str, rounds: int, engine_name: str
) -> Iterator[tuple[str, Taken, float | None]]:
    """The tasks of one group: `prepare`, `plain` or `style`."""
    engine = NUMPY if engine_name == "reference" else compiled()
    if engine is None:
        raise SystemExit("numba is missing")
    _warm(engine)
    if group == "prepare":
        columns = _strings(folder)
        taken, _ = timed(lambda: comparisons(coded(*columns, folder), TRAITS))
        yield "prepare", taken, None
        return
    names = TRAITS if group == "style" else ()
    data = comparisons(_table(folder), names)
    with bootstrap.one_thread_of_algebra():
        taken, styled = timed(lambda: style.fit(data, names, engine=engine), REPEATS)
    assert isinstance(styled, style.CovariateFit)
    yield group, taken, _difference(styled.fit.params, read(folder, f"reference_{group}"), data.models)
    if rounds:
        taken, (styled, drawn) = timed(lambda: _with_rounds(data, names, rounds, engine))
        yield f"{group}+{rounds}", taken, _rounds_difference(styled, drawn)


def write_reference(folder: Path) -> None:
    """The exact fits that everyone is held against."""
    for group, names in (("plain", ()), ("style", TRAITS)):
        best = style.fit(comparisons(_table(folder), names), names, engine=NUMPY).fit
        np.save(folder / f"reference_{group}.npy", best.params)


def comparisons(table: VoteTable, names: tuple[str, ...]) -> Comparisons:
    """The coded, pair-sorted table of all votes."""
    prepared = design_rows.prepare(table, names)
    _, rows = select(prepared, Plan(style=names))
    return gather(rows, np.arange(len(table.models)), len(table.models))


def coded(a: pa.Array, b: pa.Array, voter: pa.Array, winner: pa.Array, folder: Path) -> VoteTable:
    """A vote table from columns of strings."""
    sides = pa.chunked_array([a, b]).dictionary_encode().combine_chunks()
    who, said = voter.dictionary_encode(), winner.dictionary_encode()
    outcomes = np.array([Outcome.parse(word) for word in said.dictionary.to_pylist()], dtype=np.int8)
    codes = sides.indices.to_numpy()
    return simulate.table(
        codes[: len(a)],
        codes[len(a) :],
        who.indices.to_numpy(),
        outcomes[said.indices.to_numpy()],
        k=len(sides.dictionary),
        voters=len(who.dictionary),
        traits={name: read(folder, name) for name in TRAITS},
    )


def _strings(folder: Path) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array]:
    models, voters = read(folder, "counts")
    names = pa.array([f"model-{index}" for index in range(models)])
    people = pa.array([f"voter-{index}" for index in range(voters)])
    return (
        names.take(pa.array(read(folder, "a"))),
        names.take(pa.array(read(folder, "b"))),
        people.take(pa.array(read(folder, "voter"))),
        pa.array(WORDS).take(pa.array(read(folder, "outcome"))),
    )


def _table(folder: Path) -> VoteTable:
    models, voters = read(folder, "counts")
    columns = [read(folder, name) for name in ("a", "b", "voter", "outcome")]
    traits = {name: read(folder, name) for name in TRAITS}
    return simulate.table(*columns, k=int(models), voters=int(voters), traits=traits)


def _warm(engine: Engine) -> None:
    rng = np.random.default_rng(1)
    small = simulate.votes(simulate.models(6, rng), simulate.Crowd(2_000, 40), rng)
    for names in ((), TRAITS):
        _with_rounds(comparisons(small, names), names, engine.replicates, engine)


def _with_rounds(
    data: Comparisons, names: tuple[str, ...], count: int, engine: Engine
) -> tuple[style.CovariateFit, np.ndarray]:
    """Everything a board needs: fit, errors, rounds, intervals."""
    with bootstrap.one_thread_of_algebra():
        styled = style.fit(data, names, engine=engine)
        spread = jackknife.covariance(styled.data, styled.fit, ties=False, engine=engine)
        drawn = bootstrap.rounds(styled.data, styled.fit, _key(), count, engine=engine)
        rows = scale.contrasts(scale.reference(np.full(data.models, 100), 30), len(styled.fit.params))
        intervals.calibrated_interval(
            rows @ styled.fit.params,
            np.sqrt(np.einsum("id,id->i", rows @ spread.cr3, rows)),
            np.sqrt(np.einsum("id,id->i", rows @ spread.fisher, rows)),
            spread.effective,
            drawn @ rows.T,
        )
    return styled, drawn


def _key() -> weights.Key:
    return weights.key(0, ["bench"])


def _rounds_difference(styled: style.CovariateFit, drawn: np.ndarray) -> float:
    """The largest difference of some rounds from the same rounds refitted exactly."""
    data, best = styled.data, styled.fit
    replicates = weights.bootstrap_weights(data.size, _key(), 0, weights.STRIDE, weights.exponentials)[
        :, :EXACT_ROUNDS
    ]
    if data.x.shape[1]:
        exact = bootstrap.exactly(data, best, replicates, ties=False, prior=False)
    else:
        sums = NUMPY.weighted_sums(
            data.starts, data.voter, np.column_stack([data.weight, data.score]), replicates
        )
        total, score = (np.ascontiguousarray(column.T) for column in sums)
        evaluate = fit.on_pairs(data, fit.Sums(total, score, score), ties=False, prior=False)
        start = np.tile(best.params, (EXACT_ROUNDS, 1))
        exact, _, _ = fit.newton(evaluate, start, data.models, np.zeros(0), 1e-6)
    return max(_difference(*pair, data.models) for pair in zip(drawn, exact, strict=False))


def _difference(params: np.ndarray, reference: np.ndarray, models: int) -> float:
    """In Elo, both centred."""
    theta, other = params[:models], reference[:models]
    return float(np.abs((theta - theta.mean()) - (other - other.mean())).max() * ELO)
