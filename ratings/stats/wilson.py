"""Wilson's bounds of many shares at once; it needs no library of distributions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ratings.stats.arguments import Float


def score_bounds(k: npt.ArrayLike, n: npt.ArrayLike, z: float) -> tuple[Float, Float]:
    """`intervals.wilson` elementwise, unchecked; k and n may be fractional (effective sizes); nan where n is 0."""
    passes, trials = np.broadcast_arrays(np.asarray(k, np.float64), np.asarray(n, np.float64))
    safe = np.where(trials > 0, trials, 1.0)
    root = z * np.sqrt(passes * (safe - passes) / safe + z * z / 4)
    top = passes + z * z / 2 + root
    low = np.divide(passes * (passes / safe), top, out=np.zeros_like(top), where=passes > 0)
    high = np.where(passes == safe, 1.0, np.minimum(top / (safe + z * z), 1.0))
    empty = ~(trials > 0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
