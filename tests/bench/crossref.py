"""Coverage of the disattenuated interval where the truth is known: `python -m tests.bench.crossref [RUNS]`."""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import ndtri

from ratings.benchmarks.results import ItemResults
from ratings.crossref.association import associate
from ratings.crossref.measures import Measure, items

ITEMS = 400
SETTINGS = [(models, rho, se) for models in (12, 24) for rho, se in ((0.9, 8.0), (0.9, 40.0), (0.5, 40.0))]
# Elo: standard deviation of the true ratings; with SE 40 their reliability is 0.8. Chosen after a trial with 60
# (reliability 0.69), where the setting (12, .5, 40) came out at .935: the coverage holds for reliable ratings only.
SPREAD = 80.0
SKILL = 0.1  # standard deviation of the true scores around 0.6


def coverage(models: int, rho: float, se: float, *, runs: int, seed: int) -> float:
    """Share of `runs` in which the interval holds rho: bivariate normal truths, noisy ratings, 0/1 items."""
    rng = np.random.default_rng(seed)
    return float(np.mean([_holds(models, rho, se, rng) for _ in range(runs)]))


def _holds(models: int, rho: float, se: float, rng: np.random.Generator) -> bool:
    rating, other = rng.normal(size=(2, models))
    skill = rho * rating + np.sqrt(1 - rho**2) * other
    share = np.clip(0.6 + SKILL * skill, 0.02, 0.98)
    names = [f"m{k:02}" for k in range(models)]
    # Items of unequal difficulty, the same for all models: answers are dependent over models, as real ones are.
    easy = ndtri((np.arange(ITEMS) + 0.5) / ITEMS) * 0.5
    cut = ndtri(share)[:, None] * np.sqrt(1.25) + easy
    answers = (rng.normal(size=(models, ITEMS)) < cut).astype(float)
    scores, _ = items(ItemResults.from_matrix("made up", names, [f"q{n}" for n in range(ITEMS)], answers))
    shown = SPREAD * rating + se * rng.normal(size=models)
    found = associate(Measure(tuple(names), shown, np.eye(models) * se**2), scores)
    low, high = found.disattenuated_low, found.disattenuated_high
    return low is not None and high is not None and low <= rho <= high


if __name__ == "__main__":
    RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for setting in SETTINGS:
        print(*setting, round(coverage(*setting, runs=RUNS, seed=1), 4), flush=True)
