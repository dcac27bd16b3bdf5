"""What every test may ask for: a private store server, a fixed clock, seeded randomness, the material beside the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import redis
from hypothesis import HealthCheck, settings

from arena.store import embedded

if TYPE_CHECKING:
    from arena.store.store import Store

ROOT = Path(__file__).resolve().parent.parent
DEAR = ("browser", "fault", "load", "slow", "shared")  # the marks of what `--fast` leaves out
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
NOON = 1_750_000_000.0  # 2025-06-15T15:06:40Z, the time at which the fixed clock stands

# With this set, the suite runs as where numba is missing, without the tests of the kernels.
WITHOUT_NUMBA = bool(os.environ.get("TESTS_WITHOUT_NUMBA"))
if WITHOUT_NUMBA:
    sys.modules["numba"] = None  # type: ignore[assignment]  # an import of it fails

# The same examples in every run, however busy the machine: a red run is a fault of the change, never of the draw.
settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.load_profile("house")


def chromium() -> str | None:
    """The system's Chromium; Playwright's own download is never used."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fast", action="store_true", help=f"under a minute: without the marks {', '.join(DEAR)}"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Forget the caller's settings: no test may depend on them, or reach the store and the votes that they name."""
    for name in list(os.environ):
        if (name.startswith("ARENA_") and name != "ARENA_REDIS_SERVER") or name in ("HOST", "PORT"):
            del os.environ[name]
    os.environ["ARENA_HOME"] = "/nonexistent/arena-tests"
    # `./run` inside a test must not renew the environment under the tests' feet.
    os.environ["ARENA_INSTALL"] = "0"
    if config.option.fast:
        wanted = f"({config.option.markexpr}) and " if config.option.markexpr else ""
        config.option.markexpr = f"{wanted}not ({' or '.join(DEAR)})"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Files of tests that cannot do without numba, where it is to be missing."""
    is_kernels = (
        WITHOUT_NUMBA
        and collection_path.suffix == ".py"
        and "\nfrom ratings.engine.compiled" in collection_path.read_text(encoding="utf-8")
    )
    return True if is_kernels else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Files with dear tests first: begun last, a long one would keep one process busy while the others have ended.
    dear = {item.path for item in items if any(item.get_closest_marker(mark) for mark in DEAR)}
    items.sort(key=lambda item: item.path not in dear)
    if chromium() is None:
        reason = "no Chromium here: as root `./run test` installs it, else `apt-get install chromium`"
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """How pytest-playwright starts its browser: the system's Chromium."""
    return {**browser_type_launch_args, "executable_path": chromium(), "args": [*CHROMIUM_OPTIONS]}


class PrivateStore:
    """A real server of this test run alone, on a Unix socket, with the product's configuration. Can be killed."""

    def __init__(self, home: Path, options: dict[str, str] | None = None) -> None:
        self.home = home
        self.options = options or {}
        self.url = embedded.url(home)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        named = os.environ.get("ARENA_REDIS_SERVER")
        self.process = embedded.start(
            self.home, binary=embedded.server_binary(Path(named) if named else None), options=self.options
        )

    def kill(self) -> None:
        """End it as a crash would: kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self) -> None:
        if self.process is not None:
            embedded.stop(self.process)

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            client.flushall()


@pytest.fixture(scope="session")
def store_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateStore]:
    """One server for the whole run. It is shared: a test that harms its server takes `own_server`."""
    server = PrivateStore(tmp_path_factory.mktemp("store"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[PrivateStore]:
    """A server for one test, which may kill, restart or starve it. DEBUG is allowed."""
    server = PrivateStore(tmp_path / "own_store", {"enable-debug-command": "yes"})
    server.home.mkdir()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def redis_url(store_server: PrivateStore) -> str:
    """Address of the run's server, emptied for this test."""
    store_server.flush()
    return store_server.url


@pytest.fixture
def store(redis_url: str) -> Iterator[Store]:
    """An open `arena.store.store.Store` on an empty server."""
    from arena.store.store import Store  # so that tests of the rest do not need it

    opened = Store.open(redis_url)
    yield opened
    opened.close()


class FixedClock:
    """A clock that stands still until told: `clock()` gives `clock.now`, in seconds."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Extra material that may lie beside the checkout, in a folder `shared`; tests that use it skip without it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no folder `shared` beside the checkout")
    return folder
