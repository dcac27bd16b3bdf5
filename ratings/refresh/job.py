"""One refresh: the votes of store and archive become all boards and one release, shown by one move of a pointer."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from arena.archive import kept_votes
from arena.archive.archive import Archive, ImportedAccount
from arena.errors import ArenaError, Busy, NoData
from arena.store.store import Store
from arena.votes import VoteTable
from ratings.design.content_hash import snapshot_id, votes_hash
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking.analysis import Analysis
from ratings.ranking.rank import rank_many
from ratings.refresh import fits as refresh_fits
from ratings.refresh.answers import Answers
from ratings.refresh.context import RefreshContext
from ratings.refresh.drawing import drawn
from ratings.refresh.fits import point_added
from ratings.refresh.reports import Reports
from ratings.releases import storage
from ratings.releases.boards import OWN_VOTES, Board
from ratings.releases.folder import INSTANT
from ratings.releases.release import PublishedBoard, Release, View, ViewName, Votes

LOCK = "refresh"
LOCK_SECONDS = 60.0  # a killed run keeps others away for so long
TRIES = 20  # to read votes between two forgotten voters
KEPT_RELEASES = 14  # with the votes they were made of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Left:
    """What imports read and did not take, in the words of an importer's tally."""

    rejected_count: int
    duplicates: int
    not_votes: Mapping[str, int]

    @classmethod
    def of(cls, account: ImportedAccount) -> Left:
        return cls(account.rejected, account.duplicates, {"imports": account.not_votes})

    def fits(self, board: Leaderboard) -> bool:
        """Does `board` state these very counts?"""
        s = board.snapshot
        ours = (self.rejected_count, self.duplicates, sum(self.not_votes.values()))
        return (s.rejected, s.duplicates, s.not_votes) == ours


def refresh(context: RefreshContext, *, allow_empty: bool = False) -> Release:
    """Make a release of all votes and show it. Whatever fails on the way leaves the release that was shown before.

    A board that cannot be fitted stops no other: it keeps its last version, and `faults` of the release says why.
    Raises the first such fault when no other board has votes, `Busy` when another run is at it or has overtaken
    this one, and `NoData` when no board has a vote (unless `allow_empty`).
    """
    with _exclusive(context.store) as fence:
        moved = context.archive.archive_new_votes(context.store)
        if moved:
            log.info("%d votes cast since the last refresh are archived", moved)
        release = build(context, last_good(context.releases))
        if not allow_empty and all(board.empty for board in release.boards):
            raise NoData("no board has a vote that counts; what was published before stays")
        if not storage.publish(context.releases, release, fence):
            raise Busy("a later run has published meanwhile; this one is dropped")
        log.info("release %s is current", release.id)
        _tidy(context)
    return release


@contextmanager
def _exclusive(store: Store) -> Iterator[int]:
    """Hold the lock of refreshes, and keep holding it; gives its fence."""
    fence = store.locks.take(LOCK, LOCK_SECONDS)
    if fence is None:
        raise Busy("another refresh is running; nothing done")
    done = threading.Event()

    def hold() -> None:
        while not done.wait(LOCK_SECONDS / 3):
            try:
                store.locks.extend(LOCK, fence, LOCK_SECONDS)
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
        store.locks.release(LOCK, fence)


def last_good(releases: storage.ReleaseStorage) -> Release | None:
    """The current release; None also when it cannot be read, since a new one will mend that."""
    try:
        return storage.current(releases)
    except storage.BrokenRelease as error:
        log.warning("%s; it is replaced", error)
        return None


def build(context: RefreshContext, before: Release | None) -> Release:
    """All boards from the votes as they are now. What is unchanged since `before` is taken from there."""
    cast = context.store.votes.count()
    at = _instant(context.clock(), before)
    known = {} if before is None else _known(before)
    boards: dict[str, PublishedBoard] = {}
    faults: dict[str, ArenaError] = {}
    declared = [board for board in context.boards if _is_there(context.archive, board)]
    for collection, source in dict.fromkeys((board.collection, board.source) for board in declared):
        table, votes = _kept(context, collection, source)
        left = Left.of(context.archive.account(collection, source))
        same = [board for board in declared if (board.collection, board.source) == (collection, source)]
        made, wrong = _published(same, table, votes, left, known, context)
        boards |= made
        faults |= wrong
    if faults and all(board.empty for board in boards.values()):
        raise next(iter(faults.values()))  # nothing is gained: the release before stays whole
    for board in declared:
        if board.name not in boards and (old := refresh_fits.kept(board, before)) is not None:
            boards[board.name] = old
    return _release(
        [boards[board.name] for board in declared if board.name in boards], faults, at, cast, before
    )


def _release(
    boards: Sequence[PublishedBoard],
    faults: Mapping[str, ArenaError],
    at: float,
    cast: int,
    before: Release | None,
) -> Release:
    contents = "".join(view.leaderboard.to_json() for board in boards for view in board.views)
    name = datetime.fromtimestamp(at, UTC).strftime(INSTANT)
    release = f"{name}-{hashlib.sha256(contents.encode()).hexdigest()[:8]}"
    history = {board.name: point_added(board, release, at, before) for board in boards}
    known = {} if before is None else _known(before)
    pictured = tuple(drawn(board, history[board.name], known) for board in boards)
    reasons = {name: str(error) for name, error in faults.items()}
    return Release(release, at, pictured, history, cast, reasons)


def _is_there(archive: Archive, board: Board) -> bool:
    """Is there a collection for `board`? Without one it is left out: nobody asked for an example that was removed."""
    if board.collection == OWN_VOTES or archive.manifest(board.collection) is not None:
        return True
    log.info("board %s is left out: there is no collection %r", board.name, board.collection)
    return False


def _kept(context: RefreshContext, collection: str, source: str | None) -> tuple[VoteTable, Votes]:
    """The votes of a collection, kept under their hash; read again where a voter was forgotten meanwhile."""
    for _ in range(TRIES):
        before = context.store.visitors.forgettings()
        table = _votes(context, collection, source)
        digest = votes_hash(table)
        is_new = kept_votes.keep(context.archive, digest, table, collection)
        if context.store.visitors.forgettings() == before:
            return table, Votes(collection, len(table), digest)
        if is_new:  # it may name somebody whom nobody would look for there any more
            kept_votes.drop(context.archive, digest)
    raise Busy("voters are forgotten faster than the votes can be read; nothing done")


def _votes(context: RefreshContext, collection: str, source: str | None) -> VoteTable:
    if source is None:
        return context.archive.votes(collection, context.store)
    table = context.archive.read(collection, source)
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
    context: RefreshContext,
) -> tuple[dict[str, PublishedBoard], dict[str, ArenaError]]:
    """The boards of one collection and the faults of others, by name. All views that are not `known` are fitted."""
    plans = {(board.name, view): plan for board in declared for view, plan in _plans(board, table).items()}
    made: dict[tuple[str, ViewName], View] = {}
    answers, reports = Answers(table), Reports(table, context.benchmarks)
    for key, plan in plans.items():
        old = known.get(snapshot_id(table, plan, votes=votes.hash))
        # A view of an older program has no gaps: it is made anew, once.
        if old is not None and old.gaps is not None and left.fits(old.leaderboard) and reports.fit(old):
            made[key] = replace(old, name=key[1], charts={}, exports={})
    missing = {"/".join(key): key for key in plans if key not in made}

    def look(name: str, analysis: Analysis, board: Leaderboard) -> None:
        answers.look(name, analysis, board)
        reports.look(name, analysis, answers.found[name])

    fitted, wrong = refresh_fits.fitted(
        context.rank or rank_many,
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
        "collection %s: %d votes; %d of its %d rankings computed, the others are unchanged",
        votes.collection, int(table.count.sum()), len(fitted), len(plans),
    )  # fmt: skip
    faults = {missing[name][0]: error for name, error in wrong.items()}
    boards = {
        board.name: PublishedBoard(
            board.name,
            board.title,
            board.collection,
            board.note,
            tuple(made[name, view] for name, view in plans if name == board.name),
            votes,
        )
        for board in declared
        if board.name not in faults
    }
    return boards, faults


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


def _tidy(context: RefreshContext) -> None:
    """Drop releases beyond the last `KEPT_RELEASES`, and votes that none of those left was made of."""
    releases = [name for name, _ in context.releases.list()]
    for name in releases[:-KEPT_RELEASES]:
        context.releases.delete(name)
    kept: set[str] = set()
    for name in releases[-KEPT_RELEASES:]:
        try:
            kept |= {board.votes.hash for board in storage.load(context.releases, name).boards}
        except storage.BrokenRelease as error:
            log.warning("%s", error)
            return  # nothing is dropped that an unreadable release may need
    kept_votes.drop_others(context.archive, kept)
