"""Votes for the benchmarks: drawn once, kept as arrays that every engine's process maps; and the clock they share."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SIZES = {  # votes, models, voters
    "S": (33_000, 20, 400),
    "M": (1_700_000, 130, 20_000),
    "M189k": (1_700_000, 130, 189_000),
    "L": (10_000_000, 400, 100_000),
}
TRAITS = ("length", "headers", "lists", "bold")
WORDS = np.array(["model_a", "model_b", "tie", "tie (bothbad)"])


@dataclass(frozen=True)
class Taken:
    """How long a task took: on the clock, and on all processors together."""

    seconds: float
    cpu_seconds: float


def write(size: str, folder: Path) -> None:
    """Draw the votes of `size` and keep their columns in `folder`."""
    from ratings.bradley_terry import simulate

    count, models, voters = SIZES[size]
    rng = np.random.default_rng(7)
    table = simulate.votes(simulate.models(models, rng), simulate.Crowd(count, voters), rng)
    for name in ("a", "b", "outcome", "voter"):
        np.save(folder / f"{name}.npy", getattr(table, name))
    for name in TRAITS:
        np.save(folder / f"{name}.npy", table.traits[name])
    np.save(folder / "counts.npy", np.array([models, voters]))


def read(folder: Path, name: str) -> np.ndarray:
    return np.load(folder / f"{name}.npy")


def timed(task: Callable[[], object], repeats: int = 1) -> tuple[Taken, object]:
    """The median of some runs, and what the last one returned."""
    clock, processors, out = [], [], None
    for _ in range(repeats):
        started, used = time.perf_counter(), time.process_time()
        out = task()
        clock.append(time.perf_counter() - started)
        processors.append(time.process_time() - used)
    return Taken(statistics.median(clock), statistics.median(processors)), out


def peak_mb() -> float:
    """Peak resident memory of this process since it was started."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
