"""The gaps of pairs as pages and JSON show them: beside the direct votes, with private names replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ratings.leaderboard import Leaderboard, PairRecord
from ratings.releases.payloads import NUMBERS, PairGap
from ratings.releases.release import PublishedBoard, View
from web import standings

NO_SCALE = "no common scale: the votes do not link the two in both directions"


@dataclass(frozen=True)
class MetPair:
    """One pair as seen from its first model: direct votes, and the gap where the release knows it."""

    record: PairRecord
    gap: PairGap | None

    @property
    def votes(self) -> int:
        return standings.total(self.record)


@dataclass(frozen=True)
class Verdict:
    """The gap of one pair under one view of a board."""

    view: View
    gap: PairGap
    tested: int  # pairs that its adjusted P is for

    @property
    def decided(self) -> str:
        """`yes`; `alone`: told apart if only this pair is asked, not among all pairs; `no`; `unknown`."""
        if self.gap.p is None or self.gap.told_apart is None:
            return "unknown"
        if not self.gap.told_apart:
            return "no"
        return "yes" if self.gap.p_adjusted is not None and self.gap.p_adjusted < 0.05 else "alone"


def verdicts(board: PublishedBoard, a: str, b: str) -> list[Verdict]:
    """`a` against `b` under each view of `board` that has them on one scale."""
    return [
        Verdict(view, gap, view.gaps.tested)
        for view in board.views
        if view.gaps is not None and (gap := view.gaps.find(a, b)) is not None
    ]


def meetings(board: Leaderboard, view: View, model: str) -> list[MetPair]:
    """Every other model of `board` that `model` met or has a gap to: most direct votes first."""
    known = {} if view.gaps is None else view.gaps.against(model)
    met = [MetPair(record, known.get(record.b)) for record in standings.records(board, model)]
    named = {row.model for row in board.models} - {meeting.record.b for meeting in met}
    rest = [
        MetPair(PairRecord(model, name, 0, 0, 0, 0), known[name]) for name in sorted(named & known.keys())
    ]
    return met + rest


def pair_objects(
    shown: standings.Shown, hidden: frozenset[str], model: str | None
) -> Iterator[dict[str, Any]]:
    """Every pair with direct votes or a gap, of `model` alone where one is named: counts, then `GAP_FIELDS`."""
    alias = standings.aliases(shown.view.leaderboard, hidden)
    records = {(pair.a, pair.b): pair for pair in shown.leaderboard.pairs}
    gaps = {}
    for gap in shown.view.gaps or ():
        a, b = alias.get(gap.a, gap.a), alias.get(gap.b, gap.b)
        gaps[(a, b) if (b, a) not in records else (b, a)] = gap if (b, a) not in records else gap.turned()
    for names in (*records, *(names for names in gaps if names not in records)):
        if model is None or model in names:
            record = records.get(names, PairRecord(*names, 0, 0, 0, 0))
            yield {**vars(record), **gap_object(gaps.get(names))}


GAP_FIELDS = (*NUMBERS, "why")


def gap_object(gap: PairGap | None) -> dict[str, Any]:
    """The numbers of `gap`; null where there is none."""
    if gap is None:
        return {**dict.fromkeys(NUMBERS), "why": NO_SCALE}
    return {name: getattr(gap, name) for name in GAP_FIELDS}
