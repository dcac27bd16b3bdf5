"""The commands around published releases: make one, wait and make them, export a board of one, prove one."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

import click

from arena.errors import ArenaError, BadInput, Busy, NoData, NotConverged, StoreUnavailable
from arena.settings import settings
from ratings.commands import console
from ratings.commands.board_files import content_of, is_text
from ratings.commands.options import output_options
from ratings.engine.choice import LARGE
from ratings.ranking.warm import warm
from ratings.refresh.context import RefreshContext, open_context
from ratings.refresh.dask import Scheduled, connect
from ratings.refresh.job import refresh as make_release
from ratings.refresh.schedule import Schedule, State
from ratings.refresh.schedule import watch as watch_schedule
from ratings.refresh.verify import NotVerified
from ratings.refresh.verify import verify as verify_snapshot
from ratings.releases import storage
from ratings.releases.release import PublishedBoard, Release, View

REFRESH = "refresh"  # the part of the worker under which a failure is noted

log = logging.getLogger(__name__)


@click.command()
@click.option(
    "--if-none",
    is_flag=True,
    help="Only when there is no release yet; nothing to rank, or another run at it, is no fault then.",
)
@click.option(
    "--publish-empty", is_flag=True, help="Publish boards without any vote, in place of boards with votes."
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="Fit the boards on this Dask scheduler (tcp://HOST:PORT)."
)
@click.option("--watch", is_flag=True, help="Stay, and refresh every night and after enough new votes.")
def refresh(if_none: bool, publish_empty: bool, scheduler: str | None, watch: bool) -> None:
    """Rank all votes anew and publish every board as one release.

    A run that fails, is killed or finds no vote leaves what was published before; then the exit status is 1, and 5
    when another run is at it. Some board that cannot be ranked stays as it was, the others are published; status 1.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    values = settings.load()
    rank = None if scheduler is None else Scheduled(connect(scheduler))
    with open_context(values) as opened:
        context = replace(opened, rank=rank)
        if watch:
            _watch(context, values, publish_empty)
        elif if_none:
            _first(context)
        else:
            with noting_failure(context):
                release = make_release(context, allow_empty=publish_empty)
            _report(release)
            if release.faults:
                raise click.exceptions.Exit(1)


def _first(context: RefreshContext) -> None:
    if context.releases.current() is not None:
        console.say("there is a release already")
        return
    try:
        with noting_failure(context):
            release = make_release(context)
        _report(release)
    except (NoData, Busy, NotConverged) as error:
        console.say(str(error))


def _report(release: Release) -> None:
    for board in release.boards:
        snapshot = board.plain.leaderboard.snapshot
        console.say(
            f"{board.name}: {snapshot.models} models, {snapshot.votes_used:,} of {snapshot.votes_read:,} votes used"
        )
    console.say(f"release {release.id} is published")
    for line in _faults(release):
        console.say(line)


def _faults(release: Release) -> list[str]:
    """A line for each board that could not be ranked."""
    stays = {
        name: "its last version stays" if release.board(name) else "there is no earlier version to show"
        for name in release.faults
    }
    return [
        f"board {name} could not be ranked ({why}); {stays[name]}" for name, why in release.faults.items()
    ]


def _watch(context: RefreshContext, values: settings.Settings, publish_empty: bool) -> None:
    stop = threading.Event()
    _end_on(signal.SIGTERM, signal.SIGINT)
    latest = storage.Latest(context.releases)

    def look() -> State:
        release = _readable(latest)
        votes, asked = context.store.votes.count(), context.store.worker.refresh_asked_at()
        if release is None:
            return State(None, None, votes, asked)
        return State(release.at, release.cast, votes, asked)

    def run() -> None:
        with noting_failure(context):
            release = make_release(context, allow_empty=publish_empty)
        if faults := _faults(release):
            context.store.worker.failed(REFRESH, "; ".join(faults), context.clock())
        for line in faults:
            log.error("%s", line)

    with contextlib.suppress(StoreUnavailable):  # the watch below waits for it
        _warm(_readable(latest))
    schedule = Schedule(values.refresh_at, values.refresh_after_votes)
    watch_schedule(schedule, look, run, clock=context.clock, stop=stop)


@contextlib.contextmanager
def noting_failure(context: RefreshContext) -> Iterator[None]:
    """Note in the store that a refresh failed, for the owner to see, or that it works; the error goes on.

    That another run is at it, or that there is no vote, is no failure; a store that is away cannot be told.
    """
    try:
        yield
    except (Busy, StoreUnavailable):
        raise
    except NoData:
        context.store.worker.works(REFRESH)
        raise
    except Exception as error:
        why = str(error) if isinstance(error, ArenaError) else f"{type(error).__name__}: {error}"
        with contextlib.suppress(StoreUnavailable):
            context.store.worker.failed(REFRESH, why, context.clock())
        raise
    context.store.worker.works(REFRESH)


def _warm(release: Release | None) -> None:
    """Compile the kernels before they are needed, where boards are so large that they will be."""
    snapshots = [
        view.leaderboard.snapshot for board in (release.boards if release else ()) for view in board.views
    ]
    if max((each.votes_used * each.plan.rounds for each in snapshots), default=0) >= LARGE / 2:
        warm(sorted({len(each.plan.style) + each.plan.side for each in snapshots}))


def _readable(latest: storage.Latest) -> Release | None:
    try:
        return latest.release()
    except storage.BrokenRelease:
        return None  # the next refresh replaces it


def _end_on(*signals: signal.Signals) -> None:
    """End at once and in order, in the middle of a refresh too: the release before stays, the lock is given back."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(0)

    for one in signals:
        signal.signal(one, end)


@click.command()
@click.argument("board", required=False)
@click.option("--style", is_flag=True, help="The view with style control.")
@output_options
def export(board: str | None, style: bool, as_: str, chart: str, out: str | None) -> None:
    """Write a BOARD of the current release; the first that has votes when none is named."""
    with open_context(settings.load()) as context:
        release = storage.current(context.releases)
    if release is None:
        raise NoData("nothing is published yet: run `python -m ratings refresh`")
    chosen, view = _chosen(release, board, style)
    history: dict[str, Any] = {"history": release.history.get(chosen.name, ())}
    console.write(content_of(view.leaderboard, as_, chart, **history), out, is_text=is_text(as_))


def _chosen(release: Release, name: str | None, style: bool) -> tuple[PublishedBoard, View]:
    board = release.default if name is None else release.board(name)
    if board is None:
        known = ", ".join(board.name for board in release.boards)
        raise BadInput(f"no board {name!r} is published; there are {known}")
    view = board.styled if style else board.plain
    if view is None:
        raise BadInput(f"board {board.name!r} has no view with style control")
    return board, view


@click.command()
@click.argument("snapshot")
def verify(snapshot: str) -> None:
    """Compute a published SNAPSHOT (its id, or the beginning of it) again from its votes, and compare all numbers."""
    with open_context(settings.load()) as context:
        try:
            verified = verify_snapshot(context.releases, context.archive, snapshot)
        except NotVerified as error:
            for line in error.differences[: console.SHOWN_PROBLEMS]:
                console.say(line)
            raise
    click.echo(str(verified))
