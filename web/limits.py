"""How often one visitor and one network address may do what in a minute (quotas of a day: `arena.store.replies`): counted in the store, shared by all workers, closed when it is down."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from flask import Flask, current_app
from flask_limiter import Limiter
from flask_limiter.errors import RateLimitExceeded
from flask_limiter.util import get_remote_address
from limits import RateLimitItem

from arena.voters import identity
from web import visitor
from web.options import Options

FORGETTINGS_PER_MINUTE = 10  # each looks through files of votes
DOWNLOADS_PER_MINUTE = 30  # exports are large


# Endpoints that count as one thing.
BATTLES = ("battle.show", "api.open_battle")
VOTES = ("battle.vote", "api.vote", "battle.skip", "api.skip")
FORGETTINGS = ("pages.forget", "api.forget")


def table(options: Options) -> Mapping[str, tuple[str, str]]:
    """Endpoint -> (what is counted, how often). Endpoints that count the same thing share one counter."""
    battles = ("battles", f"{options.battles_per_minute} per minute")
    votes = ("votes", f"{options.votes_per_minute} per minute")
    forgettings = ("forgettings", f"{FORGETTINGS_PER_MINUTE} per minute")
    downloads = ("downloads", f"{DOWNLOADS_PER_MINUTE} per minute")
    return {
        **dict.fromkeys(BATTLES, battles),
        **dict.fromkeys(VOTES, votes),
        **dict.fromkeys(FORGETTINGS, forgettings),
        "api.export_votes": downloads,
    }


def of_visitor(options: Options) -> Mapping[str, tuple[str, str]]:
    """The same for one visitor: his own limit is reached first, so that people behind one address do not share it."""
    battles = ("visitor battles", f"{options.battles_per_visitor_minute} per minute")
    votes = ("visitor votes", f"{options.votes_per_visitor_minute} per minute")
    return {**dict.fromkeys(BATTLES, battles), **dict.fromkeys(VOTES, votes)}


def configure(app: Flask, options: Options) -> None:
    """Wrap the views of `table`. When the counters cannot be reached the view is not run: 503, never a free pass."""
    limiter = Limiter(
        key_func=_caller,
        storage_uri=options.limits_url,
        storage_options={"wrap_exceptions": True, **options.limits_options},
        strategy="sliding-window-counter",
        key_prefix="arena:limits",
    )
    limiter.init_app(app)
    limits: list[tuple[tuple[str, tuple[str, str]], dict[str, Any]]] = [
        (each, {}) for each in table(options).items()
    ]
    own = {"key_func": _visitor, "exempt_when": lambda: visitor.known() is None}
    limits += [(each, own) for each in of_visitor(options).items()]
    for (endpoint, (scope, often)), whose in limits:
        if endpoint in app.view_functions:
            limit = limiter.shared_limit(often, scope=scope, **whose)
            app.view_functions[endpoint] = cast(Any, limit(app.view_functions[endpoint]))


def retry_after_seconds(reached: RateLimitExceeded) -> int:
    """Seconds after which a request that broke this limit may be tried again: the length of its window at most."""
    item: RateLimitItem = reached.limit.limit
    return min(item.get_expiry(), 60 * 60)


def _visitor() -> str:
    return visitor.known() or ""


def _caller() -> str:
    day = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%d")
    return keyed(str(current_app.secret_key), day, get_remote_address())


def keyed(secret: str, day: str, peer: str) -> str:
    """The hash under which an address is counted on `day`; the address itself is kept nowhere."""
    key = f"limits {day} {secret}".encode()
    return hmac.new(key, _network(peer).encode(), hashlib.sha256).hexdigest()[:32]


def _network(address: str) -> str:
    """The address itself, or the /64 for IPv6: one household has 2^64 of them."""
    parsed = identity.peer(address)
    if parsed is None:
        return "unknown"
    return str(parsed) if parsed.version == 4 else identity.address_prefix(address)
