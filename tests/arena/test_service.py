"""A visitor opens a battle, votes once, sees the names; nobody else can do it for him."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import pytest

from arena.bank.roster import ModelInfo, Roster
from arena.battles import HIDDEN_MODEL
from arena.errors import BattleExpired, NoBattle, NothingToServe, NotYours, TooManyRequests
from arena.service import Arena, Quotas
from arena.store.store import Store
from arena.votes import Outcome
from tests.arena.makers import MODELS, make_arena, make_bank
from tests.conftest import FixedClock


@pytest.fixture
def arena(store: Store, clock: FixedClock) -> Arena:
    return make_arena(store, clock=clock)


def test_reloading_shows_the_same_battle(arena: Arena) -> None:
    first = arena.open_battle("u1")

    assert arena.open_battle("u1") == first
    assert arena.open_battle("u2").battle_id != first.battle_id


def test_a_view_holds_no_name(arena: Arena) -> None:
    view = asdict(arena.open_battle("u1"))

    assert set(view) == {
        "battle_id", "prompt", "answer_a", "answer_b", "expires_at", "category", "language",
    }  # fmt: skip
    assert not any(name in repr(view) for name in MODELS)


def test_names_are_revealed_only_after_the_vote(arena: Arena) -> None:
    view = arena.open_battle("u1")
    before = arena.reveal(view.battle_id, "u1")

    arena.cast_vote(view.battle_id, "u1", Outcome.A)
    after = arena.reveal(view.battle_id, "u1")

    assert before is None
    assert after is not None
    assert {after.model_a, after.model_b} < set(MODELS)


def test_a_second_choice_is_told_the_first(arena: Arena) -> None:
    view = arena.open_battle("u1")

    first = arena.cast_vote(view.battle_id, "u1", Outcome.A)
    second = arena.cast_vote(view.battle_id, "u1", Outcome.B)

    assert (first.first, first.outcome) == (True, Outcome.A)
    assert (second.first, second.outcome) == (False, Outcome.A)
    assert arena.store.votes.count() == len(arena.store.votes.read()) == 1


def test_thirty_two_votes_at_once_are_one_vote(arena: Arena) -> None:
    view = arena.open_battle("u1")

    with ThreadPoolExecutor(32) as pool:
        choices = [Outcome(i % 4) for i in range(32)]
        receipts = list(pool.map(lambda o: arena.cast_vote(view.battle_id, "u1", o), choices))

    assert len(arena.store.votes.read()) == 1
    assert sum(receipt.first for receipt in receipts) == 1
    assert len({receipt.outcome for receipt in receipts}) == 1


def test_thirty_two_openings_at_once_are_one_battle(arena: Arena) -> None:
    with ThreadPoolExecutor(32) as pool:
        views = list(pool.map(arena.open_battle, ["u1"] * 32))

    assert len({view.battle_id for view in views}) == 1
    assert arena.store.admin.counts()["battles"] == 1


def test_another_visitor_cannot_vote_see_or_skip(arena: Arena) -> None:
    view = arena.open_battle("u1")

    with pytest.raises(NotYours):
        arena.cast_vote(view.battle_id, "u2", Outcome.A)
    with pytest.raises(NotYours):
        arena.battle(view.battle_id, "u2")
    with pytest.raises(NotYours):
        arena.skip(view.battle_id, "u2")
    with pytest.raises(NotYours):
        arena.reveal(view.battle_id, "u2")
    assert arena.store.votes.count() == 0


@pytest.mark.parametrize(
    "forged",
    [
        "made-up",
        "",
        "A" * 32,
        "a" * 32,
        "a" * 31,
        "0" * 33,
        "../../votes",
        "x" * 5000,
        "0" * 31 + "\0",
        "é" * 32,
        "٣" * 32,
        "a b",
    ],
)
def test_a_forged_id_is_no_battle(arena: Arena, forged: str) -> None:
    arena.open_battle("u1")

    with pytest.raises(NoBattle):
        arena.cast_vote(forged, "u1", Outcome.A)
    with pytest.raises(NoBattle):
        arena.battle(forged, "u1")
    with pytest.raises(NoBattle):
        arena.skip(forged, "u1")
    assert arena.store.votes.count() == 0


def test_an_expired_battle_takes_no_vote_and_gives_way_to_a_new_one(arena: Arena, clock: FixedClock) -> None:
    view = arena.open_battle("u1")
    clock.advance(3600)

    with pytest.raises(BattleExpired):
        arena.cast_vote(view.battle_id, "u1", Outcome.A)
    with pytest.raises(BattleExpired):
        arena.battle(view.battle_id, "u1")
    assert arena.open_battle("u1").battle_id != view.battle_id
    assert arena.store.votes.count() == 0


def test_a_repeat_after_expiry_still_gets_the_first_answer(arena: Arena, clock: FixedClock) -> None:
    view = arena.open_battle("u1")
    arena.cast_vote(view.battle_id, "u1", Outcome.TIE)
    clock.advance(7200)

    assert arena.cast_vote(view.battle_id, "u1", Outcome.A).outcome is Outcome.TIE


def test_skipping_is_counted_once_and_brings_a_new_battle(arena: Arena) -> None:
    view = arena.open_battle("u1")

    arena.skip(view.battle_id, "u1")
    arena.skip(view.battle_id, "u1")

    assert arena.open_battle("u1").battle_id != view.battle_id
    assert arena.store.admin.counts()["skips"] == 1
    assert arena.store.visitors.visits("u1").skipped_share == 1.0
    with pytest.raises(NoBattle):
        arena.cast_vote(view.battle_id, "u1", Outcome.A)


def test_skipping_after_the_vote_changes_nothing(arena: Arena) -> None:
    view = arena.open_battle("u1")
    arena.cast_vote(view.battle_id, "u1", Outcome.A)

    arena.skip(view.battle_id, "u1")

    assert "skips" not in arena.store.admin.counts()


def test_a_vote_holds_everything_whatever_the_bank_becomes(store: Store, clock: FixedClock) -> None:
    old, new = make_arena(store, clock=clock), make_arena(store, make_bank(("x", "y")), clock=clock)
    view = old.open_battle("u1")

    assert new.battle(view.battle_id, "u1") == view
    new.cast_vote(view.battle_id, "u1", Outcome.B)

    ((_, vote),) = store.votes.read()
    assert {vote.model_a, vote.model_b} < set(MODELS)
    assert (vote.outcome, vote.voter, vote.language, vote.categories) == (Outcome.B, "u1", "en", ("short",))
    assert vote.traits["headers"] == (1.0, 1.0)
    assert vote.drawn_p == pytest.approx(1 / 3)
    assert vote.rule == "few-votes-first/2"
    assert vote.at == clock.now
    assert vote.vote_id == view.battle_id


def test_sides_are_shuffled(arena: Arena) -> None:
    left = []
    for number in range(60):
        view = arena.open_battle(f"u{number}")
        receipt = arena.cast_vote(view.battle_id, f"u{number}", Outcome.TIE)
        left.append(receipt.model_a < receipt.model_b)

    assert 10 < sum(left) < 50


def test_no_prompt_comes_again_while_there_are_others(store: Store, clock: FixedClock) -> None:
    arena = make_arena(store, make_bank(prompts=12), clock=clock)

    prompts = []
    for _ in range(12):
        view = arena.open_battle("u1")
        prompts.append(view.prompt)
        arena.cast_vote(view.battle_id, "u1", Outcome.A)

    assert len(set(prompts)) == 12
    assert arena.open_battle("u1").prompt in prompts


def test_an_empty_bank_serves_nothing(store: Store, clock: FixedClock) -> None:
    arena = make_arena(store, make_bank(("alone",)), clock=clock)

    with pytest.raises(NothingToServe):
        arena.open_battle("u1")


def test_retired_models_meet_nobody(store: Store, clock: FixedClock) -> None:
    roster = Roster((ModelInfo("osprey", "osprey", status="retired"),))
    arena = make_arena(store, roster=roster, clock=clock)

    assert arena.chances().pairs == (("heron-7b", "wren-mini"),)


def test_a_private_model_is_never_named(store: Store, clock: FixedClock) -> None:
    roster = Roster((ModelInfo("osprey", "osprey", status="private"),))
    arena = make_arena(store, make_bank(("heron-7b", "osprey")), roster, clock=clock)
    view = arena.open_battle("u1")

    receipt = arena.cast_vote(view.battle_id, "u1", Outcome.A)
    (mine,) = arena.my_votes("u1")

    assert {receipt.model_a, receipt.model_b} == {"heron-7b", HIDDEN_MODEL}
    assert {mine.model_a, mine.model_b} == {"heron-7b", HIDDEN_MODEL}


def test_the_daily_cap_counts_votes_not_repeats(store: Store, clock: FixedClock) -> None:
    arena = make_arena(store, clock=clock, quotas=Quotas(votes_per_visitor_day=2))
    view = arena.open_battle("u1")
    for _ in range(5):
        arena.cast_vote(view.battle_id, "u1", Outcome.A)
    arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A)
    third = arena.open_battle("u1")

    with pytest.raises(TooManyRequests) as refused:
        arena.cast_vote(third.battle_id, "u1", Outcome.A)

    assert 0 < refused.value.retry_after_seconds <= 86_400
    clock.advance(86_400)
    assert arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A).first


def test_one_network_shares_its_cap(store: Store, clock: FixedClock) -> None:
    arena = make_arena(store, clock=clock, quotas=Quotas(votes_per_network_day=1))
    arena.cast_vote(arena.open_battle("u1").battle_id, "u1", Outcome.A, network="net")

    with pytest.raises(TooManyRequests):
        arena.cast_vote(arena.open_battle("u2").battle_id, "u2", Outcome.A, network="net")

    assert arena.cast_vote(arena.open_battle("u3").battle_id, "u3", Outcome.A, network="other").first


def test_skips_are_capped(store: Store, clock: FixedClock) -> None:
    arena = make_arena(store, clock=clock, quotas=Quotas(skips_per_visitor_hour=1))
    arena.skip(arena.open_battle("u1").battle_id, "u1")

    with pytest.raises(TooManyRequests):
        arena.skip(arena.open_battle("u1").battle_id, "u1")
