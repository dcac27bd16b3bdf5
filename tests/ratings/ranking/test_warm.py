"""Kernels compiled ahead are all that rankings need."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")

from numba.core import event

from ratings.bradley_terry import simulate
from ratings.engine import choice
from ratings.engine.compiled import compiling
from ratings.leaderboard import Plan
from ratings.ranking import warm
from ratings.ranking.rank import rank


class Compiled(event.Listener):
    """The names of the kernels that were compiled."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: event.Event) -> None:
        self.names.append(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event: event.Event) -> None:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("votes", [3_000, 130_000])
def test_no_ranking_compiles_after_it(votes: int) -> None:
    warm.warm((0, 1, 2))
    rng = np.random.default_rng(3)
    table = simulate.votes(simulate.models(12, rng), simulate.Crowd(votes, 90), rng)
    plans = [
        Plan(rounds=48, style=simulate.TRAITS[:count], prior=prior, cluster=cluster)
        for count in (0, 1, 2)
        for prior in ("none", "pairs")
        for cluster in ("voter", "none")
    ]  # fmt: skip

    with event.install_listener("numba:compile", Compiled()) as compiled:
        for plan in plans:
            rank(table, plan, engine="compiled")

    assert compiled.names == []


def test_it_is_done_once_and_a_mark_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done: list[str] = []
    monkeypatch.setattr(warm, "warm", lambda: done.append("whole"))
    monkeypatch.setattr(compiling, "cache_folder", lambda: tmp_path)

    warm.main()
    warm.main()

    assert done == ["whole"]


def test_without_numba_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "compiled", lambda: None)

    warm.main()
    warm.warm()
