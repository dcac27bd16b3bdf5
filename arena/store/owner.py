"""The part of the store that guards the owner: tries of the token, counted for all web processes, and sessions."""

from __future__ import annotations

from dataclasses import dataclass

from arena.store import schema
from arena.store.client import Client

TRIES_SECONDS = 60  # how long a failed try counts
TRIES_OF_CALLER = 10  # a person mistypes a few times
TRIES_OF_ALL = 50  # an attacker with many addresses; a token of 16 characters outlives that for ever
KNOWN_SECONDS = 90 * 86_400  # how long a caller who had the right token may try while all others may not
SESSION_SECONDS = 12 * 3600  # a working day; then the owner signs in again


@dataclass(frozen=True)
class Try:
    """What became of one try: `right`, `wrong`, or refused unheard because of the `caller` or of `all`."""

    verdict: str
    tries: int  # that count against the limit
    wait_seconds: int = 0

    @property
    def refused(self) -> bool:
        return self.verdict in ("caller", "all")

    @property
    def first_refused(self) -> bool:
        """Worth a line of the log: the rest of a flood would only fill it."""
        return (
            self.refused and self.tries == (TRIES_OF_CALLER if self.verdict == "caller" else TRIES_OF_ALL) + 1
        )


class OwnerAccess:
    """What the store knows of the owner."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def try_token(self, caller: str, right: bool) -> Try:
        """Count a try of `caller` (a keyed hash). A right token beyond the limit is refused like any other."""
        verdict, tries, wait = self.client.script(
            "owner",
            [schema.owner_tries(caller), schema.OWNER_TRIES, schema.owner_known(caller)],
            [int(right), TRIES_OF_CALLER, TRIES_OF_ALL, TRIES_SECONDS, KNOWN_SECONDS],
        )
        return Try(verdict.decode(), int(tries), max(1, int(wait)))

    def begin_session(self, session: str, mark: str) -> None:
        """Sign the owner in: `session` is the digest of what the cookie holds, `mark` belongs to the token of now."""
        self.client.do("set", schema.owner_session(session), mark, ex=SESSION_SECONDS)

    def session_mark(self, session: str) -> str:
        """The mark of a session; empty when it was ended, expired or never begun."""
        return (self.client.do("get", schema.owner_session(session)) or b"").decode()

    def end_session(self, session: str) -> None:
        """Sign the owner out: every copy of the cookie with this mark ends."""
        self.client.do("delete", schema.owner_session(session))
