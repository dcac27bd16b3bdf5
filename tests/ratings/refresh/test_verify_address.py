"""Kept votes are those of a snapshot only where both addresses say so: that of the votes and that of the snapshot."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from arena.votes import VoteTable
from ratings.leaderboard import METHOD_VERSION, Leaderboard
from ratings.refresh import verify as verifying
from ratings.refresh.verify import NotVerified, verify
from tests.ratings.boards_for_tests import board


@pytest.fixture
def published() -> Leaderboard:
    shown = board()
    return replace(shown, snapshot=replace(shown.snapshot, method_version=METHOD_VERSION))


@pytest.mark.parametrize(("votes", "snapshot"), [("other", "same"), ("same", "other"), ("other", "other")])
def test_one_wrong_address_is_enough(
    monkeypatch: pytest.MonkeyPatch, published: Leaderboard, votes: str, snapshot: str
) -> None:
    ranked = kept(monkeypatch, published, votes=votes, snapshot=snapshot)

    with pytest.raises(NotVerified):
        verify(*nowhere(), "a snapshot")

    assert ranked == []


def test_with_both_right_the_votes_are_ranked_again(
    monkeypatch: pytest.MonkeyPatch, published: Leaderboard
) -> None:
    ranked = kept(monkeypatch, published, votes="same", snapshot="same")

    assert verify(*nowhere(), "a snapshot").view.leaderboard is published
    assert len(ranked) == 1


def kept(
    monkeypatch: pytest.MonkeyPatch, published: Leaderboard, *, votes: str, snapshot: str
) -> list[object]:
    """Keep votes for what was published, whose two addresses come out the `same` or `other`; the rankings so far."""
    ranked: list[object] = []

    def rank(table: object, *_: object, **__: object) -> Leaderboard:
        ranked.append(table)
        return published

    found = (SimpleNamespace(), SimpleNamespace(votes=SimpleNamespace(hash="same")))
    ids = {"same": published.snapshot.id, "other": "another"}
    monkeypatch.setattr(verifying, "_find", lambda *_: (*found, SimpleNamespace(leaderboard=published)))
    monkeypatch.setattr(verifying.kept_votes, "find", lambda *_: VoteTable.of([]))
    monkeypatch.setattr(verifying, "votes_hash", lambda _: votes)
    monkeypatch.setattr(verifying, "snapshot_id", lambda *_, **__: ids[snapshot])
    monkeypatch.setattr(verifying, "rank", rank)
    return ranked


def nowhere() -> tuple[Any, Any]:
    return None, None
