"""One refresh: the votes of store and archive become all boards and one release, shown by one move of a pointer."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from arena.archive import Account, Archive
from arena.errors import ArenaError, Busy, NoData
from arena.store import Store
from arena.votes import VoteTable
from ratings import charts, exports, palette, refresh_votes, snapshots
from ratings.address import snapshot_id, votes_hash
from ratings.analysis import Analysis
from ratings.benchmarks.shelf import BenchmarkShelf
from ratings.boards import Board
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking import rank_many
from ratings.refresh_answers import Answers
from ratings.refresh_history import point_added
from ratings.refresh_reports import Reports, completed
from ratings.release import HistoryPoint, PublishedBoard, Release, View, ViewName, Votes
from ratings.shelves import INSTANT

LOCK = "refresh"
LOCK_SECONDS = 60.0  # a killed run keeps others away for so long
KEPT_RELEASES = 14  # with the votes they were made of
FILES = ("csv", "parquet")  # the exports of each view that a release carries beside its JSON

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Workshop:
    """What a refresh works with."""

    store: Store
    archive: Archive
    shelf: snapshots.Shelf
    boards: Sequence[Board]
    clock: Callable[[], float]
    benchmarks: BenchmarkShelf | None = None  # what was imported, to be set beside the votes
    rank: Callable[..., dict[str, Leaderboard]] | None = None  # in place of `rank_many`: fits on a scheduler


@dataclass(frozen=True)
class Left:
    """What imports read and did not take, in the words of an importer's tally."""

    rejected_count: int
    duplicates: int
    not_votes: Mapping[str, int]

    @classmethod
    def of(cls, account: Account) -> Left:
        return cls(account.rejected, account.duplicates, {"imports": account.not_votes})

    def fits(self, board: Leaderboard) -> bool:
        """Does `board` state these very counts?"""
        s = board.snapshot
        ours = (self.rejected_count, self.duplicates, sum(self.not_votes.values()))
        return (s.rejected, s.duplicates, s.not_votes) == ours


def refresh(workshop: Workshop, *, allow_empty: bool = False) -> Release:
    """Make a release of all votes and show it. Whatever fails on the way leaves the release that was shown before.

    Raises `Busy` when another run is at it or has overtaken this one, and `NoData` when no board has a vote
    (unless `allow_empty`).
    """
    with _alone(workshop.store) as fence:
        moved = workshop.archive.absorb(workshop.store)
        log.info("%d votes archived", moved)
        release = build(workshop, last_good(workshop.shelf))
        if not allow_empty and all(board.empty for board in release.boards):
            raise NoData("no board has a vote that counts; what was published before stays")
        if not snapshots.publish(workshop.shelf, release, fence):
            raise Busy("a later run has published meanwhile; this one is dropped")
        log.info("release %s is current", release.id)
        _tidy(workshop)
    return release


@contextmanager
def _alone(store: Store) -> Iterator[int]:
    """Hold the lock of refreshes, and keep holding it; gives its fence."""
    fence = store.lock(LOCK, LOCK_SECONDS)
    if fence is None:
        raise Busy("another refresh is running; nothing done")
    done = threading.Event()

    def hold() -> None:
        while not done.wait(LOCK_SECONDS / 3):
            try:
                store.extend(LOCK, fence, LOCK_SECONDS)
            except ArenaError as error:
                log.warning(
                    "the lock could not be extended: %s", error
                )  # the fence keeps a late run harmless

    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    try:
        yield fence
    finally:
        done.set()
        holder.join()
        store.unlock(LOCK, fence)


def last_good(shelf: snapshots.Shelf) -> Release | None:
    """The current release; None also when it cannot be read, since a new one will mend that."""
    try:
        return snapshots.current(shelf)
    except snapshots.BrokenRelease as error:
        log.warning("%s; it is replaced", error)
        return None


def build(workshop: Workshop, before: Release | None) -> Release:
    """All boards from the votes as they are now. What is unchanged since `before` is taken from there."""
    cast = workshop.store.vote_count()
    at = _instant(workshop.clock(), before)
    known = {} if before is None else _known(before)
    boards: dict[str, PublishedBoard] = {}
    for collection, source in dict.fromkeys((board.collection, board.source) for board in workshop.boards):
        table = _votes(workshop, collection, source)
        left = Left.of(workshop.archive.account(collection, source))
        votes = Votes(collection, len(table), votes_hash(table))
        refresh_votes.keep(workshop.archive, votes.hash, table)
        declared = [
            board for board in workshop.boards if (board.collection, board.source) == (collection, source)
        ]
        boards |= _published(
            declared, table, votes, left, known, workshop.benchmarks, rank=workshop.rank or rank_many
        )
    ordered = [boards[board.name] for board in workshop.boards]
    contents = "".join(view.leaderboard.to_json() for board in ordered for view in board.views)
    name = datetime.fromtimestamp(at, UTC).strftime(INSTANT)
    release = f"{name}-{hashlib.sha256(contents.encode()).hexdigest()[:8]}"
    history = {board.name: point_added(board, release, at, before) for board in ordered}
    drawn = tuple(_drawn(board, history[board.name], known) for board in ordered)
    return Release(release, at, drawn, history, cast)


def _votes(workshop: Workshop, collection: str, source: str | None) -> VoteTable:
    if source is None:
        return workshop.archive.votes(collection, workshop.store)
    table = workshop.archive.read(collection, source)
    if not len(table):
        log.warning("collection %s: no import is called %r", collection, source)
    return table


def _instant(now: float, before: Release | None) -> float:
    """When the release is made: never before the one that it replaces, even if the clock was set back."""
    if before is None or now > before.at:
        return now
    log.warning(
        "the clock stands %.0f s before the current release; one second after it is taken", before.at - now
    )
    return before.at + 1.0


def _known(before: Release) -> dict[str, View]:
    """Snapshot id -> view."""
    return {view.leaderboard.snapshot.id: view for board in before.boards for view in board.views}


def _published(
    declared: Sequence[Board],
    table: VoteTable,
    votes: Votes,
    left: Left,
    known: Mapping[str, View],
    benchmarks: BenchmarkShelf | None,
    *,
    rank: Callable[..., dict[str, Leaderboard]],
) -> dict[str, PublishedBoard]:
    """The boards of one collection, by name. All views that are not `known` are fitted in one run."""
    plans = {(board.name, view): plan for board in declared for view, plan in _plans(board, table).items()}
    made: dict[tuple[str, ViewName], View] = {}
    answers, reports = Answers(table), Reports(table, benchmarks)
    for key, plan in plans.items():
        old = known.get(snapshot_id(table, plan, votes=votes.hash))
        # A view of an older program has no gaps: it is made anew, once.
        if old is not None and old.gaps is not None and left.fits(old.leaderboard) and reports.fit(old):
            made[key] = replace(old, name=key[1], charts={}, exports={})
    missing = {"/".join(key): key for key in plans if key not in made}

    def look(name: str, analysis: Analysis, board: Leaderboard) -> None:
        answers.look(name, analysis, board)
        reports.look(name, analysis, answers.found[name])

    fitted = rank(
        table,
        {name: plans[key] for name, key in missing.items()},
        tally=left,
        votes=votes.hash,
        look=look,
    )
    for name, leaderboard in fitted.items():
        made[missing[name]] = View(
            missing[name][1],
            leaderboard,
            gaps=answers.gaps[name],
            findings=answers.findings[name],
            report=reports.data.get(name),
        )
    log.info(
        "collection %s: %d rows, %d of %d views new", votes.collection, len(table), len(missing), len(plans)
    )
    return {
        board.name: PublishedBoard(
            board.name,
            board.title,
            board.collection,
            board.note,
            tuple(made[name, view] for name, view in plans if name == board.name),
            votes,
        )
        for board in declared
    }


def _plans(board: Board, table: VoteTable) -> dict[ViewName, Plan]:
    """The plan of each view, without what these votes cannot serve: an absent anchor, traits nobody measured."""
    plain = board.plan
    if plain.anchor is not None and plain.anchor[0] not in table.models:
        log.warning("board %s: its anchor %r is not among the models", board.name, plain.anchor[0])
        plain = replace(plain, anchor=None)
    style = tuple(trait for trait in board.style if trait in table.traits)
    if len(table) and style != board.style:
        log.warning(
            "board %s: not every trait of its style is measured: %s", board.name, ", ".join(board.style)
        )
    return {"plain": plain, "style": replace(plain, style=style)} if style else {"plain": plain}


def _drawn(
    board: PublishedBoard, history: Sequence[HistoryPoint], known: Mapping[str, View]
) -> PublishedBoard:
    """`board` with the pictures and files of its views."""
    views = tuple(
        replace(
            view,
            charts=_charts(view, history, known),
            exports={ending: exports.write(view.leaderboard, ending) for ending in FILES},
        )
        for view in board.views
    )
    styled = views[1] if len(views) > 1 else None
    plain = replace(views[0], report=completed(views[0], styled, history))
    return replace(board, views=(plain, *views[1:]))


def _charts(view: View, history: Sequence[HistoryPoint], known: Mapping[str, View]) -> dict[str, str]:
    """The pictures that there is something for; those of an unchanged view as they were, but for the history."""
    old = known.get(view.leaderboard.snapshot.id)
    drawn: dict[str, str] = {}
    for name in palette.CHARTS:
        if name in palette.PLAIN_ONLY and view.name != "plain":
            continue
        if old is not None and name != "history" and name in old.charts:
            drawn[name] = old.charts[name]
            continue
        try:
            drawn[name] = charts.write(view.leaderboard, name, history=history).decode()
        except NoData:
            continue
    return drawn


def _tidy(workshop: Workshop) -> None:
    """Drop releases beyond the last `KEPT_RELEASES`, and votes that none of those left was made of."""
    releases = [name for name, _ in workshop.shelf.shelf_releases()]
    for name in releases[:-KEPT_RELEASES]:
        workshop.shelf.shelf_drop(name)
    kept: set[str] = set()
    for name in releases[-KEPT_RELEASES:]:
        try:
            kept |= {board.votes.hash for board in snapshots.load(workshop.shelf, name).boards}
        except snapshots.BrokenRelease as error:
            log.warning("%s", error)
            return  # nothing is dropped that an unreadable release may need
    refresh_votes.drop_others(workshop.archive, kept)
