"""Whatever happens to the store, a vote is refused or kept once, and the next call finds the way back."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import redis

from arena.errors import BadInput, StoreUnavailable
from arena.service import Arena
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import make_arena
from tests.conftest import PrivateStore

pytestmark = pytest.mark.fault
TIMEOUT_SECONDS = 0.4


@pytest.fixture
def admin(own_server: PrivateStore) -> Iterator[redis.Redis]:
    client = redis.Redis.from_url(own_server.url, decode_responses=True, socket_timeout=30)
    yield client
    client.close()


@pytest.fixture
def arena(own_server: PrivateStore) -> Iterator[Arena]:
    store = Store.open(own_server.url, timeout_seconds=TIMEOUT_SECONDS)
    yield make_arena(store, clock=time.time)
    store.close()


def wait_for(what: Callable[[], bool], seconds: float = 20.0) -> None:
    """Until it holds; the test fails when it does not in time."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.01)


def fill(admin: redis.Redis) -> None:
    """Write until the memory of the server is used up."""
    with contextlib.suppress(redis.exceptions.OutOfMemoryError):
        while True:
            admin.append("filling", "x" * 100_000)


def kept(arena: Arena) -> list[Outcome]:
    return [vote.outcome for _, vote in arena.store.votes.read()]


def test_down_is_unavailable_and_the_same_store_finds_back(arena: Arena, own_server: PrivateStore) -> None:
    view = arena.open_battle("u1")
    own_server.kill()

    for call in (
        lambda: arena.cast_vote(view.battle_id, "u1", Outcome.B),
        lambda: arena.open_battle("u2"),
        lambda: arena.skip(view.battle_id, "u1"),
        lambda: arena.my_votes("u1"),
        arena.store.ping,
    ):
        with pytest.raises(StoreUnavailable):
            call()
    own_server.start()

    assert arena.cast_vote(view.battle_id, "u1", Outcome.B).first
    assert kept(arena) == [Outcome.B]


def test_a_store_that_was_never_there_is_unavailable_only_when_used() -> None:
    store = Store.open("unix:///nowhere/store.sock")

    with pytest.raises(StoreUnavailable):
        store.ping()


@pytest.mark.parametrize("address", ["localhost:6379", "http://localhost", "", "/tmp/store.sock"])
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(BadInput, match="store address"):
        Store.open(address)


def test_a_replica_takes_no_vote(arena: Arena, admin: redis.Redis) -> None:
    view = arena.open_battle("u1")
    admin.replicaof("127.0.0.1", 1)

    with pytest.raises(StoreUnavailable):
        arena.cast_vote(view.battle_id, "u1", Outcome.A)
    faults = arena.store.admin.durability_faults()
    admin.replicaof("NO", "ONE")

    assert any("replica" in fault for fault in faults)
    assert arena.cast_vote(view.battle_id, "u1", Outcome.A).first
    assert kept(arena) == [Outcome.A]


def test_a_full_store_keeps_nothing_by_halves(arena: Arena, admin: redis.Redis) -> None:
    view = arena.open_battle("u1")
    admin.config_set("maxmemory", int(admin.info("memory")["used_memory"]) + 2_000_000)
    fill(admin)

    for outcome in (Outcome.A, Outcome.B):
        with pytest.raises(StoreUnavailable):
            arena.cast_vote(view.battle_id, "u1", outcome)
    assert arena.reveal(view.battle_id, "u1") is None
    assert kept(arena) == []
    admin.config_set("maxmemory", 0)

    assert arena.cast_vote(view.battle_id, "u1", Outcome.TIE).first
    assert kept(arena) == [Outcome.TIE]
    assert arena.store.votes.count() == 1


def test_a_loading_store_is_unavailable_until_it_has_loaded(arena: Arena, admin: redis.Redis) -> None:
    view = arena.open_battle("u1")
    for number in range(400):
        admin.set(f"filling:{number}", secrets.token_hex(1000))
    admin.bgrewriteaof()  # while it loads what this writes, the server answers
    wait_for(lambda: admin.info("persistence")["aof_base_size"] > 100_000)
    admin.config_set("loading-process-events-interval-bytes", 1024)
    admin.config_set("key-load-delay", 5000)  # microseconds a key: it loads for two seconds
    loading = threading.Thread(target=lambda: admin.execute_command("DEBUG LOADAOF"))
    loading.start()
    wait_for(lambda: _is_loading(arena))

    with pytest.raises(StoreUnavailable):
        arena.cast_vote(view.battle_id, "u1", Outcome.A)
    loading.join()

    assert arena.cast_vote(view.battle_id, "u1", Outcome.A).first
    assert kept(arena) == [Outcome.A]


def _is_loading(arena: Arena) -> bool:
    try:
        arena.store.ping()
    except StoreUnavailable as error:
        return "loading" in str(error).lower()
    return False


def test_a_slow_store_keeps_exactly_one_vote(arena: Arena, admin: redis.Redis) -> None:
    """The client gives up and tries again while its first try still waits inside the server: both reach it."""
    arena.cast_vote(arena.open_battle("u0").battle_id, "u0", Outcome.TIE)  # the server knows the script now
    view = arena.open_battle("u1")
    sleeping = threading.Thread(target=lambda: admin.execute_command("DEBUG SLEEP 1.5"))
    sleeping.start()
    time.sleep(0.2)

    with pytest.raises(StoreUnavailable) as refused:
        arena.cast_vote(view.battle_id, "u1", Outcome.A)
    sleeping.join()
    wait_for(lambda: len(kept(arena)) == 2)
    again = arena.cast_vote(view.battle_id, "u1", Outcome.B)

    assert refused.value.retry_after_seconds > 0
    assert (again.outcome, again.first) == (Outcome.A, False)
    assert kept(arena) == [Outcome.TIE, Outcome.A]
    assert arena.store.votes.count() == 2


def test_a_retry_inside_one_call_is_still_the_first_vote(arena: Arena, admin: redis.Redis) -> None:
    view = arena.open_battle("u1")
    sleeping = threading.Thread(target=lambda: admin.execute_command("DEBUG SLEEP 0.6"))
    sleeping.start()
    time.sleep(0.1)

    receipt = arena.cast_vote(view.battle_id, "u1", Outcome.A)
    sleeping.join()

    assert receipt.first
    assert kept(arena) == [Outcome.A]


def test_a_store_that_forgot_its_scripts_gets_them_again(arena: Arena, admin: redis.Redis) -> None:
    view = arena.open_battle("u1")
    admin.script_flush()

    assert arena.cast_vote(view.battle_id, "u1", Outcome.A).first


@pytest.mark.parametrize(
    ("name", "value"),
    [("appendonly", "no"), ("appendfsync", "everysec"), ("maxmemory-policy", "allkeys-lru")],
)
def test_a_store_that_could_lose_a_vote_is_told(
    arena: Arena, admin: redis.Redis, name: str, value: str
) -> None:
    before = arena.store.admin.durability_faults()
    admin.config_set(name, value)

    assert before == []
    assert [fault for fault in arena.store.admin.durability_faults() if name in fault and value in fault]
