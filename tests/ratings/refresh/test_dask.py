"""Fits on a scheduler: the same boards as here, through whatever can be pickled; one clear line without the package."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.errors import BadInput, NoData, NotConverged, SchedulerFailed
from ratings.__main__ import main
from ratings.ranking.rank import rank_many
from ratings.refresh import dask as refresh_dask
from ratings.refresh.context import RefreshContext
from ratings.refresh.job import refresh
from tests.ratings.refresh_contexts import PLAN, bird_votes, shown
from tests.running import ROOT, free_port

PLANS = {"plain": PLAN, "style": replace(PLAN, style=("length",))}


class Elsewhere:
    """A scheduler that works at once, on what came over the wire."""

    def __init__(self) -> None:
        self.scattered = self.submitted = 0

    def scatter(self, data: Any, *, broadcast: bool = False) -> bytes:
        self.scattered += 1
        return pickle.dumps(data)

    def submit(self, function: Callable[..., Any], *args: Any, pure: bool = True) -> bytes:
        self.submitted += 1
        shared, *rest = args
        return pickle.dumps(function(pickle.loads(shared), *pickle.loads(pickle.dumps(rest))))

    def gather(self, futures: Sequence[bytes]) -> list[Any]:
        return [pickle.loads(future) for future in futures]


def test_boards_from_elsewhere_are_the_boards_made_here() -> None:
    executor, seen = Elsewhere(), []

    boards = refresh_dask.Scheduled(executor)(
        bird_votes(), PLANS, look=lambda name, analysis, board: seen.append(name)
    )

    assert boards == rank_many(bird_votes(), PLANS)
    assert (executor.scattered, executor.submitted, seen) == (1, 2, ["plain", "style"])
    assert refresh_dask.Scheduled(executor)(bird_votes(), {}) == {}


@pytest.mark.slow
def test_a_refresh_on_a_scheduler_publishes_the_same_release(context: RefreshContext) -> None:
    here = refresh(context)
    executor = Elsewhere()

    context.releases.activate(here.id, fence=0)
    there = refresh_dask.Scheduled(executor)
    made = refresh(
        replace(context, rank=there, boards=(replace(context.boards[1], plan=replace(PLAN, seed=3)),))
    )

    assert executor.submitted == 2
    assert shown(context).id == made.id
    assert made.boards[0].plain.gaps is not None


def test_without_the_package_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if it were not installed, whether it is or not
    with pytest.raises(BadInput, match="not installed"):
        refresh_dask.connect("tcp://127.0.0.1:8786")

    done = CliRunner().invoke(main, ["refresh", "--scheduler", "tcp://127.0.0.1:8786"])

    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].endswith("(the extra arena-ratings[dask])")


class Gone(Elsewhere):
    """A scheduler whose worker dies with the task."""

    def gather(self, futures: Sequence[bytes]) -> list[Any]:
        raise RuntimeError("worker\nis gone")


def test_a_worker_that_is_gone_is_one_line_and_the_old_release_stays(context: RefreshContext) -> None:
    before = refresh(context)
    again = (replace(context.boards[1], plan=replace(PLAN, seed=3)),)

    with pytest.raises(
        SchedulerFailed, match=r"RuntimeError: worker is gone.*nothing was published"
    ) as caught:
        refresh(replace(context, rank=refresh_dask.Scheduled(Gone()), boards=again))

    assert "\n" not in str(caught.value)
    assert shown(context).id == before.id


class Elder(Elsewhere):
    """A scheduler whose workers have another numpy."""

    def submit(self, function: Callable[..., Any], *args: Any, pure: bool = True) -> bytes:
        shared, plan, here = args
        return super().submit(function, shared, plan, {**here, "numpy": "1.0"}, pure=pure)


def test_a_worker_of_another_version_is_one_line_that_names_both() -> None:
    with pytest.raises(SchedulerFailed, match=r"a worker has other versions: numpy \S+, here 1\.0; nothing"):
        refresh_dask.Scheduled(Elder())(bird_votes(), PLANS)


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError("ours"), NotConverged("no convergence", 7, 0.5), NoData("nothing to rank")]
)
def test_what_a_fit_raises_is_never_blamed_on_the_workers(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fails(*_: object) -> None:
        raise fault

    monkeypatch.setattr(refresh_dask, "analyse", fails)

    with pytest.raises(type(fault), match=str(fault)) as caught:
        refresh_dask.Scheduled(Elsewhere())(bird_votes(), PLANS)

    assert vars(caught.value) == vars(fault)


@contextmanager
def cluster(folder: Path, path: Path = ROOT) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler and a worker that finds the program under `path`, each a process; the address and the worker."""
    place = f"tcp://127.0.0.1:{free_port()}"
    dask = str(Path(sys.executable).with_name("dask"))
    common: Any = {"cwd": folder, "stderr": subprocess.DEVNULL}
    env = [{**os.environ, "PYTHONPATH": str(one)} for one in (ROOT, path)]
    parts = [
        subprocess.Popen([dask, "scheduler", "--host", place, "--no-dashboard"], env=env[0], **common),
        subprocess.Popen([dask, "worker", place, "--no-dashboard", "--no-nanny"], env=env[1], **common),
    ]
    try:
        yield place, parts[1]
    finally:
        for part in parts:
            part.terminate()
            part.wait(20)


class Kills:
    """A scheduler whose worker is killed once it has its tasks."""

    def __init__(self, executor: Any, worker: subprocess.Popen[bytes]) -> None:
        self.scatter, self.submit, self._executor, self._worker = (
            executor.scatter,
            executor.submit,
            executor,
            worker,
        )

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        self._worker.kill()
        return list(self._executor.gather(futures))


@pytest.mark.slow
def test_a_killed_worker_is_one_line_without_traceback_and_the_old_release_stays(
    context: RefreshContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = refresh(context)
    again = (replace(context.boards[1], plan=replace(PLAN, seed=3)),)

    with cluster(tmp_path) as (place, worker):
        executor: Any = refresh_dask.connect(place)
        monkeypatch.setattr(refresh_dask, "TIMEOUT_SECONDS", 4)
        with pytest.raises(SchedulerFailed, match=r"did not fit the boards.*nothing was published") as caught:
            refresh(replace(context, rank=refresh_dask.Scheduled(Kills(executor, worker)), boards=again))
        executor.close()

    assert "\n" not in str(caught.value)
    assert shown(context).id == before.id
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.slow
def test_a_worker_without_the_program_is_one_line_without_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with cluster(tmp_path, path=tmp_path) as (place, _):
        executor: Any = refresh_dask.connect(place)
        with pytest.raises(SchedulerFailed, match=r"No module named .*this very version") as caught:
            refresh_dask.Scheduled(executor)(bird_votes(), PLANS)
        executor.close()

    assert "\n" not in str(caught.value)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.slow
def test_real_processes_of_a_scheduler_and_a_worker_give_the_same_boards(tmp_path: Path) -> None:
    with cluster(tmp_path) as (place, _):
        executor: Any = refresh_dask.connect(place)
        boards = refresh_dask.Scheduled(executor)(bird_votes(), PLANS)
        executor.close()

    here = rank_many(bird_votes(), PLANS)
    assert {name: board.to_json() for name, board in boards.items()} == {
        name: board.to_json() for name, board in here.items()
    }
