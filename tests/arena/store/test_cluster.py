"""The same scripts on Redis Cluster: all keys of one vote carry one shard tag."""

from __future__ import annotations

import random
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from arena.archive.archive import Archive
from arena.service import Arena
from arena.store import ledger, schema
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import make_arena
from tests.conftest import PrivateStore

pytestmark = pytest.mark.fault
SLOTS = 16_384
NODES = 2


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """Address of one node of a cluster of two masters on loopback."""
    ports = [free_port() for _ in range(NODES)]
    nodes = [node(tmp_path / str(port), port) for port in ports]
    try:
        clients = [redis.Redis(port=port) for port in ports]
        for place, client in enumerate(clients):
            first = place * SLOTS // NODES
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, (place + 1) * SLOTS // NODES - 1)
            client.execute_command("CLUSTER MEET", "127.0.0.1", ports[0], ports[0] + 10_000)
        deadline = time.monotonic() + 30
        while not all(is_whole(client) for client in clients):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for client in clients:
            client.close()
        yield f"redis+cluster://127.0.0.1:{ports[0]}"
    finally:
        for each in nodes:
            each.stop()


def node(home: Path, port: int) -> PrivateStore:
    home.mkdir()
    options = {"port": str(port), "cluster-enabled": "yes", "cluster-port": str(port + 10_000)}
    server = PrivateStore(home, options)
    server.start()
    return server


def free_port() -> int:
    """A port that is free, and the one for the cluster's own talk 10,000 above it."""
    while True:
        port = random.randrange(20_000, 50_000)
        try:
            for candidate in (port, port + 10_000):
                with socket.socket() as line:
                    line.bind(("127.0.0.1", candidate))
        except OSError:
            continue
        return port


def is_whole(client: redis.Redis) -> bool:
    info = client.execute_command("CLUSTER INFO")
    said = {str(key): str(value) for key, value in info.items()} if isinstance(info, dict) else {}
    return said.get("cluster_state") == "ok" and said.get("cluster_known_nodes") == str(NODES)


@pytest.fixture
def arena(cluster: str) -> Iterator[Arena]:
    store = Store.open(cluster, timeout_seconds=5)
    yield make_arena(store, clock=time.time)
    store.close()


def test_a_battle_a_vote_and_all_beside_it_work_on_a_cluster(arena: Arena, tmp_path: Path) -> None:
    store, archive = arena.store, Archive(str(tmp_path / "archive"))
    view = arena.open_battle("u1")
    receipt = arena.cast_vote(view.battle_id, "u1", Outcome.A)
    arena.skip(arena.open_battle("u1").battle_id, "u1")

    assert receipt.first
    assert not arena.cast_vote(view.battle_id, "u1", Outcome.B).first
    assert [vote.outcome for _, vote in store.votes.read()] == [Outcome.A]
    assert len(arena.my_votes("u1")) == 1
    assert store.admin.durability_faults() == []
    store.moderation.quarantine("u1", why="bot", at=1.0, by="owner")
    assert archive.archive_new_votes(store) == 1
    assert archive.votes("arena", store).excluded() == {"quarantined_session": 1}
    assert arena.forget("u1")
    fence = store.locks.take("refresh", 5)
    assert fence is not None
    store.releases.put("r1", {"a": b"1", "b": b"2"})
    assert store.releases.activate("r1", fence=fence)
    assert ledger.faults(store.ledger) == []
    kept = list(store.admin.dump())
    store.admin.wipe()
    assert store.admin.is_empty()
    store.admin.load(kept)
    assert store.releases.names("r1") == ["a", "b"]


def test_every_key_carries_the_shard_tag() -> None:
    names = [value for key, value in vars(schema).items() if key.isupper()]
    made = [
        schema.battle("x"), schema.text("x"), schema.open_battle("x"), schema.visitor("x"),
        schema.visitor_votes("x"), schema.quota("a", "b", "c"), schema.challenge("1"), schema.release("r"),
        schema.lock("l"), schema.fence("l"),
    ]  # fmt: skip

    assert all(re.match(r"arena:\{s0\}:", key) for key in [*names, *made])
