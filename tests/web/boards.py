"""Boards made by hand that hold every kind of line: ranked, preliminary, separated, unrated, islands, open bounds."""

from __future__ import annotations

from dataclasses import replace

from ratings.leaderboard import Coefficient, Dropped, Leaderboard, PairRecord, Plan, Snapshot, Standing
from ratings.releases.payloads import NUMBERS, Findings, GapTable
from ratings.releases.release import HistoryPoint, PublishedBoard, Release, View, Votes

AT = 1_750_000_000.0
STYLE = ("length", "bold")


def standing(model: str, rank: int | None, rating: float | None, half: float, **changes: object) -> Standing:
    """A line with an interval of `half` points to each side; counts that add up."""
    line = Standing(
        model=model,
        rank=rank,
        rank_low=rank,
        rank_high=None if rank is None else rank + 1,
        rating=rating,
        low=None if rating is None else rating - half,
        high=None if rating is None else rating + half,
        se=None if rating is None else half / 2,
        votes=40,
        wins=20,
        losses=10,
        ties=6,
        both_bad=4,
        win_rate=0.625,
        status="ranked",
        component=1,
        effective_voters=12.5,
        rating_without_style=None,
        why=None,
    )
    return replace(line, **changes)  # type: ignore[arg-type]


LINES = (
    standing("zorblax-9", 1, 1104.25, 31.5),
    standing("quimby/XL 2", 1, 1080.5, 40.0),
    standing("plonkette", 3, 870.125, 45.0, status="preliminary", votes=12, why="fewer than 30 votes"),
    standing(
        "merlin <b>XL</b>", None, 1300.0, 0.0, high=None, status="separated", component=1, why="beaten by nobody"
    ),
    standing("lonely", None, None, 0.0, status="separated", component=None, why="never beat or tied with the board"),
    standing(
        "=SUM(A1)", None, None, 0.0, status="unrated", component=None, votes=0, wins=0, losses=0, ties=0,
        both_bad=0, win_rate=None, why="no usable vote", effective_voters=None,
    ),
)  # fmt: skip
PAIRS = (
    PairRecord("zorblax-9", "quimby/XL 2", 11, 7, 3, 2),
    PairRecord("plonkette", "zorblax-9", 2, 9, 1, 0),
    PairRecord("merlin <b>XL</b>", "plonkette", 7, 0, 0, 0),
)


def leaderboard(
    lines: tuple[Standing, ...] = LINES, *, seed: int = 1, plan: Plan | None = None
) -> Leaderboard:
    plan = plan or Plan(seed=seed)
    return Leaderboard(
        snapshot=Snapshot(
            id=f"{seed:064x}",
            method_version="1",
            seed=seed,
            plan=plan,
            votes_read=210,
            votes_used=180 + seed,
            rejected=2,
            duplicates=3,
            not_votes=5 - seed,
            excluded={"empty_response": 12, "identity_leak": 8},
            models=len(lines),
            voters=33,
            components=2,
            converged=True,
            iterations=6,
        ),
        models=lines,
        warnings=("2 models have few effective voters",),
        pairs=PAIRS,
    )


def styled() -> Leaderboard:
    lines = tuple(
        replace(
            line, rating_without_style=line.rating, rating=None if line.rating is None else line.rating - 9
        )
        for line in LINES
    )
    board = leaderboard(lines, seed=2, plan=Plan(seed=2, style=STYLE))
    return replace(
        board,
        coefficients=(Coefficient("length", 1, 0.21, 36.5, 0.1, 0.32),),
        dropped=(Dropped("bold", "no answer differs in it"),),
    )


# Two pairs of three models on one scale, and one that no number of votes tells apart.
GAPS = GapTable.of_columns(
    ("plonkette", "quimby/XL 2", "zorblax-9"),
    ("fewer than 10 effective voters",),
    {
        "a": (0, 0, 1),
        "b": (1, 2, 2),
        "why": (None, 0, None),
        **dict(
            zip(
                NUMBERS,
                (
                    (-210.375, -234.125, -23.75), (-280.0, -310.0, -60.0), (-140.0, -150.0, 12.5), (35.0, 40.0, 18.0),
                    (0.2295, 0.2062, 0.4659), (0.1664, 0.1437, 0.4145), (0.3087, 0.2966, 0.518), (31.0, 8.5, 44.0),
                    (0.0002, 0.02, 0.19), (0.0006, 0.06, 0.19), (None, None, 2600),
                ),
                strict=True,
            )
        ),
    },
    tested=3,
)  # fmt: skip
FINDINGS = Findings.of(
    {
        "leader": "zorblax-9",
        "connectivity": {
            "models": 5, "board": 3, "components": 2, "separated": ["merlin <b>XL</b>"], "islands": [["lonely"]],
            "pairs_observed": 3, "pairs": 10,
        },
        "position": {
            "left_wins": 41, "decisive": 60, "left_share": 41 / 60, "low": 0.557, "high": 0.787, "p": 0.0062,
            "flagged": True,
        },
        "side_term": {"name": "side", "component": 1, "value": 0.2, "elo": 34.7, "low": 0.05, "high": 0.35},
        "outcomes": {"votes": 180, "left": 0.4, "right": 0.35, "tie": 0.15, "both_bad": 0.1},
        "ties": [{"model": "plonkette", "votes": 12, "tie_share": 0.25, "both_bad_share": 0.125}],
        "held_out": {
            "folds": 5, "votes": 180, "unpredicted": 0, "voters": 33, "calibration": [],
            "losses": [
                {"name": name, "log_loss": 0.69 - gain, "brier": 0.25, "gain": gain, "gain_low": gain, "gain_high": gain}
                for name, gain in (("coin", 0.0), ("elo", 0.01), ("bradley_terry", 0.0312))
            ],
        },
        "misfits": [
            {"a": "plonkette", "b": "zorblax-9", "votes": 12, "voters": 9, "observed": 0.6, "expected": 0.3, "z": 3.1,
             "p": 0.01, "p_adjusted": 0.03}
        ],
        "pairs_tested": 3,
        "rank_one": {
            "leader": "zorblax-9", "challenger": "quimby/XL 2", "votes_dropped": 9, "votes": 180, "share": 0.05,
            "dropped": [],
        },
        "tiers": [{"tier": 1, "models": ["zorblax-9", "quimby/XL 2"]}, {"tier": 2, "models": ["plonkette"]}],
        "online_elo": [],
        "prompts": {
            "tested": 1, "separate": 1, "reversed": 0, "silent_for_few_votes": 1, "left_out": 0, "categories": [],
            "shown": [
                {"name": "riddle-7", "votes": 90, "tie_share": 0.3, "disagreement": 0.41, "discrimination": 1.25,
                 "low": 0.75, "high": 1.75, "shrunk": 1.2, "correlation": 0.5, "correlation_low": 0.3,
                 "correlation_high": 0.65, "p_adjusted": 0.0004, "verdict": "separates"},
                {"name": "rare-1", "votes": 3, "tie_share": 1.0, "verdict": "silent",
                 **dict.fromkeys(("disagreement", "discrimination", "low", "high", "shrunk", "correlation",
                                  "correlation_low", "correlation_high", "p_adjusted"))},
            ],
        },
        "notes": ["online Elo depends on the order of the votes"],
    }
)  # fmt: skip


def example_release(identifier: str = "20250615T150640Z-00000001", at: float = AT) -> Release:
    """Two boards with votes, one of them with style control, and one without any vote."""
    arena = PublishedBoard(
        "arena",
        "This arena",
        "arena",
        "Votes cast here.",
        (View("plain", leaderboard(), CHARTS, gaps=GAPS, findings=FINDINGS), View("style", styled(), CHARTS)),
        Votes("arena", 180, "0" * 64),
    )
    second = PublishedBoard(
        "second",
        "Second board",
        "second",
        "",
        (View("plain", leaderboard(LINES[:3], seed=3)),),
        Votes("second"),
    )
    nothing = leaderboard((), seed=4)
    empty = replace(nothing, snapshot=replace(nothing.snapshot, votes_used=0, models=0, voters=0), pairs=())
    third = PublishedBoard("empty", "Empty board", "nobody", "", (View("plain", empty),), Votes("nobody"))
    points = tuple(
        HistoryPoint(
            f"release-{n}", at - n * 86_400, f"{n:064x}", {"zorblax-9": (1100.0 - n, 1070.0, 1130.0, 1)}
        )
        for n in (2, 1, 0)
    )
    return Release(identifier, at, (arena, second, third), {"arena": points})


CHARTS = {
    "whiskers": '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><path d="M0 0h9"/></svg>'
}
