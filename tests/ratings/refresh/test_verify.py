"""A published snapshot can be computed again from what is kept, and a change of a vote or of a number is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.archive import kept_votes
from arena.errors import BadInput
from ratings.design.content_hash import votes_hash
from ratings.leaderboard import METHOD_VERSION
from ratings.refresh.context import RefreshContext
from ratings.refresh.job import refresh
from ratings.refresh.verify import NotVerified, compare, verify
from ratings.releases import storage
from ratings.releases.boards import Board
from ratings.releases.release import Release
from tests.ratings.boards_for_tests import board
from tests.ratings.refresh_contexts import PLAN, bird_votes, bring

pytestmark = pytest.mark.slow


def snapshot_of(release: Release, *, style: bool = False) -> str:
    return release.boards[1].view(style=style).leaderboard.snapshot.id


@pytest.mark.parametrize("style", [False, True])
def test_a_snapshot_comes_out_again(context: RefreshContext, style: bool) -> None:
    release = refresh(context)

    verified = verify(context.releases, context.archive, snapshot_of(release, style=style))

    assert "computed again with the same result" in str(verified)
    assert verified.view.name == ("style" if style else "plain")


def test_an_older_snapshot_comes_out_again_after_new_votes(context: RefreshContext) -> None:
    first = refresh(context)
    bring(context.archive, bird_votes(10))
    refresh(context)

    assert verify(context.releases, context.archive, snapshot_of(first)).release.id == first.id


def test_the_beginning_of_an_id_is_enough(context: RefreshContext) -> None:
    name = snapshot_of(refresh(context))

    assert verify(context.releases, context.archive, name[:10]).view.leaderboard.snapshot.id == name


def test_a_changed_vote_is_found(context: RefreshContext) -> None:
    release = refresh(context)
    kept = release.boards[1].votes.hash
    table = kept_votes.find(context.archive, kept)
    assert table is not None
    outcome = np.array([*table.outcome[:-1], 1 - min(table.outcome[-1], 1)], dtype=np.int8)
    context.archive.folder.remove(f"_snapshots/{kept}.parquet")
    kept_votes.keep(context.archive, kept, replace(table, outcome=outcome), "birds")

    with pytest.raises(NotVerified, match="not those it was made of"):
        verify(context.releases, context.archive, snapshot_of(release))


def test_a_snapshot_that_counted_votes_as_voters_still_comes_out_again(context: RefreshContext) -> None:
    votes = bird_votes()
    bring(context.archive, replace(votes, voters=(), voter=np.full_like(votes.voter, -1)), "flocks")
    made = refresh(replace(context, boards=(Board("flocks", "Flocks", "flocks", PLAN, ()),)))
    view = made.boards[0].plain
    snapshot = view.leaderboard.snapshot

    def with_voters(number: int) -> str:
        older = replace(
            view, leaderboard=replace(view.leaderboard, snapshot=replace(snapshot, voters=number))
        )
        board = replace(made.boards[0], views=(older,))
        release = replace(made, id=f"29991231T000000Z-{number}", boards=(board,))
        assert storage.publish(context.releases, release, fence=99)
        return str(verify(context.releases, context.archive, snapshot.id))

    assert snapshot.voters is None
    assert "computed again with the same result" in with_voters(24)
    with pytest.raises(NotVerified, match="1 values differ"):
        with_voters(25)


def test_a_changed_number_is_found_and_named(context: RefreshContext) -> None:
    release = refresh(context)
    published = release.boards[1]
    board = published.plain.leaderboard
    better = replace(board.models[0], rating=2000.0)
    plain = replace(published.plain, leaderboard=replace(board, models=(better, *board.models[1:])))
    forged = replace(release, id="29991231T000000Z-forged", boards=(replace(published, views=(plain,)),))
    assert storage.publish(context.releases, forged, fence=99)

    with pytest.raises(NotVerified, match="comes out otherwise: 1 values differ") as caught:
        verify(context.releases, context.archive, snapshot_of(release))

    assert caught.value.differences[0].startswith("models[0].rating: published 2000.0, now ")


def test_votes_that_are_no_longer_kept_are_said_to_be_gone(context: RefreshContext) -> None:
    release = refresh(context)
    kept_votes.drop_others(context.archive, ())

    with pytest.raises(NotVerified, match="no longer kept"):
        verify(context.releases, context.archive, snapshot_of(release))


def test_another_method_is_not_passed_off_as_this_one(
    context: RefreshContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = refresh(context)
    monkeypatch.setattr("ratings.refresh.verify.METHOD_VERSION", METHOD_VERSION + "0")

    with pytest.raises(NotVerified, match="made by method"):
        verify(context.releases, context.archive, snapshot_of(release))


@pytest.mark.parametrize("name", ["", "0" * 64])
def test_an_unknown_snapshot_is_refused(context: RefreshContext, name: str) -> None:
    refresh(context)

    with pytest.raises(BadInput):
        verify(context.releases, context.archive, name)


def test_kept_votes_are_the_same_votes_but_tell_no_voter(context: RefreshContext) -> None:
    table = context.archive.read("birds")

    kept_votes.keep(context.archive, "h", table, "birds")
    kept = kept_votes.find(context.archive, "h")

    assert kept is not None
    assert votes_hash(kept) == votes_hash(table)
    assert kept.voters == ("0", "1", "2", "3", "4", "5")
    raw = context.archive.folder.read("_snapshots/h.parquet")
    assert raw is not None
    assert b"s1" not in raw


def test_models_without_a_vote_are_kept_too(context: RefreshContext) -> None:
    table = replace(bird_votes(), models=("heron", "osprey", "wren", "zebra"))

    kept_votes.keep(context.archive, "h", table, "birds")

    assert votes_hash(kept_votes.find(context.archive, "h") or table.take(np.array([0]))) == votes_hash(table)


def test_last_digits_may_differ_between_machines_but_no_more() -> None:
    shown = board()
    first = shown.models[0]

    near = replace(shown, models=(replace(first, rating=first.rating + 1e-9), *shown.models[1:]))  # type: ignore[operator]
    far = replace(shown, models=(replace(first, rating=first.rating + 1e-3), *shown.models[1:]))  # type: ignore[operator]

    assert compare(shown, near) == ()
    assert len(compare(shown, far)) == 1


def test_a_snapshot_with_a_forgotten_voter_says_so(context: RefreshContext) -> None:
    release = refresh(context)
    kept = release.boards[1].votes.hash
    table = kept_votes.find(context.archive, kept)
    assert table is not None
    context.archive.folder.remove(f"_snapshots/{kept}.parquet")
    named = replace(table, voters=("s0", "s1", "s2", "s3", "s4", "s5"))
    kept_votes.keep(context.archive, kept, named, "arena")

    kept_votes.forget(context.archive.folder, ["s1"], lambda key, voter: voter)

    with pytest.raises(NotVerified, match="was forgotten since"):
        verify(context.releases, context.archive, snapshot_of(release))
