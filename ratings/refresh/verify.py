"""Compute a published snapshot again from the votes that were kept with it, and compare every number."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.archive import kept_votes
from arena.archive.archive import Archive
from arena.errors import ArenaError, BadInput
from ratings.design.content_hash import snapshot_id, votes_hash
from ratings.leaderboard import METHOD_VERSION, Leaderboard
from ratings.ranking.rank import rank
from ratings.ranking.standings import NAME_NO_VOTER
from ratings.releases import storage
from ratings.releases.release import PublishedBoard, Release, View

TOLERANCE_ELO = 1e-6  # another machine's arithmetic may differ in the last digits


class NotVerified(ArenaError):
    """A snapshot cannot be computed again, or comes out otherwise. `differences` says where."""

    code = "not_verified"

    def __init__(self, message: str, differences: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.differences = differences


@dataclass(frozen=True)
class Verified:
    """A snapshot that came out again."""

    release: Release
    board: PublishedBoard
    view: View

    def __str__(self) -> str:
        s = self.view.leaderboard.snapshot
        return (
            f"snapshot {s.id}: board {self.board.name} ({self.view.name}) of release {self.release.id}, "
            f"{s.votes_used:,} votes and {s.models} models: computed again with the same result"
        )


def verify(releases: storage.ReleaseStorage, archive: Archive, snapshot: str) -> Verified:
    """Compute the snapshot whose id starts with `snapshot` again. Raises `BadInput` or `NotVerified`."""
    release, board, view = _find(releases, snapshot)
    published = view.leaderboard
    if published.snapshot.method_version != METHOD_VERSION:
        raise NotVerified(
            f"made by method {published.snapshot.method_version}, and this program has method {METHOD_VERSION}"
        )
    table = kept_votes.find(archive, board.votes.hash)
    if table is None and kept_votes.is_forgotten(archive, board.votes.hash):
        raise NotVerified(
            f"snapshot {published.snapshot.id} cannot be computed again: a voter among its votes was forgotten since, "
            "and the votes kept for it were dropped; newer releases can be verified"
        )
    if table is None:
        raise NotVerified(f"the votes of snapshot {published.snapshot.id} are no longer kept")
    found = votes_hash(table)
    address = snapshot_id(table, published.snapshot.plan, votes=found)
    if found != board.votes.hash or address != published.snapshot.id:
        raise NotVerified(f"the votes kept for snapshot {published.snapshot.id} are not those it was made of")
    again = rank(table, published.snapshot.plan, tally=_Tally.of(published))
    differences = compare(_as_said_now(published, again), again)
    if differences:
        raise NotVerified(
            f"snapshot {published.snapshot.id} comes out otherwise: {len(differences)} values differ",
            differences,
        )
    return Verified(release, board, view)


def _as_said_now(published: Leaderboard, again: Leaderboard) -> Leaderboard:
    """`published` with what older programs said otherwise of votes that name no voter: a count, and no warning."""
    s = published.snapshot
    if again.snapshot.voters is None and s.voters == s.votes_used:
        published = replace(published, snapshot=replace(s, voters=None))
    if published.warnings == tuple(line for line in again.warnings if not line.endswith(NAME_NO_VOTER)):
        published = replace(published, warnings=again.warnings)
    return published


def _find(releases: storage.ReleaseStorage, snapshot: str) -> tuple[Release, PublishedBoard, View]:
    """The newest release that holds the snapshot."""
    if not snapshot:
        raise BadInput("name a snapshot, by its id or the beginning of it")
    for name, _ in reversed(releases.list()):
        release = storage.load(releases, name)
        found = release.find(snapshot)
        if found is not None:
            return release, *found
    raise BadInput(f"no kept release holds a snapshot {snapshot!r}")


@dataclass(frozen=True)
class _Tally:
    rejected_count: int
    duplicates: int
    not_votes: dict[str, int]

    @classmethod
    def of(cls, board: Leaderboard) -> _Tally:
        s = board.snapshot
        return cls(s.rejected, s.duplicates, {"imports": s.not_votes})


def compare(published: Leaderboard, again: Leaderboard) -> tuple[str, ...]:
    """Where two leaderboards differ, a line each; numbers may differ by `TOLERANCE_ELO`."""
    pairs = (
        replace(board, pairs=()).to_object() | {"pairs": [asdict(p) for p in board.pairs]}
        for board in (published, again)
    )
    return tuple(_differences("", *pairs))


def _differences(place: str, old: Any, new: Any) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [
            line for key in old for line in _differences(f"{place}.{key}".lstrip("."), old[key], new[key])
        ]
    if isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        return [
            line
            for n, (o, w) in enumerate(zip(old, new, strict=True))
            for line in _differences(f"{place}[{n}]", o, w)
        ]
    if isinstance(old, float) and isinstance(new, float) and abs(old - new) <= TOLERANCE_ELO:
        return []
    return [] if old == new else [f"{place}: published {old!r}, now {new!r}"]
