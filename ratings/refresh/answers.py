"""What a refresh publishes beside each ranking: the gaps of all pairs, and the findings on whether to trust the board."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any

from arena.errors import ArenaError
from arena.votes import VoteTable
from ratings.diagnostics import diagnosis
from ratings.diagnostics.difference_table import gap_table
from ratings.diagnostics.prompt_items import prompt_items
from ratings.diagnostics.style_effects import style_effects
from ratings.leaderboard import Leaderboard, Plan
from ratings.ranking.analysis import Analysis
from ratings.releases.payloads import Findings, GapTable

THOROUGH_VOTES = 200_000  # up to so many, fits of their own (prediction, robustness) take a second or two
THOROUGH_PAIRS = 2_000  # of models that met
PROMPTS = 60  # that a page shows
VERDICTS = (("separate", "separates"), ("reversed", "reversed"))
LEFT_OUT = "not asked of so large a board in a refresh: `python -m ratings diagnose` predicts unseen votes and tells how few votes decide rank 1"  # fmt: skip


class Answers:
    """Gathers the answers of each view while the boards of one collection are ranked; by the names of the views."""

    def __init__(self, table: VoteTable) -> None:
        self._table = table
        self.gaps: dict[str, GapTable] = {}
        self.findings: dict[str, Findings] = {}
        self.found: dict[str, diagnosis.Diagnosis] = {}
        self._plain: dict[Plan, Analysis] = {}  # until the view with style has been compared with it

    def look(self, name: str, analysis: Analysis, board: Leaderboard) -> None:
        """Take what `analysis` of the view `name` can answer."""
        self.gaps[name] = gap_table(analysis)
        self.findings[name] = self._findings(name, analysis, board)

    def _findings(self, name: str, analysis: Analysis, board: Leaderboard) -> Findings:
        found, prompts = diagnosis.examine(self._table, analysis, board), None
        if analysis.plan.style:
            plain_one = self._plain.pop(replace(analysis.plan, style=()), None)
            if plain_one is not None:
                found = replace(found, style_effects=style_effects(analysis, plain_one))
        else:
            self._plain = {analysis.plan: analysis}
        # A view with style is of the same votes as the plain one, where the thorough part stands.
        if not analysis.plan.style:
            found = self._thorough(found, analysis, board)
            prompts = self._prompts(analysis)
        self.found[name] = found
        return Findings.of(plain(asdict(found) | {"prompts": prompts}))

    def _prompts(self, analysis: Analysis) -> dict[str, Any] | None:
        """Prompts as items, the sharpest and the dullest `PROMPTS` of them; None where the votes name none."""
        if analysis.selection.used > THOROUGH_VOTES:
            return None
        try:
            found = prompt_items(self._table, analysis.plan)
        except ArenaError:
            return None
        half, items = PROMPTS // 2, found.prompts
        shown = items if len(items) <= PROMPTS else (*items[:half], *items[-half:])
        counts = {word: sum(item.verdict == verdict for item in items) for word, verdict in VERDICTS}
        told = {key: value for key, value in asdict(found).items() if key != "prompts"}
        return {
            **told,
            **counts,
            "shown": [asdict(item) for item in shown],
            "left_out": len(items) - len(shown),
        }

    def _thorough(self, found: diagnosis.Diagnosis, analysis: Analysis, board: Leaderboard) -> diagnosis.Diagnosis:  # fmt: skip
        if analysis.selection.used > THOROUGH_VOTES or len(analysis.selection.pair_a) > THOROUGH_PAIRS:
            return replace(found, notes=(*found.notes, LEFT_OUT))
        return diagnosis.thorough(found, self._table, analysis, board)


def plain(value: Any) -> Any:
    """`value` with null for what is no number."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
