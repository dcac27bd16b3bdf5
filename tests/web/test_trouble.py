"""A store that is down, read-only, full, loading or slow: 503, the choice kept on the page, no vote lost or doubled."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from arena.service import Arena
from arena.store.store import Store
from tests.conftest import PrivateStore
from tests.web.conftest import OWNER_TOKEN, ROSTER, options_for, small_bank
from web.app import create_app

TIMEOUT_SECONDS = 0.4
Form = dict[str, str]


@pytest.fixture
def own_store(own_server: PrivateStore) -> Iterator[Store]:
    opened = Store.open(own_server.url, timeout_seconds=TIMEOUT_SECONDS)
    yield opened
    opened.close()


@pytest.fixture
def own_client(own_store: Store) -> FlaskClient:
    arena = Arena(own_store, small_bank(), ROSTER)
    return create_app(
        arena, own_store.releases, replace(options_for(own_store), battles_per_minute=1000)
    ).test_client()


@pytest.fixture
def form(own_client: FlaskClient) -> Form:
    battle = own_client.post("/api/v1/battles").get_json()
    return {"battle_id": battle["battle_id"], "csrf_token": battle["csrf_token"], "choice": "both_bad"}


def assert_kept(answer: Any, form: Form) -> Form:
    """503 with a form that holds the choice; the fields of that form."""
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "Both are bad" in answer.text
    assert "Traceback" not in answer.text
    assert "redis" not in answer.text.lower()
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', answer.text))
    assert {**fields, "csrf_token": ""} == {**form, "csrf_token": ""}
    return fields


@pytest.mark.fault
def test_a_vote_while_the_store_is_down_can_be_sent_again(
    own_client: FlaskClient, own_store: Store, own_server: PrivateStore, form: Form
) -> None:
    own_server.kill()
    kept = assert_kept(own_client.post("/vote", data=form), form)
    data = own_client.post(f"/api/v1/battles/{form['battle_id']}/vote", json=form)
    own_server.start()

    answer = own_client.post("/vote", data=kept)

    assert (data.status_code, data.get_json()["code"]) == (503, "store_unavailable")
    assert answer.status_code == 303
    assert own_store.votes.count() == 1


@pytest.mark.fault
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/leaderboard",
        "/me",
        "/governance",
        "/data",
        "/models/x",
        "/api/v1/leaderboard",
        f"/api/v1/battles/{32 * 'f'}",
    ],
)
def test_every_page_says_so_while_the_store_is_down(
    own_client: FlaskClient, own_server: PrivateStore, form: Form, path: str
) -> None:
    own_server.kill()

    answer = own_client.get(path)

    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.fault
@pytest.mark.parametrize("bearer", [False, True])
def test_the_owners_pages_are_shut_while_the_store_is_down(
    own_client: FlaskClient, own_server: PrivateStore, bearer: bool
) -> None:
    csrf_token = own_client.get("/admin").text.split('name="csrf_token" value="')[1].split('"')[0]
    form = {"csrf_token": csrf_token, "token": OWNER_TOKEN}
    assert own_client.post("/admin/login", data=form).status_code == 303
    sent: dict[str, Any] = {"headers": {"Authorization": f"Bearer {OWNER_TOKEN}"}} if bearer else {}
    own_server.kill()

    answers = [own_client.get("/admin", **sent)]
    answers += [
        own_client.post(f"/admin/{act}", data=form, **sent) for act in ("login", "refresh", "quarantine")
    ]

    assert [answer.status_code for answer in answers] == [503] * 4
    assert not any("Sign out" in answer.text for answer in answers)


@pytest.mark.fault
def test_probes_tell_alive_from_ready_while_the_store_is_down(
    own_client: FlaskClient, own_server: PrivateStore
) -> None:
    own_server.kill()

    assert own_client.get("/healthz").status_code == 200
    assert own_client.get("/readyz").status_code == 503
    assert "arena_store_up 0.0" in own_client.get("/metrics").text


@pytest.mark.fault
def test_the_application_starts_while_the_store_is_down(own_server: PrivateStore, own_store: Store) -> None:
    own_server.kill()

    client = create_app(
        Arena(own_store, small_bank(), ROSTER), own_store.releases, options_for(own_store)
    ).test_client()

    assert client.get("/").status_code == 503
    assert client.get("/method").status_code == 200
    own_server.start()
    assert client.get("/").status_code == 200


@pytest.mark.fault
def test_a_read_only_store_takes_no_vote(own_client: FlaskClient, own_store: Store, form: Form) -> None:
    own_store.client.redis.execute_command("REPLICAOF", "127.0.0.1", "1")
    refused = own_client.post("/vote", data=form)
    ready = own_client.get("/readyz")
    own_store.client.redis.execute_command("REPLICAOF", "NO", "ONE")

    kept = assert_kept(refused, form)

    assert ready.status_code == 503
    assert own_client.post("/vote", data=kept).status_code == 303
    assert own_store.votes.count() == 1


@pytest.mark.fault
def test_a_full_store_takes_no_vote(own_client: FlaskClient, own_store: Store, form: Form) -> None:
    redis = own_store.client.redis
    redis.config_set("maxmemory", redis.info("memory")["used_memory"] // 2)
    refused = own_client.post("/vote", data=form)
    ready = own_client.get("/readyz")
    redis.config_set("maxmemory", 0)

    kept = assert_kept(refused, form)
    assert (ready.status_code, "full" in ready.get_json()["faults"][0]) == (503, True)
    assert own_client.post("/vote", data=kept).status_code == 303
    assert own_store.votes.count() == 1


@pytest.mark.fault
def test_a_loading_store_takes_no_vote(own_client: FlaskClient, own_store: Store, form: Form) -> None:
    redis = own_store.client.redis
    pipe = redis.pipeline(transaction=False)
    for n in range(60):
        pipe.set(f"ballast:{n}", b"x" * 1000)
    pipe.execute()
    redis.config_set("key-load-delay", 40_000)  # microseconds for each key
    redis.config_set("loading-process-events-interval-bytes", 1024)
    loading = threading.Thread(target=_quietly, args=(redis, "DEBUG", "RELOAD", "NOSAVE"))
    redis.execute_command("SAVE")
    loading.start()
    time.sleep(0.3)

    refused = own_client.post("/vote", data=form)
    loading.join(30)
    redis.config_set("key-load-delay", 0)

    kept = assert_kept(refused, form)
    assert own_client.post("/vote", data=kept).status_code == 303
    assert own_store.votes.count() == 1


def _quietly(redis: Any, *command: str) -> None:
    with Store.open(
        "unix://" + redis.connection_pool.connection_kwargs["path"], timeout_seconds=60
    ).client.redis as own:
        own.execute_command(*command)


@pytest.mark.fault
def test_a_slow_store_stores_the_vote_once(own_client: FlaskClient, own_store: Store, form: Form) -> None:
    redis = own_store.client.redis
    sleeping = threading.Thread(target=_quietly, args=(redis, "DEBUG", "SLEEP", "1.5"))
    sleeping.start()
    time.sleep(0.1)

    refused = own_client.post("/vote", data=form)
    sleeping.join()
    kept = assert_kept(refused, form)
    answer = own_client.post("/vote", data=kept)

    assert answer.status_code == 303
    assert own_store.votes.count() == len(own_store.votes.read()) == 1


@pytest.mark.fault
@pytest.mark.timeout(30)
def test_no_request_waits_long_for_a_dead_store(
    own_client: FlaskClient, own_server: PrivateStore, form: Form
) -> None:
    own_server.kill()

    assert_kept(own_client.post("/vote", data=form), form)
