"""Passes over the rows in blocks, against plain sums in float64."""

from __future__ import annotations

import numpy as np
import pytest

from ratings.bradley_terry import simulate
from ratings.bradley_terry.simulate import Crowd
from ratings.design.comparisons import Comparisons, gather
from ratings.design.rows import prepare
from ratings.design.selection import select
from ratings.engine.reference import rounds
from ratings.leaderboard import Plan

STYLE = simulate.TRAITS
REPLICATES = 6


@pytest.fixture
def data(rng: np.random.Generator) -> Comparisons:
    table = simulate.votes(simulate.models(7, rng), Crowd(3000, 90), rng)
    return gather(select(prepare(table, STYLE), Plan(style=STYLE))[1], np.arange(7), 7)


@pytest.fixture
def replicates(data: Comparisons, rng: np.random.Generator) -> np.ndarray:
    return rng.exponential(size=(len(data.size), REPLICATES)).astype(np.float32)


# Blocks of many pairs, of about one, and many blocks of one pair.
@pytest.mark.parametrize("block_rows", [2048, 150, 16])
# By series of two degrees, and by exp.
@pytest.mark.parametrize("spread", [0.001, 0.005, 0.5])
@pytest.mark.parametrize(("kind", "close"), [(np.float32, 2e-4), (np.float64, 1e-10)])
def test_gradients_are_those_of_the_definition(
    data: Comparisons,
    replicates: np.ndarray,
    block_rows: int,
    spread: float,
    kind: type,
    close: float,
    monkeypatch: pytest.MonkeyPatch,
    rng: np.random.Generator,
) -> None:
    monkeypatch.setattr(rounds, "BLOCK_ROWS", block_rows)
    rows = rounds.rows_at_fit(data, rng.normal(0, 0.5, 7), rng.normal(0, 0.2, 4), kind)
    d = rng.normal(0, 10 * spread, (len(data.pair_a), REPLICATES)).astype(kind)
    c = rng.uniform(-spread, spread, (4, REPLICATES)).astype(kind)

    residual, score_coef = rounds.gradient(rows, replicates, d, c)

    z = rows.z.astype(np.float64)[:, None] + d[data.pair] + data.x.astype(np.float64) @ c
    p = 1 / (1 + np.exp(-z))
    each = (data.score[:, None] - data.weight[:, None] * p) * replicates[data.voter]
    assert residual == pytest.approx(np.add.reduceat(each, data.starts[:-1], axis=0), abs=close)
    assert score_coef == pytest.approx(data.x.T @ each, abs=10 * close)


@pytest.mark.parametrize("block_rows", [2048, 150, 16])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_weighted_sums_are_those_of_the_definition(
    data: Comparisons, replicates: np.ndarray, block_rows: int, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "BLOCK_ROWS", block_rows)
    columns = np.column_stack([data.weight, data.score, data.x]).astype(kind)

    found = rounds.weighted_sums(data.starts, data.voter, columns, replicates)

    each = columns.T[:, :, None].astype(np.float64) * replicates[data.voter]
    assert found == pytest.approx(np.add.reduceat(each, data.starts[:-1], axis=1), rel=1e-5, abs=1e-4)


def test_blocks_hold_every_row_once_in_order(rng: np.random.Generator) -> None:
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 3 * rounds.BLOCK_ROWS, 40) // 3 + 1)])

    blocks = list(rounds._blocks(starts))

    assert [row for block in blocks for row in (block.rows.start, block.rows.stop)][1:-1:2] == [
        block.rows.start for block in blocks[1:]
    ]
    assert (blocks[0].rows.start, blocks[-1].rows.stop) == (0, starts[-1])
    assert max(block.count for block in blocks) <= rounds.BLOCK_ROWS
    assert {pair for block in blocks for pair in range(block.pairs.start, block.pairs.stop)} == set(range(40))
