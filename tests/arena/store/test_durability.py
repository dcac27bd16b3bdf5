"""A vote that was acknowledged is on the disk: nothing of it is lost by kill -9."""

from __future__ import annotations

import time

import pytest
import redis

from arena.service import Quotas
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import make_arena
from tests.conftest import PrivateStore


@pytest.mark.fault
def test_a_thousand_acknowledged_votes_outlive_kill_9(own_server: PrivateStore) -> None:
    store = Store.open(own_server.url)
    arena = make_arena(store, clock=time.time, quotas=Quotas(10**6, 10**6, 10**6))
    acknowledged = []
    for number in range(1000):
        visitor = f"u{number % 50}"
        view = arena.open_battle(visitor)
        acknowledged.append(
            (view.battle_id, arena.cast_vote(view.battle_id, visitor, Outcome(number % 4)).outcome)
        )

    own_server.kill()
    own_server.start()

    with_ids = [(vote.vote_id, vote.outcome) for _, vote in store.votes.read()]
    assert len(with_ids) == 1000
    assert {outcome for _, outcome in with_ids} == set(Outcome)
    for battle_id, outcome in acknowledged[::97]:
        visitor = f"u{acknowledged.index((battle_id, outcome)) % 50}"
        receipt = arena.reveal(battle_id, visitor)
        assert receipt is not None
        assert receipt.outcome == outcome


def test_the_running_store_says_that_it_is_durable(store_server: PrivateStore) -> None:
    with redis.Redis.from_url(store_server.url, decode_responses=True) as client:
        said = {
            name: client.config_get(name)[name] for name in ("appendonly", "appendfsync", "maxmemory-policy")
        }

    assert said == {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction"}
