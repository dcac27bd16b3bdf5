"""The archive as the rest of the house sees it: every collection of votes by name, this arena's own among them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import IO

from arena.archive import exports, kept_votes, own_votes, pseudonyms
from arena.archive.partitions import OWN, Partitions
from arena.bank.catalogue import Catalogue
from arena.battles import HIDDEN_MODEL
from arena.errors import BadInput, NoData
from arena.settings.settings import Settings, secret_key
from arena.store.store import Store
from arena.votes import VoteTable


@dataclass(frozen=True)
class ImportedAccount:
    """Votes of the imported files that are not in the table."""

    rejected: int = 0
    duplicates: int = 0
    not_votes: int = 0


class Archive(Partitions):
    """Collections of votes. `hidden` gives the names of models that are not published."""

    def __init__(
        self,
        root: str,
        hidden: Callable[[], Collection[str]] = frozenset,
        *,
        secret: Callable[[], str] = str,
        export_time_seconds: int = 60,
    ) -> None:
        super().__init__(root)
        self._hidden = hidden
        self._secret = secret
        self._seconds = export_time_seconds

    @classmethod
    def open(cls, settings: Settings) -> Archive:
        """The archive that the settings name."""
        catalogue = Catalogue.of(settings)
        return cls(
            settings.archive_url,
            lambda: catalogue.roster().hidden,
            secret=lambda: secret_key(settings),
            export_time_seconds=settings.export_time_seconds,
        )

    def votes(self, collection: str, store: Store) -> VoteTable:
        """All votes of a collection as a fit takes them: own votes with what is still in the stream and quarantines.

        Own votes as they are exported: under pseudonyms and with cut times, so that an export computes its release again.
        """
        if collection != OWN:
            return self.read(collection)
        return self._veiled(own_votes.read(store, self, self._hidden()))

    def _veiled(self, votes: VoteTable) -> VoteTable:
        """Own votes as they leave the house. Without voters no secret is needed."""
        return pseudonyms.published(votes, self._secret() if votes.voters else "", self._seconds)

    def write_votes(
        self,
        store: Store,
        format: str,
        file: IO[bytes],
        *,
        collection: str = OWN,
        what: str = "votes",
        before: float | None = None,
        with_private: bool = False,
        tell: Callable[[str], None] = lambda line: None,
    ) -> int:
        """Write a collection as csv, jsonl or parquet: how many rows.

        `what`: votes, or battles (more columns). `before`: only votes cast before (seconds UTC). Votes on models that
        are not published stay here, unless `with_private`. Battles without a vote are never in it.
        `tell` hears what the format cannot hold.
        """
        own = None
        if collection == OWN:
            votes, own = own_votes.read_arrow(store, self)
        else:
            votes = self.read(collection)
        choice = exports.ExportFilter(before, () if with_private else self._hidden())
        votes, own = exports.public(votes, own, choice)
        if own is not None:
            votes = self._veiled(votes)
            own = pseudonyms.battles(own, self._secret(), pseudonyms.key(votes))
        wanted = exports.BATTLES if what == "battles" else exports.VOTES
        for loss in exports.losses(votes, format):
            tell(loss)
        exports.write(exports.columns(votes, own, wanted=wanted), format, file)
        return len(votes)

    def called(self, key: str, voter: str) -> str:
        """The pseudonym of `voter` in votes with that key."""
        return pseudonyms.pseudonym(self._secret(), key, voter)

    def write_release(
        self,
        release: bytes | None,
        format: str,
        file: IO[bytes],
        *,
        before: float | None = None,
        with_private: bool = False,
    ) -> int:
        """Write the votes cast here that a release was made of (`release`: its manifest): how many rows.

        Ranked under a board's plan they give its snapshot again; without `with_private` votes on models that are not
        published are left out as ever, and where there are some the snapshot is another. Raises `NoData` where the
        votes are not kept (any more), or some are not older than `before` (seconds UTC).
        """
        kept = (kept_votes.find(self, one) for one in _own_hashes(release))
        votes = next((table for table in kept if table is not None), None)
        if votes is None:
            raise NoData(
                "no votes of such a release are kept: unknown, too old, or a voter was forgotten since"
            )
        if before is not None and bool((votes.at + self._seconds > before).any()):
            raise NoData("the release has votes that are too young to leave; ask again later")
        if not with_private:
            votes, _ = exports.public(votes, None, exports.ExportFilter(hidden=(HIDDEN_MODEL,)))
        exports.write(exports.columns(votes), format, file)
        return len(votes)

    def archive_new_votes(self, store: Store, *, trim: bool = True) -> int:
        """Take the votes of the stream into the collection `arena`, then drop them from the stream. How many."""
        return own_votes.archive_new_votes(store, self, self.called, trim=trim)

    def continue_stream_after(self, store: Store) -> None:
        """See that new votes come after the archived ones, also in a store that begins anew."""
        own_votes.continue_stream_after(store, self)

    def who(self, store: Store, release: bytes | None, name: str) -> str:
        """The voter of this arena whom the votes of a release call `name`; `release`: its manifest.

        Raises `BadInput` where there is no such release, nobody of that name in it, or it can be told no more.
        """
        keys = [found for one in _own_hashes(release) if (found := kept_votes.key_of(self, one)) is not None]
        if not keys:
            raise BadInput("no such release is kept, or its votes of this arena can be told no more")
        voters = own_votes.read_arrow(store, self)[0].voters
        for key in keys:
            voter = pseudonyms.who(self._secret(), key, voters, name)
            if voter is not None:
                return voter
        raise BadInput(f"no voter is called {name!r} in that release, or he was forgotten since")

    def account(self, collection: str, source: str | None = None) -> ImportedAccount:
        """What the imports of a collection (called `source`, if named) left out, summed."""
        manifest = self.manifest(collection)
        sources = manifest.sources if manifest else ()
        if source is not None:
            sources = tuple(one for one in sources if one.is_called(source))
        return ImportedAccount(
            sum(source.rejected for source in sources),
            sum(source.duplicates for source in sources),
            sum(sum(source.not_votes.values()) for source in sources),
        )


def _own_hashes(release: bytes | None) -> list[str]:
    """The hashes of the votes cast here that a release (its manifest) was made of."""
    boards = [] if release is None else json.loads(release).get("boards", [])
    return sorted({board["votes"]["hash"] for board in boards if board.get("collection") == OWN})
