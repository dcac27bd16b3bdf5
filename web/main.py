"""The main of the web process: settings in, application out. `gunicorn 'web.main:app()'`."""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask

from arena.service import Arena
from arena.settings import bounds, settings
from arena.settings.settings import Settings
from arena.store.store import Store
from ratings.releases.folder import open_storage
from web import warming
from web.app import create_app
from web.format import render
from web.options import Options


def app() -> Flask:
    """The application of this process. Starts while the store is down: pages then say 503 until it is back."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    values = settings.load()
    bounds.use(bounds.of_environment())
    store = Store.open(values.store_url, timeout_seconds=values.redis_timeout_seconds)
    arena = Arena.open(values, store)
    render.cache = warming.cache(values)
    warming.start(lambda: arena.bank)
    return create_app(arena, open_storage(values.shelf, store.releases), options(values, store))


def options(values: Settings, store: Store) -> Options:
    """What the web layer needs of the settings."""
    url, limits_options = counters(values.store_url, store)
    return Options(
        secret=settings.secret_key(values),
        https=values.https,
        trusted_proxies=values.trusted_proxies,
        admin_token=None if values.admin_token is None else values.admin_token.get_secret_value(),
        battles_per_visitor_minute=values.battles_per_visitor_minute,
        votes_per_visitor_minute=values.votes_per_visitor_minute,
        battles_per_minute=values.battles_per_minute,
        votes_per_minute=values.votes_per_minute,
        votes_per_day=values.votes_per_day,
        battle_seconds=values.battle_seconds,
        challenge_script=values.challenge_script,
        challenge_site_key=values.challenge_site_key,
        benchmarks=values.home / "benchmarks",
        refresh_at=values.refresh_at.strftime("%H:%M"),
        limits_url=url,
        limits_options=limits_options,
    )


def counters(url: str, store: Store) -> tuple[str, dict[str, Any]]:
    """Where and how limits are counted: in the store, over its own connections, with its own patience."""
    if "+cluster" in url.partition(":")[0]:
        seconds = store.client.timeout_seconds
        return url, {"socket_timeout": seconds, "socket_connect_timeout": seconds}
    scheme = "redis+unix" if url.startswith("unix:") else "redis"
    return f"{scheme}://store", {"connection_pool": store.client.redis.connection_pool}
