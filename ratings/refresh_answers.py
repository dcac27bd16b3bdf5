"""What a refresh publishes beside each ranking: the gaps of all pairs, and the findings on whether to trust the board."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

from arena.votes import VoteTable
from ratings import diagnosis
from ratings.analysis import Analysis
from ratings.gap_table import gap_table
from ratings.leaderboard import Leaderboard
from ratings.packed import Findings, GapTable

THOROUGH_VOTES = 200_000  # up to so many, fits of their own (prediction, robustness) take a second or two
THOROUGH_PAIRS = 2_000  # of models that met
LEFT_OUT = "not asked of so large a board in a refresh: `python -m ratings diagnose` predicts unseen votes and tells how few votes decide rank 1"  # fmt: skip


class Answers:
    """Gathers the answers of each view while the boards of one collection are ranked; by the names of the views."""

    def __init__(self, table: VoteTable) -> None:
        self._table = table
        self.gaps: dict[str, GapTable] = {}
        self.findings: dict[str, Findings] = {}

    def look(self, name: str, analysis: Analysis, board: Leaderboard) -> None:
        """Take what `analysis` of the view `name` can answer."""
        self.gaps[name] = gap_table(analysis)
        self.findings[name] = self._findings(analysis, board)

    def _findings(self, analysis: Analysis, board: Leaderboard) -> Findings:
        found = diagnosis.examine(self._table, analysis, board)
        # A view with style is of the same votes as the plain one, where the thorough part stands.
        if not analysis.plan.style:
            found = self._thorough(found, analysis, board)
        return Findings.of(plain(asdict(found)))

    def _thorough(self, found: diagnosis.Diagnosis, analysis: Analysis, board: Leaderboard) -> diagnosis.Diagnosis:  # fmt: skip
        if analysis.selection.used > THOROUGH_VOTES or len(analysis.selection.pair_a) > THOROUGH_PAIRS:
            return replace(found, notes=(*found.notes, LEFT_OUT))
        return diagnosis.thorough(found, self._table, board)


def plain(value: Any) -> Any:
    """`value` with null for what is no number."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
