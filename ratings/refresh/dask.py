"""Fits on other machines: each board's fit is one task of a Dask scheduler, and its answers come back as they would here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from arena.errors import ArenaError, BadInput, SchedulerFailed
from arena.votes import VoteTable
from ratings.design import rows
from ratings.design.content_hash import votes_hash
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking import standings
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import analyse

TIMEOUT_SECONDS = 20


class Executor(Protocol):
    """What is used of `distributed.Client`."""

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
    try:
        client: Executor = distributed.Client(address, timeout=TIMEOUT_SECONDS)
    except (OSError, ValueError) as fault:
        raise BadInput(f"--scheduler {address}: no Dask scheduler answers: {fault}") from None
    return client


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
        """One leaderboard for each named plan; the votes travel once. Raises what a fit raises."""
        try:
            return self._boards(table, plans, tally, votes, look)
        except ArenaError:
            raise
        except Exception as fault:  # noqa: BLE001 - see below
            # Whatever the cluster answers (no package there, another version, a worker gone) is one line here.
            why = " ".join(str(fault).split())[:200]
            raise SchedulerFailed(
                f"the scheduler's workers did not fit the boards ({type(fault).__name__}: {why}); they need this very "
                "version of `arena` and `ratings` (PYTHONPATH) and of the packages; nothing was published"
            ) from None

    def _boards(
        self,
        table: VoteTable,
        plans: Mapping[str, Plan],
        tally: object | None,
        votes: str | None,
        look: Callable[[str, Analysis, Leaderboard], None] | None,
    ) -> dict[str, Leaderboard]:
        if not plans:
            return {}
        traits = {name for plan in plans.values() for name in plan.style}
        ready, found = rows.prepare(table, traits), votes or votes_hash(table)
        shared = self._executor.scatter(ready, broadcast=True)
        tasks = {
            name: self._executor.submit(analyse, shared, plan, pure=False) for name, plan in plans.items()
        }
        boards = {}
        # One at a time, so that only one board's votes and rounds are here at once.
        for name, task in tasks.items():
            (analysis,) = self._executor.gather([task])
            boards[name] = standings.leaderboard(table, analysis, tally, votes=found)
            if look is not None:
                look(name, analysis, boards[name])
        return boards
