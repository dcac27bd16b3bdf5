"""The store: one connection to Redis or Valkey, and what is kept there by part. This room alone speaks to it."""

from __future__ import annotations

from arena.store.admin import StoreAdmin
from arena.store.client import Client
from arena.store.ledger import LedgerChain
from arena.store.locks import Locks
from arena.store.moderation_events import ModerationEvents
from arena.store.owner import OwnerAccess
from arena.store.releases import StoredReleases
from arena.store.stored_battles import StoredBattles
from arena.store.visitors import Visitors
from arena.store.vote_stream import VoteStream
from arena.store.worker import WorkerNotes


class Store:
    """One client, and a part for each idea. Every method of a part raises `StoreUnavailable` when the store fails."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.battles = StoredBattles(client)
        self.votes = VoteStream(client)
        self.visitors = Visitors(client)
        self.moderation = ModerationEvents(client)
        self.ledger = LedgerChain(client)
        self.releases = StoredReleases(client)
        self.worker = WorkerNotes(client)
        self.locks = Locks(client)
        self.owner = OwnerAccess(client)
        self.admin = StoreAdmin(client)

    @classmethod
    def open(cls, url: str, *, timeout_seconds: float = 2.0) -> Store:
        """A store that connects at its first use. `url`: redis://, rediss://, unix:// or redis+cluster://."""
        return cls(Client(url, timeout_seconds))

    def close(self) -> None:
        self.client.close()

    def ping(self) -> None:
        """Raise `StoreUnavailable` unless the store answers."""
        self.client.do("ping")

    # battles
