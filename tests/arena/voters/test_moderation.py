"""What is done about voters: checked, quarantined, forgotten, shown their own votes."""

from __future__ import annotations

import pytest

from arena.service import Arena
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import Says, make_arena
from tests.conftest import FixedClock


@pytest.fixture
def arena(store: Store, clock: FixedClock) -> Arena:
    return make_arena(store, clock=clock)


@pytest.mark.parametrize(
    ("challenge", "reason"),
    [(None, None), ("passed", None), ("failed", "challenge_failed"), ("unchecked", "challenge_unchecked")],
)
def test_could_not_check_is_not_failed(arena: Arena, challenge: str | None, reason: str | None) -> None:
    view = arena.open_battle("u1")

    arena.verifier = Says(challenge) if challenge else None

    receipt = arena.cast_vote(view.battle_id, "u1", Outcome.A)

    assert (receipt.counted, receipt.reason) == (reason is None, reason)
    assert arena.store.visitors.challenges(arena.clock()) == ({challenge: 1} if challenge else {})


def test_a_quarantined_voter_is_kept_but_not_counted(arena: Arena, clock: FixedClock) -> None:
    arena.store.moderation.quarantine("u1", why="clicks at random", at=clock.now, by="owner")
    first = arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)

    arena.store.moderation.unquarantine("u1", why="a mistake", at=clock.now, by="owner")
    second = arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)

    assert (first.counted, first.reason) == (False, "quarantined_session")
    assert second.counted
    assert [(fact.kind, fact.voter, fact.why) for fact in arena.store.moderation.events()] == [
        ("quarantine", "u1", "clicks at random"),
        ("lift", "u1", "a mistake"),
    ]


def test_only_counted_votes_move_the_sampler(arena: Arena) -> None:
    arena.verifier = Says("failed")
    arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)
    arena.verifier = None
    arena.cast_vote(arena.open_battle("u2").battle_id, "u2", Outcome.A)

    assert sum(arena.store.votes.pair_counts().values()) == 1
    assert arena.store.votes.count() == 2


def test_forgetting_keeps_the_votes_under_one_unknown_name(arena: Arena) -> None:
    for _ in range(3):
        arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)

    assert arena.forget("u1")

    voters = {vote.voter for _, vote in arena.store.votes.read()}
    assert len(voters) == 1
    assert "u1" not in voters
    assert arena.my_votes("u1") == []
    assert not arena.forget("never-here")


def test_forgetting_does_not_lift_a_quarantine(arena: Arena, clock: FixedClock) -> None:
    arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)
    arena.store.moderation.quarantine("u1", why="bot", at=clock.now, by="owner")

    arena.forget("u1")

    ((_, vote),) = arena.store.votes.read()
    assert arena.store.moderation.quarantined() == {vote.voter}
    assert [fact.voter for fact in arena.store.moderation.events()] == [vote.voter]


def test_my_votes_are_the_newest_first(arena: Arena, clock: FixedClock) -> None:
    for outcome in (Outcome.A, Outcome.BOTH_BAD):
        arena.cast_vote(arena.open_battle("u1").battle_id, "u1", outcome)
        clock.advance(10)

    mine = arena.my_votes("u1")

    assert [vote.outcome for vote in mine] == [Outcome.BOTH_BAD, Outcome.A]
    assert [vote.at for vote in mine] == [clock.now - 10, clock.now - 20]
