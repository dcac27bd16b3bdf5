"""Most that one visitor, or one network, may do in a day or an hour; counted in the store within the vote itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from arena.store.replies import Cap

DAY = 86_400
HOUR = 3_600


@dataclass(frozen=True)
class Limits:
    """Most that one visitor, or one network (/24, /64), may do."""

    votes_per_visitor_day: int = 500
    votes_per_network_day: int = 5000  # ten visitors at their cap: a class shares one address
    skips_per_visitor_hour: int = 60

    def of_vote(self, visitor: str, network: str | None, now: float) -> Sequence[Cap]:
        """The caps that a vote at `now` (seconds UTC) counts against. `network`: hash of the network of that day."""
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        caps = [Cap("votes", visitor, day, self.votes_per_visitor_day, DAY)]
        if network is not None:
            caps.append(Cap("network", network, day, self.votes_per_network_day, DAY))
        return caps

    def of_skip(self, visitor: str, now: float) -> Sequence[Cap]:
        """The caps that a skip at `now` (seconds UTC) counts against."""
        return [Cap("skips", visitor, f"{int(now // HOUR)}", self.skips_per_visitor_hour, HOUR)]
