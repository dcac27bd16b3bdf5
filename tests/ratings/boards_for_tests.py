"""Small leaderboards, releases and storage in memory, for the tests of what is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ratings.leaderboard import Coefficient, Leaderboard, PairRecord, Plan, Snapshot, Standing
from ratings.releases.release import PublishedBoard, Release, View, Votes

PLAN = Plan(rounds=500, style=("length",), anchor=("heron-7b", 1000.0))


class MemoryStorage:
    """Storage with the store's rules, in memory; counts how often a file is read."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, bytes]] = {}
        self.pointer: str | None = None
        self.fence = 0
        self.times: dict[str, float] = {}
        self.reads = 0

    def put(self, release: str, files: Mapping[str, bytes], *, at: float) -> None:
        self.files[release] = dict(files)
        self.times[release] = at

    def get(self, release: str, name: str) -> bytes | None:
        self.reads += 1
        return self.files.get(release, {}).get(name)

    def current(self) -> str | None:
        return self.pointer

    def activate(self, release: str, *, fence: int) -> bool:
        if fence < self.fence:
            return False
        self.pointer, self.fence = release, fence
        return True

    def list(self) -> Sequence[tuple[str, float]]:
        return list(self.times.items())

    def delete(self, release: str) -> None:
        del self.files[release], self.times[release]


def standing(model: str, rating: float | None, rank: int | None = 1, **changes: object) -> Standing:
    line = Standing(
        model=model,
        rank=rank,
        rank_low=rank,
        rank_high=rank,
        rating=rating,
        low=None if rating is None else rating - 20.5,
        high=None if rating is None else rating + 21.25,
        se=None if rating is None else 10.0,
        votes=40,
        wins=20,
        losses=10,
        ties=7,
        both_bad=3,
        win_rate=0.625,
        status="unrated" if rating is None else "ranked",
        component=None if rating is None else 1,
        effective_voters=12.5,
        rating_without_style=None,
        why=None,
    )
    return replace(line, **changes)  # type: ignore[arg-type]


SEPARATED = standing(
    "merlin-xl", None, None, status="separated", why="won every vote: no finite rating", wins=7, losses=0
)
UNRATED = standing("plover", None, None, votes=0, wins=0, losses=0, ties=0, both_bad=0, win_rate=None)


def board(*models: Standing, snapshot_id: str = "a" * 64, plan: Plan = PLAN) -> Leaderboard:
    models = models or (
        standing("heron-7b", 1117.25),
        standing("osprey", 983.5, 2),
        standing("wren-mini", -12.5, 3),
        SEPARATED,
        UNRATED,
    )
    return Leaderboard(
        snapshot=Snapshot(
            id=snapshot_id,
            method_version="1",
            seed=plan.seed,
            plan=plan,
            votes_read=70,
            votes_used=60,
            rejected=1,
            duplicates=2,
            not_votes=3,
            excluded={"not_blind": 3, "self_battle": 1},
            models=len(models),
            voters=12,
            components=1,
            converged=True,
            iterations=5,
        ),
        models=tuple(models),
        coefficients=(Coefficient("length", 1, 0.25, 43.4, 0.1, 0.4),),
        warnings=("few voters",),
        pairs=(
            PairRecord("heron-7b", "osprey", 9, 3, 2, 1),
            PairRecord("heron-7b", "wren-mini", 12, 0, 0, 2),
            PairRecord("osprey", "wren-mini", 5, 4, 1, 0),
        ),
    )


def release(number: int = 1, *, models: int = 3) -> Release:
    """A release whose every figure tells its number."""
    lines = [standing(f"m{place}", 1000.0 + number, place, votes=number) for place in range(1, models + 1)]
    plain = board(*lines, snapshot_id=f"{number:064x}")
    plain = replace(plain, snapshot=replace(plain.snapshot, votes_used=number))
    view = View("plain", plain, {"whiskers": f"<svg>{number}</svg>"}, {"csv": f"{number}\n".encode()})
    styled = View("style", replace(plain, snapshot=replace(plain.snapshot, id=f"{number:063x}f")))
    full = PublishedBoard("arena", "This arena", "arena", "", (view, styled), Votes("arena", number, "h"))
    return Release(f"20260101T000000Z-{number:08x}", 1_767_225_600.0 + number, (full,))
