"""The line to Redis or Valkey: opened at first use, every failure one `StoreUnavailable`, scripts loaded by hash."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any
from urllib.parse import urlsplit

import redis
from redis.backoff import ExponentialBackoff
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException, RedisError
from redis.retry import Retry

from arena.errors import BadInput, StoreUnavailable

SCHEMES = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")
# One more try hides a restart of the server. More would only keep a voter waiting: he has his choice on the page.
RETRIES = 1
PAGE = 1_000
NOT_RUNNING = " Is the service running? `./run` starts it; ARENA_HOME names its folder."  # for a Unix socket

log = logging.getLogger(__name__)


class Client:
    """One lazy connection pool. Safe to share between threads; after a failure the next call connects anew."""

    def __init__(self, url: str, timeout_seconds: float) -> None:
        if urlsplit(url).scheme not in SCHEMES:
            raise BadInput(f"store address {url!r}: it must start with one of {', '.join(SCHEMES)}")
        self.url = url
        self.timeout_seconds = timeout_seconds
        self._redis: Any = None
        self._scripts: dict[str, Any] = {}
        self._lock = threading.Lock()

    @property
    def redis(self) -> Any:
        """The client of redis-py. Reaches the network only for a cluster, which must first learn its nodes."""
        if self._redis is None:
            with self._lock:
                if self._redis is None:
                    self._redis = _connect(self.url, self.timeout_seconds)
        return self._redis

    def script(self, name: str, keys: Sequence[str], arguments: Sequence[object]) -> Any:
        """Reply of the script `lua/<name>.lua`."""
        with unavailable():
            if name not in self._scripts:
                self._scripts[name] = self.redis.register_script(_source(name))
            return self._scripts[name](keys=keys, args=arguments)

    def do(self, command: str, *arguments: Any, **options: Any) -> Any:
        """Reply of one command, by its name in redis-py."""
        with unavailable():
            return getattr(self.redis, command)(*arguments, **options)

    def pipe(self, fill: Callable[[Any], object]) -> list[Any]:
        """Replies of the commands that `fill(pipeline)` queued, sent together, all or none (MULTI)."""
        with unavailable():
            pipeline = self.redis.pipeline(transaction=True)
            fill(pipeline)
            replies: list[Any] = pipeline.execute()
            return replies

    def keys(self, prefix: str) -> list[str]:
        """All keys that start with `prefix`, in order."""
        with unavailable():
            return sorted(key.decode() for key in self.redis.scan_iter(f"{prefix}*", PAGE))

    def close(self) -> None:
        if self._redis is not None:
            self._redis.close()
            self._redis, self._scripts = None, {}


@contextmanager
def unavailable() -> Iterator[None]:
    """Turn whatever the store or the way to it fails with into `StoreUnavailable`.

    Down, loading, read-only, full, slow, refused: for a voter it is all one, his vote is not known to be kept.
    """
    try:
        yield
    except (RedisError, RedisClusterException, OSError) as error:
        # Whoever catches it says it, once; a command as its one line, the web as a line of its log.
        log.debug("store: %s: %s", type(error).__name__, error)
        hint = NOT_RUNNING if "connecting to /" in str(error) else ""
        raise StoreUnavailable(
            f"the vote store is not available: {error or type(error).__name__}{hint}"
        ) from error


def _connect(url: str, timeout_seconds: float) -> Any:
    # Every write is a script or a command that may run twice without harm, so a retry never doubles a vote.
    options: dict[str, Any] = {
        "socket_timeout": timeout_seconds,
        "socket_connect_timeout": timeout_seconds,
        "retry": Retry(ExponentialBackoff(cap=0.2, base=0.05), RETRIES),
        "health_check_interval": 0,
    }
    if "+cluster" in urlsplit(url).scheme:
        return RedisCluster.from_url(url.replace("+cluster", "", 1), **options)
    return redis.Redis.from_url(url, **options)


def _source(name: str) -> str:
    return resources.files("arena.store").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")
