"""The web process as it is really started: its settings, its workers, and what it never loads."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from arena.settings.settings import Settings
from arena.store.store import Store
from tests.web.conftest import ROSTER, SECRET, small_bank
from tests.web.serving import ROOT, environment, serving, write_bank
from web.main import counters, options

pytestmark = pytest.mark.slow


def test_settings_become_options(tmp_path: Path, store: Store) -> None:
    values = Settings(
        home=tmp_path, secret=SECRET, admin_token="the owner of it all", https=True, trusted_proxies=2, battles_per_minute=7,
        votes_per_minute=8, votes_per_day=9, battle_seconds=600, refresh_at="03:05", redis_url=store.client.url,
    )  # fmt: skip

    found = options(values, store)

    assert (found.secret, found.admin_token, found.https, found.trusted_proxies) == (
        SECRET,
        "the owner of it all",
        True,
        2,
    )
    assert (found.battles_per_minute, found.votes_per_minute, found.votes_per_day) == (7, 8, 9)
    assert (found.battle_seconds, found.refresh_at) == (600, "03:05")
    assert SECRET not in repr(found)
    assert "owner" not in repr(found)


@pytest.mark.parametrize(
    ("url", "scheme"),
    [("unix:///tmp/x.sock", "redis+unix://"), ("redis://h:1/2", "redis://"), ("rediss://h:1/2", "redis://")],
)
def test_limits_are_counted_over_the_connections_of_the_store(url: str, scheme: str) -> None:
    store = Store.open(url, timeout_seconds=0.7)

    where, how = counters(url, store)

    assert where.startswith(scheme)
    assert how["connection_pool"] is store.client.redis.connection_pool


def test_a_cluster_counts_its_limits_with_the_same_patience() -> None:
    url = "redis+cluster://h:1"

    where, how = counters(url, Store.open(url, timeout_seconds=0.7))

    assert (where, how["socket_timeout"]) == (url, 0.7)


def test_without_a_secret_it_does_not_start(tmp_path: Path, redis_url: str) -> None:
    code = "from web.main import app; app()"

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(tmp_path / "home", redis_url),
        capture_output=True,
        text=True,
    )

    assert done.returncode != 0
    assert "no secret key" in done.stderr


def test_the_web_process_loads_no_engine(tmp_path: Path, redis_url: str) -> None:
    code = (
        "import sys; from web.main import app; client = app().test_client(); "
        "[client.get(p) for p in ('/', '/leaderboard', '/data', '/metrics', '/api/v1/openapi.json')]; "
        "print([m for m in ('scipy', 'sklearn', 'numba', 'statsmodels', 'altair', 'vl_convert', 'pandas') if m in sys.modules])"
    )  # fmt: skip

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(tmp_path / "home", redis_url, ARENA_SECRET=SECRET),
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == "[]"


def test_two_workers_are_one_service(tmp_path: Path, store: Store) -> None:
    bank = write_bank(tmp_path, small_bank(), ROSTER)
    settings = {"ARENA_SECRET": SECRET, "ARENA_BANK": str(bank), "ARENA_BATTLES_PER_MINUTE": "60"}

    def visit(url: str) -> int:
        with httpx.Client(base_url=url, headers={"Connection": "close"}) as client:  # any worker may answer
            battle = client.post("/api/v1/battles").json()
            form = {"choice": "a", "csrf_token": battle["csrf_token"], "battle_id": battle["battle_id"]}
            return client.post("/vote", data=form).status_code

    with serving(tmp_path / "home", store.client.url, **settings) as site, ThreadPoolExecutor(4) as pool:
        voted = list(pool.map(visit, [site.url] * 50))
        more = [httpx.post(f"{site.url}/api/v1/battles").status_code for _ in range(15)]
        server = httpx.get(site.url).headers["Server"]

    assert voted == [303] * 50
    assert store.votes.count() == 50
    assert more == [201] * 10 + [429] * 5
    assert not any(digit in server for digit in "0123456789")


@pytest.mark.load
def test_thirty_two_parallel_posts_over_two_workers_store_one_vote(tmp_path: Path, store: Store) -> None:
    bank = write_bank(tmp_path, small_bank(), ROSTER)

    with serving(tmp_path / "home", store.client.url, ARENA_SECRET=SECRET, ARENA_BANK=str(bank)) as site:
        with httpx.Client(base_url=site.url) as client:
            battle = client.post("/api/v1/battles").json()
            cookies = dict(client.cookies)
        form = {"choice": "b", "csrf_token": battle["csrf_token"], "battle_id": battle["battle_id"]}

        def post(_: int) -> int:
            return httpx.post(f"{site.url}/vote", data=form, cookies=cookies, timeout=30).status_code

        with ThreadPoolExecutor(32) as pool:
            statuses = set(pool.map(post, range(32)))

    assert statuses == {303}
    assert store.votes.count() == len(store.votes.read()) == 1
