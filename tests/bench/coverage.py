"""Simulate how often 95 % intervals hold the truth, where voters differ in taste and activity.

    python tests/bench/coverage.py                                  # every cell, 400 replicates
    python tests/bench/coverage.py --cell zipf --replicates 1000 --rounds 1000 --json

The truth of a cell is what infinitely many such voters would say: the Bradley-Terry fit of the expected outcomes,
tastes integrated out. Each replicate draws new voters and votes. The Monte Carlo error counts replicates, since the
models of one share their votes. `ranks` is the share of replicates in which the simultaneous ranges hold
all true ranks at once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT)

import numpy as np  # noqa: E402

from ratings import scale  # noqa: E402
from ratings.bradley_terry import simulate  # noqa: E402
from ratings.bradley_terry.simulate import Crowd, Truth  # noqa: E402
from ratings.leaderboard import Plan  # noqa: E402
from ratings.ranking.rank import analyse  # noqa: E402


@dataclass(frozen=True)
class Cell:
    """One setting of the simulation."""

    models: int
    crowd: Crowd
    taste: float = 0.8
    spread_elo: float = 80.0
    style: bool = False
    cluster: str = "voter"


CELLS = {
    "independent": Cell(10, Crowd(2_000, 2_000, zipf=0.0), taste=0.0, cluster="none"),
    "zipf": Cell(10, Crowd(3_000, 60)),
    "many": Cell(10, Crowd(4_000, 400, zipf=0.5)),
    "uneven15": Cell(8, Crowd(1_500, 15, zipf=0.7)),
    "sparse": Cell(30, Crowd(1_500, 1_500, zipf=0.0), taste=0.0, cluster="none"),
    "heavy": Cell(10, Crowd(4_000, 200, heavy=0.05)),
    "style": Cell(8, Crowd(3_000, 60, zipf=0.7), style=True),
    "uneven8": Cell(6, Crowd(1_000, 8, zipf=0.5)),
    "near_ties": Cell(10, Crowd(3_000, 200, zipf=0.5), spread_elo=4.0),
    "near_ties_uneven": Cell(10, Crowd(3_000, 60), spread_elo=4.0),
}


@dataclass(frozen=True)
class Coverage:
    """Shares over all replicates, each with its Monte Carlo error; widths in Elo."""

    cell: str
    replicates: int
    rounds: int
    ratings: float
    ratings_error: float
    gaps: float
    gaps_error: float
    coefficients: float | None
    coefficients_error: float | None
    ranks: float
    ranks_error: float
    width: float
    seconds: float


def main() -> int:
    options = _options()
    for name in options.cell or CELLS:
        line = _simulate(name, options)
        print(json.dumps(asdict(line)) if options.json else _text(line), flush=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--cell", action="append", choices=sorted(CELLS), help="may be given again; default: all"
    )
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=1000, help="0: the quick interval, est +- t(nu) se_CR3")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="one JSON object a cell")
    return parser.parse_args()


def _simulate(name: str, options: argparse.Namespace) -> Coverage:
    started = time.perf_counter()
    one = partial(_replicate, name, options.rounds, options.seed)
    with ProcessPoolExecutor(options.jobs) as pool:
        found = np.array(list(pool.map(one, range(options.replicates), chunksize=4)))
    mean = found.mean(axis=0)
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    styled = CELLS[name].style
    return Coverage(
        cell=name,
        replicates=options.replicates,
        rounds=options.rounds,
        ratings=mean[0],
        ratings_error=error[0],
        gaps=mean[1],
        gaps_error=error[1],
        coefficients=mean[2] if styled else None,
        coefficients_error=error[2] if styled else None,
        ranks=mean[3],
        ranks_error=error[3],
        width=mean[4],
        seconds=time.perf_counter() - started,
    )


def _replicate(name: str, rounds: int, seed: int, number: int) -> tuple[float, float, float, float, float]:
    """Shares of ratings, gaps and coefficients covered, whether all ranks are, and the mean width, of one replicate."""
    cell = CELLS[name]
    truth, popularity, target = _setting(cell)
    rng = np.random.default_rng([seed, number])
    table = simulate.votes(truth, cell.crowd, rng, popularity=popularity)
    style = simulate.TRAITS if cell.style else ()
    analysis = analyse(
        table, Plan(rounds=rounds, seed=number, cluster=cell.cluster, style=style), engine="reference"
    )
    part = analysis.parts[0]
    assert part.ratings is not None
    theta = target.theta[part.members]
    at = theta - theta @ part.mean
    held = ((part.ratings.low <= at) & (at <= part.ratings.high))[~part.spread.disconnected_without_one_voter]
    places = 1 + (theta[:, None] < theta[None, :]).sum(axis=1)
    ranks = ((part.rank_low <= places) & (places <= part.rank_high))[part.ranked].all()
    return (
        float(held.mean()),
        float(np.mean(list(_gaps(part, theta)))),
        _coefficients(part, target) if cell.style else np.nan,
        float(ranks),
        float((part.ratings.high - part.ratings.low).mean() * scale.ELO),
    )


@cache
def _setting(cell: Cell) -> tuple[Truth, np.ndarray, simulate.Population]:
    """The same for every replicate: the truth, how popular each model is, and what the votes estimate."""
    rng = np.random.default_rng(11)
    truth = simulate.models(cell.models, rng, spread_elo=cell.spread_elo)
    popularity = rng.permutation(simulate.power_law(cell.models, 0.5))
    truth = replace(truth, taste=cell.taste, coef=truth.coef if cell.style else {})
    return truth, popularity, simulate.population(truth, popularity)


def _gaps(part, theta: np.ndarray) -> Iterator[bool]:
    """Whether the intervals of neighbouring gaps hold the truth."""
    for a, b in zip(range(len(theta)), range(1, len(theta)), strict=False):
        row = np.zeros(len(part.fit.params))
        row[a], row[b] = 1.0, -1.0
        found = part.contrast(row, float(part.spread.effective[[a, b]].min()))
        yield found.low <= (theta[a] - theta[b]) * scale.ELO <= found.high


def _coefficients(part, target: simulate.Population) -> float:
    # The engine's coefficients are per root mean square of this replicate's covariates.
    held = [
        low <= target.coef[name] * rms <= high
        for name, rms, low, high in zip(
            part.styled.names, part.styled.rms, part.coefficients.low, part.coefficients.high, strict=True
        )
    ]
    return float(np.mean(held))


def _text(line: Coverage) -> str:
    coefficients = ""
    if line.coefficients is not None:
        coefficients = f"  coefficients {line.coefficients:.3f} +- {line.coefficients_error:.3f}"
    return (
        f"{line.cell:18} ratings {line.ratings:.3f} +- {line.ratings_error:.3f}  gaps {line.gaps:.3f} +- "
        f"{line.gaps_error:.3f}{coefficients}  all ranks {line.ranks:.3f} +- {line.ranks_error:.3f}  "
        f"width {line.width:.0f} Elo  ({line.replicates} x {line.rounds} rounds, {line.seconds:.0f} s)"
    )


if __name__ == "__main__":
    raise SystemExit(main())
