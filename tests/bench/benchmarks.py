"""Time the pairwise statistics of 100 models on 14,042 items, beside a peer on a few of the same pairs.

    python tests/bench/benchmarks.py                     # the whole table, some ten seconds
    python tests/bench/benchmarks.py --models 30 --items 2000 --rounds 1000 --json

The peers work pair by pair: statsmodels' exact McNemar test with scipy's paired t test, statsmodels' clustered
regression, and a plain resampling of items. Their time is that of `--peer-pairs` pairs; the ratio is per pair. Bounds
are those of the requirement, for the full size; the exit status is 1 if one is passed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

# This folder has a ratings.py of its own, which must not stand for the package.
sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np  # noqa: E402
import statsmodels.api as sm  # noqa: E402
from scipy.stats import ttest_rel  # noqa: E402
from statsmodels.stats.contingency_tables import mcnemar  # noqa: E402

from ratings.benchmarks.methods.all_pairs import all_pairs, all_pairs_clustered  # noqa: E402
from ratings.benchmarks.methods.joint_bootstrap import joint_bootstrap  # noqa: E402

FULL = (100, 14_042, 10_000)  # MMLU's test items
SUBJECTS = 57
BOUNDS = {
    "pairs": 1.0,
    "pairs with gaps": 1.0,
    "clustered": 1.5,
    "clustered with gaps": 1.5,
    "joint bootstrap": 15.0,
}
REPEATS = 3


@dataclass(frozen=True)
class Timing:
    """One line: our seconds for all pairs, the peer's for its few, and how many times longer the peer takes for a pair."""

    task: str
    pairs: int
    seconds: float
    bound: float | None
    peer: str
    peer_pairs: int
    peer_seconds: float
    ratio_per_pair: float


def main() -> int:
    options = _options()
    size = (options.models, options.items, options.rounds)
    scores, subjects = simulate(options.models, options.items)
    gaps = np.where(np.random.default_rng(8).random(scores.shape) < 0.05, np.nan, scores)
    few = list(zip(*np.triu_indices(options.models, 1), strict=True))[:: max(1, options.models)][
        : options.peer_pairs
    ]
    tasks: list[tuple[str, Callable[[], object], str, Callable[[int, int], object]]] = [
        ("pairs", lambda: all_pairs(scores), "statsmodels mcnemar + scipy ttest_rel", lambda a, b: one_pair(scores, a, b)),
        ("pairs with gaps", lambda: all_pairs(gaps), "statsmodels mcnemar + scipy ttest_rel", lambda a, b: one_pair(gaps, a, b)),
        ("clustered", lambda: all_pairs_clustered(scores, subjects), "statsmodels OLS, cluster", lambda a, b: one_clustered(scores, subjects, a, b)),
        ("clustered with gaps", lambda: all_pairs_clustered(gaps, subjects), "statsmodels OLS, cluster", lambda a, b: one_clustered(gaps, subjects, a, b)),
        (
            "joint bootstrap",
            lambda: joint_bootstrap(scores, np.random.default_rng(7), rounds=options.rounds),
            "numpy, items redrawn pair by pair",
            lambda a, b: one_bootstrap(scores[a] - scores[b], options.rounds),
        ),
    ]  # fmt: skip
    lines = [_timing(*task, few, options.models, size == FULL) for task in tasks]
    for line in lines:
        print(json.dumps(asdict(line)) if options.json else _told(line), flush=True)
    return int(any(line.bound is not None and line.seconds > line.bound for line in lines))


def simulate(models: int, items: int) -> tuple[np.ndarray, np.ndarray]:
    """(models, items) right or wrong, with items of all difficulties, and each item's subject."""
    rng = np.random.default_rng(7)
    ease = rng.logistic(0, 1.5, items)
    skill = rng.normal(0.7, 0.5, models)
    right = rng.random((models, items)) < 1 / (1 + np.exp(-(ease + skill[:, None])))
    return right.astype(np.float64), rng.integers(0, SUBJECTS, items)


def one_pair(scores: np.ndarray, a: int, b: int) -> object:
    both = ~np.isnan(scores[a] + scores[b])
    x, y = scores[a, both], scores[b, both]
    table = [[np.sum((x == i) & (y == j)) for j in (1, 0)] for i in (1, 0)]
    return mcnemar(table, exact=True).pvalue, ttest_rel(x, y).pvalue


def one_clustered(scores: np.ndarray, subjects: np.ndarray, a: int, b: int) -> object:
    d = scores[a] - scores[b]
    both = ~np.isnan(d)
    model = sm.OLS(d[both], np.ones(both.sum()))
    return model.fit(cov_type="cluster", cov_kwds={"groups": subjects[both]}).bse


def one_bootstrap(d: np.ndarray, rounds: int) -> object:
    rng = np.random.default_rng(7)
    means = [d[rng.integers(0, len(d), len(d))].mean() for _ in range(rounds)]
    return np.quantile(means, [0.025, 0.975])


def _timing(
    task: str,
    ours: Callable[[], object],
    peer: str,
    theirs: Callable[[int, int], object],
    few: list[tuple[int, int]],
    models: int,
    bounded: bool,
) -> Timing:
    slow = task == "joint bootstrap"
    seconds = min(_seconds(ours) for _ in range(1 if slow else REPEATS))
    measured = few[:1] if slow else few
    peer_seconds = _seconds(lambda: [theirs(a, b) for a, b in measured])
    pairs = models * (models - 1) // 2
    return Timing(
        task=task,
        pairs=pairs,
        seconds=round(seconds, 3),
        bound=BOUNDS[task] if bounded else None,
        peer=peer,
        peer_pairs=len(measured),
        peer_seconds=round(peer_seconds, 3),
        ratio_per_pair=round((peer_seconds / len(measured)) / (seconds / pairs), 1),
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _told(line: Timing) -> str:
    bound = "" if line.bound is None else f" (at most {line.bound:g})"
    return (
        f"{line.task}: {line.pairs} pairs in {line.seconds:.2f} s{bound}; {line.peer}: {line.peer_pairs} pairs in "
        f"{line.peer_seconds:.2f} s, {line.ratio_per_pair:g} times as long a pair"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=FULL[0])
    parser.add_argument("--items", type=int, default=FULL[1])
    parser.add_argument("--rounds", type=int, default=FULL[2])
    parser.add_argument("--peer-pairs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
