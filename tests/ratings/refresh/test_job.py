"""A refresh shows all boards at once or nothing new: whatever fails or overtakes it leaves the last good release."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from arena.errors import Busy, NoData, NotConverged
from arena.store import schema
from arena.votes import Outcome, VoteTable
from ratings.benchmarks.library.store import FORMAT, BenchmarkShelf
from ratings.charts import palette
from ratings.refresh import job as refreshing
from ratings.refresh.context import RefreshContext
from ratings.refresh.job import LOCK, refresh
from ratings.releases import storage
from ratings.releases.boards import Board
from ratings.releases.release import Release
from tests.arena.makers import make_arena
from tests.conftest import FixedClock, PrivateStore
from tests.ratings.boards_for_tests import release as numbered
from tests.ratings.refresh_contexts import PLAN, bird_votes, bring, shown

pytestmark = pytest.mark.slow


def test_every_declared_board_is_published_in_order_the_empty_one_too(context: RefreshContext) -> None:
    refresh(context)

    release = shown(context)
    assert [(board.name, board.empty) for board in release.boards] == [("arena", True), ("birds", False)]
    assert release.default == release.boards[1]
    assert release.id.startswith("20250615T150640Z-")
    assert release.boards[1].plain.leaderboard.snapshot.votes_used == 24


def test_a_board_has_a_view_with_style_control_beside_the_plain_one(context: RefreshContext) -> None:
    refresh(context)

    styled = shown(context).boards[1].styled
    assert styled is not None
    assert styled.leaderboard.snapshot.plan == replace(PLAN, style=("length",))
    assert [one.name for one in styled.leaderboard.coefficients] == ["length"]
    assert set(styled.charts) == set(palette.CHARTS) - set(palette.PLAIN_ONLY)


def test_a_release_carries_files_and_pictures(context: RefreshContext) -> None:
    release = refresh(context)

    csv = storage.read_export(context.releases, release.id, "birds", "plain", "csv")
    assert csv is not None
    assert csv.startswith(b"model,rank,")
    # No style here, one release so far, and too few models for a map of all.
    assert set(shown(context).boards[1].plain.charts) == set(palette.CHARTS) - {
        "style",
        "history",
        "meetings",
    }


def test_every_view_has_the_gaps_of_all_pairs_and_findings_beside_it(context: RefreshContext) -> None:
    refresh(context)

    board = shown(context).boards[1]
    for view in board.views:
        assert view.gaps is not None
        assert view.findings is not None
        rating = {row.model: row.rating for row in view.leaderboard.models}
        gap = view.gaps.find("heron", "wren")
        assert gap is not None
        assert gap.gap == pytest.approx(rating["heron"] - rating["wren"], abs=1e-6)  # type: ignore[operator]
    assert board.plain.findings.content["held_out"]["votes"] == 24  # type: ignore[union-attr]


def test_the_report_holds_each_picture_with_what_draws_it_in_a_page(context: RefreshContext) -> None:
    refresh(context)

    report = shown(context).boards[1].plain.report
    assert report is not None
    assert [one["title"] for one in report.sections][:3] == ["Ratings", "Who met whom", "Effect of style"]
    assert {"Diagnosis", "Comparison of the first 3"} <= {one["title"] for one in report.sections}
    for section in report.sections:
        for one in section["pictures"]:
            picture = report.picture(one["name"])
            assert picture is not None
            assert "<svg>" in picture["svg"]
            assert picture["spec"]["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    assert report.picture("nothing") is None


def test_a_new_benchmark_renews_the_report_and_no_number(context: RefreshContext, tmp_path: Path) -> None:
    first = refresh(context)
    shelf = BenchmarkShelf(tmp_path / "benchmarks")
    later = replace(context, benchmarks=shelf)
    same = refresh(later)
    (tmp_path / "benchmarks" / "few").mkdir(parents=True)
    manifest = {"format": FORMAT, "name": "few", "imports": [], "card": None, "pages": {}}
    (tmp_path / "benchmarks" / "few" / "benchmark.json").write_text(json.dumps(manifest))

    renewed = refresh(later)

    old, kept, new = (release.boards[1].plain for release in (first, same, renewed))
    assert old.report == kept.report != new.report
    assert old.leaderboard == new.leaderboard


def test_a_board_of_one_source_counts_the_votes_of_that_import(context: RefreshContext) -> None:
    bring(context.archive, bird_votes(9), files=("may.csv",), rejected=4)
    boards = (Board("all", "", "birds", PLAN), Board("may", "", "birds", PLAN, source="may.csv"))
    nothing = Board("june", "", "birds", PLAN, source="june.csv")

    release = refresh(replace(context, boards=(*boards, nothing)))

    used = [board.plain.leaderboard.snapshot.votes_used for board in release.boards]
    assert used == [24 + 9, 9, 0]
    assert [board.plain.leaderboard.snapshot.rejected for board in release.boards] == [4, 4, 0]
    assert release.boards[1].votes.rows < release.boards[0].votes.rows


def test_own_votes_are_archived_and_counted(context: RefreshContext, clock: FixedClock) -> None:
    arena = make_arena(context.store, clock=clock)
    for number in range(12):
        arena.cast_vote(arena.open_battle(f"u{number}").battle_id, f"u{number}", Outcome.A)

    release = refresh(context)

    own = release.boards[0].plain.leaderboard.snapshot
    assert (own.votes_used, own.voters) == (12, 12)
    assert release.cast == 12
    assert release.default == release.boards[0]
    assert len(context.archive.read("arena")) == 12


def test_what_imports_left_out_stands_on_the_board(context: RefreshContext) -> None:
    bring(context.archive, bird_votes(9), rejected=4, duplicates=3, not_votes={"no outcome": 2})

    snapshot = refresh(context).boards[1].plain.leaderboard.snapshot

    assert (snapshot.rejected, snapshot.duplicates, snapshot.not_votes) == (4, 3, 2)
    assert snapshot.votes_read == 24 + 9 + 4 + 3 + 2


def test_unchanged_votes_are_not_fitted_again(
    context: RefreshContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = refresh(context)
    fitted: list[object] = []
    monkeypatch.setattr(refreshing, "rank_many", lambda table, plans, **_: fitted.extend(plans) or {})

    second = refresh(context)

    assert fitted == []
    assert second.id != first.id
    assert [b.plain.leaderboard for b in second.boards] == [b.plain.leaderboard for b in first.boards]
    assert len(second.history["birds"]) == 1


def test_a_new_count_of_rejected_rows_is_shown_even_if_the_votes_are_the_same(
    context: RefreshContext,
) -> None:
    refresh(context)
    nothing = VoteTable.of([])
    bring(context.archive, nothing, rejected=5)

    assert refresh(context).boards[1].plain.leaderboard.snapshot.rejected == 5


def test_new_votes_are_a_new_snapshot_and_a_point_of_history(
    context: RefreshContext, clock: FixedClock
) -> None:
    first = refresh(context)
    clock.advance(86_400.0)
    bring(context.archive, bird_votes(10))

    second = refresh(context)

    points = second.history["birds"]
    assert [point.release for point in points] == [first.id, second.id]
    assert points[0].snapshot == first.boards[1].plain.leaderboard.snapshot.id != points[1].snapshot
    assert "history" in second.boards[1].plain.charts


def test_the_second_of_two_runs_says_so_and_leaves(context: RefreshContext) -> None:
    context.store.locks.take(LOCK, 60.0)

    with pytest.raises(Busy, match="another refresh is running"):
        refresh(context)

    assert context.releases.current() is None


def test_a_run_gives_its_lock_back(context: RefreshContext) -> None:
    refresh(context)

    assert context.store.locks.take(LOCK, 60.0) is not None


def test_an_overtaken_run_does_not_replace_the_newer_release(
    context: RefreshContext, store_server: PrivateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = refreshing.build

    def sleepy(context: RefreshContext, before: Release | None) -> Release:
        """While this run sleeps its lock runs out, and another one publishes."""
        with redis.Redis.from_url(store_server.url) as client:
            client.delete(schema.lock(LOCK))
        fence = context.store.locks.take(LOCK, 60.0)
        assert fence is not None
        assert storage.publish(context.releases, numbered(2), fence)
        return build(context, before)

    monkeypatch.setattr(refreshing, "build", sleepy)

    with pytest.raises(Busy, match="a later run has published"):
        refresh(context)

    assert shown(context).id == numbered(2).id


def test_a_failed_run_leaves_the_last_good_release(
    context: RefreshContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = refresh(context)
    bring(context.archive, bird_votes(10))

    def fail(*_: object, **__: object) -> None:
        raise NotConverged("no", 100, 0.5)

    monkeypatch.setattr(refreshing, "rank_many", fail)

    with pytest.raises(NotConverged):
        refresh(context)

    assert shown(context).id == first.id
    assert context.store.locks.take(LOCK, 60.0) is not None


def test_without_any_vote_the_last_release_stays_unless_told_otherwise(context: RefreshContext) -> None:
    first = refresh(context)
    context.archive.remove("birds")

    with pytest.raises(NoData):
        refresh(context)
    assert shown(context).id == first.id

    refresh(context, allow_empty=True)
    assert [(board.name, board.empty) for board in shown(context).boards] == [("arena", True)]


def test_a_board_of_a_collection_that_does_not_exist_is_left_out(context: RefreshContext) -> None:
    example = Board("example", "Example", "example", PLAN)

    release = refresh(replace(context, boards=(*context.boards, example)))

    assert [board.name for board in release.boards] == ["arena", "birds"]


def test_a_clock_set_back_never_makes_an_older_release_the_latest(
    context: RefreshContext, clock: FixedClock
) -> None:
    first = refresh(context)
    clock.advance(-3600.0)

    second = refresh(context)

    assert second.at > first.at
    assert second.id > first.id
    assert [name for name, _ in context.store.releases.list()] == [first.id, second.id]
    assert shown(context).id == second.id


def test_a_broken_release_is_replaced(context: RefreshContext) -> None:
    first = refresh(context)
    context.store.releases.put(first.id, {"release.json": b"{"}, at=first.at)

    refresh(context)

    assert shown(context).boards[1].name == "birds"


def test_old_releases_and_their_votes_are_dropped(
    context: RefreshContext, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refreshing, "KEPT_RELEASES", 2)
    for number in range(4):
        bring(context.archive, bird_votes(5 + number))
        clock.advance(60.0)
        refresh(context)

    kept = [storage.load(context.releases, name) for name, _ in context.store.releases.list()]
    hashes = {board.votes.hash for release in kept for board in release.boards}
    assert len(kept) == 2
    assert set(context.archive.folder.names("_snapshots")) == {f"{name}.parquet" for name in hashes}


def test_what_the_votes_cannot_serve_is_left_out_of_the_plan(context: RefreshContext) -> None:
    board = Board("birds", "Birds", "birds", replace(PLAN, anchor=("eagle", 1200.0)), ("length", "colour"))

    (published,) = refresh(replace(context, boards=(board,))).boards

    assert published.plain.leaderboard.snapshot.plan.anchor is None
    assert published.styled is not None
    assert published.styled.leaderboard.snapshot.plan.style == ("length",)
