"""Time the nightly job: the whole of 1.7 million votes and 26 overlapping subsets, each with and without style.

python tests/bench/nightly.py [--rounds 500] [--boards 26] [--json]
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# This folder has a ratings.py of its own, which must not stand for the package.
sys.path[0] = str(ROOT)

import numpy as np  # noqa: E402

from arena.votes import VoteTable  # noqa: E402
from ratings.bradley_terry import simulate  # noqa: E402
from ratings.leaderboard import Plan  # noqa: E402
from ratings.ranking.rank import rank_many  # noqa: E402
from tests.bench.votes import SIZES, peak_mb  # noqa: E402

SMALLEST, LARGEST = 0.02, 0.30  # shares of the votes in a subset


def main() -> int:
    options = _options()
    table = _table(options.size, options.boards)
    plans = {}
    for category in (None, *table.labels):
        for style in ((), simulate.TRAITS):
            name = f"{category or 'whole'}{' with style' if style else ''}"
            plans[name] = Plan(rounds=options.rounds, category=category, style=style)
    started, used = time.perf_counter(), time.process_time()
    boards = rank_many(table, plans)
    line = {
        "size": options.size,
        "boards": len(boards),
        "rounds": options.rounds,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - used,
        "rss_mb": peak_mb(),
    }
    print(json.dumps(line) if options.json else "  ".join(f"{key} {value}" for key, value in line.items()))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=sorted(SIZES), default="M")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--boards", type=int, default=26, help="subsets beside the whole")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _table(size: str, subsets: int) -> VoteTable:
    count, models, voters = SIZES[size]
    rng = np.random.default_rng(7)
    table = simulate.votes(simulate.models(models, rng), simulate.Crowd(count, voters), rng)
    shares = np.linspace(SMALLEST, LARGEST, subsets)
    labels = {f"category {number:02}": rng.random(count) < share for number, share in enumerate(shares)}
    return dataclasses.replace(table, labels=labels)


if __name__ == "__main__":
    raise SystemExit(main())
