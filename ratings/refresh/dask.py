"""Fits on other machines: each board's fit is one task of a Dask scheduler, and its answers come back as they would here."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Protocol

from arena.errors import ArenaError, BadInput, SchedulerFailed
from arena.votes import VoteTable
from ratings.design import rows
from ratings.design.content_hash import votes_hash
from ratings.design.rows import Prepared
from ratings.leaderboard import METHOD_VERSION, Leaderboard, Plan
from ratings.ranking import standings
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse

TIMEOUT_SECONDS = 20  # for the scheduler to answer, and without any worker before its tasks are given up
PACKAGES = ("numpy", "scipy")  # whose versions have to be the same on a worker, or its numbers may not be


class Executor(Protocol):
    """What is used of a scheduler: of `distributed.Client`, with a wait that ends."""

    def scatter(self, data: Any, *, broadcast: bool = False) -> Any: ...

    def submit(self, function: Callable[..., Any], *args: Any, pure: bool = True) -> Any: ...

    def gather(self, futures: Sequence[Any]) -> list[Any]: ...


def connect(address: str) -> Executor:
    """The scheduler at `address`, such as tcp://10.0.0.5:8786. Raises `BadInput` without the package or an answer."""
    try:
        # Here and not above: the package is asked for by this option alone, and no other part needs it.
        distributed = import_module("distributed")
    except ImportError:
        raise BadInput(
            "--scheduler needs the package `distributed`, which is not installed (the extra arena-ratings[dask])"
        ) from None
    _silence()
    try:
        client = distributed.Client(address, timeout=TIMEOUT_SECONDS)
    except (OSError, ValueError) as fault:
        raise BadInput(f"--scheduler {address}: no Dask scheduler answers: {fault}") from None
    return Cluster(client, distributed)


def _silence() -> None:
    """No log of the package, with its tracebacks, beside our one line for whatever it raises."""
    for name in [*logging.root.manager.loggerDict, "distributed"]:
        if name.split(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


class Cluster:
    """A client of a scheduler. What it raises is the scheduler's or a worker's doing: tasks return their own faults."""

    def __init__(self, client: Any, distributed: Any) -> None:
        self._client, self._distributed = client, distributed

    def scatter(self, data: Any, *, broadcast: bool = False) -> Any:
        return self._client.scatter(data, broadcast=broadcast)

    def submit(self, function: Callable[..., Any], *args: Any, pure: bool = True) -> Any:
        return self._client.submit(function, *args, pure=pure)

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """Their results. Raises `TimeoutError` once no worker is left for them and none comes."""
        idle = False
        while True:
            try:
                self._distributed.wait(futures, timeout=TIMEOUT_SECONDS)
                return list(self._client.gather(futures))
            except TimeoutError:
                before, idle = idle, not self._client.nthreads()
                if before and idle:
                    raise TimeoutError("no worker is left") from None

    def close(self) -> None:
        self._client.close()


@dataclass(frozen=True)
class Broken:
    """What a task raised by itself: it would have been raised here too."""

    fault: Exception


def versions() -> dict[str, str]:
    """What has to be the same where a board is fitted."""
    ours = {"python": ".".join(platform.python_version_tuple()[:2]), "method": METHOD_VERSION}
    return ours | {name: metadata.version(name) for name in PACKAGES}


def task(ready: Prepared, plan: Plan, here: Mapping[str, str]) -> Analysis | Broken:
    """The fit, on a worker, for a program with the versions `here`."""
    there = versions()
    other = [
        f"{name} {there.get(name)}, here {wanted}"
        for name, wanted in here.items()
        if there.get(name) != wanted
    ]
    if other:
        return Broken(
            SchedulerFailed(f"a worker has other versions: {'; '.join(other)}; nothing was published")
        )
    try:
        return analyse(ready, plan)
    except (MemoryError, OSError):
        raise  # of that machine
    except Exception as fault:  # noqa: BLE001 - given back as it is, not taken for one of the workers
        return Broken(fault)


class Scheduled:
    """`ranking.rank_many`, each plan's analysis made by `executor`. The numbers are the same: draws know no machine."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def __call__(
        self,
        table: VoteTable,
        plans: Mapping[str, Plan],
        *,
        tally: object | None = None,
        votes: str | None = None,
        look: Callable[[str, Analysis, Leaderboard], None] | None = None,
    ) -> dict[str, Leaderboard]:
        """One leaderboard for each named plan; the votes travel once. Raises what a fit raises, or `SchedulerFailed`."""
        if not plans:
            return {}
        traits = {name for plan in plans.values() for name in plan.style}
        ready, found = rows.prepare(table, traits), votes or votes_hash(table)
        shared = _asked(self._executor.scatter, ready, broadcast=True)
        here = versions()
        tasks = {
            name: _asked(self._executor.submit, task, shared, plan, here, pure=False)
            for name, plan in plans.items()
        }
        boards = {}
        # One at a time, so that only one board's votes and rounds are here at once.
        for name, future in tasks.items():
            (analysis,) = _asked(self._executor.gather, [future])
            if isinstance(analysis, Broken):
                raise analysis.fault
            boards[name] = standings.leaderboard(table, analysis, tally, votes=found)
            if look is not None:
                look(name, analysis, boards[name])
        return boards


def _asked(ask: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What the cluster answers. Whatever it raises (no package there, another version, a worker gone) is one line."""
    try:
        return ask(*args, **options)
    except ArenaError:
        raise
    except Exception as fault:  # noqa: BLE001 - only the cluster is asked here; what a task raised comes as `Broken`
        why = " ".join(f"{fault} {fault.__cause__ or ''}".split())[:200]
        raise SchedulerFailed(
            f"the scheduler's workers did not fit the boards ({type(fault).__name__}: {why}); they need this very "
            "version of `arena` and `ratings` (PYTHONPATH) and of the packages; nothing was published"
        ) from None
