"""Coverage of the disattenuated interval where the truth is known: `python -m tests.bench.crossref [RUNS]`.

The six settings are those of a published-style simulation: 12 or 24 models, 400 items, (true correlation, standard error of a
rating) of (.9, 8), (.9, 40) and (.5, 40). It states no spread of the true ratings, but the mean naive correlations of
24 models at rho = .9: r = .870 at SE 8 and .778 at SE 40. From r = rho sqrt(rel_R rel_S), rel_R = S^2/(S^2 + SE^2),

    (.778/.870)^2 = (S^2 + 8^2)/(S^2 + 40^2)  ->  S = 77.9 Elo
    rel_S = (.870/.9)^2 (S^2 + 8^2)/S^2 = .944  ->  true scores of standard deviation .092 on these items

so the settings follow from those figures and from nothing that was seen here. An interval that is not given counts as missed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ratings.benchmarks.results.results import ItemResults
from ratings.crossref.association import Association, associate
from ratings.crossref.measures import Measure, items

ITEMS = 400
SETTINGS = [(models, rho, se) for models in (12, 24) for rho, se in ((0.9, 8.0), (0.9, 40.0), (0.5, 40.0))]
NAIVE = {8.0: 0.870, 40.0: 0.778}  # mean r of 24 models at rho = .9, by standard error of a rating
SKILL = 0.092  # standard deviation of the true scores around 0.6: reliability .944 with the items below


@dataclass(frozen=True)
class Found:
    """What many runs of one setting gave."""

    coverage: float
    missing: float  # share of runs without an interval, counted as missed
    naive: float  # mean r
    freed: float  # mean disattenuated r
    width: float  # mean width of the interval


def implied_spread() -> float:
    """Standard deviation of the true ratings, in Elo, that the two naive correlations imply."""
    (small, high), (large, low) = sorted(NAIVE.items())
    ratio = (low / high) ** 2
    return float(np.sqrt((ratio * large**2 - small**2) / (1 - ratio)))


def simulate(
    models: int, rho: float, se: float, *, runs: int, seed: int, spread: float | None = None
) -> Found:
    """Bivariate normal truths, noisy ratings, 0/1 items; `spread` in place of the implied one."""
    rng = np.random.default_rng(seed)
    size = implied_spread() if spread is None else spread
    found = [_once(models, rho, se, size, rng) for _ in range(runs)]
    bounds = [(a.disattenuated_low, a.disattenuated_high) for a in found]
    given = [(low, high) for low, high in bounds if low is not None and high is not None]
    return Found(
        coverage=sum(low <= rho <= high for low, high in given) / runs,
        missing=1 - len(given) / runs,
        naive=float(np.mean([a.pearson or 0.0 for a in found])),
        freed=float(np.mean([a.disattenuated for a in found if a.disattenuated is not None])),
        width=float(np.mean([high - low for low, high in given])),
    )


def _once(models: int, rho: float, se: float, spread: float, rng: np.random.Generator) -> Association:
    rating, other = rng.normal(size=(2, models))
    skill = rho * rating + np.sqrt(1 - rho**2) * other
    share = np.clip(0.6 + SKILL * skill, 0.02, 0.98)
    names = [f"m{k:02}" for k in range(models)]
    # Items of unequal difficulty, the same for all models: answers are dependent over models, as real ones are.
    easy = ndtri((np.arange(ITEMS) + 0.5) / ITEMS) * 0.5
    cut = ndtri(share)[:, None] * np.sqrt(1.25) + easy
    answers = (rng.normal(size=(models, ITEMS)) < cut).astype(float)
    scores, _ = items(ItemResults.from_matrix("made up", names, [f"q{n}" for n in range(ITEMS)], answers))
    shown = spread * rating + se * rng.normal(size=models)
    return associate(Measure(tuple(names), shown, np.eye(models) * se**2), scores)


if __name__ == "__main__":
    RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    SPREAD = float(sys.argv[2]) if len(sys.argv) > 2 else None
    for setting in SETTINGS:
        print(*setting, simulate(*setting, runs=RUNS, seed=1, spread=SPREAD), flush=True)
